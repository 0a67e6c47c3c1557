//! The flash of a drive as a mapping sees it: blocks, the open block of each frontier, collection pools and their free
//! blocks. What the pages contain is the mapping's affair.

mod align;
mod bind;
mod blocks;
mod cache_room;
mod capacity;
mod class_frontiers;
mod classes;
mod copy_back;
mod credit;
mod fill;
mod frontiers;
mod group_room;
mod handles;
mod persist;
mod placement;
mod pool;
mod recover;
mod refresh;
mod region;
mod slc;
mod slc_cache;
mod units;

use std::ops::Range;

use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::{Divider, SimTime};

pub(crate) use align::Aligner;
pub(crate) use blocks::Blocks;
pub use blocks::Recording;
pub(crate) use capacity::Capacity;
pub(crate) use copy_back::CopyBack;
pub use fill::{FillError, Filling};
pub(crate) use frontiers::{Frontiers, GC, HOST, WEAR, host_frontier, temperature_of};
pub use handles::{GroupCounters, HandleCounters, PlacedWrites};
pub(crate) use handles::{NoUnit, Placement};
pub(crate) use placement::WritePlace;
pub use pool::CollectionLevels;
pub use pool::Swap;
pub(crate) use pool::{Activity, PoolState};
pub(crate) use region::Region;
use slc_cache::SlcCache;

use crate::block::{BlockFacts, BlockRole, CleanSpace};
use crate::config::{FlashRules, GcConfig, GcMode, MappingInput, Pool};
use crate::counters::FtlCounters;
use crate::local::LocalWork;
use crate::notice::{JobId, JobKind, JobNotice, Urgency};
use crate::plan::Scope;
use crate::refresh::Refresher;

/// Blocks, frontiers and collection pools.
pub struct FlashSpace {
    pub(crate) geometry: Geometry,
    pub(crate) capacity: Capacity,
    pub(crate) gc: GcConfig,
    pub(crate) blocks: Blocks,
    pub(crate) frontiers: Frontiers,
    pub(crate) pools: Vec<PoolState>,
    planes_per_pool: Divider,
    pub(crate) copy_back: CopyBack,
    /// What the job does that makes space in a pool.
    pub(crate) job: JobKind,
    pub(crate) notices: Vec<JobNotice>,
    /// Pools whose collection found nothing to reclaim.
    pub(crate) stuck_pools: u32,
    pub(crate) counters: FtlCounters,
    /// The handles of host writes; none where they are ignored.
    pub(crate) placement: Option<Box<Placement>>,
    /// The SLC cache; none without one.
    pub(crate) cache: Option<Box<SlcCache>>,
    /// Blocks whose data fade; none where nothing is refreshed.
    pub(crate) refresh: Option<Box<Refresher>>,
    /// Work of the controllers of packages; none where they have none.
    pub(crate) local: Option<LocalWork>,
}

impl FlashSpace {
    /// All blocks are erased. `recording` names what the policies in use need beyond the counts of a block.
    pub(crate) fn new(
        capacity: Capacity,
        input: &MappingInput<'_>,
        rules: &FlashRules<'_>,
        recording: Recording,
        job: JobKind,
    ) -> Self {
        let MappingInput {
            geometry,
            config,
            allocation,
            ..
        } = *input;
        let blocks_per_pool = capacity.planes_per_pool * geometry.blocks_per_plane;
        let pools = geometry.planes() / capacity.planes_per_pool;
        let mut blocks = Blocks::new(geometry, capacity.planes_per_pool, recording);
        let mut frontiers = Frontiers::new(
            geometry,
            allocation.active_block,
            allocation.wear_aware,
            config.wear.dynamic,
            capacity.temperatures,
            capacity.handles,
            config.gc.frontier,
        )
        .with_classes(rules.block_classes);
        let cache = rules.slc.map(|slc| {
            blocks.enable_slc(slc.bits, capacity.width);
            let frontier = frontiers.add_frontier();
            let config = &config.slc_cache;
            Box::new(SlcCache::new(slc, frontier, capacity.cache, config, pools))
        });
        let free = blocks_per_pool - capacity.cache.kept;
        Self {
            blocks,
            frontiers,
            cache,
            pools: (0..pools).map(|_| PoolState::new(free)).collect(),
            planes_per_pool: Divider::new(capacity.planes_per_pool),
            copy_back: CopyBack::new(rules.commands, rules.restrictions),
            job,
            notices: Vec::new(),
            stuck_pools: 0,
            counters: FtlCounters::default(),
            placement: None,
            refresh: None,
            local: LocalWork::new(&config.local),
            gc: config.gc.clone(),
            capacity,
            geometry: *geometry,
        }
    }

