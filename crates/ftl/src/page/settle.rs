//! The end of steps: commits the map, frees blocks, answers failures.

use std::collections::hash_map::Entry;

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::PageFtl;
use super::frontiers::WEAR;
use super::pool::Activity;
use super::tasks::Task;
use crate::contract::{BlockRole, Outcome};
use crate::plan::{Cause, Plan, Step, Work};

impl PageFtl {
    /// Notes how a step ended.
    #[inline]
    pub(super) fn settle(
        &mut self,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        let copied_back = match step.work {
            Work::Program { .. } => false,
            Work::CopyBack { .. } => true,
            Work::Erase { block } => return self.erased(now, block.0, outcome),
            Work::Read { .. } => {
                if outcome == Outcome::Uncorrectable && !step.cause.is_of_host() {
                    self.facts.unreadable_moves += 1;
                }
                return;
            }
            Work::Compute { .. } | Work::Local { .. } => return,
        };
        let Some(task) = self.tasks.get(step.token) else {
            return;
        };
        let lpn = step.lpn.0;
        match (outcome, page) {
            (Outcome::Good | Outcome::Uncorrectable, Some(page)) => {
                self.tasks.remove(step.token);
                match task {
                    Task::Write { version, after, .. } => self.commit(now, lpn, version, after, page.0),
                    Task::Move { source, pool } => {
                        if copied_back && self.most_hops != 0 {
                            let hops = self.hops.get(&source).copied().unwrap_or(0);
                            self.hops.insert(page.0, hops + 1);
                        }
                        self.moved(now, lpn, source, page.0, step.cause == Cause::Wear, pool);
                    }
                    Task::Vacant(_) => {}
                }
            }
            (_, page) => {
                if let Some(page) = page {
                    self.program_failed(now, page.0);
                }
                self.try_again(now, step, task, outcome, plan);
            }
        }
    }

    /// A host write is on the medium: it takes effect unless a newer one has.
    #[inline]
    fn commit(&mut self, now: SimTime, lpn: u64, version: u32, after: u64, page: u64) {
        let block = self.blocks.block_of(page);
        let newest = match self.flights.entry(lpn) {
            Entry::Occupied(mut entry) => {
                let flight = entry.get_mut();
                let newest = version > flight.committed;
                flight.committed = flight.committed.max(version);
                flight.outstanding -= 1;
                if flight.outstanding == 0 {
                    entry.remove();
                }
                newest
            }
            Entry::Vacant(_) => false,
        };
        if newest {
            self.blocks.validate(block, 1);
            if let Some(old) = self.map.map(lpn, page, after) {
                self.invalidate(old, now);
            }
        } else {
            self.facts.overtaken_writes += 1;
        }
        self.program_ended(now, block);
    }

    /// A relocated page is on the medium: the map follows unless the page was superseded.
    #[inline]
    fn moved(&mut self, now: SimTime, lpn: u64, source: u64, page: u64, wear: bool, pool: u32) {
        let block = self.blocks.block_of(page);
        if self.map.owner(source) == Some(lpn) {
            self.blocks.validate(block, 1);
            self.map.relocate(lpn, source, page);
            self.invalidate(source, now);
        } else {
            self.facts.superseded_moves += 1;
        }
        if wear {
            self.facts.wear_moves += 1;
        } else {
            self.facts.gc_moves += 1;
        }
        self.program_ended(now, block);
        self.move_ended(now, pool);
    }

    /// A move is over, one way or the other.
    fn move_ended(&mut self, now: SimTime, pool: u32) {
        let state = &mut self.pools[pool as usize];
        state.moves -= 1;
        if state.moves == 0 && state.noticed.is_none() {
            self.review(pool, now);
        }
    }

    /// A program is over; a full block may have become a candidate by that.
    #[inline]
    fn program_ended(&mut self, now: SimTime, block: u32) {
        self.blocks.end_program(block, now.ns());
        self.unstick_candidate(now, block);
    }

    /// A pool with nothing to reclaim may have something to look at now.
    #[inline]
    pub(super) fn unstick_candidate(&mut self, now: SimTime, block: u32) {
        if self.stuck_pools != 0 && self.blocks.is_candidate(block) {
            self.unstick(self.blocks.pool_of(block), now);
        }
    }

    /// The block of a failed program takes no further one; what is valid in it stays readable
    /// until collection has moved it, and then the block is retired.
    fn program_failed(&mut self, now: SimTime, page: u64) {
        let block = self.blocks.block_of(page);
        if self.blocks.role[block as usize] == BlockRole::Open {
            self.frontiers.abandon(&mut self.blocks, block);
        }
        self.blocks.fail(block);
        self.program_ended(now, block);
    }

    /// A program failed or was declined: the same again through the controller, or nothing where
    /// the page was superseded.
    fn try_again(&mut self, now: SimTime, step: &Step, task: Task, outcome: Outcome, plan: &mut Plan) {
        let lpn = step.lpn;
        match task {
            Task::Write { after, new, .. } => match (step.work, self.map.lookup(lpn.0)) {
                (Work::CopyBack { .. }, Some(old)) => {
                    self.read_then_write(lpn, old, step.token, after, new, plan);
                }
                _ => plan.push(self.host_program(lpn, step.token, after, 0)),
            },
            Task::Move { source, pool } => {
                if self.map.owner(source) == Some(lpn.0) {
                    let onto = match self.pools[pool as usize].activity {
                        Activity::Moving { onto, .. } if outcome == Outcome::Declined => {
                            onto.filter(|block| {
                                let plane = self.blocks.plane_of(*block);
                                self.frontiers.active(plane, WEAR) == Some(*block)
                            })
                        }
                        _ => None,
                    };
                    self.move_through_controller(pool, lpn.0, source, onto, step.token, plan);
                } else {
                    self.tasks.remove(step.token);
                    self.facts.superseded_moves += 1;
                    self.move_ended(now, pool);
                }
            }
            Task::Vacant(_) => {}
        }
    }

    /// A block was erased, or could not be.
    fn erased(&mut self, now: SimTime, block: u32, outcome: Outcome) {
        let pool = self.blocks.pool_of(block);
        let Activity::Erasing { victim, wear } = self.pools[pool as usize].activity else {
            return;
        };
        if victim != block {
            return;
        }
        self.pools[pool as usize].activity = Activity::Idle;
        if outcome == Outcome::Failed || self.blocks.has_failed(block) {
            self.blocks.retire(block);
            self.facts.retired_blocks += 1;
        } else {
            if self.skips {
                let first = self.first_page(block);
                self.map
                    .wipe(first..first + u64::from(self.geometry.pages_per_block));
            }
            self.blocks.erase(block);
            self.frontiers.release(block);
            self.facts.erases += 1;
            let state = &mut self.pools[pool as usize];
            state.free += 1;
            state.erases += 1;
            if !wear {
                self.consider_swap(now, pool, block);
            }
        }
        self.review(pool, now);
    }
}
