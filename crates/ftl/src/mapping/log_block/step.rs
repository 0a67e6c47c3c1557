//! The end of steps: commits the map, frees blocks and answers failures.

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::{LogFtl, NONE};
use crate::block::BlockRole;
use crate::host::{commit_write, pending_program, retry_write};
use crate::inflight::PendingProgram;
use crate::jobs::{Collector, Work as Relocation};
use crate::map::Relocate;
use crate::plan::{Outcome, Plan, Step, Work};
use crate::request::PageRequest;

impl LogFtl {
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
                    self.space.fail_program(now, page.0);
                }
                self.retry(now, step, program, plan);
            }
        }
        // a merge may have waited for the end of this program
        let plane = self.plane_of(self.split(step.lpn.0).0);
        self.space.update_urgency(plane, now);
    }

    fn commit(&mut self, now: SimTime, step: &Step, program: PendingProgram, page: Ppn) {
        let Self {
            space, map, inflight, ..
        } = self;
        match program {
            PendingProgram::Write { version, after, .. } => {
                commit_write(space, map, inflight, now, (step.lpn.0, version, after), page.0);
            }
            PendingProgram::Move { source, pool } => {
                let mut work = Relocation {
                    space,
                    pages: map,
                    inflight,
                };
                Collector::end_move(&mut work, now, step, page, source, pool);
            }
            PendingProgram::Vacant(_) => {}
        }
    }

    /// A program failed or was declined. A host write is made again; a page that was to be copied stays where it is.
    fn retry(&mut self, now: SimTime, step: &Step, program: PendingProgram, plan: &mut Plan) {
        match program {
            PendingProgram::Write { after, new, .. } => retry_write(&self.map, step, (after, new), plan),
            PendingProgram::Move { source, pool } => {
                self.inflight.remove(step.token);
                if self.map.owner(source) != Some(step.lpn.0) {
                    self.space.counters.superseded_moves += 1;
                }
                self.space.finish_move(now, pool);
            }
            PendingProgram::Vacant(_) => {}
        }
    }

    /// TRIM took pages: data blocks that were full may have become empty. One that can be built anew keeps its data block: pages in log blocks may come back after a power cut, and need one.
    pub(super) fn release_trimmed(&mut self, now: SimTime, request: &PageRequest) {
        let last = request.lpn.0 + request.pages.max(1) - 1;
        for logical in self.split(request.lpn.0).0..=self.split(last).0 {
            let plane = self.plane_of(logical);
            let Some(data) = self.data_block(logical) else {
                continue;
            };
            let blocks = &self.space.blocks;
            let is_useless = blocks.role[data as usize] == BlockRole::Closed
                && blocks.valid(data) == 0
                && !blocks.has_pending(data);
            let is_mapped = |lpn| self.map.is_mapped(lpn);
            let may_come_back = self.kept_free > 0;
            if is_useless
                && !may_come_back
                && !self.is_merging(plane, logical)
                && !self.pages_of(logical).any(is_mapped)
            {
                self.data[logical as usize] = NONE;
                self.space.close_block(BlockId(data));
                self.planes[plane as usize].dead.push(data);
            }
            self.space.update_urgency(plane, now);
        }
    }

    /// A block was erased, or could not be.
    fn end_erase(&mut self, now: SimTime, block: u32, outcome: Outcome) {
        let pool = self.space.blocks.pool_of(block);
        let first = self.space.first_page(block);
        let pages = u64::from(self.space.geometry.pages_per_block);
        if outcome == Outcome::Failed || self.space.blocks.has_failed(block) {
            self.space.blocks.retire(block);
            self.space.counters.retired_blocks += 1;
        } else {
            self.map.erased(first..first + pages);
            self.space.free_block(block);
        }
        self.space.finish_move(now, pool);
        self.space.update_urgency(pool, now);
    }
}
