//! Collection: a state machine for each pool that yields short plans.

use wordline_units::SimTime;

use super::{Collector, Relocate, Work};
use crate::config::GcMode;
use crate::inflight::InFlight;
use crate::notice::{JobState, Urgency};
use crate::plan::WEAR;
use crate::plan::{Cause, Frontier, Plan};
use crate::policy::victim::greedy::Greedy;
use crate::policy::victim::{Candidates, VictimPolicy};
use crate::space::{Activity, FlashSpace};

/// Moves of one plan: two steps each, and a plan holds 64.
const MOST_MOVES: u32 = 32;
/// The same where a local controller works on each before.
const MOST_LOCAL_MOVES: u32 = 21;

/// A page that a job moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) pool: u32,
    pub(crate) lpn: u64,
    /// Where the page is.
    pub(crate) source: u64,
    /// The block that static wear levelling wants it on.
    pub(crate) onto: Option<u32>,
}

impl Move {
    /// Where the page goes.
    pub(super) fn frontier(self, space: &FlashSpace) -> Frontier {
        if self.onto.is_some() {
            WEAR
        } else {
            space.frontier_of_moves(space.blocks.block_of(self.source))
        }
    }

    pub(super) fn cause(self, space: &FlashSpace) -> Cause {
        if space.pools[self.pool as usize].refreshing {
            Cause::Refresh
        } else if self.onto.is_some() {
            Cause::Wear
        } else if space.is_folding(self.pool) {
            Cause::Fold
        } else {
            Cause::Gc
        }
    }
}

impl Collector {
    /// The next plan of a pool's job.
    pub(crate) fn advance<R: Relocate>(
        &mut self,
        work: &mut Work<'_, R>,
        now: SimTime,
        pool: u32,
        plan: &mut Plan,
    ) -> JobState {
        let Work {
            space,
            pages,
            inflight,
        } = work;
        self.advance_with(space, now, pool, plan, Self::begin, |_, space, most, plan| {
            Self::plan_moves(space, *pages, inflight, pool, most, plan)
        })
    }

    /// The next plan of a pool's job: `begin` takes a block to be emptied, `plan_moves` plans moves of so many pages.
    #[inline]
    pub(crate) fn advance_with(
        &mut self,
        space: &mut FlashSpace,
        now: SimTime,
        pool: u32,
        plan: &mut Plan,
        mut begin: impl FnMut(&mut Self, &mut FlashSpace, SimTime, u32) -> bool,
        mut plan_moves: impl FnMut(&mut Self, &mut FlashSpace, u32, &mut Plan) -> bool,
    ) -> JobState {
        let mode = space.gc.mode;
        let Some(mut urgency) = space.urgency_of_job(pool, now) else {
            space.pools[pool as usize].noticed = None;
            return JobState::Finished;
        };
        if urgency == Urgency::Idle && now < space.pools[pool as usize].last_host + space.gc.idle {
            // The pool was not idle for long enough: come back when it may have been.
            space.give_notice(pool, urgency, now);
            return JobState::Waiting;
        }
        loop {
            match space.pools[pool as usize].activity {
                Activity::Idle => {
                    let is_turn = mode != GcMode::OneBlock || !space.is_die_cleaned(pool);
                    if !(is_turn && begin(self, space, now, pool)) {
                        space.pools[pool as usize].noticed = None;
                        return JobState::Waiting;
                    }
                    if mode == GcMode::OneBlock {
                        // from here on it goes ahead of host writes
                        urgency = Urgency::Blocking;
                        space.update_urgency(pool, now);
                    }
                }
                Activity::Moving { .. } => {
                    let most = Self::moves_per_plan(space, pool, urgency);
                    if most == 0 || space.pools[pool as usize].moves > 0 {
                        space.pools[pool as usize].noticed = None;
                        space.go_on_in_a_pause(pool, now);
                        return JobState::Waiting;
                    }
                    if plan_moves(self, space, most, plan) || Self::plan_erase(space, pool, plan) {
                        return JobState::Yielded;
                    }
                }
                Activity::Merging | Activity::Erasing { .. } => {
                    space.pools[pool as usize].noticed = None;
                    return JobState::Waiting;
                }
            }
        }
    }

