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

impl FlashSpace {
    /// Credit that one page move costs and one host write brings (FTL specification, 3.3: c >=
    /// v/(b-v) moves per write; one more page in v pays for the erase).
    fn move_price(&self, pool: u32) -> (u64, u64) {
        let b = self.geometry.pages_per_block;
        let state = &self.pools[pool as usize];
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

    /// Whether the moves of a plan are owed.
    pub(crate) fn has_credit(&self, pool: u32) -> bool {
        self.pools[pool as usize].credit >= self.move_price(pool).0 * u64::from(self.capacity.width)
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

    /// Whether the moves of two plans are owed in the pool of a plane.
    #[inline]
    pub(crate) fn owes_plans(&self, plane: u32) -> bool {
        self.gc.mode == GcMode::Partial && self.credit_is_of_plans(self.pool_of_plane(plane))
    }

    #[inline(never)]
    fn credit_is_of_plans(&self, pool: u32) -> bool {
        let state = &self.pools[pool as usize];
        let is_rationed = state.wants_space()
            && state.urgency(GcMode::Partial) == Some(Urgency::Normal)
            && !state.is_refreshing_or_due();
        is_rationed && state.credit >= PLANS_OWED * self.move_price(pool).0 * u64::from(self.capacity.width)
    }

    /// A host write earns its share of page moves.
    pub(crate) fn earn_credit(&mut self, pool: u32, now: SimTime) {
        let (price, gain) = self.move_price(pool);
        let state = &mut self.pools[pool as usize];
        if state.urgency(GcMode::Partial) == Some(Urgency::Normal) {
            state.credit =
                (state.credit + gain).min(price.saturating_mul(64 * u64::from(self.capacity.width)));
            self.update_urgency(pool, now);
        }
    }

    /// Takes back the credit of moves that were planned.
    pub(crate) fn spend_credit(&mut self, pool: u32, moves: u32) {
        let price = self.move_price(pool).0;
        let state = &mut self.pools[pool as usize];
        state.credit = state.credit.saturating_sub(price * u64::from(moves));
    }
}
