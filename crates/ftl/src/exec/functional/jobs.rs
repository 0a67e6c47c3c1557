//! The jobs that want to be asked for plans.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use serde::{Deserialize, Serialize};
use wordline_units::SimTime;

use crate::exec::{JobSlot, JobTable, PlanError};
use crate::notice::{JobId, JobNotice, JobState, Urgency};
use crate::plan::Step;

/// Job notices, first come first served within an urgency.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Jobs {
    /// Each with: in which of the queues, by urgency, its number stands (maybe out of date).
    table: JobTable<[bool; 3]>,
    queues: [VecDeque<JobId>; 3],
    /// Until when each job is held, where jobs take time, and whether it is in `by_time`.
    #[serde(skip)]
    held: Vec<(SimTime, bool)>,
    /// Jobs that are held, in no queue, by a time at which they may come free: they may be held for longer since.
    #[serde(skip)]
    by_time: BinaryHeap<Reverse<(SimTime, JobId)>>,
    /// Before these times no job of an urgency may be asked that was queued when it was last looked for; by urgency.
    #[serde(skip)]
    asleep: [SimTime; 3],
}

impl Jobs {
    /// Takes a notice; a later one of a job replaces an earlier one.
    pub(super) fn notify(&mut self, notice: JobNotice) {
        self.table.notify(notice);
        self.look_again(notice.job);
        if !self.table.get(notice.job).is_working() {
            self.queue(notice, VecDeque::push_back);
        }
    }

    fn queue(&mut self, notice: JobNotice, push: fn(&mut VecDeque<JobId>, JobId)) {
        if self.is_held(notice.job) {
            return;
        }
        let urgency = notice.urgency as usize;
        let queued = &mut self.table.state_mut(notice.job)[urgency];
        if !*queued {
            *queued = true;
            push(&mut self.queues[urgency], notice.job);
        }
        self.asleep[urgency] = SimTime::ZERO;
    }

    /// Whether a job of normal or idle urgency may have work.
    #[inline]
    pub(super) fn has_background(&self) -> bool {
        let [idle, normal, _blocking] = &self.queues;
        !(normal.is_empty() && idle.is_empty())
    }

    /// Whether no job may have work.
    #[inline]
    pub(super) fn none_queued(&self) -> bool {
        self.queues.iter().all(VecDeque::is_empty)
    }

    /// The next job of an urgency that may be asked at `now`; it counts as working until it has answered and its plan
    /// is done.
    #[inline]
    pub(super) fn take(&mut self, urgency: Urgency, now: SimTime) -> Option<JobNotice> {
        if self.first_held().is_some_and(|until| until <= now) {
            self.release(now);
        }
        if self.queues[urgency as usize].is_empty() || self.asleep[urgency as usize] > now {
            return None;
        }
        self.take_queued(urgency, now)
    }

    fn take_queued(&mut self, urgency: Urgency, now: SimTime) -> Option<JobNotice> {
        let mut first = SimTime::NEVER;
        for _ in 0..self.queues[urgency as usize].len() {
            let job = self.queues[urgency as usize].pop_front()?;
            let waiting = self.table.waiting(job);
            let waiting = waiting.filter(|notice| notice.urgency == urgency);
            let not_before = waiting.map(|notice| self.not_before(&notice));
            if let Some(not_before) = not_before.filter(|not_before| *not_before > now) {
                self.queues[urgency as usize].push_back(job);
                first = first.min(not_before);
                continue;
            }
            self.table.state_mut(job)[urgency as usize] = false;
            let Some(notice) = waiting else {
                continue;
            };
            self.look_again(job);
            self.table.ask(job);
            return Some(notice);
        }
        self.asleep[urgency as usize] = first;
        None
    }

    /// What a job has in queues may be out of date from now on: it is to be taken out of them before the job is queued anew, so that it is behind the others then.
    fn look_again(&mut self, job: JobId) {
        let queued = self.table.get(job).state;
        for (asleep, _) in self.asleep.iter_mut().zip(queued).filter(|(_, queued)| *queued) {
            *asleep = SimTime::ZERO;
        }
    }

    /// A job was asked, and gave a plan or not.
    ///
    /// # Errors
    /// As for `JobTable::answered`.
    pub(super) fn answered(&mut self, job: JobId, state: JobState, plan: &[Step]) -> Result<(), PlanError> {
        // the plan is executed as a whole
        self.table.answered(job, state, u32::from(!plan.is_empty()))
    }

    /// The plan of a job is done, with all that grew from it; if it wants to be asked again, it is ahead of others of
    /// its urgency.
    pub(super) fn plan_done(&mut self, job: JobId) {
        self.table.step_done(job, 0);
        if let Some(notice) = self.table.waiting(job) {
            self.queue(notice, VecDeque::push_front);
        }
    }

