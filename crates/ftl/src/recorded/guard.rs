//! Erases wait for the journal, and its jobs give notice.

use wordline_units::SimTime;

use super::journal::MOST_STEPS;
use super::{Held, Recorded, Records, is_closed};
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Plan, Scope, Step, Work};

impl Recorded {
    /// What a plan erases is on flash before it is erased: a page of the journal is programmed first. Where there is no room for it,
    /// the erases are held until there is.
    pub(super) fn guard_erases(&mut self, job: JobId, plan: &mut Plan, state: JobState) -> JobState {
        let Self {
            inner,
            places,
            records,
            ..
        } = self;
        let is_erase = |step: &Step| matches!(step.work, Work::Erase { .. });
        let journal = match records {
            Records::SpareAreas => return state,
            Records::Summaries(summaries) => {
                for step in plan.iter() {
                    if let Work::Erase { block } = step.work {
                        summaries.mark_for_erase(block);
                    }
                }
                return state;
            }
            Records::Journal(journal) => journal,
        };
        if !plan.iter().any(is_erase) {
            return state;
        }
        let mut marked = 0;
        for step in plan.iter() {
            if let Work::Erase { block } = step.work {
                journal.watched.mark_for_erase(block);
                marked += 1;
            }
        }
        journal.block_records += marked;
        let most = MOST_STEPS.saturating_sub(plan.len());
        if let Some(pages) = journal.seal(most, |block| is_closed(&**inner, &places.region, block)) {
            if journal.area.can_fail() {
                // a page that fails is programmed again: the erases wait until the journal has said all
                let (erases, others): (Plan, Plan) = plan.drain(..).partition(is_erase);
                *plan = others;
                plan.extend(pages);
                self.hold(job, erases, state, true);
                return JobState::Yielded;
            }
            let count = pages.len() as u32;
            let all = (1_u64 << count) - 1;
            for step in plan.iter_mut() {
                step.after <<= count;
                if is_erase(step) {
                    step.after |= all;
                }
            }
            plan.splice(0..0, pages);
            return state;
        }
        journal.block_records -= marked;
        let (erases, others): (Plan, Plan) = plan.drain(..).partition(is_erase);
        *plan = others;
        plan.extend(journal.seal_some(MOST_STEPS - plan.len()));
        // a checkpoint makes room
        journal.is_short |= plan.is_empty();
        self.hold(job, erases, state, false);
        if plan.is_empty() {
            JobState::Waiting
        } else {
            JobState::Yielded
        }
    }

    /// A job gets the rest of its plan when it is asked next.
    fn hold(&mut self, job: JobId, rest: Plan, state: JobState, is_told: bool) {
        let rest = rest.into_iter().map(|step| Step { after: 0, ..step });
        let held = Held {
            plan: rest.collect(),
            state,
            is_told,
        };
        self.held.insert(job.0, held);
    }

    /// Tells of the job that writes checkpoints, if it has something to do.
    pub(super) fn tell(&mut self, now: SimTime) {
        if let Records::Journal(journal) = &mut self.records
            && let Some(urgency) = journal.notice()
        {
            self.notices.push(JobNotice {
                job: self.job,
                scope: Scope::Drive,
                urgency,
                not_before: now,
            });
        }
    }

    /// There is more room in the journal: jobs that were held may be asked again.
    pub(super) fn release_held(&mut self) {
        for job in self.held.keys() {
            self.notices.extend(self.told.get(job));
        }
    }
}
