//! The SLC cache: blocks in which the host writes one bit per cell, until their data are folded into blocks in the normal mode.
//!
//! The cache has an open block of its own in every plane. A pool keeps some blocks for it (`kept`), which do not count as free ones of
//! the pool; beyond these it borrows free ones. Blocks of the cache are no candidates for collection: they are folded in the order in which
//! they were closed, by the same moves as those of a victim.

use std::collections::VecDeque;

use wordline_nand::{BlockId, Mode, Ppn};
use wordline_units::SimTime;

use super::slc_cache::SlcCache;
use super::{Activity, FlashSpace};
use crate::block::BlockRole;
use crate::plan::Frontier;
use crate::recovery::FoundFlash;
use crate::state::archive::{Archive, ArchiveError, require};

impl FlashSpace {
    /// Whether a frontier is that of the cache.
    #[inline]
    pub(super) fn is_of_cache(&self, frontier: Frontier) -> bool {
        self.cache
            .as_ref()
            .is_some_and(|cache| cache.frontier == frontier)
    }

    /// The frontier of a host write in a plane: that of the cache where it has a page, or where the write has to wait for one.
    #[inline(never)]
    pub(super) fn frontier_of_write(&self, cache: &SlcCache, plane: u32, asked: Frontier) -> Frontier {
        let pool = self.pool_of_plane(plane);
        let has_page = || {
            self.frontiers.active(plane, cache.frontier).is_some()
                || self
                    .frontiers
                    .next(&self.blocks, plane, cache.frontier, self.may_cache(cache, pool))
                    .is_some()
        };
        if has_page() || cache.folds_when_full && self.will_fold(cache, pool) {
            cache.frontier
        } else {
            asked
        }
    }

    /// Whether a block of the cache is being folded or will be, so that the cache will have a page.
    pub(super) fn will_fold(&self, cache: &SlcCache, pool: u32) -> bool {
        self.is_folding(pool) || !cache.closed[pool as usize].is_empty() && self.has_room_to_fold(pool)
    }

    /// Whether the block that a pool's job empties or erases is one of the cache.
    pub(crate) fn is_folding(&self, pool: u32) -> bool {
        match self.pools[pool as usize].activity {
            Activity::Moving { victim, .. } | Activity::Erasing { victim, .. } => self.blocks.is_slc(victim),
            Activity::Idle | Activity::Merging => false,
        }
    }

    /// Whether data of the cache that are folded have a page in another plane of the pool, and none in this one: what is folded takes one free block at most.
    pub(super) fn folds_elsewhere(&self, plane: u32, frontier: Frontier, host: bool) -> bool {
        !host
            && self.cache.is_some()
            && self.is_folding(self.pool_of_plane(plane))
            && self.has_page_elsewhere(plane, frontier)
    }

    /// Whether data of the cache are copied inside their plane.
    pub(crate) fn folds_inside(&self) -> bool {
        self.cache.as_ref().is_some_and(|cache| cache.folds_inside)
    }

    /// A free block was opened: whether it is one that is kept for the cache and does not count as free.
    pub(super) fn cache_opened(&mut self, pool: u32, frontier: Frontier, block: u32) -> bool {
        let Some(cache) = self.cache.as_mut().filter(|cache| cache.frontier == frontier) else {
            return false;
        };
        let is_kept = cache.kept_free(pool) > 0;
        cache.used[pool as usize] += 1;
        self.blocks.set_slc(block, true);
        is_kept
    }

    /// A block was erased: whether it is kept for the cache now and does not count as free.
    pub(super) fn cache_freed(&mut self, pool: u32, block: u32) -> bool {
        if !self.blocks.is_slc(block) {
            return false;
        }
        self.blocks.set_slc(block, false);
        // as after a state file was loaded
        self.blocks.frontier[block as usize] = self.frontiers.coldest.0;
        let Some(cache) = &mut self.cache else {
            return false;
        };
        cache.used[pool as usize] -= 1;
        cache.kept_free(pool) > 0
    }

    /// A block is bad: the cache has one less where it was one of the cache.
    pub(super) fn cache_lost(&mut self, block: u32) {
        if !self.blocks.is_slc(block) {
            return;
        }
        self.blocks.set_slc(block, false);
        if let Some(cache) = &mut self.cache {
            cache.lose(self.blocks.pool_of(block));
        }
    }

    /// A block was closed; those of the cache wait to be folded.
    #[inline]
    pub(super) fn queue_closed(&mut self, block: u32) {
        if let Some(cache) = &mut self.cache
            && self.blocks.is_slc(block)
        {
            cache.closed[self.blocks.pool_of(block) as usize].push_back(block);
        }
    }

    /// A program of a block is done: the block of the cache may be ready to be folded.
    #[inline]
    pub(super) fn report_foldable(&mut self, now: SimTime, block: u32) {
        if self.cache.is_some()
            && self.blocks.is_slc(block)
            && self.blocks.role[block as usize] == BlockRole::Closed
            && !self.blocks.has_pending(block)
        {
            self.update_urgency(self.blocks.pool_of(block), now);
        }
    }

