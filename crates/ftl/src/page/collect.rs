//! Collection: a small state machine per pool that yields short plans.

use wordline_nand::{BlockId, PlaneId, Ppn, Use};
use wordline_units::SimTime;

use super::pool::Activity;
use super::tasks::Task;
use super::{NO_TOKEN, PageFtl};
use crate::config::GcMode;
use crate::contract::{JobState, Urgency};
use crate::gc::{Candidates, Greedy, VictimPolicy};
use crate::plan::{Cause, Lpn, Plan, Route, Scope, Step, Target, Work};

/// Moves of one plan: two steps each, and a plan holds 64.
const MOST_MOVES: u32 = 32;

impl PageFtl {
    /// The next plan of a pool's job.
    pub(super) fn advance_pool(&mut self, now: SimTime, pool: u32, plan: &mut Plan) -> JobState {
        let mode = self.config.gc.mode;
        let Some(urgency) = self.pools[pool as usize].urgency(mode) else {
            self.pools[pool as usize].noticed = None;
            return JobState::Finished;
        };
        if urgency == Urgency::Idle && now < self.pools[pool as usize].last_host + self.config.gc.idle {
            // The pool was not idle for long enough: come back when it may have been.
            self.give_notice(pool, urgency, now);
            return JobState::Waiting;
        }
        loop {
            match self.pools[pool as usize].activity {
                Activity::Idle => {
                    if !self.begin(now, pool) {
                        self.pools[pool as usize].noticed = None;
                        return JobState::Waiting;
                    }
                }
                Activity::Moving { .. } => {
                    let most = self.moves_per_plan(pool, urgency);
                    if most == 0 || self.pools[pool as usize].moves > 0 {
                        self.pools[pool as usize].noticed = None;
                        return JobState::Waiting;
                    }
                    if self.plan_moves(pool, most, plan) || self.plan_erase(pool, plan) {
                        return JobState::Yielded;
                    }
                }
                Activity::Erasing { .. } => {
                    self.pools[pool as usize].noticed = None;
                    return JobState::Waiting;
                }
            }
        }
    }

    /// Begins to empty a block; false where there is none to be emptied.
    pub(super) fn begin(&mut self, now: SimTime, pool: u32) -> bool {
        self.begin_swap(now, pool) || self.begin_collection(now, pool)
    }

    /// Takes a victim; false, and the pool is stuck, where nothing can be reclaimed.
    fn begin_collection(&mut self, now: SimTime, pool: u32) -> bool {
        if !self.pools[pool as usize].wants_space() {
            return false;
        }
        let Some(victim) = self.choose_victim(now, pool) else {
            // Blocks whose programs are not done may become candidates yet: their completion
            // gives notice again.
            if !self.pools[pool as usize].stuck {
                self.pools[pool as usize].stuck = true;
                self.stuck_pools += 1;
            }
            return false;
        };
        self.facts.gc_victims += 1;
        self.facts.gc_victim_valid_pages += u64::from(self.blocks.valid(victim));
        self.begin_moving(pool, victim, None);
        true
    }

    pub(super) fn begin_moving(&mut self, pool: u32, victim: u32, onto: Option<u32>) {
        self.blocks.hold(victim);
        let spare = self.geometry.pages_per_block - self.blocks.valid(victim);
        // A wear move fills one block; a collection must gain a page.
        self.pools[pool as usize].slack = if onto.is_some() {
            spare
        } else {
            spare.saturating_sub(1)
        };
        self.pools[pool as usize].activity = Activity::Moving {
            victim,
            next: 0,
            onto,
        };
    }

    /// The policy's choice. Blocks without any valid page come first; where none has an invalid
    /// page there is nothing to gain, and no victim.
    fn choose_victim(&mut self, now: SimTime, pool: u32) -> Option<u32> {
        let least = self.blocks.least_valid(pool)?;
        if least >= self.geometry.pages_per_block {
            return None;
        }
        let mut refused = Vec::new();
        let chosen = loop {
            let candidates = Candidates {
                blocks: &self.blocks,
                pool,
                now: now.ns(),
                pages_per_block: self.geometry.pages_per_block,
            };
            let choice = if least == 0 && refused.is_empty() {
                Greedy.choose(&candidates)
            } else {
                self.victims.choose(&candidates)
            };
            let Some(block) = choice else { break None };
            let mean = self.mean_erases(pool);
            let erases = self.blocks.erases[block as usize];
            let gains = self.blocks.valid(block) < self.geometry.pages_per_block;
            let accepted = match &mut self.wear_limit {
                Some(limit) => gains && limit.accepts(erases, mean),
                None => true,
            };
            if accepted {
                break Some(block);
            }
            // Out of the running for this choice only.
            self.blocks.hold(block);
            refused.push(block);
        };
        for block in &refused {
            self.blocks.offer(*block);
        }
        // Worn as all may be, space must be made: then the first choice stands.
        chosen.or_else(|| {
            refused
                .into_iter()
                .find(|block| self.blocks.valid(*block) < self.geometry.pages_per_block)
        })
    }

