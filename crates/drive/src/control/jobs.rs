//! Jobs of the FTL: when each is asked for its next plan.
//!
//! Blocking and normal jobs are asked as soon as their last plan is done; their steps differ in
//! rank. Idle jobs are asked when the host has left the dies of their scope alone for a while; while these
//! are busy, a job waits for one of them to come free and is not looked at before.

use std::collections::VecDeque;

use wordline_ftl::{
    GcConfig, GcMode, JobId, JobNotice, JobSlot, JobState, JobTable, PlanError, Scope, Urgency,
};
use wordline_units::{Duration, SimTime};

use crate::array::flash::Flash;
use crate::clock::{Clock, Event};
use crate::operation::{Level, Owner};

/// What the drive knows of a job beside its notice.
#[derive(Clone, Copy, Debug, Default)]
struct Appointment {
    timer: bool,
    queued: bool,
    /// It waits for a unit to come free.
    asleep: bool,
}

/// The jobs that gave notice.
#[derive(Debug)]
pub(crate) struct Jobs {
    table: JobTable<Appointment>,
    /// Jobs to be asked before time goes on.
    ask: VecDeque<JobId>,
    /// Idle jobs that wait for a unit to come free, by that unit; at the end those that wait for the programs
    /// which may go to several units.
    asleep: Vec<Vec<JobId>>,
    /// Jobs that no longer do, to be looked at before time goes on.
    woken: Vec<JobId>,
    /// How long the host must have left a scope alone before its idle jobs run.
    idle_after: Duration,
    /// Time that the drive lived before the run.
    epoch: Duration,
    /// The host is done: jobs are asked only while operations of others may wait for them.
    draining: bool,
    /// Whether host programs wait for page moves that are owed.
    paces: bool,
    /// Jobs that others will wait for and that were not asked, as none did when the host was done.
    unneeded: Vec<JobId>,
    /// Operations in the drive that no job planned.
    clients: u32,
}

impl Jobs {
    pub(super) fn new(gc: &GcConfig, units: usize, epoch: Duration) -> Self {
        let (idle_after, paces) = (gc.idle, gc.mode == GcMode::Partial);
        Self {
            table: JobTable::default(),
            ask: VecDeque::new(),
            asleep: vec![Vec::new(); units + 1],
            woken: Vec::new(),
            idle_after,
            epoch,
            draining: false,
            paces,
            unneeded: Vec::new(),
            clients: 0,
        }
    }

    /// Whether host programs wait for page moves that are owed: then a plan of moves makes room for them.
    pub(crate) const fn paces(&self) -> bool {
        self.paces
    }

    pub(crate) fn anything_to_ask(&self) -> bool {
        !self.ask.is_empty() || !self.woken.is_empty()
    }

    /// A unit came free: the jobs that wait for it are looked at once the present moment's events are over.
    #[inline]
    pub(crate) fn unit_freed(&mut self, unit: usize) {
        let asleep = &mut self.asleep[unit];
        if !asleep.is_empty() {
            self.woken.append(asleep);
        }
    }

    /// No program that may go to several units waits any more.
    #[inline]
    pub(crate) fn wide_queues_emptied(&mut self) {
        self.unit_freed(self.asleep.len() - 1);
    }
}

/// How pressing the steps of a job are.
pub(crate) const fn level(urgency: Urgency) -> Level {
    match urgency {
        Urgency::Blocking => Level::Urgent,
        Urgency::Normal => Level::Normal,
        Urgency::Idle => Level::Idle,
    }
}

impl Jobs {
    /// Takes in a notice of the FTL. Tells the new level of the job's waiting steps, where it has become more pressing.
    pub(crate) fn notice(&mut self, notice: JobNotice, flash: &Flash, clock: &mut Clock) -> Option<Level> {
        let before = self.table.notify(notice);
        if !self.table.get(notice.job).is_working() {
            self.plan_to_ask(notice.job, flash, clock);
            return None;
        }
        let is_raised = before.is_none_or(|before| notice.urgency > before.urgency);
        is_raised.then(|| level(notice.urgency))
    }

