//! The end of steps: commits the map and answers failures.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::PageFtl;
use crate::host::{commit_write, pending_program, retry_write};
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
        if let Work::Erase { block } = step.work {
            let (collector, mut work) = self.work();
            return collector.end_erase(&mut work, now, block.0, outcome);
        }
        let Some(program) = pending_program(&mut self.space, &self.inflight, step, outcome) else {
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
                        let replaced = commit_write(space, map, inflight, now, write, page.0);
                        space
                            .tenants
                            .plan_after_write(&space.geometry, step, (page, replaced), plan);
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
