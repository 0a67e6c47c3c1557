//! Collection over pages and pages of deltas without distinction (specification, section 7): which block is emptied, and what becomes of the
//! pages in it. A page without a delta is copied. A page with a delta is copied too, or merged. The deltas of a page of deltas are merged, or packed
//! with those of the pages after it as long as they all fit in one. The emulated drive finds a base by its logical page, so that its
//! new place need not be told to its delta.

use std::cell::RefCell;

use rustc_hash::FxHashSet;
use wordline_units::SimTime;

use super::DeltaFtl;
use super::accesses::Accesses;
use super::keys::{DeltaConfig, LogGain, Uncached};
use super::log::Log;
use super::merge::Merging;
use super::steps::{Coding, code, program, read};
use super::tasks::{Task, Tasks, Why};
use crate::allocation::HostPlacement;
use crate::config::GcMode;
use crate::counters::DeltaCounters;
use crate::inflight::{InFlight, NO_TOKEN};
use crate::jobs::{Collector, Move};
use crate::map::{DenseMap, HostMap, Relocate};
use crate::mapping::page::PageFtl;
use crate::notice::JobState;
use crate::plan::HOST;
use crate::plan::{Cause, Lpn, Plan, Scope, Step};
use crate::space::{Activity, FlashSpace};

/// Steps of a plan, less those of the largest move.
const MOST_STEPS: usize = 64 - 4;
/// Most pages of deltas that are packed into one.
const MOST_PACKED: usize = 30;

/// What collection is planned with.
struct Planner<'a> {
    user: u64,
    keys: &'a DeltaConfig,
    map: &'a mut DenseMap,
    inflight: &'a mut InFlight,
    placement: &'a HostPlacement,
    log: &'a mut Log,
    accesses: &'a Accesses,
    tasks: &'a mut Tasks,
    merging: &'a mut FxHashSet<u64>,
    counters: &'a mut DeltaCounters,
    budget: &'a mut u32,
    decode_ns: u32,
    pool: u32,
}

impl DeltaFtl {
    /// The next plan of a pool's job.
    pub(super) fn collect(&mut self, now: SimTime, pool: u32, plan: &mut Plan) -> JobState {
        let Self {
            user,
            keys,
            data:
                PageFtl {
                    space,
                    map,
                    inflight,
                    collector,
                    placement,
                    ..
                },
            log,
            accesses,
            tasks,
            merging,
            counters,
            merge_budget,
            decode_ns,
            ..
        } = self;
        let planner = RefCell::new(Planner {
            user: *user,
            keys,
            map,
            inflight,
            placement,
            log,
            accesses,
            tasks,
            merging,
            counters,
            budget: &mut merge_budget[pool as usize],
            decode_ns: *decode_ns,
            pool,
        });
        collector.advance_with(
            space,
            now,
            pool,
            plan,
            |collector, space, now, _| planner.borrow_mut().begin(collector, space, now),
            |_, space, most, plan| planner.borrow_mut().plan_moves(space, most, plan),
        )
    }
}