    /// Begins to empty a block; false where there is none to be emptied.
    pub(crate) fn begin(&mut self, space: &mut FlashSpace, now: SimTime, pool: u32) -> bool {
        self.begin_with(space, now, pool, |collector, space, now| {
            collector.take_victim(space, now, pool)
        })
    }

    /// The same with a choice of the victim.
    #[inline]
    pub(crate) fn begin_with(
        &mut self,
        space: &mut FlashSpace,
        now: SimTime,
        pool: u32,
        take_victim: impl Fn(&mut Self, &mut FlashSpace, SimTime) -> Option<u32>,
    ) -> bool {
        let is_short = space.pools[pool as usize].wants_space();
        Self::begin_urgent_fold(space, pool)
            || !is_short && Self::begin_refresh(space, now, pool)
            || Self::begin_swap(space, now, pool)
            || self.begin_collection(space, now, pool, take_victim)
            || is_short && Self::begin_refresh(space, now, pool)
            || Self::begin_fold(space, pool)
    }

    /// Takes a victim; false, and the pool is stuck, where nothing can be reclaimed. Where no closed block has anything to
    /// gain and a write waits, an open block that nobody is writing to is closed for it: such blocks may be those of another
    /// temperature.
    fn begin_collection(
        &mut self,
        space: &mut FlashSpace,
        now: SimTime,
        pool: u32,
        take_victim: impl Fn(&mut Self, &mut FlashSpace, SimTime) -> Option<u32>,
    ) -> bool {
        if !space.pools[pool as usize].wants_space() {
            return false;
        }
        let mut victim = take_victim(self, space, now);
        if victim.is_none() && space.pools[pool as usize].starved && space.close_parked(pool) {
            victim = take_victim(self, space, now);
        }
        let Some(victim) = victim else {
            // Blocks whose programs are not done may become candidates yet: their completion
            // gives notice again.
            if !space.pools[pool as usize].stuck {
                space.pools[pool as usize].stuck = true;
                space.stuck_pools += 1;
            }
            return false;
        };
        space.begin_moving(pool, victim, None);
        true
    }

    /// A victim, counted as one.
    pub(crate) fn take_victim(&mut self, space: &mut FlashSpace, now: SimTime, pool: u32) -> Option<u32> {
        let victim = self.choose_victim(space, now, pool)?;
        space.count_victim(victim);
        Some(victim)
    }

    /// A victim, counted as one: the candidate with the least score, if wear levelling does not mind; ties as for the policy `greedy`. A
    /// candidate without a score is none.
    pub(crate) fn take_victim_by(
        &mut self,
        space: &mut FlashSpace,
        pool: u32,
        score: impl Fn(&FlashSpace, u32) -> Option<u64>,
    ) -> Option<u32> {
        let is_short = space.pools[pool as usize].free < space.capacity.watermarks.reserve;
        let mean = space.mean_erases(pool);
        let blocks = &space.blocks;
        let mut scored: Vec<_> = blocks
            .candidates(pool)
            .filter(|block| !(is_short && blocks.has_failed(*block)))
            .filter_map(|block| {
                let erases = blocks.erases[block as usize];
                let recent = std::cmp::Reverse(blocks.closings_ago(block));
                Some((score(space, block)?, erases, recent, block))
            })
            .collect();
        scored.sort_unstable();
        let accepted = scored.iter().find(|(_, erases, ..)| match &mut self.wear_limit {
            Some(limit) => limit.accepts(*erases, mean),
            None => true,
        });
        let victim = accepted.or(scored.first()).map(|(.., block)| *block)?;
        space.count_victim(victim);
        Some(victim)
    }

