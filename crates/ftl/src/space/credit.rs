//! Rationed collection (`ftl.gc.mode = "partial"`): host writes earn page moves, and wait while too many are owed.
//!
//! The credit of a pool is the moves that are owed for host writes. Collection makes a plan of moves as soon as they are owed; a host program that would
//! owe more than two plans finds no page until a plan is on its way. So host writes and moves alternate, and the free blocks of a pool
//! stay where they are.

use wordline_units::SimTime;

use super::{Activity, FlashSpace};
use crate::config::GcMode;
use crate::notice::Urgency;
use crate::plan::Frontier;

/// Plans of moves that may be owed before the host waits (assumed): while one is on its way the next is earned.
const PLANS_OWED: u64 = 2;
/// Plans of host writes in the time of which a block is erased (assumed): they wait for a program of 2 to 4 ms each, an erase takes 10, as of QLC.
const ERASE_IN_PLANS: u32 = 4;

impl FlashSpace {
    /// Credit that one page move costs and one host write brings (FTL specification, 3.3: c >=
    /// v/(b-v) moves per write; one more page in v pays for the erase).
    fn move_price(&self, pool: u32) -> (u64, u64) {
        let b = self.geometry.pages_per_block;
        let state = &self.pools[pool as usize];
        if state.paces_fold(self.gc.mode) {
            return self.fold_price(pool);
        }
        let gained = match state.activity {
            // what the victim had no valid pages of when it was chosen, whatever has been moved of it since
            Activity::Moving { .. } => state.slack,
            Activity::Idle | Activity::Merging | Activity::Erasing { .. } => {
                b - self.blocks.least_valid(pool).unwrap_or(0)
            }
        };
        let gained = gained.clamp(1, b);
        (u64::from(gained), u64::from(b - gained + 1))
    }

    /// The same while the SLC cache fills up: what is to be moved until the next block of it is erased, a share for each page that the host can write
    /// until the erase begins.
    fn fold_price(&self, pool: u32) -> (u64, u64) {
        let room = self.cache.as_ref().map_or(0, |cache| {
            let coming = match self.pools[pool as usize].activity {
                Activity::Erasing { victim, .. } if self.blocks.is_slc(victim) => {
                    self.blocks.pages_of(victim)
                }
                _ => 0,
            };
            let during_erase = ERASE_IN_PLANS * self.capacity.width * self.geometry.pages_per_program;
            let room = self.room_in_cache(cache, pool) + coming;
            room.saturating_sub(self.lost_to_folds(cache, pool) + during_erase)
        });
        let price = u64::from(self.geometry.pages_per_block);
        let gain = (price * u64::from(self.moves_to_fold(pool))).div_ceil(u64::from(room.max(1)));
        (price, gain)
    }

    /// Pages to be moved until the next block of the SLC cache can be erased; the erase counts as a row of them.
    fn moves_to_fold(&self, pool: u32) -> u32 {
        let next = || self.next_to_fold(pool);
        let (emptied, folded) = match self.pools[pool as usize].activity {
            Activity::Moving { victim, .. } if self.blocks.is_slc(victim) => (Some(victim), None),
            Activity::Moving { victim, .. } => (Some(victim), next()),
            Activity::Idle | Activity::Merging | Activity::Erasing { .. } => (None, next()),
        };
        let blocks = [emptied, folded].into_iter().flatten();
        let moves: u32 = blocks.map(|block| self.blocks.valid(block)).sum();
        moves + self.capacity.width * self.geometry.pages_per_program
    }

    /// Credit that one page move costs.
    fn cost_of_move(&self, pool: u32) -> u64 {
        if self.pools[pool as usize].paces_fold(self.gc.mode) {
            return u64::from(self.geometry.pages_per_block);
        }
        self.move_price(pool).0
    }

    /// Whether the moves of a plan are owed.
    pub(crate) fn has_credit(&self, pool: u32) -> bool {
        self.pools[pool as usize].credit >= self.cost_of_move(pool) * u64::from(self.capacity.width)
    }

    /// Whether the host has to wait for moves that are owed: of two plans. Pages that are programmed together wait together.
    #[inline]
    pub(crate) fn is_host_ahead(&self, plane: u32, frontier: Frontier) -> bool {
        self.owes_plans(plane) && self.begins_row(plane, frontier)
    }

    /// Whether the next page of a frontier is the first of those that are programmed together.
    fn begins_row(&self, plane: u32, frontier: Frontier) -> bool {
        let row = self.capacity.width * self.geometry.pages_per_program;
        let open = self.frontiers.active(plane, frontier);
        open.is_none_or(|block| u32::from(self.blocks.written[block as usize]).is_multiple_of(row))
    }

    /// Pages that the next plan of moves programs where planes work in step: a row, or what is left of the one that the last fold began. Plans that go from
    /// one row to the next would program each in two parts; collection completes its rows.
    pub(crate) fn rest_of_row(&self, pool: u32) -> u32 {
        let width = self.capacity.width;
        let Activity::Moving { victim, .. } = self.pools[pool as usize].activity else {
            return width;
        };
        if width == 1 || self.capacity.planes_per_pool > 1 || !self.is_folding(pool) {
            return width;
        }
        let open = self.frontiers.active(pool, self.frontier_of_moves(victim));
        let written = open.map_or(0, |block| u32::from(self.blocks.written[block as usize]));
        width - written / self.geometry.pages_per_program % width
    }

    /// Whether the moves of two plans are owed in the pool of a plane.
    #[inline]
    pub(crate) fn owes_plans(&self, plane: u32) -> bool {
        self.gc.mode == GcMode::Partial && self.credit_is_of_plans(self.pool_of_plane(plane))
    }

    #[inline(never)]
    fn credit_is_of_plans(&self, pool: u32) -> bool {
        let state = &self.pools[pool as usize];
        let is_rationed = (state.wants_space() || state.paces_fold(GcMode::Partial))
            && state.urgency(GcMode::Partial) == Some(Urgency::Normal)
            && !state.is_refreshing_or_due();
        is_rationed && state.credit >= PLANS_OWED * self.cost_of_move(pool) * u64::from(self.capacity.width)
    }

    /// A host write earns its share of page moves.
    pub(crate) fn earn_credit(&mut self, pool: u32, now: SimTime) {
        let (price, gain) = self.move_price(pool);
        let mut most = 64 * self.capacity.width;
        if self.pools[pool as usize].paces_fold(GcMode::Partial) {
            // no more than there is to do
            let moves = self.moves_to_fold(pool).div_ceil(self.geometry.pages_per_program);
            most = most.min(moves.next_multiple_of(self.capacity.width));
        }
        let state = &mut self.pools[pool as usize];
        if state.urgency(GcMode::Partial) == Some(Urgency::Normal) {
            state.credit = (state.credit + gain).min(price.saturating_mul(u64::from(most)));
            self.update_urgency(pool, now);
        }
    }

    /// Takes back the credit of moves that were planned.
    pub(crate) fn spend_credit(&mut self, pool: u32, moves: u32) {
        let price = self.cost_of_move(pool);
        let state = &mut self.pools[pool as usize];
        state.credit = state.credit.saturating_sub(price * u64::from(moves));
    }
}