    /// The block of the cache in a pool that is folded next; none where there is none, or none whose programs are done.
    pub(crate) fn next_to_fold(&self, pool: u32) -> Option<u32> {
        let closed = &self.cache.as_ref()?.closed[pool as usize];
        closed
            .iter()
            .copied()
            .find(|block| !self.blocks.has_pending(*block))
    }

    /// Takes the block that is folded next.
    pub(crate) fn take_to_fold(&mut self, pool: u32) -> Option<u32> {
        let block = self.next_to_fold(pool)?;
        let cache = self.cache.as_mut()?;
        cache.closed[pool as usize].retain(|closed| *closed != block);
        self.counters.slc.folded_blocks += 1;
        Some(block)
    }

    /// Whether folding a block gives the pool a free one.
    pub(crate) fn has_borrowed(&self, pool: u32) -> bool {
        let cache = self.cache.as_ref();
        cache.is_some_and(|cache| cache.used[pool as usize] > cache.kept(pool))
    }

    /// Whether a block of the cache can be folded: its data leave the reserve of collection alone, or what is folded is given back as a
    /// free block, as by a collection.
    pub(crate) fn has_room_to_fold(&self, pool: u32) -> bool {
        self.has_borrowed(pool) || self.pools[pool as usize].free > self.capacity.watermarks.reserve
    }

    /// A host write found no page in the cache, and waits until a block of it has been folded.
    pub(super) fn await_fold(&mut self, now: SimTime, plane: u32) {
        let pool = self.pool_of_plane(plane);
        self.counters.slc.waits += 1;
        if let Some(cache) = &mut self.cache {
            cache.full_since.get_or_insert(now);
        }
        self.pools[pool as usize].awaits_fold = true;
        self.update_urgency(pool, now);
    }

    /// A page of the host is programmed.
    #[inline]
    pub(crate) fn count_cached(&mut self, now: SimTime, frontier: Frontier, units: u64) {
        if let Some(cache) = &mut self.cache {
            if cache.frontier == frontier {
                self.counters.slc.cached_pages += units;
                return;
            }
            self.counters.slc.direct_pages += units;
            if !self.frontiers.units.is_of_writes(frontier) {
                cache.full_since.get_or_insert(now);
            }
        }
    }

    /// Whether a page lies in a block of the cache.
    pub(crate) fn is_slc(&self, page: u64) -> bool {
        self.cache.is_some() && self.blocks.is_slc(self.blocks.block_of(page))
    }

    /// A block that holds current data was found after a power cut, in the mode that its spare areas say.
    pub(super) fn recover_mode(&mut self, flash: &dyn FoundFlash, block: BlockId) {
        let Some(cache) = &self.cache else {
            return;
        };
        let pages = (0..self.geometry.pages_per_block).map(|page| self.geometry.page(block, page));
        let spare = pages.into_iter().find_map(|page| flash.spare_area(page));
        if spare.is_some_and(|spare| spare.slc) {
            self.blocks.set_slc(block.0, true);
            self.blocks.frontier[block.index()] = cache.frontier.0;
        }
    }

    /// The mode of the pages of the cache, for a page in it.
    pub(super) fn mode_in_cache(&self, page: Ppn) -> Option<Mode> {
        let cache = self.cache.as_ref()?;
        let block = self.blocks.block_of(page.0);
        self.blocks.is_slc(block).then_some(cache.mode)
    }

    /// Passes which blocks are in SLC mode to a state file or takes it from it, after the roles of blocks.
    pub(super) fn archive_cache(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let Some(cache) = &mut self.cache else {
            return Ok(());
        };
        self.blocks.archive_slc(archive)?;
        cache.archive_lost(archive)?;
        if archive.is_loading() {
            let other = self.frontiers.coldest.0;
            for block in 0..self.blocks.role.len() as u32 {
                let frontier = &mut self.blocks.frontier[block as usize];
                if self.blocks.slc[block as usize] {
                    *frontier = cache.frontier.0;
                } else if *frontier == cache.frontier.0 {
                    *frontier = other;
                }
            }
        }
        Ok(())
    }

    /// Computes again what follows from the roles of blocks: which are used and closed, and how many free ones are kept.
    pub(super) fn count_cache(&mut self) -> Result<(), ArchiveError> {
        let Some(cache) = &mut self.cache else {
            return Ok(());
        };
        cache.used.fill(0);
        cache.closed.iter_mut().for_each(VecDeque::clear);
        let mut slc: Vec<u32> = (0..self.blocks.role.len() as u32)
            .filter(|block| self.blocks.is_slc(*block))
            .collect();
        slc.sort_by_key(|block| (std::cmp::Reverse(self.blocks.closings_ago(*block)), *block));
        for block in slc {
            let pool = self.blocks.pool_of(block) as usize;
            cache.used[pool] += 1;
            let is_taken =
                matches!(self.pools[pool].activity, Activity::Moving { victim, .. } if victim == block);
            if self.blocks.role[block as usize] == BlockRole::Closed && !is_taken {
                cache.closed[pool].push_back(block);
            }
        }
        for pool in 0..self.pools.len() as u32 {
            let kept = cache.kept_free(pool);
            let state = &mut self.pools[pool as usize];
            require(
                state.free >= kept,
                "fewer free blocks than are kept for the SLC cache",
            )?;
            state.free -= kept;
        }
        Ok(())
    }
}
