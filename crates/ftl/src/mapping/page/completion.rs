//! The end of steps: commits the map and answers failures.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::PageFtl;
use super::host::{host_program, read_then_write};
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
                        self.commit(now, step.lpn.0, version, after, page.0);
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

    /// A host write is on the medium: it takes effect unless a newer one has.
    #[inline]
    fn commit(&mut self, now: SimTime, lpn: u64, version: u32, after: u64, page: u64) {
        let block = self.space.blocks.block_of(page);
        if self.inflight.commit(lpn, version) {
            self.space.blocks.validate(block, 1);
            if let Some(old) = self.map.map(lpn, page, after) {
                self.space.invalidate(old, now);
            }
        } else {
            self.space.counters.overtaken_writes += 1;
        }
        self.space.end_program(now, block);
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
            PendingProgram::Write { after, new, .. } => match (step.work, self.map.lookup(step.lpn.0)) {
                (Work::CopyBack { target, .. }, Some(old)) => {
                    let program = host_program(step.lpn, target, step.token, after);
                    read_then_write(old, after & !new, program, plan);
                }
                (Work::Program { target, .. } | Work::CopyBack { target, .. }, _) => {
                    plan.push(host_program(step.lpn, target, step.token, after));
                }
                _ => {}
            },
            PendingProgram::Move { source, pool } => {
                let (_, mut work) = self.work();
                Collector::retry_move(&mut work, now, step, source, pool, outcome, plan);
            }
            PendingProgram::Vacant(_) => {}
        }
    }
}
