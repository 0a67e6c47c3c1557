//! The jobs that want to be asked for plans.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use wordline_units::SimTime;

use crate::notice::{JobId, JobNotice, Urgency};
use crate::state::archive::{ArchiveError, require};

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Slot {
    /// The latest notice of a job that is alive and not over.
    notice: Option<JobNotice>,
    /// In which of the queues, by urgency, its number stands (maybe out of date).
    queued: [bool; 3],
    /// Its plan is being executed: it is not to be asked for another.
    running: bool,
}

/// Job notices, first come first served within an urgency.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Jobs {
    slots: Vec<Slot>,
    queues: [VecDeque<JobId>; 3],
}

impl Jobs {
    /// Checks what was loaded: no plan is executed, and every job is queued where its slot says, once.
    pub(super) fn check(&self) -> Result<(), ArchiveError> {
        for (at, slot) in self.slots.iter().enumerate() {
            require(!slot.running, "a job that is running between commands")?;
            let own = slot.notice.is_none_or(|notice| notice.job.0 as usize == at);
            require(own, "the notice of a job in the slot of another")?;
        }
        for (urgency, queue) in self.queues.iter().enumerate() {
            let mut queued: Vec<usize> = queue.iter().map(|job| job.0 as usize).collect();
            queued.sort_unstable();
            let told = (0..self.slots.len()).filter(|at| self.slots[*at].queued[urgency]);
            require(
                queued.into_iter().eq(told),
                "queues of jobs that are not those of their slots",
            )?;
        }
        Ok(())
    }

    /// Takes a notice; a later one of a job replaces an earlier one.
    pub(super) fn notify(&mut self, notice: JobNotice) {
        let at = notice.job.0 as usize;
        if at >= self.slots.len() {
            self.slots.resize(at + 1, Slot::default());
        }
        self.slots[at].notice = Some(notice);
        if !self.slots[at].running {
            self.queue(notice);
        }
    }

    fn queue(&mut self, notice: JobNotice) {
        let urgency = notice.urgency as usize;
        let queued = &mut self.slots[notice.job.0 as usize].queued[urgency];
        if !*queued {
            *queued = true;
            self.queues[urgency].push_back(notice.job);
        }
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

    /// The next job of an urgency that may run at `now`; it counts as running until `resume` or
    /// `end`.
    #[inline]
    pub(super) fn take(&mut self, urgency: Urgency, now: SimTime) -> Option<JobNotice> {
        if self.queues[urgency as usize].is_empty() {
            return None;
        }
        self.take_queued(urgency, now)
    }

    fn take_queued(&mut self, urgency: Urgency, now: SimTime) -> Option<JobNotice> {
        let queue = &mut self.queues[urgency as usize];
        for _ in 0..queue.len() {
            let job = queue.pop_front()?;
            let slot = &mut self.slots[job.0 as usize];
            slot.queued[urgency as usize] = false;
            let current = slot
                .notice
                .filter(|notice| notice.urgency == urgency && !slot.running);
            let Some(notice) = current else { continue };
            if notice.not_before > now {
                slot.queued[urgency as usize] = true;
                queue.push_back(job);
                continue;
            }
            slot.running = true;
            return Some(notice);
        }
        None
    }

    /// The steps of a running job are done; it is asked again, ahead of others of its urgency.
    pub(super) fn resume(&mut self, job: JobId) {
        let slot = &mut self.slots[job.0 as usize];
        slot.running = false;
        if let Some(notice) = slot.notice {
            let urgency = notice.urgency as usize;
            if !slot.queued[urgency] {
                slot.queued[urgency] = true;
                self.queues[urgency].push_front(job);
            }
        }
    }

    /// A running job has nothing to do, until it gives notice again.
    pub(super) fn end(&mut self, job: JobId) {
        let slot = &mut self.slots[job.0 as usize];
        slot.running = false;
        slot.notice = None;
    }

    /// The earliest time at which a job wants to be asked.
    pub(super) fn next_hour(&self) -> Option<SimTime> {
        self.slots
            .iter()
            .filter(|slot| !slot.running)
            .filter_map(|slot| slot.notice)
            .map(|notice| notice.not_before)
            .min()
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
    fn jobs_that_contradict_themselves_are_refused() {
        let refused = |change: fn(&mut Jobs)| {
            let mut jobs = Jobs::default();
            jobs.notify(notice(1, Urgency::Idle, 0));
            jobs.notify(notice(2, Urgency::Blocking, 0));
            jobs.check().unwrap();
            change(&mut jobs);
            jobs.check().unwrap_err().to_string()
        };
        for (change, told) in [
            (
                (|jobs| {
                    jobs.take(Urgency::Blocking, SimTime::ZERO);
                }) as fn(&mut Jobs),
                "running",
            ),
            (|jobs| jobs.slots[1].notice = jobs.slots[2].notice, "of another"),
            (|jobs| jobs.queues[0].push_back(JobId(9)), "queues"),
            (|jobs| jobs.queues[0].push_back(JobId(1)), "queues"),
            (|jobs| jobs.queues[2].clear(), "queues"),
            (|jobs| jobs.slots[0].queued[1] = true, "queues"),
        ] {
            let error = refused(change);
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn later_notices_replace_earlier_ones() {
        let mut jobs = Jobs::default();
        let now = SimTime(10);
        jobs.notify(notice(3, Urgency::Idle, 0));
        jobs.notify(notice(1, Urgency::Idle, 20));
        jobs.notify(notice(3, Urgency::Blocking, 0));
        assert_eq!(jobs.next_hour(), Some(SimTime(0)));
        assert!(jobs.take(Urgency::Idle, now).is_none());
        assert_eq!(jobs.take(Urgency::Blocking, now).unwrap().job, JobId(3));
        assert!(jobs.take(Urgency::Blocking, now).is_none(), "it is running");
        jobs.notify(notice(3, Urgency::Normal, 0));
        assert!(jobs.take(Urgency::Normal, now).is_none(), "it is still running");
        jobs.resume(JobId(3));
        assert_eq!(jobs.take(Urgency::Normal, now).unwrap().job, JobId(3));
        jobs.end(JobId(3));
        assert_eq!(jobs.next_hour(), Some(SimTime(20)));
        assert_eq!(jobs.take(Urgency::Idle, SimTime(20)).unwrap().job, JobId(1));
    }
}