    /// Page moves that the next plan may hold; 0 where the job is out of credit.
    pub(super) fn moves_per_plan(&self, pool: u32, urgency: Urgency) -> u32 {
        let many = self.capacity.planes_per_pool.min(MOST_MOVES);
        match (self.config.gc.mode, urgency) {
            (_, Urgency::Blocking) | (GcMode::Foreground | GcMode::Background, _) => many,
            (GcMode::Preemptible, _) => 1,
            (GcMode::Partial, _) => u32::from(self.has_credit(pool)),
        }
    }

    /// Plans moves of the next valid pages of the victim; false where none is left.
    fn plan_moves(&mut self, pool: u32, most: u32, plan: &mut Plan) -> bool {
        let Activity::Moving {
            victim,
            mut next,
            onto,
        } = self.pools[pool as usize].activity
        else {
            return false;
        };
        let (first, written) = (
            self.first_page(victim),
            u32::from(self.blocks.written[victim as usize]),
        );
        let mut planned = 0;
        while planned < most && next < written {
            let source = first + u64::from(next);
            next += 1;
            if let Some(lpn) = self.map.recall_owner(source) {
                self.plan_move(pool, lpn, source, onto, plan);
                planned += 1;
            }
        }
        self.pools[pool as usize].activity = Activity::Moving { victim, next, onto };
        self.pools[pool as usize].moves += planned;
        if self.config.gc.mode == GcMode::Partial && planned > 0 {
            self.spend_credit(pool, planned);
        }
        planned > 0
    }

    fn plan_move(&mut self, pool: u32, lpn: u64, source: u64, onto: Option<u32>, plan: &mut Plan) {
        let token = self.tasks.add(Task::Move { source, pool });
        let plane = self.blocks.plane_of(self.blocks.block_of(source));
        let same_plane = onto.is_none_or(|block| self.blocks.plane_of(block) == plane);
        if self.copyback != Use::Off && same_plane && self.may_hop(source) {
            let scope = Scope::Plane(PlaneId(plane));
            let frontier = self.move_frontier(onto.is_some());
            plan.push(Step {
                work: Work::CopyBack {
                    source: Ppn(source),
                    target: Target::Frontier { frontier, scope },
                    new_sectors: 0,
                },
                cause: if onto.is_some() { Cause::Wear } else { Cause::Gc },
                acknowledges: false,
                after: 0,
                lpn: Lpn(lpn),
                token,
            });
        } else {
            self.move_through_controller(pool, lpn, source, onto, token, plan);
        }
    }

    /// A read to the controller and a program from there.
    pub(super) fn move_through_controller(
        &self,
        pool: u32,
        lpn: u64,
        source: u64,
        onto: Option<u32>,
        token: u32,
        plan: &mut Plan,
    ) {
        let scope = match onto {
            Some(block) => Scope::Plane(PlaneId(self.blocks.plane_of(block))),
            None => self.pool_scope(pool),
        };
        let bitmap = self.map.bitmap_of_mapped(lpn);
        self.map.prefetch_logical(lpn);
        let read = Step {
            work: Work::Read {
                page: Ppn(source),
                bitmap,
                route: Route::Controller,
            },
            cause: if onto.is_some() { Cause::Wear } else { Cause::Gc },
            acknowledges: false,
            after: 0,
            lpn: Lpn(lpn),
            token: NO_TOKEN,
        };
        let program = Step {
            work: Work::Program {
                target: Target::Frontier {
                    frontier: self.move_frontier(onto.is_some()),
                    scope,
                },
                sectors: bitmap.count_ones() as u8,
                route: Route::Controller,
            },
            after: 1 << plan.len(),
            token,
            ..read
        };
        plan.push(read);
        plan.push(program);
    }

    /// Plans the erase of a victim whose pages have all been moved.
    fn plan_erase(&mut self, pool: u32, plan: &mut Plan) -> bool {
        let Activity::Moving { victim, onto, .. } = self.pools[pool as usize].activity else {
            return false;
        };
        if let Some(block) = onto {
            self.release_wear_block(block);
        }
        let wear = onto.is_some();
        self.pools[pool as usize].activity = Activity::Erasing { victim, wear };
        plan.push(Step {
            work: Work::Erase {
                block: BlockId(victim),
            },
            cause: if wear { Cause::Wear } else { Cause::Gc },
            acknowledges: false,
            after: 0,
            lpn: Lpn(0),
            token: NO_TOKEN,
        });
        true
    }
}