    /// A job is not asked before `until`, whatever its notices say.
    pub(super) fn hold(&mut self, job: JobId, until: SimTime) {
        let at = job.0 as usize;
        if at >= self.held.len() {
            self.held.resize(at + 1, (SimTime::ZERO, false));
        }
        let (held, is_held) = &mut self.held[at];
        *held = until;
        if !*is_held {
            *is_held = true;
            self.by_time.push(Reverse((until, job)));
        }
    }

    /// Jobs that are held, and until when.
    pub(super) fn held(&self) -> Vec<(JobId, SimTime)> {
        let jobs = self.by_time.iter().map(|Reverse((_, job))| *job);
        jobs.map(|job| (job, self.held[job.0 as usize].0)).collect()
    }

    /// Whether jobs are held.
    pub(super) fn some_are_held(&self) -> bool {
        !self.by_time.is_empty()
    }

    /// Whether a job is to be queued when it is held no longer.
    fn is_held(&self, job: JobId) -> bool {
        self.held.get(job.0 as usize).is_some_and(|(_, is_held)| *is_held)
    }

    /// Jobs that are held no longer are queued, ahead of others of their urgency.
    fn release(&mut self, now: SimTime) {
        while self.first_held().is_some_and(|until| until <= now)
            && let Some(Reverse((_, job))) = self.by_time.pop()
        {
            let (held, is_held) = &mut self.held[job.0 as usize];
            if *held > now {
                self.by_time.push(Reverse((*held, job)));
                continue;
            }
            *is_held = false;
            if let Some(notice) = self.table.waiting(job) {
                self.queue(notice, VecDeque::push_front);
            }
        }
    }

    /// Before when no job that is held comes free.
    #[inline]
    fn first_held(&self) -> Option<SimTime> {
        self.by_time.peek().map(|Reverse((until, _))| *until)
    }

    /// Until when a job is held, or its notice has it wait.
    fn not_before(&self, notice: &JobNotice) -> SimTime {
        let held = self.held.get(notice.job.0 as usize);
        held.map_or(notice.not_before, |(held, _)| notice.not_before.max(*held))
    }

    /// Before when no job of an urgency may be asked, once none may be now; none where no job is queued or held.
    #[inline]
    pub(super) fn next_due(&self, urgency: Urgency) -> Option<SimTime> {
        let queued = (!self.queues[urgency as usize].is_empty()).then_some(self.asleep[urgency as usize]);
        queued.into_iter().chain(self.first_held()).min()
    }

    /// The earliest time at which a job wants to be asked.
    pub(super) fn next_due_time(&self) -> Option<SimTime> {
        self.waiting().map(|notice| self.not_before(&notice)).min()
    }

    /// The notices of the jobs that want to be asked, not before those that are held may be.
    pub(super) fn waiting_when_due(&self) -> impl Iterator<Item = JobNotice> {
        self.waiting().map(|notice| JobNotice {
            not_before: self.not_before(&notice),
            ..notice
        })
    }

