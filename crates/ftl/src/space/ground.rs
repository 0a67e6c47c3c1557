//! The ground of the flash space: blocks, the open blocks of frontiers, and pools with their free blocks. What is asked of them here concerns nobody else; what tenants
//! hear of goes through [`super::FlashSpace`].

use std::ops::Range;

use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::{Divider, SimTime};

use super::{Activity, Capacity, CollectionLevels, CopyBack, Frontiers, PoolState};
use crate::block::{BlockFacts, BlockRole, CleanSpace};
use crate::blocks::{Blocks, Recording};
use crate::config::{FlashRules, GcConfig, GcFrontier, GcMode, MappingInput, Pool};
use crate::counters::FtlCounters;
use crate::notice::{JobKind, JobNotice, Urgency};
use crate::plan::{Frontier, Scope};
use crate::plan::{GC, HOST, WEAR};

/// Blocks, frontiers and pools.
pub struct Ground {
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
}

impl Ground {
    /// All blocks are erased. `recording` names what the policies in use need beyond the counts of a block.
    pub(super) fn new(
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
        let free = capacity.planes_per_pool * geometry.blocks_per_plane - capacity.cache.kept;
        let pools = geometry.planes() / capacity.planes_per_pool;
        Self {
            blocks: Blocks::new(geometry, capacity.planes_per_pool, recording),
            frontiers: Frontiers::new(
                geometry,
                allocation.active_block,
                allocation.wear_aware,
                config.wear.dynamic,
                capacity.temperatures,
                capacity.handles,
                config.gc.frontier,
            ),
            pools: (0..pools).map(|_| PoolState::new(free)).collect(),
            planes_per_pool: Divider::new(capacity.planes_per_pool),
            copy_back: CopyBack::new(rules.commands, rules.restrictions),
            job,
            notices: Vec::new(),
            stuck_pools: 0,
            counters: FtlCounters::default(),
            gc: config.gc.clone(),
            capacity,
            geometry: *geometry,
        }
    }

    /// The pool that a plane belongs to.
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

    /// A block was chosen by collection.
    pub(crate) fn count_victim(&mut self, victim: u32) {
        self.counters.gc_victims += 1;
        self.counters.gc_victim_valid_pages += u64::from(self.blocks.current(victim));
    }

    /// Pages of a pool that are not of blocks to be retired.
    pub(crate) fn usable_pages(&self, pool: u32) -> u64 {
        let blocks = &self.blocks;
        let is_usable =
            |block: &u32| blocks.role[*block as usize] != BlockRole::Bad && !blocks.has_failed(*block);
        let usable = blocks.of_pool(pool).filter(is_usable);
        usable.count() as u64 * u64::from(self.geometry.pages_per_block)
    }

    /// The pools whose planes lie in the die of a pool; that one alone where it is wider.
    pub(super) fn pools_of_die(&self, pool: u32) -> Range<u32> {
        let most = (self.geometry.planes_per_die / self.capacity.planes_per_pool).max(1);
        let first = pool / most * most;
        first..first + most
    }

