//! Folding as part of the job of a pool: data of the SLC cache move to blocks in the normal mode.

use super::Collector;
use crate::space::{FlashSpace, SlcCache};

impl Collector {
    /// Begins to empty the block of the cache that was closed first, where its data find room: beside the reserve of collection, unless
    /// the pool gets the block back.
    pub(super) fn begin_fold(space: &mut FlashSpace, pool: u32) -> bool {
        let cache = space.tenants.cache.as_mut();
        let Some(block) = cache.and_then(|cache| cache.take_to_fold(&mut space.ground, pool)) else {
            return false;
        };
        space.begin_moving(pool, block, None);
        space.pools[pool as usize].gives_way = true;
        true
    }

    /// The same where a host write waits for it or soon will, or where it gives the pool a block and no victim has fewer pages to move: a block of the
    /// cache has fewer pages than it frees. A write that waits while the pool lives on its reserve waits for collection first. So does a fold that no write
    /// waits for yet, where a victim has nothing to be moved, and beyond the block with which it made the pool begin to collect.
    pub(super) fn begin_urgent_fold(space: &mut FlashSpace, pool: u32) -> bool {
        let Some(cache) = &space.tenants.cache else {
            return false;
        };
        let state = &space.pools[pool as usize];
        let (waits, is_short) = (state.awaits_tenant, state.wants_space());
        let is_erased_first = is_short && space.blocks.least_valid(pool) == Some(0);
        let is_due = state.is_paced(space.gc.mode)
            && state.free + 1 >= space.capacity.watermarks.low
            && !is_erased_first;
        let begun = (waits || is_due || is_short && gains_by_folding(cache, space, pool))
            && Self::begin_fold(space, pool);
        let reserve = space.capacity.watermarks.reserve;
        let state = &mut space.pools[pool as usize];
        if waits && !begun && state.free <= reserve {
            state.starved = true;
        }
        begun
    }
}

/// Whether folding gives the pool a block for as few moves as its best victim does.
fn gains_by_folding(cache: &SlcCache, space: &FlashSpace, pool: u32) -> bool {
    cache.has_borrowed(pool)
        && cache.next_to_fold(&space.ground, pool).is_some_and(|block| {
            let least = space.blocks.least_valid(pool);
            least.is_none_or(|least| space.blocks.valid(block) <= least)
        })
}