impl Planner<'_> {
    /// Takes a victim, and says how many merges of its deltas it can bear.
    fn begin(&mut self, collector: &mut Collector, space: &mut FlashSpace, now: SimTime) -> bool {
        *self.budget = 0;
        let pool = self.pool;
        // without pages of deltas all choices are the same
        let by_deltas = self.keys.log_gain != LogGain::WholePages && self.log.live() > 0;
        let this: &Self = self;
        let began = collector.begin_with(space, now, pool, |collector, space, now| {
            if by_deltas {
                collector.take_victim_by(space, pool, |space, block| this.score(space, block))
            } else {
                collector.take_victim(space, now, pool)
            }
        });
        if let Activity::Moving {
            victim, onto: None, ..
        } = space.pools[pool as usize].activity
            && began
        {
            let pages = space.geometry.pages_per_block;
            let page = space.geometry.page_bytes;
            let programs = self.programs_for(space, victim);
            // pages and deltas go to different blocks: both must be there
            if space.pools[pool as usize].free >= 2 {
                *self.budget = (pages - 1).saturating_sub(programs);
            }
            let gained = u64::from(pages - space.blocks.valid(victim)) * u64::from(page)
                + u64::from(self.log.stale_bytes(victim));
            self.counters.victim_gain_bytes += gained;
            if is_of_deltas(space, victim) {
                self.counters.log_victims += 1;
                self.counters.log_victim_gain_bytes += gained;
            }
        }
        began
    }

    /// Bytes that stay when a block is emptied, if collection of it brings a page at least: with `log_gain = "packed"` the pages that its deltas
    /// need when they are packed, with `"bytes"` the deltas alone. Packed deltas leave a part of each page empty, and the bytes of that
    /// part are stale again as soon as they are written: a choice by bytes takes blocks that packing hardly makes smaller.
    fn score(&self, space: &FlashSpace, block: u32) -> Option<u64> {
        let valid = space.blocks.valid(block);
        let stale = if is_of_deltas(space, block) {
            self.log.stale_bytes(block)
        } else {
            0
        };
        if stale == 0 && valid >= space.geometry.pages_per_block {
            return None;
        }
        let page = u64::from(space.geometry.page_bytes);
        let programs = self.programs_for(space, block);
        let gains = stale == 0 || programs < space.geometry.pages_per_block;
        let stays = match self.keys.log_gain {
            LogGain::Packed => u64::from(programs) * page,
            LogGain::Bytes | LogGain::WholePages => {
                (u64::from(valid) * page).saturating_sub(u64::from(stale))
            }
        };
        gains.then_some(stays)
    }

    /// Programs that it takes to empty a block without merging deltas.
    fn programs_for(&self, space: &FlashSpace, block: u32) -> u32 {
        let valid = space.blocks.valid(block);
        if self.log.stale_bytes(block) == 0 || !is_of_deltas(space, block) {
            return valid;
        }
        let owners = space.passed(block).filter_map(|page| self.map.owner(page));
        let logs: Vec<u32> = owners
            .filter_map(|owner| owner.checked_sub(self.user).map(|log| log as u32))
            .collect();
        valid - logs.len() as u32 + self.log.pages_for(logs.into_iter())
    }

    /// Plans moves of so many pages at most; false where none is left.
    fn plan_moves(&mut self, space: &mut FlashSpace, most: u32, plan: &mut Plan) -> bool {
        let pool = self.pool;
        let Activity::Moving {
            victim,
            mut next,
            onto,
        } = space.pools[pool as usize].activity
        else {
            return false;
        };
        let first = space.first_page(victim);
        let written = u32::from(space.blocks.written[victim as usize]);
        let mut planned = 0;
        while planned < most && next < written && plan.len() < MOST_STEPS {
            let source = first + u64::from(next);
            let Some(lpn) = self.map.owner_to_move(source) else {
                next += 1;
                continue;
            };
            match lpn.checked_sub(self.user) {
                // pages of deltas that wear levelling has moved are among others, and go where these go
                Some(log) if onto.is_none() && is_of_deltas(space, victim) => {
                    let merges = self.merge_deltas(space, log as u32, source, most - planned, plan);
                    planned += merges;
                    if merges > 0 {
                        // what is left of it is looked at when they are done
                        break;
                    }
                    let packed = self.repack(space, victim, next..written, plan);
                    if packed > 0 {
                        next += packed;
                        planned += 1;
                        continue;
                    }
                }
                None if onto.is_none() && self.is_to_be_merged(lpn) => {
                    self.merge(space, lpn, None, Why::PageVictim, plan);
                    next += 1;
                    planned += 1;
                    continue;
                }
                _ => {}
            }
            let relocation = Move {
                pool,
                lpn,
                source,
                onto,
            };
            Collector::plan_move(space, self.map, self.inflight, relocation, plan);
            next += 1;
            planned += 1;
        }
        space.pools[pool as usize].activity = Activity::Moving { victim, next, onto };
        space.pools[pool as usize].moves += planned;
        if space.gc.mode == GcMode::Partial && planned > 0 {
            space.spend_credit(pool, planned);
        }
        planned > 0
    }

    /// Whether a page is merged with its delta when one of them must be moved: it is read-hot or write-cold.
    fn is_to_be_merged(&self, lpn: u64) -> bool {
        let merging = Merging {
            log: self.log,
            merging: self.merging,
            inflight: self.inflight,
        };
        if !merging.is_possible(lpn) {
            return false;
        }
        match self.accesses.get(lpn) {
            Some(counts) => {
                counts.reads >= self.keys.read_hot_threshold || counts.writes < self.keys.hot_threshold
            }
            None => self.keys.gc_uncached == Uncached::Merge,
        }
    }

    /// Plans merges of deltas of a page, as far as they may go to the pool and the budget allows; how many.
    fn merge_deltas(&mut self, space: &FlashSpace, log: u32, source: u64, most: u32, plan: &mut Plan) -> u32 {
        let most = most.min(*self.budget);
        let planes = space.pool_scope(self.pool).planes(&space.geometry);
        let mut lpns = Vec::new();
        if most > 0 {
            let current = self.log.current(log).into_iter().map(|(lpn, _)| lpn);
            let can = |lpn: &u64| {
                let home: Scope = self.placement.scope(Lpn(*lpn));
                let home = home.planes(&space.geometry);
                home.start <= planes.start && planes.end <= home.end && self.is_to_be_merged(*lpn)
            };
            lpns.extend(current.filter(can).take(most as usize));
        }
        let mut merges = 0;
        let mut of_log = None;
        for lpn in lpns {
            if plan.len() >= MOST_STEPS {
                break;
            }
            let full = space.geometry.full_bitmap();
            let own = self.user + u64::from(log);
            let of_log = *of_log.get_or_insert_with(|| read(plan, source, full, Cause::Gc, own));
            self.merge(space, lpn, Some(of_log), Why::LogVictim, plan);
            merges += 1;
        }
        *self.budget -= merges;
        merges
    }

    /// Plans that a page and its delta, which the steps of a mask read unless they are to be planned yet, become a page.
    fn merge(&mut self, space: &FlashSpace, lpn: u64, of_delta: Option<u64>, why: Why, plan: &mut Plan) {
        let (Some(delta), Some((base, valid))) = (self.log.get(lpn), self.map.get(lpn)) else {
            return;
        };
        let mut after = read(plan, base, valid, Cause::Merge, lpn);
        after |= of_delta.unwrap_or_else(|| {
            let own = self.user + u64::from(delta.log);
            let full = space.geometry.full_bitmap();
            let place = self.map.lookup(own).filter(|_| !self.log.is_in_memory(delta.log));
            place.map_or(0, |page| read(plan, page, full, Cause::Gc, own))
        });
        let decoding = Coding {
            ns: self.decode_ns,
            sectors: 0,
            group: self.keys.codec_scope.group_of(&space.geometry, base),
            acknowledges: false,
            cause: Cause::Merge,
        };
        let decoded = code(plan, decoding, after, lpn, NO_TOKEN);
        self.merging.insert(lpn);
        let token = self.tasks.add(Task::Merge {
            lpn,
            stamp: delta.stamp,
            pool: Some(self.pool),
            why,
        });
        // that of a block of deltas is one, whatever wrote their bases: collection opens two blocks at most
        let frontier = match space.pools[self.pool as usize].activity {
            Activity::Moving { victim, .. } => space.frontier_of_moves(victim),
            _ => HOST,
        };
        let target = (frontier, space.pool_scope(self.pool));
        plan.push(Step {
            after: decoded,
            ..program(target, valid, Cause::Merge, lpn, token)
        });
    }

    /// Plans that the current deltas of as many successive pages as fit in one are packed into a new page; how many pages of the block
    /// that are. None where there can be no more pages of deltas.
    fn repack(
        &mut self,
        space: &FlashSpace,
        victim: u32,
        pages: std::ops::Range<u32>,
        plan: &mut Plan,
    ) -> u32 {
        let first = space.first_page(victim);
        let (mut from, mut used, mut passed) = (Vec::new(), 0, 0);
        for page in pages {
            if let Some(owner) = self.map.owner(first + u64::from(page)) {
                let Some(log) = owner.checked_sub(self.user) else {
                    break;
                };
                used += self.log.current_room(log as u32);
                let is_full = used > self.log.room() && !from.is_empty();
                if is_full || from.len() == MOST_PACKED || plan.len() + from.len() + 1 >= 64 {
                    break;
                }
                from.push((log as u32, first + u64::from(page)));
            }
            passed += 1;
        }
        let logs: Vec<u32> = from.iter().map(|(log, _)| *log).collect();
        let Some(new) = self.log.repack(&logs) else {
            return 0;
        };
        self.counters.repacked_from += logs.len() as u64;
        let full = space.geometry.full_bitmap();
        let mut after = 0;
        for (log, page) in from {
            after |= read(plan, page, full, Cause::Gc, self.user + u64::from(log));
        }
        let token = self.tasks.add(Task::Program {
            log: new,
            pool: Some(self.pool),
            closed: 0,
            awaited_by: None,
            home: None,
        });
        let target = (space.frontiers.of_own_pages(), space.pool_scope(self.pool));
        plan.push(Step {
            after,
            ..program(target, full, Cause::Gc, self.user + u64::from(new), token)
        });
        passed
    }
}

/// Whether a block was filled with pages of deltas.
fn is_of_deltas(space: &FlashSpace, block: u32) -> bool {
    space.blocks.frontier[block as usize] == space.frontiers.of_own_pages().0
}