    /// Whether a block of another pool of the same die is being emptied or erased.
    pub(crate) fn is_die_cleaned(&self, pool: u32) -> bool {
        let mut others = self.pools_of_die(pool).filter(|other| *other != pool);
        others.any(|other| self.pools[other as usize].activity != Activity::Idle)
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

    /// The place of a page in its block.
    pub(super) fn page_index(&self, page: u64) -> u32 {
        let block = self.blocks.block_of(page);
        (page - self.first_page(block)) as u32
    }

    /// Whether an open block of a frontier has a page for its next program in another plane of a pool, and none has in this one.
    pub(crate) fn has_page_elsewhere(&self, plane: u32, frontier: Frontier) -> bool {
        let has_page = |plane: u32| {
            let next = || self.frontiers.next(&self.blocks, plane, frontier, false);
            self.frontiers.active(plane, frontier).or_else(next).is_some()
        };
        let planes = self.capacity.planes_per_pool;
        let first = self.pool_of_plane(plane) * planes;
        !has_page(plane) && (first..first + planes).any(has_page)
    }

    /// Whether the next page of a frontier is the first of those that are programmed together.
    pub(super) fn begins_row(&self, plane: u32, frontier: Frontier) -> bool {
        let row = self.capacity.width * self.geometry.pages_per_program;
        let open = self.frontiers.active(plane, frontier);
        open.is_none_or(|block| u32::from(self.blocks.written[block as usize]).is_multiple_of(row))
    }

    /// Pages that may be given up in a plane: by relocations fewer than the victim has invalid
    /// ones, or collection would gain nothing and never end; by host writes any number while the
    /// pool does not live on its reserve.
    pub(crate) fn affordable_skips(&self, plane: u32, host: bool) -> u32 {
        let pool = &self.pools[self.pool_of_plane(plane) as usize];
        if !host {
            pool.slack
        } else if pool.free > self.capacity.watermarks.reserve {
            u32::MAX
        } else {
            0
        }
    }

    /// The frontier of cold pages for which wear levelling has no block any more.
    pub(super) const fn cold_frontier(&self) -> Frontier {
        match self.gc.frontier {
            GcFrontier::Separate => GC,
            GcFrontier::Shared => self.frontiers.coldest,
        }
    }

    /// Whether all writes of the host may go to any open block of theirs.
    pub(super) fn has_one_kind_of_writes(&self) -> bool {
        self.capacity.temperatures == 1 && self.capacity.handles.count == 0
    }

    /// Closes the open block of a pool that has the fewest current pages among those that are not being written, if collection
    /// gains from it; whether there is one. Pages of one temperature can be written to all such blocks.
    #[cold]
    pub(crate) fn close_parked(&mut self, pool: u32) -> bool {
        if self.has_one_kind_of_writes() {
            return false;
        }
        let planes = self.capacity.planes_per_pool;
        let open = (pool * planes..(pool + 1) * planes)
            .flat_map(|plane| self.frontiers.available_from(plane, 0))
            .filter(|block| {
                self.blocks.role[*block as usize] == BlockRole::Open && !self.blocks.is_slc(*block)
            });
        let emptiest = open.min_by_key(|block| self.blocks.valid(*block));
        let gained = emptiest.filter(|block| {
            self.blocks.valid(*block) + self.geometry.pages_per_program <= self.geometry.pages_per_block
        });
        if let Some(block) = gained {
            self.frontiers.close_early(&mut self.blocks, block);
        }
        gained.is_some()
    }

    /// Gives what is left of the block that wear levelling fills in a plane to host writes. Where these have several
    /// temperatures or handles the block is closed as it is: writes of the coldest one may be so rare that such blocks would pile up,
    /// and an open block is no candidate for collection.
    pub(crate) fn end_wear_block(&mut self, plane: u32) {
        if self.has_one_kind_of_writes() {
            self.frontiers
                .transfer_active(&mut self.blocks, plane, WEAR, HOST);
        } else if let Some(block) = self.frontiers.active(plane, WEAR) {
            self.frontiers.close_early(&mut self.blocks, block);
        }
    }

    /// Closes a partly written block as it is: its free pages come back when it is erased.
    pub(crate) fn close_block(&mut self, block: BlockId) {
        if self.blocks.role.get(block.index()) == Some(&BlockRole::Open) {
            self.frontiers.close_early(&mut self.blocks, block.0);
        }
    }

    /// Sets how often a block was erased so far.
    pub(crate) fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        let old = std::mem::replace(&mut self.blocks.erases[block.index()], erases);
        let pool = &mut self.pools[self.blocks.pool_of(block.0) as usize];
        pool.erases = pool.erases - u64::from(old) + u64::from(erases);
    }

    /// From now on records when each block was last programmed.
    pub(crate) fn record_program_times(&mut self) {
        self.blocks.programmed = vec![0; self.geometry.blocks() as usize];
    }