    /// The policy's choice. Blocks without any valid page come first; where none has as many invalid
    /// pages as are programmed together there is nothing to gain, and no victim.
    fn choose_victim(&mut self, space: &mut FlashSpace, now: SimTime, pool: u32) -> Option<u32> {
        // one that will be retired takes a free block and gives none back
        let can_lose = space.pools[pool as usize].free > space.capacity.watermarks.reserve;
        if self.failed_first
            && can_lose
            && let Some(block) = space.blocks.failed_candidate(pool)
        {
            return Some(block);
        }
        let least = space.blocks.least_valid(pool)?;
        if least + space.geometry.pages_per_program > space.geometry.pages_per_block {
            return None;
        }
        // a block that will be retired gives no free one back, which a pool below its reserve cannot bear
        let is_short = space.pools[pool as usize].free < space.capacity.watermarks.reserve;
        let mut refused = Vec::new();
        let chosen = loop {
            let candidates = Candidates::new(&space.blocks, pool, now.ns(), space.geometry.pages_per_block);
            let choice = if least == 0 && refused.is_empty() {
                Greedy.choose(&candidates)
            } else {
                self.victims.choose(&candidates)
            };
            let Some(block) = choice else { break None };
            let mean = space.mean_erases(pool);
            let erases = space.blocks.erases[block as usize];
            let gains = space.blocks.valid(block) < space.geometry.pages_per_block;
            let is_lost = is_short && space.blocks.has_failed(block);
            let accepted = match &mut self.wear_limit {
                _ if is_lost => false,
                Some(limit) => gains && limit.accepts(erases, mean),
                None => true,
            };
            if accepted {
                break Some(block);
            }
            // Out of the running for this choice only.
            space.blocks.exclude_candidate(block);
            refused.push(block);
        };
        for block in &refused {
            space.blocks.make_candidate(*block);
        }
        // Worn as all may be, space must be made: then the first choice stands.
        chosen.or_else(|| {
            refused
                .into_iter()
                .find(|block| space.blocks.valid(*block) < space.geometry.pages_per_block)
        })
    }

    /// Page moves that the next plan may hold; 0 where the job is out of credit.
    pub(crate) fn moves_per_plan(space: &FlashSpace, pool: u32, urgency: Urgency) -> u32 {
        let width = space.capacity.width;
        let most = if space.tenants.plans_more() {
            MOST_LOCAL_MOVES
        } else {
            MOST_MOVES
        };
        let many = (space.capacity.planes_per_pool * width).min(most);
        let credit = space.credit(pool);
        match (space.gc.mode, urgency) {
            (GcMode::Partial, Urgency::Normal) if space.pools[pool as usize].refreshing => 1,
            (_, Urgency::Blocking) | (GcMode::Foreground | GcMode::Background | GcMode::OneBlock, _) => many,
            // a superpage is a step of collection; the SLC cache is folded in idle time, which earns no credit
            (GcMode::Preemptible, _) | (GcMode::Partial, Urgency::Idle) => credit.rest_of_row().min(most),
            (GcMode::Partial, Urgency::Normal) if credit.is_of_plan() => credit.rest_of_row().min(most),
            (GcMode::Partial, Urgency::Normal) => 0,
        }
    }

    /// Plans the moves that follow one that has ended, until `most` are under way: two at a time, so that their number grows. Only where collection goes ahead of the
    /// host: otherwise it looks between two plans whether the host has come.
    pub(crate) fn go_on<R: Relocate>(
        &mut self,
        work: &mut Work<'_, R>,
        pool: u32,
        most: u32,
        plan: &mut Plan,
    ) {
        let Work {
            space,
            pages,
            inflight,
        } = work;
        let state = &space.pools[pool as usize];
        let goes_ahead = state.urgency(space.gc.mode) == Some(Urgency::Blocking);
        if goes_ahead && state.moves < most {
            let next = (most - state.moves).min(2);
            Self::plan_moves(space, *pages, inflight, pool, next, plan);
        }
    }

    /// Plans moves of the next valid pages of the victim; false where none is left.
    fn plan_moves<R: Relocate>(
        space: &mut FlashSpace,
        pages: &mut R,
        inflight: &mut InFlight,
        pool: u32,
        most: u32,
        plan: &mut Plan,
    ) -> bool {
        let Activity::Moving {
            victim,
            mut next,
            onto,
        } = space.pools[pool as usize].activity
        else {
            return false;
        };
        let (first, written) = (
            space.first_page(victim),
            u32::from(space.blocks.written[victim as usize]),
        );
        let mut planned = 0;
        while planned < most && next < written {
            let source = first + u64::from(next);
            next += 1;
            if let Some(lpn) = pages.owner_to_move(source) {
                let relocation = Move {
                    pool,
                    lpn,
                    source,
                    onto,
                };
                Self::plan_move(space, pages, inflight, relocation, plan);
                planned += 1;
            }
        }
        space.pools[pool as usize].activity = Activity::Moving { victim, next, onto };
        space.pools[pool as usize].moves += planned;
        if space.gc.mode == GcMode::Partial && planned > 0 && !space.pools[pool as usize].refreshing {
            space.spend_credit(pool, planned);
        }
        planned > 0
    }
}
