//! When a job is asked for its next plan.

use serde::{Deserialize, Serialize};

use crate::contract::PlanError;
use crate::notice::{JobId, JobNotice, JobState};

/// A job of the FTL, as an executor knows it; `State` is what the back end adds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct JobSlot<State> {
    /// The latest notice of a job that has not said since that it has nothing to do.
    notice: Option<JobNotice>,
    /// What the back end knows of it.
    pub state: State,
    /// Steps of its plan that have not ended; one while it is being asked.
    left: u32,
}

impl<State> JobSlot<State> {
    /// The latest notice of a job that has not said since that it has nothing to do.
    #[inline]
    #[must_use]
    pub fn notice(&self) -> Option<JobNotice> {
        self.notice
    }

    /// Whether it is being asked or steps of its have not ended.
    #[inline]
    #[must_use]
    pub fn is_working(&self) -> bool {
        self.left > 0
    }

    /// Its notice, if it may be asked now or at `not_before`: it wants to be, and its last plan is done.
    #[inline]
    #[must_use]
    pub fn waiting(&self) -> Option<JobNotice> {
        self.notice.filter(|_| self.left == 0)
    }
}

/// The jobs that gave notice, by their numbers. A job is asked again when every step of its last plan has ended, not
/// before the hour of its notice; after `Waiting` or `Finished` only if it gives notice again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct JobTable<State> {
    slots: Vec<JobSlot<State>>,
}

impl<State: Clone + Default> JobTable<State> {
    /// Takes a notice, which replaces an earlier one of the job; returns that.
    pub fn notify(&mut self, notice: JobNotice) -> Option<JobNotice> {
        let at = notice.job.0 as usize;
        if at >= self.slots.len() {
            self.slots.resize(
                at + 1,
                JobSlot {
                    notice: None,
                    state: State::default(),
                    left: 0,
                },
            );
        }
        self.slots[at].notice.replace(notice)
    }

    /// A job that has given notice.
    #[inline]
    #[must_use]
    pub fn get(&self, job: JobId) -> &JobSlot<State> {
        &self.slots[job.0 as usize]
    }

    /// The notice of a job, if it has given any and may be asked now or at `not_before`.
    #[inline]
    #[must_use]
    pub fn waiting(&self, job: JobId) -> Option<JobNotice> {
        self.slots.get(job.0 as usize)?.waiting()
    }

    /// What the back end knows of a job that has given notice.
    #[inline]
    pub fn state_mut(&mut self, job: JobId) -> &mut State {
        &mut self.slots[job.0 as usize].state
    }

    /// Every job up to the highest number that gave notice.
    pub fn iter(&self) -> impl Iterator<Item = &JobSlot<State>> {
        self.slots.iter()
    }

    /// A job is about to be asked: it counts as working until it has answered and the steps that it gave have ended.
    #[inline]
    pub fn ask(&mut self, job: JobId) {
        self.slots[job.0 as usize].left = 1;
    }

    /// A job was asked and gave so many steps.
    ///
    /// # Errors
    /// It says that it gave steps, and gave none.
    #[inline]
    pub fn answered(&mut self, job: JobId, state: JobState, steps: u32) -> Result<(), PlanError> {
        let slot = &mut self.slots[job.0 as usize];
        slot.left = steps;
        if state != JobState::Yielded {
            slot.notice = None;
        } else if steps == 0 {
            return Err(PlanError::YieldsNothing);
        }
        Ok(())
    }

    /// So many steps came beside one of a job that has not ended.
    #[inline]
    pub fn steps_added(&mut self, job: JobId, steps: u32) {
        self.slots[job.0 as usize].left += steps;
    }

    /// A step of a job has ended, from which `grown` more grew; whether it was the last.
    #[inline]
    pub fn step_done(&mut self, job: JobId, grown: u32) -> bool {
        let slot = &mut self.slots[job.0 as usize];
        slot.left = slot.left + grown - 1;
        slot.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::Urgency;
    use crate::plan::Scope;
    use wordline_units::SimTime;

    fn notice(urgency: Urgency) -> JobNotice {
        JobNotice {
            job: JobId(2),
            scope: Scope::Drive,
            urgency,
            not_before: SimTime::ZERO,
        }
    }

    #[test]
    fn a_job_is_asked_again_when_all_its_steps_have_ended() {
        let (mut jobs, job) = (JobTable::<()>::default(), JobId(2));
        assert_eq!(jobs.notify(notice(Urgency::Idle)), None);
        assert_eq!(jobs.iter().filter_map(JobSlot::waiting).count(), 1);
        jobs.ask(job);
        assert_eq!(jobs.get(job).waiting(), None, "it is being asked");
        jobs.answered(job, JobState::Yielded, 2).unwrap();
        assert_eq!(
            jobs.notify(notice(Urgency::Blocking)),
            Some(notice(Urgency::Idle))
        );
        assert!(!jobs.step_done(job, 1));
        assert!(!jobs.step_done(job, 0));
        assert_eq!(jobs.get(job).waiting(), None);
        assert!(jobs.step_done(job, 0));
        assert_eq!(
            jobs.get(job).waiting(),
            Some(notice(Urgency::Blocking)),
            "the later notice"
        );
    }

    #[test]
    fn a_job_without_work_is_asked_again_after_its_next_notice() {
        for state in [JobState::Waiting, JobState::Finished] {
            let (mut jobs, job) = (JobTable::<()>::default(), JobId(2));
            jobs.notify(notice(Urgency::Idle));
            jobs.ask(job);
            jobs.answered(job, state, 1).unwrap();
            assert_eq!(jobs.get(job).notice(), None);
            jobs.notify(notice(Urgency::Normal));
            assert_eq!(jobs.get(job).waiting(), None, "a last step has not ended");
            assert!(jobs.step_done(job, 0));
            assert_eq!(jobs.get(job).waiting(), Some(notice(Urgency::Normal)));
        }
    }

    #[test]
    fn a_job_that_gave_no_steps_is_refused() {
        let mut jobs = JobTable::<()>::default();
        jobs.notify(notice(Urgency::Idle));
        jobs.ask(JobId(2));
        let refused = jobs.answered(JobId(2), JobState::Yielded, 0);
        assert_eq!(refused, Err(PlanError::YieldsNothing));
    }
}
