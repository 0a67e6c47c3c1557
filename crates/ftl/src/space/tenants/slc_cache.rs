//! The SLC cache: blocks in which the host writes one bit per cell, until their data are folded into blocks in the normal mode.
//!
//! The cache has an open block of its own in every plane. A pool keeps some blocks for it (`kept`), which do not count as free ones of
//! the pool; beyond these it borrows free ones. Blocks of the cache are no candidates for collection: they are folded in the order in which
//! they were closed, by the same moves as those of a victim.

mod folding;
mod persist;
mod room;

use std::collections::VecDeque;

use wordline_nand::{BlockId, Mode, Ppn};
use wordline_units::SimTime;

use super::tenant::Tenant;
use crate::block::BlockRole;
use crate::config::{CacheBlocks, FlashRules, Folding, MappingInput, WhenFull};
use crate::plan::Frontier;
use crate::recovery::FoundFlash;
use crate::space::Ground;
use crate::state::archive::{Archive, ArchiveError};

/// The cache.
#[derive(Clone, Debug)]
pub(crate) struct SlcCache {
    mode: Mode,
    /// What `Persist::modes` says.
    pub(crate) names: Vec<String>,
    /// The frontier of its open blocks.
    pub(crate) frontier: Frontier,
    blocks: CacheBlocks,
    pub(crate) folds_when_full: bool,
    /// Whether its data are copied inside their plane.
    pub(crate) folds_inside: bool,
    /// By pool: blocks in SLC mode.
    used: Vec<u32>,
    /// By pool: blocks that were kept for it and are bad.
    lost: Vec<u32>,
    /// By pool: closed ones, in the order in which they were closed.
    closed: Vec<VecDeque<u32>>,
    /// When a page of the host first found no room in it, since counting began.
    pub(crate) full_since: Option<SimTime>,
}

impl SlcCache {
    /// The cache of a configuration, if it has one, with blocks that can be in SLC mode and a frontier behind all others.
    pub(super) fn new(ground: &mut Ground, input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Option<Self> {
        let slc = rules.slc?;
        let config = &input.config.slc_cache;
        let pools = ground.pools.len();
        ground.blocks.enable_slc(slc.bits, ground.capacity.width);
        Some(Self {
            mode: slc.mode,
            // a drive without a cache keeps modes by page
            names: slc
                .modes
                .iter()
                .map(|name| format!("{name} (by block)"))
                .collect(),
            frontier: ground.frontiers.add_frontier(),
            blocks: ground.capacity.cache,
            folds_when_full: config.when_full == WhenFull::Fold,
            folds_inside: config.folding == Folding::CopyBack,
            used: vec![0; pools],
            lost: vec![0; pools],
            closed: vec![VecDeque::new(); pools],
            full_since: None,
        })
    }

    /// Blocks of a pool that are kept for the cache, but for bad ones.
    fn kept(&self, pool: u32) -> u32 {
        self.blocks.kept.saturating_sub(self.lost[pool as usize])
    }

    /// Free blocks of a pool that only the cache may open.
    fn kept_free(&self, pool: u32) -> u32 {
        self.kept(pool).saturating_sub(self.used[pool as usize])
    }

    /// A block of the cache is bad: the cache has one less, a borrowed one if there is one.
    fn lose(&mut self, pool: u32) {
        let borrows = self.used[pool as usize] > self.kept(pool);
        self.used[pool as usize] -= 1;
        self.lost[pool as usize] += u32::from(!borrows);
    }
}

impl Tenant for SlcCache {
    fn opened(&mut self, ground: &mut Ground, frontier: Frontier, block: u32) {
        if frontier != self.frontier {
            return;
        }
        let pool = ground.blocks.pool_of(block);
        // those that are kept do not count as free
        ground.pools[pool as usize].free += u32::from(self.kept_free(pool) > 0);
        self.used[pool as usize] += 1;
        ground.blocks.set_slc(block, true);
    }

    /// Those of the cache wait to be folded.
    fn closed(&mut self, ground: &Ground, block: u32) {
        if ground.blocks.is_slc(block) {
            self.closed[ground.blocks.pool_of(block) as usize].push_back(block);
        }
    }

    fn freed(&mut self, ground: &mut Ground, block: u32) {
        if !ground.blocks.is_slc(block) {
            return;
        }
        ground.blocks.set_slc(block, false);
        // as after a state file was loaded
        ground.blocks.frontier[block as usize] = ground.frontiers.coldest.0;
        let pool = ground.blocks.pool_of(block);
        self.used[pool as usize] -= 1;
        ground.pools[pool as usize].free -= u32::from(self.kept_free(pool) > 0);
    }

    fn retired(&mut self, ground: &mut Ground, block: u32) {
        if ground.blocks.is_slc(block) {
            ground.blocks.set_slc(block, false);
            self.lose(ground.blocks.pool_of(block));
        }
    }

