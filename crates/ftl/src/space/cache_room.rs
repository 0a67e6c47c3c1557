//! The room that the host has in the SLC cache, and whether blocks of it are folded in step with host writes (`ftl.gc.mode = "partial"`).

use wordline_units::SimTime;

use super::FlashSpace;
use super::slc_cache::SlcCache;
use crate::notice::Urgency;
use crate::plan::Frontier;

impl FlashSpace {
    /// Whether the cache may open another block of a pool.
    pub(super) fn may_cache(&self, cache: &SlcCache, pool: u32) -> bool {
        self.blocks_to_open(cache, pool) > 0
    }

    /// Blocks that the cache may open in a pool now: those that are kept for it, and those that leave as many free as collection wants.
    fn blocks_to_open(&self, cache: &SlcCache, pool: u32) -> u32 {
        let marks = &self.capacity.watermarks;
        let free = self.pools[pool as usize].free;
        let kept = cache.kept_free(pool);
        let borrows =
            (cache.kept(pool) + cache.blocks.borrowed).saturating_sub(cache.used[pool as usize] + kept);
        kept + borrows.min(free.saturating_sub(marks.high.max(marks.reserve)))
    }

    /// Pages that the host can write to the cache in a pool before another block of it is folded.
    pub(super) fn room_in_cache(&self, cache: &SlcCache, pool: u32) -> u32 {
        let open = self.active_blocks(pool, cache.frontier);
        let in_open = open.map(|block| self.blocks.room_in(block)).sum::<u32>();
        in_open + self.blocks_to_open(cache, pool) * u32::from(self.blocks.slc_pages)
    }

    /// The blocks that a frontier writes to in a pool.
    fn active_blocks(&self, pool: u32, frontier: Frontier) -> impl Iterator<Item = u32> {
        let planes = self.capacity.planes_per_pool;
        (pool * planes..(pool + 1) * planes).filter_map(move |plane| self.frontiers.active(plane, frontier))
    }

    /// Pages that a cache of borrowed blocks is to have beside those of its next block: what is folded takes a block from it as soon as the open one is
    /// full, so much of that block as of the open one is written.
    pub(super) fn lost_to_folds(&self, cache: &SlcCache, pool: u32) -> u32 {
        if cache.used[pool as usize] + self.blocks_to_open(cache, pool) <= cache.kept(pool) {
            return 0;
        }
        let open = self.active_blocks(pool, self.cold_frontier());
        let written: u64 = open
            .map(|block| u64::from(self.blocks.written[block as usize]))
            .sum();
        (written * u64::from(self.blocks.slc_pages) / u64::from(self.geometry.pages_per_block)) as u32
    }

    /// Whether host writes will soon wait for a block of the cache to be folded: they have the room of two at most until then, and one is or will be
    /// folded.
    pub(super) fn fills_cache(&self, pool: u32) -> bool {
        let Some(cache) = self.cache.as_ref().filter(|cache| cache.folds_when_full) else {
            return false;
        };
        let is_last = || {
            let wanted = 2 * u32::from(self.blocks.slc_pages) + self.lost_to_folds(cache, pool);
            !self.may_cache(cache, pool) || self.room_in_cache(cache, pool) <= wanted
        };
        self.will_fold(cache, pool) && is_last()
    }

    /// How pressing the job of a pool is now. What is folded in step with host writes goes on without them once the host has paused.
    pub(crate) fn urgency_of_job(&self, pool: u32, now: SimTime) -> Option<Urgency> {
        let state = &self.pools[pool as usize];
        let urgency = state.urgency(self.gc.mode)?;
        let pauses = state.paces_fold(self.gc.mode) && now >= state.last_host + self.gc.idle;
        Some(match urgency {
            Urgency::Normal if pauses => Urgency::Idle,
            other => other,
        })
    }

    /// Asks a pool's job, which is out of credit, to go on with a fold when the host pauses.
    pub(crate) fn fold_in_a_pause(&mut self, pool: u32, now: SimTime) {
        let state = &self.pools[pool as usize];
        if state.noticed.is_none() && state.paces_fold(self.gc.mode) {
            self.give_notice(pool, Urgency::Idle, now);
        }
    }
}