    #[inline]
    pub(crate) fn pool_of_plane(&self, plane: u32) -> u32 {
        self.planes_per_pool.divide(u64::from(plane)) as u32
    }

    /// The planes of a pool.
    pub(crate) fn pool_scope(&self, pool: u32) -> Scope {
        let plane = PlaneId(pool * self.capacity.planes_per_pool);
        let die = self.geometry.die_of(plane);
        match self.gc.pool {
            Pool::Plane => Scope::Plane(plane),
            Pool::Die => Scope::Die(die),
            Pool::Chip => Scope::Chip(self.geometry.chip_of(die)),
            Pool::Channel => Scope::Channel(self.geometry.channel_of(die)),
            Pool::Drive => Scope::Drive,
        }
    }

    /// The planes of a pool, by flat number.
    pub(crate) const fn pool_planes(&self, pool: u32) -> Range<u32> {
        let planes = self.capacity.planes_per_pool;
        pool * planes..(pool + 1) * planes
    }

    /// The first page of a block.
    pub(crate) fn first_page(&self, block: u32) -> u64 {
        u64::from(block) * u64::from(self.geometry.pages_per_block)
    }

    /// The page of an open block that is programmed next.
    #[inline]
    pub(crate) fn next_page(&self, block: u32) -> Ppn {
        self.geometry
            .page(BlockId(block), u32::from(self.blocks.written[block as usize]))
    }

    /// Mean erases of the blocks of a pool.
    pub(crate) fn mean_erases(&self, pool: u32) -> f64 {
        let blocks = self.capacity.planes_per_pool * self.geometry.blocks_per_plane;
        self.pools[pool as usize].erases as f64 / f64::from(blocks)
    }

    /// Whether no relocation and no erase is under way. A job that has yielded in the middle of its work does not count.
    pub(crate) fn is_quiescent(&self) -> bool {
        let erasing = |pool: &PoolState| matches!(pool.activity, Activity::Erasing { .. });
        !self.pools.iter().any(|pool| pool.moves > 0 || erasing(pool))
    }

    /// A page lost its owner.
    #[inline]
    pub(crate) fn invalidate(&mut self, page: u64, now: SimTime) {
        let block = self.blocks.block_of(page);
        self.blocks.invalidate(block, 1, now.ns());
        if self.copy_back.counts_hops() || self.stuck_pools != 0 {
            self.report_invalidation(page, block, now);
        }
    }

    #[inline(never)]
    fn report_invalidation(&mut self, page: u64, block: u32, now: SimTime) {
        self.copy_back.forget(page);
        if self.stuck_pools != 0 {
            self.resume_collection(self.blocks.pool_of(block), now);
        }
    }

    /// A program is over; a full block may have become a candidate by that.
    #[inline]
    pub(crate) fn end_program(&mut self, now: SimTime, block: u32) {
        self.blocks.end_program(block, now.ns());
        self.report_foldable(now, block);
        self.report_candidate(now, block);
    }

    /// A pool with nothing to reclaim may have a candidate now.
    #[inline]
    pub(crate) fn report_candidate(&mut self, now: SimTime, block: u32) {
        if self.stuck_pools != 0 && (self.blocks.is_candidate(block) || self.blocks.is_slc(block)) {
            self.resume_collection(self.blocks.pool_of(block), now);
        }
    }

