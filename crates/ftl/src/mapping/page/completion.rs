//! The end of steps: commits the map and answers failures.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::PageFtl;
use crate::host::{commit_write, retry_write};
use crate::inflight::PendingProgram;
use crate::jobs::Collector;
use crate::plan::Outcome;
use crate::plan::{Plan, Step, Work};

impl PageFtl {
    /// Notes how a step ended.
    #[inline]
    pub(super) fn complete_step(
        &mut self,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        match step.work {
            Work::Program { .. } | Work::CopyBack { .. } => {}
            Work::Erase { block } => {
                let (collector, mut work) = self.work();
                return collector.end_erase(&mut work, now, block.0, outcome);
            }
            Work::Read { .. } => {
                if outcome == Outcome::Uncorrectable && !step.cause.is_of_host() {
                    self.space.counters.unreadable_moves += 1;
                }
                return;
            }
            Work::Compute { .. } | Work::Local { .. } => return,
        }
        let Some(program) = self.inflight.get(step.token) else {
            return;
        };
        match (outcome, page) {
            (Outcome::Good | Outcome::Uncorrectable, Some(page)) => {
                self.inflight.remove(step.token);
                match program {
                    PendingProgram::Write { version, after, .. } => {
                        let Self {
                            space, map, inflight, ..
                        } = self;
                        let write = (step.lpn.0, version, after);
                        commit_write(space, map, inflight, now, write, page.0);
                    }
                    PendingProgram::Move { source, pool } => {
                        let (_, mut work) = self.work();
                        Collector::end_move(&mut work, now, step, page, source, pool);
                    }
                    PendingProgram::Vacant(_) => {}
                }
            }
            (_, page) => {
                if let Some(page) = page {
                    self.space.fail_program(now, page.0);
                }
                self.retry(now, step, program, outcome, plan);
            }
        }
    }

    /// A program failed or was declined: the same again through the controller, or nothing where the page was superseded.
    fn retry(
        &mut self,
        now: SimTime,
        step: &Step,
        program: PendingProgram,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        match program {
            PendingProgram::Write { after, new, .. } => retry_write(&self.map, step, (after, new), plan),
            PendingProgram::Move { source, pool } => {
                let (_, mut work) = self.work();
                Collector::retry_move(&mut work, now, step, source, pool, outcome, plan);
            }
            PendingProgram::Vacant(_) => {}
        }
    }
}
