//! Jobs of the FTL: when each is asked for its next plan.
//!
//! Blocking and normal jobs are asked as soon as their last plan is done; their steps differ in
//! rank. Idle jobs are asked when the host has left the dies of their scope alone for a while; while these
//! are busy, a job waits for one of them to come free and is not looked at before.

use std::collections::VecDeque;
use std::ops::Range;

use wordline_ftl::{JobId, JobNotice, JobTable, Scope, Urgency};
use wordline_units::{Duration, SimTime};

use crate::drive::{Drive, Event};
use crate::operation::{Level, NONE, Owner};
use crate::scheduler::{CLASSES, LEVELS};

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
    /// The host is done: jobs are asked only while operations of others may wait for them.
    pub(crate) draining: bool,
    /// Operations in the drive that no job planned.
    pub(crate) clients: u32,
}

impl Jobs {
    pub(crate) fn new(idle_after: Duration, units: usize) -> Self {
        Self {
            table: JobTable::default(),
            ask: VecDeque::new(),
            asleep: vec![Vec::new(); units + 1],
            woken: Vec::new(),
            idle_after,
            draining: false,
            clients: 0,
        }
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

const fn level(urgency: Urgency) -> Level {
    match urgency {
        Urgency::Blocking => Level::Urgent,
        Urgency::Normal => Level::Normal,
        Urgency::Idle => Level::Idle,
    }
}

impl Drive {
    /// Takes in the notices that the FTL has for us.
    #[inline]
    pub(crate) fn collect_notices(&mut self) {
        if std::mem::take(&mut self.ftl_called) {
            self.ftl.notices(&mut self.notices);
            if !self.notices.is_empty() {
                self.take_in_notices();
            }
        }
    }

    #[inline(never)]
    fn take_in_notices(&mut self) {
        let mut notices = std::mem::take(&mut self.notices);
        for notice in notices.drain(..) {
            self.notice(notice);
        }
        self.notices = notices;
    }

    fn notice(&mut self, notice: JobNotice) {
        let before = self.jobs.table.notify(notice);
        if !self.jobs.table.get(notice.job).is_working() {
            self.plan_to_ask(notice.job);
        } else if before.is_none_or(|before| notice.urgency > before.urgency) {
            self.promote(notice.job, level(notice.urgency));
        }
    }

    /// Moves the waiting steps of a job that became more pressing to the queues of its new level.
    fn promote(&mut self, job: JobId, level: Level) {
        let waiting: Vec<u32> = self
            .ops
            .iter()
            .filter(|(_, op)| op.owner == Owner::Job(job))
            .map(|(id, _)| id)
            .collect();
        for id in waiting {
            let queued = self.ops[id].queue != NONE;
            if queued {
                self.dequeue(id);
            }
            self.ops[id].level = level;
            if queued {
                self.queue_up(id);
            }
        }
    }

    /// Decides when a job is asked next, if it wants to be and no step of its last plan is left.
    fn plan_to_ask(&mut self, job: JobId) {
        let slot = self.jobs.table.get(job);
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
            if let Some(place) = self.host_work_in(notice.scope) {
                if !asleep {
                    self.jobs.table.state_mut(job).asleep = true;
                    self.jobs.asleep[place].push(job);
                }
                return;
            }
            at = at.max(self.last_host_work_in(notice.scope) + self.jobs.idle_after);
        }
        if at <= self.now {
            self.jobs.table.state_mut(job).queued = true;
            self.jobs.ask.push_back(job);
        } else if !timer {
            self.jobs.table.state_mut(job).timer = true;
            self.schedule(at, Event::JobTimer(job));
        }
    }

    /// What keeps an idle job of a scope waiting: a unit that is busy or that the host has work for, or (beyond the
    /// last unit) programs that may go to several units.
    fn host_work_in(&self, scope: Scope) -> Option<usize> {
        let host_work: u16 = (0..CLASSES)
            .step_by(LEVELS)
            .map(|row| 1 << (row + Level::Host as usize))
            .sum();
        if self.flash.wide_ops > 0 {
            return Some(self.flash.units.len());
        }
        self.flash
            .units_of(scope)
            .find(|unit| self.flash.units[*unit].work & host_work != 0 || !self.flash.is_idle(*unit))
    }

    /// When the host last used a scope.
    fn last_host_work_in(&self, scope: Scope) -> SimTime {
        let units = self.flash.units[self.flash.units_of(scope)].iter();
        units.map(|unit| unit.last_host).max().unwrap_or_default()
    }

    /// Looks at the jobs that waited for a unit that has come free.
    fn wake_jobs(&mut self) {
        let mut woken = std::mem::take(&mut self.jobs.woken);
        for job in woken.drain(..) {
            self.jobs.table.state_mut(job).asleep = false;
            self.plan_to_ask(job);
        }
        self.jobs.woken = woken;
    }

    /// The units that a job works on.
    pub(crate) fn units_of_job(&self, job: JobId) -> Range<usize> {
        match self.jobs.table.get(job).notice() {
            Some(notice) => self.flash.units_of(notice.scope),
            None => 0..self.flash.units.len(),
        }
    }

    pub(crate) fn job_timer(&mut self, job: JobId) {
        self.jobs.table.state_mut(job).timer = false;
        self.plan_to_ask(job);
    }

    /// Asks every job whose turn it is for its next plan.
    pub(crate) fn ask_jobs(&mut self) {
        self.wake_jobs();
        while let Some(job) = self.jobs.ask.pop_front() {
            self.jobs.table.state_mut(job).queued = false;
            let Some(notice) = self.jobs.table.get(job).waiting() else {
                continue;
            };
            if self.jobs.draining && (self.jobs.clients == 0 || notice.urgency != Urgency::Blocking) {
                continue;
            }
            self.jobs.table.ask(job);
            let now = self.ftl_now();
            self.ftl_called = true;
            let state = self.ftl.advance(now, job, &mut self.plan);
            if let Err(problem) = self.jobs.table.answered(job, state, self.plan.len() as u32) {
                self.refuse_plan(problem);
            }
            self.start_plan(Owner::Job(job), level(notice.urgency), NONE);
            self.collect_notices();
        }
    }

    /// A step of a job is done and has grown `grown` more.
    pub(crate) fn job_step_done(&mut self, job: JobId, grown: u32) {
        if self.jobs.table.step_done(job, grown) {
            self.plan_to_ask(job);
        }
    }
}