    /// The block of a failed program takes no further one; what is valid in it stays readable until collection has moved
    /// it, and then the block is retired.
    pub(crate) fn fail_program(&mut self, now: SimTime, page: u64) {
        let block = self.blocks.block_of(page);
        self.fail_block(block);
        self.end_program(now, block);
    }

    /// The same of a block where something else failed than a page for data.
    pub(crate) fn fail_block(&mut self, block: u32) {
        if self.blocks.role[block as usize] == BlockRole::Open {
            self.frontiers.close_early(&mut self.blocks, block);
            self.queue_closed(block);
        }
        self.blocks.fail(block);
        self.forget_room();
    }

    /// A block was chosen by collection.
    pub(crate) fn count_victim(&mut self, victim: u32) {
        self.counters.gc_victims += 1;
        self.counters.gc_victim_valid_pages += u64::from(self.blocks.current(victim));
    }

    /// A relocation is over, one way or the other.
    pub(crate) fn finish_move(&mut self, now: SimTime, pool: u32) {
        let state = &mut self.pools[pool as usize];
        state.moves -= 1;
        if state.moves == 0 && state.noticed.is_none() {
            self.update_urgency(pool, now);
        }
    }

    /// A block is not to be used any more.
    pub(crate) fn retire_block(&mut self, block: u32) {
        self.blocks.retire(block);
        self.cache_lost(block);
        self.forget_room();
        if let Some(refresher) = &mut self.refresh {
            refresher.leave(block);
        }
    }

    /// A free block is not to be used.
    pub(crate) fn retire_free(&mut self, block: u32) {
        self.frontiers.take_free(block);
        let pool = self.blocks.pool_of(block);
        self.pools[pool as usize].free -= 1;
        self.retire_block(block);
    }

    /// Pages of a pool that are not of blocks to be retired.
    pub(crate) fn usable_pages(&self, pool: u32) -> u64 {
        let blocks = &self.blocks;
        let is_usable =
            |block: &u32| blocks.role[*block as usize] != BlockRole::Bad && !blocks.has_failed(*block);
        let usable = blocks.of_pool(pool).filter(is_usable);
        usable.count() as u64 * u64::from(self.geometry.pages_per_block)
    }

    /// An erased block becomes free.
    pub(crate) fn free_block(&mut self, block: u32) {
        if let Some(refresher) = &mut self.refresh {
            refresher.leave(block);
        }
        self.blocks.erase(block);
        self.frontiers.add_free(block);
        self.counters.erases += 1;
        let pool = self.blocks.pool_of(block);
        let is_kept = self.cache_freed(pool, block);
        let state = &mut self.pools[pool as usize];
        state.free += u32::from(!is_kept);
        state.erases += 1;
    }

    /// The pools whose planes lie in the die of a pool; that one alone where it is wider.
    fn pools_of_die(&self, pool: u32) -> Range<u32> {
        let most = (self.geometry.planes_per_die / self.capacity.planes_per_pool).max(1);
        let first = pool / most * most;
        first..first + most
    }

    /// Whether a block of another pool of the same die is being emptied or erased.
    pub(crate) fn is_die_cleaned(&self, pool: u32) -> bool {
        let mut others = self.pools_of_die(pool).filter(|other| *other != pool);
        others.any(|other| self.pools[other as usize].activity != Activity::Idle)
    }

    /// A block of a die has been cleaned: it is the turn of another pool of the die, where one waits.
    pub(crate) fn die_cleaned(&mut self, pool: u32, now: SimTime) {
        for other in self.pools_of_die(pool).filter(|other| *other != pool) {
            self.update_urgency(other, now);
        }
    }