    /// When each block was last programmed, by flat number, and the end of the recording.
    pub(crate) fn take_program_times(&mut self) -> Vec<SimTime> {
        let times = std::mem::take(&mut self.blocks.programmed);
        times.into_iter().map(SimTime).collect()
    }

    /// Whether collection under a load with which it `keeps_up` goes ahead of the host, as far as the mode leaves a choice.
    pub(crate) const fn is_urgent(&self, keeps_up: bool) -> bool {
        matches!(self.gc.mode, GcMode::Foreground) || !keeps_up
    }

    /// The frontiers that host writes and relocated pages have, with an open block in each plane.
    pub(crate) fn write_frontiers(&self) -> impl Iterator<Item = Frontier> + use<> {
        let own = self.gc.frontier == GcFrontier::Separate;
        std::iter::once(HOST).chain(own.then_some(GC))
    }

    /// A page that was loaded holds current data.
    pub(crate) fn validate_loaded(&mut self, page: u64) {
        let block = self.blocks.block_of(page);
        self.blocks.validate(block, 1);
    }

    /// Whether a page lies in a block in SLC mode.
    pub(crate) fn is_slc(&self, page: u64) -> bool {
        self.blocks.is_slc(self.blocks.block_of(page))
    }

    /// Whether the block that a pool's job empties or erases is one of the cache.
    pub(crate) fn is_folding(&self, pool: u32) -> bool {
        match self.pools[pool as usize].activity {
            Activity::Moving { victim, .. } | Activity::Erasing { victim, .. } => self.blocks.is_slc(victim),
            Activity::Idle | Activity::Merging => false,
        }
    }

    /// Whether a program may open a free block of the pool, and may write at all. A block beside the reserve may be `claimed` by a tenant.
    ///
    /// Progress: host writes open no block once only the reserve is free. With shared frontiers
    /// they also keep off the open blocks while the reserve is broken into. So when collection
    /// starts, the reserve gives it b pages or more for the at most b valid pages of its victim,
    /// nobody else takes them, and the erase makes the reserve whole again. Each victim with an
    /// invalid page brings at least one page, so space above the reserve appears in the end.
    ///
    /// While collection has no victim it needs no reserve beyond the block that it starts with:
    /// host writes go on in the open blocks, whose closing gives it victims.
    #[inline]
    pub(crate) fn may_open(&self, pool: u32, host: bool, claimed: bool) -> (bool, bool) {
        let state = &self.pools[pool as usize];
        let (free, reserve) = (state.free, self.capacity.watermarks.reserve);
        if !host {
            return (free > 0, true);
        }
        let shared = self.gc.frontier == GcFrontier::Shared;
        let needs_reserve = || !(state.stuck && state.activity == Activity::Idle && free > 0);
        (
            free > reserve + u32::from(claimed),
            !(free < reserve && shared && needs_reserve()),
        )
    }

    /// The frontier to which collection moves the pages of a block that no tenant keeps apart: where they have no open blocks of their own, they keep
    /// their temperature or take the next colder one.
    #[inline]
    pub(super) fn frontier_of_moves(&self, victim: u32) -> Frontier {
        let former = Frontier(self.blocks.frontier[victim as usize]);
        match self.gc.frontier {
            GcFrontier::Separate => GC,
            GcFrontier::Shared => self.frontiers.of_moved(former, self.capacity.cools_when_moved),
        }
    }

    /// Nobody writes to an open block any more; it is closed as it is.
    pub(crate) fn close_early(&mut self, block: u32) {
        self.frontiers.close_early(&mut self.blocks, block);
    }

    /// How pressing the job of a pool is now. What is paced by host writes goes on without them once the host has paused.
    pub(crate) fn urgency_of_job(&self, pool: u32, now: SimTime) -> Option<Urgency> {
        let state = &self.pools[pool as usize];
        let urgency = state.urgency(self.gc.mode)?;
        let pauses = state.is_paced(self.gc.mode) && now >= state.last_host + self.gc.idle;
        Some(match urgency {
            Urgency::Normal if pauses => Urgency::Idle,
            other => other,
        })
    }
}
