//! The room that the host has in the SLC cache, and whether blocks of it are folded in step with host writes (`ftl.gc.mode = "partial"`).

use super::SlcCache;
use crate::plan::Frontier;
use crate::space::Ground;

impl SlcCache {
    /// Whether the cache may open another block of a pool.
    pub(super) fn may_cache(&self, ground: &Ground, pool: u32) -> bool {
        self.blocks_to_open(ground, pool) > 0
    }

    /// Blocks that the cache may open in a pool now: those that are kept for it, and those that leave as many free as collection wants.
    fn blocks_to_open(&self, ground: &Ground, pool: u32) -> u32 {
        let marks = &ground.capacity.watermarks;
        let free = ground.pools[pool as usize].free;
        let kept = self.kept_free(pool);
        let borrows =
            (self.kept(pool) + self.blocks.borrowed).saturating_sub(self.used[pool as usize] + kept);
        kept + borrows.min(free.saturating_sub(marks.high.max(marks.reserve)))
    }

    /// Pages that the host can write to the cache in a pool before another block of it is folded.
    pub(super) fn room(&self, ground: &Ground, pool: u32) -> u32 {
        let open = active_blocks(ground, pool, self.frontier);
        let in_open = open.map(|block| ground.blocks.room_in(block)).sum::<u32>();
        in_open + self.blocks_to_open(ground, pool) * u32::from(ground.blocks.slc_pages)
    }

    /// Pages that a cache of borrowed blocks is to have beside those of its next block: what is folded takes a block from it as soon as the open one is
    /// full, so much of that block as of the open one is written.
    pub(super) fn lost_to_folds(&self, ground: &Ground, pool: u32) -> u32 {
        if self.used[pool as usize] + self.blocks_to_open(ground, pool) <= self.kept(pool) {
            return 0;
        }
        let open = active_blocks(ground, pool, ground.cold_frontier());
        let written: u64 = open
            .map(|block| u64::from(ground.blocks.written[block as usize]))
            .sum();
        (written * u64::from(ground.blocks.slc_pages) / u64::from(ground.geometry.pages_per_block)) as u32
    }

    /// Whether host writes will soon wait for a block of the cache to be folded: they have the room of two at most until then, and one is or will be
    /// folded.
    pub(super) fn fills(&self, ground: &Ground, pool: u32) -> bool {
        let is_last = || {
            let wanted = 2 * u32::from(ground.blocks.slc_pages) + self.lost_to_folds(ground, pool);
            !self.may_cache(ground, pool) || self.room(ground, pool) <= wanted
        };
        self.folds_when_full && self.will_fold(ground, pool) && is_last()
    }
}

/// The blocks that a frontier writes to in a pool.
fn active_blocks(ground: &Ground, pool: u32, frontier: Frontier) -> impl Iterator<Item = u32> {
    let planes = ground.pool_planes(pool);
    planes.filter_map(move |plane| ground.frontiers.active(plane, frontier))
}
