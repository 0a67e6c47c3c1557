//! The way of a job of the FTL: from its notice to its plans.

use wordline_ftl::{JobId, JobNotice};

use super::Drive;
use crate::clock::Event;
use crate::control::Asked;
use crate::control::jobs::level;
use crate::features::Features;
use crate::operation::{Level, NONE, Owner};

impl<F: Features> Drive<F> {
    /// Takes in the notices that the FTL has for the drive.
    #[inline]
    pub(super) fn collect_notices(&mut self) {
        if let Some(notices) = self.control.take_notices() {
            self.take_in_notices(notices);
        }
    }

    #[inline(never)]
    fn take_in_notices(&mut self, notices: Vec<JobNotice>) {
        for &notice in &notices {
            let jobs = self.control.jobs_mut();
            if let Some(level) = jobs.notice(notice, self.array.flash(), &mut self.clock) {
                self.promote(notice.job, level);
            }
        }
        self.control.noticed(notices);
    }

    /// Moves the waiting steps of a job that became more pressing to the queues of its new level.
    fn promote(&mut self, job: JobId, level: Level) {
        let waiting: Vec<u32> = self
            .array
            .ops()
            .iter()
            .filter(|(_, op)| op.owner == Owner::Job(job))
            .map(|(id, _)| id)
            .collect();
        for id in waiting {
            let queued = self.array.ops()[id].queue != NONE;
            if queued {
                self.dequeue(id);
            }
            self.array.set_level(id, level);
            if queued {
                self.queue_up(id);
            }
        }
    }

    /// Asks every job whose turn it is for its next plan.
    pub(super) fn ask_jobs(&mut self) {
        self.control.jobs_mut().wake(self.array.flash(), &mut self.clock);
        while let Some(asked) = self.control.ask_next_job(self.clock.now()) {
            match asked {
                Asked::Planned(job, urgency) => {
                    self.start_plan(Owner::Job(job), level(urgency), NONE);
                    if self.control.jobs().paces() {
                        self.space_freed(Owner::Job(job));
                    }
                }
                Asked::Broken(problem) => self.refuse_plan(problem),
            }
            self.collect_notices();
        }
    }

    /// The FTL looks for blocks to be refreshed, now and after every interval.
    pub(super) fn look_for_refresh(&mut self) {
        let now = self.clock.now();
        if let Some(interval) = self.control.look_for_refresh(now) {
            self.collect_notices();
            self.clock.schedule(now + interval, Event::RefreshLook);
        }
    }

    /// The timer of a job has run out.
    pub(super) fn job_timer(&mut self, job: JobId) {
        let jobs = self.control.jobs_mut();
        jobs.timer_ran_out(job, self.array.flash(), &mut self.clock);
    }
}
