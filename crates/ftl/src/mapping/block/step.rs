//! The end of steps: commits the map, frees blocks and answers failures.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::BlockFtl;
use crate::block::BlockRole;
use crate::host::{commit_write, pending_program, retry_write};
use crate::inflight::PendingProgram;
use crate::jobs::{Collector, Work as Relocation};
use crate::plan::{Outcome, Plan, Step, Work};
use crate::request::PageRequest;

impl BlockFtl {
    /// Notes how a step ended.
    pub(super) fn complete_step(
        &mut self,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        if let Work::Erase { block } = step.work {
            return self.end_erase(now, block.0, outcome);
        }
        let Some(program) = pending_program(&mut self.space, &self.inflight, step, outcome) else {
            return;
        };
        match (outcome, page) {
            (Outcome::Good | Outcome::Uncorrectable, Some(page)) => {
                self.inflight.remove(step.token);
                self.commit(now, step, program, page);
            }
            (_, page) => {
                if let Some(page) = page {
                    self.fail(now, page);
                }
                self.retry(now, step, program, plan);
            }
        }
        // a merge may have waited for the end of this program
        let plane = self.plane_of(self.chains.split(step.lpn.0).0);
        self.space.update_urgency(plane, now);
    }

    fn commit(&mut self, now: SimTime, step: &Step, program: PendingProgram, page: Ppn) {
        let Self {
            space,
            chains,
            inflight,
            ..
        } = self;
        match program {
            PendingProgram::Write { version, after, .. } => {
                let write = (step.lpn.0, version, after);
                let replaced = commit_write(space, chains, inflight, now, write, page.0);
                if let Some(old) = replaced {
                    let block = space.blocks.block_of(old);
                    if self.release_if_empty(block) {
                        self.space.counters.merges.switch += 1;
                    }
                }
                self.release_if_empty(self.space.blocks.block_of(page.0));
            }
            PendingProgram::Move { source, pool } => {
                let mut work = Relocation {
                    space,
                    pages: chains,
                    inflight,
                };
                Collector::end_move(&mut work, now, step, page, source, pool);
            }
            PendingProgram::Vacant(_) => {}
        }
    }

    /// A program failed: its block takes no further one, and a merge into it leaves the host write that it had a gap for to
    /// the next one.
    fn fail(&mut self, now: SimTime, page: Ppn) {
        self.space.fail_program(now, page.0);
        let block = self.space.blocks.block_of(page.0);
        let pool = self.space.blocks.pool_of(block);
        if let Some(merge) = &mut self.pools[pool as usize].merge
            && merge.target == block
        {
            merge.gap = None;
        }
        self.release_if_empty(block);
    }

    /// A program failed or was declined. A host write is made again; a page that was to be copied stays where it is.
    fn retry(&mut self, now: SimTime, step: &Step, program: PendingProgram, plan: &mut Plan) {
        match program {
            PendingProgram::Write { after, new, .. } => retry_write(&self.chains, step, (after, new), plan),
            PendingProgram::Move { source, pool } => {
                self.inflight.remove(step.token);
                if !self.chains.is_current(source) {
                    self.space.counters.superseded_moves += 1;
                }
                self.space.finish_move(now, pool);
            }
            PendingProgram::Vacant(_) => {}
        }
    }

    /// A block that holds nothing current, and will not come to, leaves its logical block: a closed one, or one beside
    /// others. What a merge works on is left to that.
    fn release_if_empty(&mut self, block: u32) -> bool {
        let Some(logical) = self.chains.logical_of(block) else {
            return false;
        };
        let blocks = &self.space.blocks;
        let is_useless =
            blocks.role[block as usize] == BlockRole::Closed || self.chains.blocks(logical).nth(1).is_some();
        let merging = self.pools[self.plane_of(logical) as usize]
            .merge
            .is_some_and(|merge| merge.logical == logical);
        let is_empty = blocks.valid(block) == 0 && !blocks.has_pending(block);
        let is_released = is_empty && is_useless && !merging;
        if is_released {
            self.unlink(block);
        }
        is_released
    }

    /// TRIM took pages: blocks may have become empty.
    pub(super) fn release_trimmed(&mut self, now: SimTime, request: &PageRequest) {
        let last = request.lpn.0 + request.pages.max(1) - 1;
        let (from, to) = (self.chains.split(request.lpn.0).0, self.chains.split(last).0);
        for logical in from..=to {
            let blocks: Vec<u32> = self.chains.blocks(logical).collect();
            for block in blocks {
                self.release_if_empty(block);
            }
            self.space.update_urgency(self.plane_of(logical), now);
        }
    }

    /// A block was erased, or could not be.
    fn end_erase(&mut self, now: SimTime, block: u32, outcome: Outcome) {
        let pool = self.space.blocks.pool_of(block);
        if outcome == Outcome::Failed || self.space.blocks.has_failed(block) {
            self.space.blocks.retire(block);
            self.space.counters.retired_blocks += 1;
        } else {
            self.skipped[block as usize] = 0;
            self.space.free_block(block);
        }
        self.space.finish_move(now, pool);
        self.space.update_urgency(pool, now);
    }
}
