//! Jobs are asked for their plans.

use super::{AnyOrder, FunctionalError, Origin, StepObserver};
use crate::contract::Ftl;
use crate::exec::JobSlot;
use crate::notice::{JobId, JobNotice};
use crate::plan::Plan;

/// How often a job is asked that gives no step, while no request comes, no step starts or ends, and the time is not moved on to that of a job. A step that finds no page gives notice anew each time that it is tried, also where
/// nothing can be reclaimed for it.
const MOST_IN_VAIN: u32 = 4;

impl<F: Ftl + ?Sized, O: StepObserver> AnyOrder<'_, F, O> {
    /// Jobs that want to be asked, now or later, without those that have been asked in vain.
    fn notices_left(&self) -> impl Iterator<Item = JobNotice> {
        let notices = self.jobs.iter().filter_map(JobSlot::waiting);
        notices.filter(|notice| {
            self.in_vain
                .get(&notice.job)
                .is_none_or(|asked| *asked < MOST_IN_VAIN)
        })
    }

    /// Asks one of the jobs that may be asked; whether there is one.
    pub(super) fn ask_one(&mut self) -> Result<bool, FunctionalError> {
        let due = self.notices_left().filter(|notice| notice.not_before <= self.now);
        let waiting: Vec<JobId> = due.map(|notice| notice.job).collect();
        if waiting.is_empty() {
            return Ok(false);
        }
        let job = waiting[self.below(waiting.len())];
        self.jobs.ask(job);
        let mut plan = Plan::new();
        let state = self.ftl.advance(self.now, job, &mut plan);
        self.jobs.answered(job, state, plan.len() as u32)?;
        self.collect_notices();
        if plan.is_empty() {
            *self.in_vain.entry(job).or_default() += 1;
        }
        self.open(plan, Origin::Job(job), None)?;
        Ok(true)
    }

    /// Time goes on to the hour of the next job; whether there is one.
    pub(super) fn wait_for_job(&mut self) -> bool {
        let hours = self.notices_left().map(|notice| notice.not_before);
        let Some(hour) = hours.filter(|hour| *hour > self.now).min() else {
            return false;
        };
        self.now = hour;
        self.in_vain.clear();
        true
    }
}
