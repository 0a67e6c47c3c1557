//! Rationed collection (`ftl.gc.mode = "partial"`): host writes earn page moves, and wait while too many are owed.
//!
//! The credit of a pool is the moves that are owed for host writes. Collection makes a plan of moves as soon as they are owed; a host program that would
//! owe more than two plans finds no page until a plan is on its way. So host writes and moves alternate, and the free blocks of a pool
//! stay where they are.

use wordline_units::SimTime;

use super::tenants::{Tenant, each};
use super::{Activity, FlashSpace};
use crate::config::GcMode;
use crate::notice::Urgency;
use crate::plan::Frontier;

/// Plans of moves that may be owed before the host waits (assumed): while one is on its way the next is earned.
const PLANS_OWED: u64 = 2;

impl FlashSpace {
    /// The credit of a pool.
    #[inline]
    pub(crate) const fn credit(&self, pool: u32) -> Credit<'_> {
        Credit { space: self, pool }
    }

    /// Whether the host has to wait for moves that are owed: of two plans. Pages that are programmed together wait together.
    #[inline]
    pub(crate) fn is_host_ahead(&self, plane: u32, frontier: Frontier) -> bool {
        self.owes_plans(plane) && self.begins_row(plane, frontier)
    }

    /// Whether the moves of two plans are owed in the pool of a plane.
    #[inline]
    pub(crate) fn owes_plans(&self, plane: u32) -> bool {
        self.gc.mode == GcMode::Partial && self.credit(self.pool_of_plane(plane)).is_of_two_plans()
    }

    /// A host write earns its share of page moves.
    pub(super) fn earn_credit(&mut self, pool: u32, now: SimTime) {
        let (price, gain) = self.credit(pool).price();
        let mut most = 64 * self.capacity.width;
        // no more than there is to do
        each!(&self.tenants, tenant => if let Some(moves) = tenant.most_owed(&self.ground, pool) {
            most = most.min(moves);
        });
        let state = &mut self.pools[pool as usize];
        if state.urgency(GcMode::Partial) == Some(Urgency::Normal) {
            state.credit = (state.credit + gain).min(price.saturating_mul(u64::from(most)));
            self.update_urgency(pool, now);
        }
    }

    /// Takes back the credit of moves that were planned.
    pub(crate) fn spend_credit(&mut self, pool: u32, moves: u32) {
        let price = self.credit(pool).cost_of_move();
        let state = &mut self.pools[pool as usize];
        state.credit = state.credit.saturating_sub(price * u64::from(moves));
    }

    /// Asks a pool's job, which is out of credit, to go on with what is paced by host writes when the host pauses.
    pub(crate) fn go_on_in_a_pause(&mut self, pool: u32, now: SimTime) {
        let state = &self.pools[pool as usize];
        if state.noticed.is_none() && state.is_paced(self.gc.mode) {
            self.give_notice(pool, Urgency::Idle, now);
        }
    }
}

/// The moves that are owed in a pool.
#[derive(Clone, Copy)]
pub(crate) struct Credit<'a> {
    space: &'a FlashSpace,
    pool: u32,
}

impl Credit<'_> {
    /// Credit that one page move costs and one host write brings (FTL specification, 3.3: c >=
    /// v/(b-v) moves per write; one more page in v pays for the erase).
    fn price(self) -> (u64, u64) {
        let Self { space, pool } = self;
        each!(&space.tenants, tenant => if let Some(price) = tenant.price(&space.ground, pool) {
            return price;
        });
        let b = space.geometry.pages_per_block;
        let state = &space.pools[pool as usize];
        let gained = match state.activity {
            // what the victim had no valid pages of when it was chosen, whatever has been moved of it since
            Activity::Moving { .. } => state.slack,
            Activity::Idle | Activity::Merging | Activity::Erasing { .. } => {
                b - space.blocks.least_valid(pool).unwrap_or(0)
            }
        };
        let gained = gained.clamp(1, b);
        (u64::from(gained), u64::from(b - gained + 1))
    }

    /// Credit that one page move costs.
    fn cost_of_move(self) -> u64 {
        let Self { space, pool } = self;
        if space.pools[pool as usize].is_paced(space.gc.mode) {
            return u64::from(space.geometry.pages_per_block);
        }
        self.price().0
    }

    /// Whether the moves of so many plans are owed.
    fn is_of_plans(self, plans: u64) -> bool {
        let Self { space, pool } = self;
        let credit = space.pools[pool as usize].credit;
        credit >= plans * self.cost_of_move() * u64::from(space.capacity.width)
    }

    /// Whether the moves of a plan are owed.
    pub(crate) fn is_of_plan(self) -> bool {
        self.is_of_plans(1)
    }

    /// Whether moves are rationed, and those of two plans are owed. Only where collection is.
    #[inline(never)]
    fn is_of_two_plans(self) -> bool {
        let state = &self.space.pools[self.pool as usize];
        let is_rationed = (state.wants_space() || state.is_paced(GcMode::Partial))
            && state.urgency(GcMode::Partial) == Some(Urgency::Normal)
            && state.is_paid()
            && !state.refreshing;
        is_rationed && self.is_of_plans(PLANS_OWED)
    }

    /// Pages that the next plan of moves programs where planes work in step: a row, or what is left of the one that the last fold began. Plans that go from
    /// one row to the next would program each in two parts; collection completes its rows.
    pub(crate) fn rest_of_row(self) -> u32 {
        let Self { space, pool } = self;
        let width = space.capacity.width;
        let Activity::Moving { victim, .. } = space.pools[pool as usize].activity else {
            return width;
        };
        if width == 1 || space.capacity.planes_per_pool > 1 || !space.is_folding(pool) {
            return width;
        }
        let open = space.frontiers.active(pool, space.frontier_of_moves(victim));
        let written = open.map_or(0, |block| u32::from(space.blocks.written[block as usize]));
        width - written / space.geometry.pages_per_program % width
    }
}