    /// Gives notice if the job of a pool became more or less urgent.
    pub(crate) fn update_urgency(&mut self, pool: u32, now: SimTime) {
        let mode = self.gc.mode;
        if self.cache.is_some() {
            let (folding, foldable) = (self.is_folding(pool), self.next_to_fold(pool).is_some());
            let fills_cache = self.fills_cache(pool);
            let state = &mut self.pools[pool as usize];
            (state.folding, state.foldable) = (folding, foldable);
            state.fills_cache = fills_cache;
            if let Some(cache) = self.cache.as_mut().filter(|_| state.paces_fold(mode)) {
                cache.full_since.get_or_insert(now);
            }
        }
        let state = &mut self.pools[pool as usize];
        state.update_levels(&self.capacity.watermarks, mode);
        let urgency = state.urgency(mode);
        if urgency == state.noticed {
            return;
        }
        let Some(urgency) = urgency else { return };
        // A job out of credit is asked again when it has some.
        let is_rationed = self.pools[pool as usize].refresh.is_none();
        if mode == GcMode::Partial && urgency == Urgency::Normal && is_rationed && !self.has_credit(pool) {
            self.fold_in_a_pause(pool, now);
            return;
        }
        self.give_notice(pool, urgency, now);
    }

    /// Announces the job of a pool.
    pub(crate) fn give_notice(&mut self, pool: u32, urgency: Urgency, now: SimTime) {
        let state = &mut self.pools[pool as usize];
        state.noticed = Some(urgency);
        let not_before = if urgency == Urgency::Idle {
            now.max(state.last_host + self.gc.idle)
        } else {
            now
        };
        let scope = self.pool_scope(pool);
        self.notices.push(JobNotice {
            job: JobId::of(self.job, pool),
            scope,
            urgency,
            not_before,
        });
    }

    /// A page of a pool with nothing to reclaim was invalidated, or a block of it closed.
    #[cold]
    fn resume_collection(&mut self, pool: u32, now: SimTime) {
        let state = &mut self.pools[pool as usize];
        if state.stuck {
            state.stuck = false;
            self.stuck_pools -= 1;
            self.update_urgency(pool, now);
        }
    }

    /// The host reads or writes a page of a pool, where its idle time matters.
    #[inline]
    pub(crate) fn record_host_access(&mut self, page: u64, now: SimTime) {
        if self.gc.mode.waits_for_pauses() || self.cache.is_some() {
            let pool = self.blocks.pool_of(self.blocks.block_of(page));
            self.pools[pool as usize].last_host = now;
        }
    }

    /// The free space of the pool that a plane belongs to.
    pub(crate) fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        let pool = self.pool_of_plane(plane.0);
        let marks = &self.capacity.watermarks;
        CleanSpace {
            free: self.pools[pool as usize].free,
            trigger: match self.gc.mode {
                GcMode::Foreground => marks.hard,
                _ => marks.low,
            },
            blocks: self.blocks.of_pool(pool).len() as u32,
        }
    }

    /// The state of a block of which `skipped` pages were given up.
    pub(crate) fn block_facts(&self, block: BlockId, skipped: u32) -> BlockFacts {
        let at = block.index();
        let written = u32::from(self.blocks.written[at]);
        let valid = self.blocks.current(block.0);
        BlockFacts {
            role: self.blocks.role[at],
            valid,
            invalid: written - valid - skipped,
            free: self.geometry.pages_per_block - written,
            skipped,
            erase_count: self.blocks.erases[at],
        }
    }

    /// The pages of a block that were passed: programmed or given up.
    pub(crate) fn passed(&self, block: u32) -> Range<u64> {
        let first = self.first_page(block);
        first..first + u64::from(self.blocks.written[block as usize])
    }

    /// Free blocks of a pool between which collection keeps it in the long run: collection ahead of the host where it
    /// is `urgent` or there is no other.
    pub(crate) const fn collection_levels(&self, urgent: bool) -> CollectionLevels {
        let marks = self.capacity.watermarks;
        let ahead = urgent || matches!(self.gc.mode, GcMode::Foreground);
        let start = (if ahead { marks.hard } else { marks.low }).saturating_sub(1);
        let at_opening = start >= marks.reserve;
        CollectionLevels {
            start: if at_opening { start } else { marks.reserve },
            at_opening,
            // a host program that found no page is content with one block
            stop: if at_opening { marks.high } else { marks.reserve + 1 },
            reserve: marks.reserve,
        }
    }
}