    /// Decides when a job is asked next, if it wants to be and no step of its last plan is left.
    fn plan_to_ask(&mut self, job: JobId, flash: &Flash, clock: &mut Clock) {
        let slot = self.table.get(job);
        let (
            Some(notice),
            Appointment {
                timer,
                queued,
                asleep,
            },
        ) = (slot.waiting(), slot.state)
        else {
            return;
        };
        if queued {
            return;
        }
        let mut at = SimTime(notice.not_before.0.saturating_sub(self.epoch.0));
        if notice.urgency == Urgency::Idle {
            if let Some(place) = flash.host_work_in(notice.scope) {
                if !asleep {
                    self.table.state_mut(job).asleep = true;
                    self.asleep[place].push(job);
                }
                return;
            }
            at = at.max(flash.last_host_work_in(notice.scope) + self.idle_after);
        }
        if at <= clock.now() {
            self.table.state_mut(job).queued = true;
            self.ask.push_back(job);
        } else if !timer {
            self.table.state_mut(job).timer = true;
            clock.schedule(at, Event::JobTimer(job));
        }
    }

    /// Looks at the jobs that waited for a unit that has come free.
    #[inline]
    pub(crate) fn wake(&mut self, flash: &Flash, clock: &mut Clock) {
        if !self.woken.is_empty() {
            self.look_at_woken(flash, clock);
        }
    }

    #[inline(never)]
    fn look_at_woken(&mut self, flash: &Flash, clock: &mut Clock) {
        let mut woken = std::mem::take(&mut self.woken);
        for job in woken.drain(..) {
            self.table.state_mut(job).asleep = false;
            self.plan_to_ask(job, flash, clock);
        }
        self.woken = woken;
    }

    /// The part of the drive that a job works on.
    pub(crate) fn scope_of(&self, job: JobId) -> Scope {
        self.table
            .get(job)
            .notice()
            .map_or(Scope::Drive, |notice| notice.scope)
    }

    /// The timer of a job has run out.
    pub(crate) fn timer_ran_out(&mut self, job: JobId, flash: &Flash, clock: &mut Clock) {
        self.table.state_mut(job).timer = false;
        self.plan_to_ask(job, flash, clock);
    }

    /// The job whose turn it is to be asked for its next plan.
    pub(super) fn next_to_ask(&mut self) -> Option<(JobId, Urgency)> {
        while let Some(job) = self.ask.pop_front() {
            self.table.state_mut(job).queued = false;
            let Some(notice) = self.table.get(job).waiting() else {
                continue;
            };
            if self.draining && notice.urgency != Urgency::Blocking && !self.paces {
                continue;
            }
            if self.draining && self.clients == 0 {
                self.unneeded.push(job);
                continue;
            }
            self.table.ask(job);
            return Some((job, notice.urgency));
        }
        None
    }

    /// A job has answered with a plan of so many steps.
    ///
    /// # Errors
    /// It contradicts itself.
    pub(super) fn answered(&mut self, job: JobId, state: JobState, steps: u32) -> Result<(), PlanError> {
        self.table.answered(job, state, steps)
    }

    /// So many steps came beside one of a job.
    pub(crate) fn steps_added(&mut self, job: JobId, steps: u32) {
        self.table.steps_added(job, steps);
    }

    /// A step of a job is done and has grown `grown` more.
    pub(crate) fn step_done(&mut self, job: JobId, grown: u32, flash: &Flash, clock: &mut Clock) {
        if self.table.step_done(job, grown) {
            self.plan_to_ask(job, flash, clock);
        }
    }

    /// The notices of the jobs that want to be asked and of which no step is left.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = JobNotice> {
        self.table.iter().filter_map(JobSlot::waiting)
    }

    /// The host is done, or is not: jobs are asked only while operations of others may wait for them.
    #[inline]
    pub(crate) fn drain(&mut self, is_host_done: bool) -> bool {
        self.draining |= is_host_done;
        self.draining
    }

    /// A step of a plan has become an operation.
    #[inline]
    pub(crate) fn operation_planned(&mut self, owner: Owner) {
        if !matches!(owner, Owner::Job(_)) {
            self.clients += 1;
            // the buffer goes on with its writes when the host is done
            for job in self.unneeded.drain(..) {
                self.table.state_mut(job).queued = true;
                self.ask.push_back(job);
            }
        }
    }

    /// An operation has ended.
    #[inline]
    pub(crate) fn operation_ended(&mut self, owner: Owner) {
        if !matches!(owner, Owner::Job(_)) {
            self.clients -= 1;
        }
    }
}
