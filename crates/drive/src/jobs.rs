//! Jobs of the FTL: when each is asked for its next plan.
//!
//! Blocking and normal jobs are asked as soon as their last plan is done; their steps differ in
//! rank. Idle jobs are asked when the host has left the dies of their scope alone for a while; while these
//! are busy, a job waits for one of them to come free and is not looked at before.

use std::collections::VecDeque;
use std::ops::Range;

use wordline_ftl::{JobId, JobNotice, JobState, Scope, Urgency};
use wordline_units::{Duration, SimTime};

use crate::drive::{Drive, Event};
use crate::operation::{Level, NONE, Owner};
use crate::scheduler::{CLASSES, LEVELS};

/// What the drive knows of a job.
#[derive(Clone, Copy, Debug)]
struct Job {
    notice: JobNotice,
    /// It wants to be asked when its steps are done.
    active: bool,
    /// Steps of its plan that are not done.
    steps_left: u32,
    timer: bool,
    queued: bool,
    /// It waits for a unit to come free.
    asleep: bool,
}

/// The jobs that gave notice.
#[derive(Debug)]
pub(crate) struct Jobs {
    jobs: Vec<Job>,
    /// Jobs to be asked before time goes on.
    ask: VecDeque<u32>,
    /// Idle jobs that wait for a unit to come free, by that unit; at the end those that wait for the programs
    /// which may go to several units.
    asleep: Vec<Vec<u32>>,
    /// Jobs that no longer do, to be looked at before time goes on.
    woken: Vec<u32>,
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
            jobs: Vec::new(),
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
        let index = notice.job.0 as usize;
        if index >= self.jobs.jobs.len() {
            let idle = Job {
                notice: JobNotice {
                    job: JobId(0),
                    ..notice
                },
                active: false,
                steps_left: 0,
                timer: false,
                queued: false,
                asleep: false,
            };
            self.jobs.jobs.resize(index + 1, idle);
        }
        let job = &mut self.jobs.jobs[index];
        let promoted = notice.urgency > job.notice.urgency;
        job.notice = notice;
        job.active = true;
        if job.steps_left > 0 {
            if promoted {
                self.promote(notice.job, level(notice.urgency));
            }
        } else {
            self.plan_to_ask(notice.job.0);
        }
    }

    /// Moves the waiting steps of a job that became more pressing to the queues of its new level.
    fn promote(&mut self, job: JobId, level: Level) {
        let waiting: Vec<u32> = self
            .ops
            .iter()
            .filter(|(_, op)| op.owner == Owner::Job(job.0))
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

    /// Decides when a job without steps in flight is asked next.
    fn plan_to_ask(&mut self, index: u32) {
        let job = self.jobs.jobs[index as usize];
        if !job.active || job.queued {
            return;
        }
        let mut at = SimTime(job.notice.not_before.0.saturating_sub(self.epoch.0));
        if job.notice.urgency == Urgency::Idle {
            if let Some(place) = self.host_work_in(job.notice.scope) {
                if !job.asleep {
                    self.jobs.jobs[index as usize].asleep = true;
                    self.jobs.asleep[place].push(index);
                }
                return;
            }
            at = at.max(self.last_host_work_in(job.notice.scope) + self.jobs.idle_after);
        }
        let job = &mut self.jobs.jobs[index as usize];
        if at <= self.now {
            job.queued = true;
            self.jobs.ask.push_back(index);
        } else if !job.timer {
            job.timer = true;
            self.schedule(at, Event::JobTimer(index));
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
        for index in woken.drain(..) {
            let job = &mut self.jobs.jobs[index as usize];
            job.asleep = false;
            if job.steps_left == 0 {
                self.plan_to_ask(index);
            }
        }
        self.jobs.woken = woken;
    }

    /// The units that a job works on.
    pub(crate) fn units_of_job(&self, job: u32) -> Range<usize> {
        self.flash.units_of(self.jobs.jobs[job as usize].notice.scope)
    }

    pub(crate) fn job_timer(&mut self, index: u32) {
        self.jobs.jobs[index as usize].timer = false;
        if self.jobs.jobs[index as usize].steps_left == 0 {
            self.plan_to_ask(index);
        }
    }

    /// Asks every job whose turn it is for its next plan.
    pub(crate) fn ask_jobs(&mut self) {
        self.wake_jobs();
        while let Some(index) = self.jobs.ask.pop_front() {
            let job = &mut self.jobs.jobs[index as usize];
            job.queued = false;
            let notice = job.notice;
            if self.jobs.draining && (self.jobs.clients == 0 || notice.urgency != Urgency::Blocking) {
                continue;
            }
            job.active = false;
            let now = self.ftl_now();
            self.ftl_called = true;
            let state = self.ftl.advance(now, notice.job, &mut self.plan);
            let job = &mut self.jobs.jobs[index as usize];
            job.steps_left = self.plan.len() as u32;
            job.active |= state == JobState::Yielded && !self.plan.is_empty();
            self.start_plan(Owner::Job(index), level(notice.urgency), NONE);
            self.collect_notices();
        }
    }

    /// A step of a job is done and has grown `grown` more.
    pub(crate) fn job_step_done(&mut self, index: u32, grown: u32) {
        let job = &mut self.jobs.jobs[index as usize];
        job.steps_left = job.steps_left + grown - 1;
        if job.steps_left == 0 {
            self.plan_to_ask(index);
        }
    }
}
