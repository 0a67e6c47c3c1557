//! Static wear levelling as part of a pool's job: never beside its collection, so that both can
//! do with one reserve.

use wordline_units::SimTime;

use super::PageFtl;
use super::frontiers::WEAR;
use crate::config::StaticWear;
use crate::contract::BlockRole;
use crate::wear::WearView;

impl PageFtl {
    /// Mean erases of the blocks of a pool.
    pub(super) fn mean_erases(&self, pool: u32) -> f64 {
        let blocks = self.capacity.planes_per_pool * self.geometry.blocks_per_plane;
        self.pools[pool as usize].erases as f64 / f64::from(blocks)
    }

    /// Asks the policy whether content should move, now that `erased` is free.
    pub(super) fn consider_swap(&mut self, now: SimTime, pool: u32, erased: u32) {
        if self.wear.is_none() {
            return;
        }
        let mean = self.mean_erases(pool);
        let state = &mut self.pools[pool as usize];
        state.unchecked_erases += 1;
        let due = state.unchecked_erases >= self.config.wear.check_erases;
        if due {
            state.unchecked_erases = 0;
        }
        if state.swap.is_some() {
            return;
        }
        let view = WearView {
            blocks: &self.blocks,
            pool,
            erased,
            mean,
            limit: self
                .wear_limit
                .as_ref()
                .filter(|_| self.config.wear.static_ == StaticWear::RateLimited),
        };
        if let Some(policy) = &mut self.wear {
            let swap = policy.after_erase(&view);
            state.swap = if due {
                swap.or_else(|| policy.check(&view))
            } else {
                swap
            };
        }
        self.begin_swap(now, pool);
    }

    /// Starts the swap that was decided on, if a block above the reserve is there to take it;
    /// forgets it where its blocks are no longer what they were.
    pub(super) fn begin_swap(&mut self, now: SimTime, pool: u32) -> bool {
        let Some(swap) = self.pools[pool as usize].swap else {
            return false;
        };
        let possible =
            self.blocks.is_candidate(swap.from) && self.blocks.role[swap.to as usize] == BlockRole::Free;
        if !possible {
            self.pools[pool as usize].swap = None;
            return false;
        }
        if self.pools[pool as usize].free <= self.capacity.watermarks.reserve {
            return false;
        }
        self.pools[pool as usize].swap = None;
        self.facts.wear_swaps += 1;
        self.begin_moving(pool, swap.from, Some(swap.to));
        let plane = self.blocks.plane_of(swap.to);
        self.activate(now, plane, WEAR, swap.to);
        true
    }
}
