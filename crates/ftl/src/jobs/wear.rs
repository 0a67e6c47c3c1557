//! Static wear levelling as part of the job of a pool: never beside its collection, so that one reserve serves both.

use wordline_units::SimTime;

use super::Collector;
use crate::block::BlockRole;
use crate::plan::WEAR;
use crate::policy::wear::WearView;
use crate::space::FlashSpace;

impl Collector {
    /// Asks the policy whether content should move, now that `erased` is free.
    pub(super) fn consider_swap(&mut self, space: &mut FlashSpace, now: SimTime, pool: u32, erased: u32) {
        if self.wear.is_none() {
            return;
        }
        let mean = space.mean_erases(pool);
        let ground = &mut space.ground;
        let state = &mut ground.pools[pool as usize];
        state.unchecked_erases += 1;
        let due = state.unchecked_erases >= self.check_erases;
        if due {
            state.unchecked_erases = 0;
        }
        if state.swap.is_some() {
            return;
        }
        let view = WearView {
            blocks: &ground.blocks,
            pool,
            erased,
            mean,
            limit: self.wear_limit.as_ref().filter(|_| self.rests),
        };
        if let Some(policy) = &mut self.wear {
            let swap = policy.after_erase(&view);
            state.swap = if due {
                swap.or_else(|| policy.check(&view))
            } else {
                swap
            };
        }
        Self::begin_swap(space, now, pool);
    }

    /// Starts the swap that was decided on, if a block above the reserve is there to take it;
    /// forgets it where its blocks are no longer what they were.
    pub(super) fn begin_swap(space: &mut FlashSpace, now: SimTime, pool: u32) -> bool {
        let Some(swap) = space.pools[pool as usize].swap else {
            return false;
        };
        let possible =
            space.blocks.is_candidate(swap.from) && space.blocks.role[swap.to as usize] == BlockRole::Free;
        if !possible {
            space.pools[pool as usize].swap = None;
            return false;
        }
        if space.pools[pool as usize].free <= space.capacity.watermarks.reserve {
            return false;
        }
        space.pools[pool as usize].swap = None;
        space.counters.wear_swaps += 1;
        space.begin_moving(pool, swap.from, Some(swap.to));
        let plane = space.blocks.plane_of(swap.to);
        space.activate(now, plane, WEAR, swap.to);
        space.tenants.move_whole(swap.from, swap.to);
        true
    }
}