    #[inline]
    fn host_wrote(&mut self, ground: &mut Ground, now: SimTime, frontier: Frontier, pages: u64) {
        if frontier == self.frontier {
            ground.counters.slc.cached_pages += pages;
            return;
        }
        ground.counters.slc.direct_pages += pages;
        if !ground.frontiers.units.is_of_writes(frontier) {
            self.full_since.get_or_insert(now);
        }
    }

    fn review(&mut self, ground: &mut Ground, now: SimTime, pool: u32) {
        let (gives_way, idle_work) = (ground.is_folding(pool), self.next_to_fold(ground, pool).is_some());
        let paced = self.fills(ground, pool);
        let state = &mut ground.pools[pool as usize];
        (state.gives_way, state.idle_work) = (gives_way, idle_work);
        state.paced = paced;
        if state.is_paced(ground.gc.mode) {
            self.full_since.get_or_insert(now);
        }
    }

    fn ended_moving(&mut self, ground: &mut Ground, pool: u32) {
        ground.pools[pool as usize].awaits_tenant = false;
    }

    fn starved(&mut self, ground: &mut Ground, pool: u32) {
        ground.pools[pool as usize].awaits_tenant = ground.is_folding(pool);
    }

    /// The block of the cache may be ready to be folded.
    #[inline]
    fn has_ready(&self, ground: &Ground, block: u32) -> bool {
        ground.blocks.is_slc(block)
            && ground.blocks.role[block as usize] == BlockRole::Closed
            && !ground.blocks.has_pending(block)
    }

    #[inline]
    fn watches_pauses(&self) -> bool {
        true
    }

    /// That of the cache where it has a page, or where the write has to wait for one. What has a placement handle has open blocks of its own, in the normal mode.
    #[inline]
    fn choose_frontier(&self, ground: &Ground, plane: u32, asked: Frontier, host: bool) -> Option<Frontier> {
        let is_own = host && !ground.frontiers.units.is_of_writes(asked);
        is_own.then(|| self.frontier_of_write(ground, plane, asked))
    }

    /// Nobody else writes to the open blocks of the cache.
    #[inline]
    fn may_open(&self, ground: &Ground, pool: u32, frontier: Frontier) -> Option<bool> {
        (frontier == self.frontier).then(|| self.may_cache(ground, pool))
    }

    /// What is folded takes one free block at most: none while another plane of the pool has a page for it, and this one has none.
    #[inline]
    fn holds_back(&self, ground: &Ground, plane: u32, frontier: Frontier, host: bool) -> bool {
        !host && ground.is_folding(ground.pool_of_plane(plane)) && ground.has_page_elsewhere(plane, frontier)
    }

    /// What is folded takes a block at most, which may not come back as a free one.
    #[inline]
    fn claims_block(&self, ground: &Ground, pool: u32) -> bool {
        ground.is_folding(pool)
    }

    /// It waits until a block of the cache has been folded.
    fn makes_wait(&mut self, ground: &mut Ground, now: SimTime, pool: u32, frontier: Frontier) -> bool {
        if frontier != self.frontier {
            return false;
        }
        ground.counters.slc.waits += 1;
        self.full_since.get_or_insert(now);
        ground.pools[pool as usize].awaits_tenant = true;
        true
    }

    /// Cells of one mode cannot be copied into cells of another.
    fn forbids_copy(&self, ground: &Ground, source: u64, frontier: Frontier) -> bool {
        (frontier == self.frontier) != ground.blocks.is_slc(ground.blocks.block_of(source))
    }

    fn has_own_mode(&self, frontier: Frontier) -> bool {
        frontier == self.frontier
    }

    fn mode_of(&self, ground: &Ground, page: Ppn) -> Option<Mode> {
        let block = ground.blocks.block_of(page.0);
        ground.blocks.is_slc(block).then_some(self.mode)
    }

    fn mode_names(&self) -> Option<&[String]> {
        Some(&self.names)
    }

    fn price(&self, ground: &Ground, pool: u32) -> Option<(u64, u64)> {
        let is_paced = ground.pools[pool as usize].is_paced(ground.gc.mode);
        is_paced.then(|| self.fold_price(ground, pool))
    }

    fn most_owed(&self, ground: &Ground, pool: u32) -> Option<u32> {
        let is_paced = ground.pools[pool as usize].is_paced(ground.gc.mode);
        is_paced.then(|| self.rows_to_fold(ground, pool))
    }

    fn archive_blocks(&mut self, ground: &mut Ground, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        self.archive(ground, archive)
    }

    fn recount(&mut self, ground: &mut Ground) -> Result<(), ArchiveError> {
        self.count(ground)
    }

    /// Whether it is one of the cache its spare areas say.
    fn found(&mut self, ground: &mut Ground, flash: &dyn FoundFlash, block: BlockId) {
        let pages = (0..ground.geometry.pages_per_block).map(|page| ground.geometry.page(block, page));
        let spare = pages.into_iter().find_map(|page| flash.spare_area(page));
        if spare.is_some_and(|spare| spare.slc) {
            ground.blocks.set_slc(block.0, true);
            ground.blocks.frontier[block.index()] = self.frontier.0;
        }
    }
}