    /// The notices of the jobs that want to be asked.
    fn waiting(&self) -> impl Iterator<Item = JobNotice> {
        self.table.iter().filter_map(JobSlot::waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Scope;

    fn notice(job: u32, urgency: Urgency, not_before: u64) -> JobNotice {
        JobNotice {
            job: JobId(job),
            scope: Scope::Drive,
            urgency,
            not_before: SimTime(not_before),
        }
    }

    #[test]
    fn only_jobs_that_do_not_block_are_of_the_background() {
        for (urgency, background) in [
            (Urgency::Blocking, false),
            (Urgency::Normal, true),
            (Urgency::Idle, true),
        ] {
            let mut jobs = Jobs::default();
            assert!(!jobs.has_background());
            jobs.notify(notice(1, urgency, 0));
            assert_eq!(jobs.has_background(), background, "{urgency:?}");
        }
    }

    #[test]
    fn jobs_that_sleep_are_not_looked_for_until_one_wakes() {
        let mut jobs = Jobs::default();
        jobs.notify(notice(1, Urgency::Idle, 30));
        jobs.notify(notice(2, Urgency::Idle, 20));
        assert!(jobs.take(Urgency::Idle, SimTime(10)).is_none());
        assert_eq!(jobs.asleep[Urgency::Idle as usize], SimTime(20));
        // a notice that comes meanwhile counts, also of a job that is queued
        jobs.notify(notice(1, Urgency::Idle, 12));
        assert_eq!(jobs.take(Urgency::Idle, SimTime(12)).unwrap().job, JobId(1));
        jobs.answered(JobId(1), JobState::Waiting, &[]).unwrap();
        assert!(jobs.take(Urgency::Idle, SimTime(19)).is_none());
        assert_eq!(jobs.take(Urgency::Idle, SimTime(20)).unwrap().job, JobId(2));
    }

    #[test]
    fn a_job_that_was_asked_for_something_more_pressing_is_queued_behind_the_others() {
        let mut jobs = Jobs::default();
        jobs.notify(notice(1, Urgency::Normal, 20));
        jobs.notify(notice(2, Urgency::Normal, 20));
        assert!(jobs.take(Urgency::Normal, SimTime(10)).is_none());
        jobs.notify(notice(1, Urgency::Blocking, 0));
        assert_eq!(jobs.take(Urgency::Blocking, SimTime(10)).unwrap().job, JobId(1));
        jobs.answered(JobId(1), JobState::Finished, &[]).unwrap();
        assert!(jobs.take(Urgency::Normal, SimTime(11)).is_none());
        jobs.notify(notice(1, Urgency::Normal, 20));
        let order = [(); 2].map(|()| jobs.take(Urgency::Normal, SimTime(20)).unwrap().job);
        assert_eq!(order, [JobId(2), JobId(1)]);
    }

    #[test]
    fn jobs_that_are_held_are_queued_when_they_are_held_no_longer() {
        let mut jobs = Jobs::default();
        let asked = |jobs: &mut Jobs, now| {
            let taken = jobs.take(Urgency::Blocking, SimTime(now));
            let job = taken.map(|notice| notice.job);
            if let Some(job) = job {
                jobs.answered(job, JobState::Waiting, &[]).unwrap();
            }
            job
        };
        jobs.notify(notice(1, Urgency::Blocking, 0));
        jobs.notify(notice(2, Urgency::Blocking, 25));
        jobs.hold(JobId(1), SimTime(10));
        assert_eq!(asked(&mut jobs, 9), None);
        // a later notice does not shorten that, and what its die does for the host makes it longer
        jobs.notify(notice(1, Urgency::Blocking, 0));
        jobs.hold(JobId(1), SimTime(20));
        assert_eq!(jobs.held(), [(JobId(1), SimTime(20))]);
        assert_eq!(asked(&mut jobs, 19), None);
        assert_eq!(jobs.next_due(Urgency::Blocking), Some(SimTime(20)));
        assert_eq!(asked(&mut jobs, 20), Some(JobId(1)));
        assert_eq!(asked(&mut jobs, 20), None);
        assert_eq!(jobs.next_due(Urgency::Blocking), Some(SimTime(25)));
        // held before it gives notice
        jobs.hold(JobId(3), SimTime(30));
        jobs.notify(notice(3, Urgency::Normal, 0));
        jobs.notify(notice(3, Urgency::Blocking, 0));
        assert_eq!(asked(&mut jobs, 29), Some(JobId(2)));
        assert!(jobs.some_are_held());
        assert_eq!(asked(&mut jobs, 30), Some(JobId(3)));
        assert!(!jobs.some_are_held() && jobs.next_due(Urgency::Blocking).is_none());
        // one that has nothing to do any more is forgotten
        jobs.hold(JobId(3), SimTime(40));
        assert_eq!(asked(&mut jobs, 40), None);
        assert!(!jobs.some_are_held());
    }

    #[test]
    fn later_notices_replace_earlier_ones() {
        let mut jobs = Jobs::default();
        let now = SimTime(10);
        jobs.notify(notice(3, Urgency::Idle, 0));
        jobs.notify(notice(1, Urgency::Idle, 20));
        jobs.notify(notice(3, Urgency::Blocking, 0));
        assert_eq!(jobs.next_due_time(), Some(SimTime(0)));
        assert!(jobs.take(Urgency::Idle, now).is_none());
        assert_eq!(jobs.take(Urgency::Blocking, now).unwrap().job, JobId(3));
        assert!(jobs.take(Urgency::Blocking, now).is_none(), "it is running");
        jobs.notify(notice(3, Urgency::Normal, 0));
        assert!(jobs.take(Urgency::Normal, now).is_none(), "it is still running");
        jobs.plan_done(JobId(3));
        assert_eq!(jobs.take(Urgency::Normal, now).unwrap().job, JobId(3));
        jobs.answered(JobId(3), JobState::Waiting, &[]).unwrap();
        assert_eq!(jobs.next_due_time(), Some(SimTime(20)));
        assert_eq!(jobs.take(Urgency::Idle, SimTime(20)).unwrap().job, JobId(1));
    }
}
