//! The end of steps: commits the map, frees blocks and answers failures.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::SuperblockFtl;
use crate::host::{commit_write, pending_program, read_then_write, retry_write};
use crate::inflight::PendingProgram;
use crate::jobs::{Collector, Work as Relocation};
use crate::map::Relocate;
use crate::plan::{Cause, Outcome, Plan, Route, Step, Work};
use crate::request::PageRequest;

impl SuperblockFtl {
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
        if step.cause == Cause::Mapping {
            return;
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
                self.retry(now, step, program, outcome, plan);
            }
        }
        // a collection may have waited for the end of this program
        let plane = self.plane_of(self.place_of(step.lpn.0).superblock);
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
        if self.map.owner(page.0) == Some(step.lpn.0) {
            let place = self.place_of(step.lpn.0);
            self.tree.programmed(place.superblock, place.offset);
        }
    }

    /// A program failed or was declined. A host write is made again; a copy is made again through the controller, unless there is no
    /// page for it: then it stays where it is.
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
                let is_current = self.map.owner(source) == Some(step.lpn.0);
                let target = match step.work {
                    Work::CopyBack { target, .. } => Some(target),
                    Work::Program { target, .. } if outcome == Outcome::Failed => Some(target),
                    _ => None,
                };
                if let Some(target) = target.filter(|_| is_current) {
                    let bitmap = self.map.sectors(step.lpn.0);
                    let program = Step {
                        work: Work::Program {
                            target,
                            sectors: bitmap.count_ones() as u8,
                            route: Route::Controller,
                        },
                        after: 0,
                        ..*step
                    };
                    return read_then_write(source, bitmap, program, plan);
                }
                self.inflight.remove(step.token);
                if !is_current {
                    self.space.counters.superseded_moves += 1;
                }
                self.space.finish_move(now, pool);
            }
            PendingProgram::Vacant(_) => {}
        }
    }

    /// TRIM took pages: blocks may hold nothing any more.
    pub(super) fn release_trimmed(&mut self, now: SimTime, request: &PageRequest) {
        let planes = self.planes.len() as u64;
        let pages_per_block = u64::from(self.space.geometry.pages_per_block);
        let first = request.lpn.0 / pages_per_block;
        let last = (request.lpn.0 + request.pages.max(1) - 1) / pages_per_block;
        for logical in first..=last.min(first + planes - 1) {
            let plane = self.plane_of((logical % planes) as u32);
            self.space.update_urgency(plane, now);
        }
    }

    /// A block was erased, or could not be.
    fn end_erase(&mut self, now: SimTime, block: u32, outcome: Outcome) {
        let pool = self.space.blocks.pool_of(block);
        if outcome == Outcome::Failed || self.space.blocks.has_failed(block) {
            self.space.blocks.retire(block);
            self.space.counters.retired_blocks += 1;
        } else {
            let first = self.space.first_page(block);
            let pages = u64::from(self.space.geometry.pages_per_block);
            self.map.erased(first..first + pages);
            self.space.free_block(block);
        }
        self.space.finish_move(now, pool);
        self.space.update_urgency(pool, now);
    }
}
