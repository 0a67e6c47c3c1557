//! Page-level mapping: every logical page lives on its own.
//!
//! About 4 bytes per physical page and 4 per logical page hold the map in both directions, a
//! few bytes per block the rest; what ageing has mapped takes a bit per page until it is looked
//! up or written. A host overwrite touches the logical page's entry, the old physical page's
//! entry, the counts of two blocks and the next entry of the open block.

mod align;
mod archived;
mod at_once;
mod bind;
mod blocks;
mod capacity;
mod collect;
mod consistent;
mod fill;
mod frontiers;
mod host;
mod level;
mod map;
mod past;
mod pool;
mod settle;
mod state;
mod tasks;
#[cfg(test)]
mod tests;

use std::path::Path;

use rustc_hash::FxHashMap;
use wordline_nand::{BlockId, CommandsConfig, Geometry, PlaneId, Ppn, RestrictionsConfig, Use};
use wordline_units::{Divider, Seed, SimTime};

use crate::facts::Facts;
pub(crate) use blocks::{Blocks, Recording};
pub(crate) use fill::Filling;
pub use fill::{CollectionLevels, FillError};
pub(crate) use frontiers::HOST;
pub(crate) use past::Share;
pub use state::PageFtlState;

use crate::allocation::{AllocationConfig, AllocationMode, DynamicMode, StaticOrder};
use crate::config::{FtlConfig, GcFrontier, GcMode, Pool, StaticWear, Victim};
use crate::contract::{
    Answer, Bind, BlockFacts, Bound, CleanSpace, Ftl, JobId, JobNotice, JobState, Outcome, PageRequest,
    Relocated, TimedRequest,
};
use crate::error::FtlError;
use crate::gc::{self, VictimPolicy, WearLimit};
use crate::plan::{Frontier, Lpn, Plan, Scope, Step};
use crate::snapshot::SnapshotError;
use crate::turns::Turns;
use crate::wear::{self, WearPolicy};
use capacity::Capacity;
use frontiers::Frontiers;
use map::PageMap;
use pool::PoolState;
use tasks::{Flight, Tasks};

/// Marks a step that does not concern the map when it is done.
const NO_TOKEN: u32 = u32::MAX;

/// Where host writes go.
#[derive(Clone, Debug)]
enum Placement {
    /// To the plane that the logical page number gives.
    Static(StaticOrder),
    /// Anywhere.
    Full,
    /// To the channel that the logical page number gives.
    ChannelBound,
}

/// The page-level FTL.
pub struct PageFtl {
    geometry: Geometry,
    capacity: Capacity,
    config: FtlConfig,
    placement: Placement,
    copyback: Use,
    copyback_same_parity: bool,
    multi_plane_write: Use,
    multi_plane_same_block: bool,
    /// Whether a page can ever be skipped.
    skips: bool,
    /// Whether what ageing leaves is written down at once.
    writes_down: bool,
    map: PageMap,
    blocks: Blocks,
    frontiers: Frontiers,
    pools: Vec<PoolState>,
    planes_per_pool: Divider,
    /// Frontier of relocated pages.
    gc_frontier: Frontier,
    victims: Box<dyn VictimPolicy>,
    wear_limit: Option<WearLimit>,
    wear: Option<Box<dyn WearPolicy>>,
    /// Logical pages with writes under way.
    flights: FxHashMap<u64, Flight>,
    tasks: Tasks,
    notices: Vec<JobNotice>,
    /// Copy-backs in a row that each page has been through, where they are limited.
    hops: FxHashMap<u64, u32>,
    most_hops: u32,
    /// Pools whose collection found nothing to reclaim.
    stuck_pools: u32,
    /// Kept between calls of `bind_aligned` and `relocate_at_once` for their space.
    lanes: Vec<align::Lane>,
    owners: Vec<u64>,
    facts: Facts,
}

impl PageFtl {
    /// The logical pages that an FTL of this configuration exports; builds nothing.
    ///
    /// # Errors
    /// As for `new`.
    pub fn exported(
        geometry: &Geometry,
        config: &FtlConfig,
        allocation: &AllocationConfig,
    ) -> Result<u64, FtlError> {
        Ok(Capacity::new(geometry, config, allocation)?.user_pages)
    }

    /// Checks that collection can reach its goal while the share `fill` of the user pages holds
    /// data; builds nothing.
    ///
    /// # Errors
    /// As for `new`; `ftl.gc.high` is not below the share of blocks that they leave.
    pub fn check_share(
        geometry: &Geometry,
        config: &FtlConfig,
        allocation: &AllocationConfig,
        fill: f64,
    ) -> Result<(), FtlError> {
        let capacity = Capacity::new(geometry, config, allocation)?;
        let pages = (capacity.user_pages as f64 * fill).round() as u64;
        capacity.check_filled(geometry, config.gc.frontier, pages)
    }

    /// An empty drive.
    ///
    /// # Errors
    /// What sections 13 of the specifications refuse: no over-provisioning, a pool too small for
    /// its share of user pages beside its reserve, watermarks out of order, policies without
    /// sense, a pool that reaches beyond where allocation may put a page.
    pub fn new(
        geometry: Geometry,
        config: &FtlConfig,
        allocation: &AllocationConfig,
        commands: &CommandsConfig,
        restrictions: &RestrictionsConfig,
        seed: Seed,
    ) -> Result<Self, FtlError> {
        let capacity = Capacity::new(&geometry, config, allocation)?;
        let (victims, recording) = gc::victim_policy(&config.gc, seed);
        let blocks_per_pool = capacity.planes_per_pool * geometry.blocks_per_plane;
        let limited =
            config.gc.victim == Victim::WearGreedy || config.wear.static_ == StaticWear::RateLimited;
        let pools = geometry.planes() / capacity.planes_per_pool;
        Ok(Self {
            placement: match (allocation.mode, allocation.dynamic) {
                (AllocationMode::Static, _) => {
                    Placement::Static(StaticOrder::new(&geometry, allocation.order))
                }
                (AllocationMode::Dynamic, DynamicMode::Full) => Placement::Full,
                (AllocationMode::Dynamic, DynamicMode::ChannelBound) => Placement::ChannelBound,
            },
            copyback: commands.copyback,
            copyback_same_parity: restrictions.copyback_same_parity,
            multi_plane_write: commands.multi_plane_write,
            multi_plane_same_block: restrictions.multi_plane_same_block,
            skips: commands.copyback == Use::Blind || commands.multi_plane_write == Use::Blind,
            writes_down: false,
            map: PageMap::new(capacity.user_pages, geometry.pages(), geometry.full_bitmap()),
            blocks: Blocks::new(&geometry, capacity.planes_per_pool, recording),
            frontiers: Frontiers::new(
                &geometry,
                allocation.active_block,
                allocation.wear_aware,
                config.wear.dynamic,
            ),
            pools: (0..pools).map(|_| PoolState::new(blocks_per_pool)).collect(),
            planes_per_pool: Divider::new(capacity.planes_per_pool),
            gc_frontier: match config.gc.frontier {
                GcFrontier::Shared => frontiers::HOST,
                GcFrontier::Separate => frontiers::GC,
            },
            victims,
            wear_limit: limited.then(|| WearLimit::new(&config.wear, seed)),
            wear: wear::wear_policy(&config.wear, geometry.blocks(), blocks_per_pool),
            flights: FxHashMap::default(),
            tasks: Tasks::new(),
            notices: Vec::new(),
            hops: FxHashMap::default(),
            most_hops: commands.copyback_max_hops,
            stuck_pools: 0,
            lanes: Vec::new(),
            owners: Vec::new(),
            facts: Facts::default(),
            config: config.clone(),
            capacity,
            geometry,
        })
    }

    /// What was counted so far.
    #[must_use]
    pub const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Starts counting afresh.
    pub fn reset_facts(&mut self) {
        self.facts = Facts::default();
    }

    /// Pools whose collection found nothing to reclaim: every candidate is fully valid. Their
    /// planes take no host writes until a page in them is overwritten or trimmed.
    #[must_use]
    pub const fn stuck(&self) -> u32 {
        self.stuck_pools
    }

    /// Whether nothing is under way: no write, no relocation, no erase. A job that has yielded
    /// in the middle of its work does not count; it can be left there.
    #[must_use]
    pub fn is_quiescent(&self) -> bool {
        let erasing = |pool: &PoolState| matches!(pool.activity, pool::Activity::Erasing { .. });
        self.flights.is_empty() && !self.pools.iter().any(|pool| pool.moves > 0 || erasing(pool))
    }

    #[inline]
    fn pool_of_plane(&self, plane: u32) -> u32 {
        self.planes_per_pool.divide(u64::from(plane)) as u32
    }

    /// The planes of the pool that `plane` is in.
    fn pool_scope(&self, pool: u32) -> Scope {
        let plane = PlaneId(pool * self.capacity.planes_per_pool);
        let die = self.geometry.die_of(plane);
        match self.config.gc.pool {
            Pool::Plane => Scope::Plane(plane),
            Pool::Die => Scope::Die(die),
            Pool::Chip => Scope::Chip(self.geometry.chip_of(die)),
            Pool::Channel => Scope::Channel(self.geometry.channel_of(die)),
            Pool::Drive => Scope::Drive,
        }
    }

    /// A page lost its owner.
    #[inline]
    fn invalidate(&mut self, page: u64, now: SimTime) {
        let block = self.blocks.block_of(page);
        self.blocks.invalidate(block, 1, now.ns());
        if self.most_hops != 0 || self.stuck_pools != 0 {
            self.tell_of_invalidation(page, block, now);
        }
    }

    #[inline(never)]
    fn tell_of_invalidation(&mut self, page: u64, block: u32, now: SimTime) {
        self.hops.remove(&page);
        if self.stuck_pools != 0 {
            self.unstick(self.blocks.pool_of(block), now);
        }
    }

    /// Whether the mode needs to know when a pool last saw a host operation.
    fn watches_idleness(&self) -> bool {
        self.config.gc.mode == GcMode::Background
    }
}

impl Ftl for PageFtl {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn user_pages(&self) -> u64 {
        self.capacity.user_pages
    }

    #[inline]
    fn expect(&self, lpn: Lpn) {
        self.map.expect(lpn.0);
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        self.serve(now, request, plan)
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        self.bind_one(now, step, plane)
    }

    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        self.align(now, pairs, bound)
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.settle(now, step, page, outcome, plan);
    }

    #[inline]
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        if !self.notices.is_empty() {
            notices.append(&mut self.notices);
        }
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        if job.0 as usize >= self.pools.len() {
            return JobState::Finished;
        }
        self.advance_pool(now, job.0, plan)
    }

    #[inline]
    fn expect_soon(&self, lpn: Lpn) {
        if lpn.0 < self.capacity.user_pages {
            self.map.expect_soon(lpn.0);
        }
    }

    #[inline]
    fn write_at_once(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        turns: &mut Turns,
        written: &mut Vec<Ppn>,
    ) {
        self.write_now(now, requests, turns, written);
    }

    fn relocate_at_once(&mut self, now: SimTime, job: JobId, turns: &mut Turns, relocated: &mut Relocated) {
        self.relocate_now(now, job, turns, relocated);
    }

    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        (lpn.0 < self.capacity.user_pages)
            .then(|| self.map.lookup(lpn.0).map(Ppn))
            .flatten()
    }

    fn mapped_pages(&self) -> u64 {
        self.map.mapped_pages(self.capacity.user_pages)
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        (page.0 < self.geometry.pages())
            .then(|| self.map.owner(page.0).map(Lpn))
            .flatten()
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        if lpn.0 < self.capacity.user_pages {
            self.map.bitmap(lpn.0)
        } else {
            0
        }
    }

    fn clean_space(&self, plane: PlaneId) -> Option<CleanSpace> {
        let pool = self.pool_of_plane(plane.0);
        let marks = &self.capacity.watermarks;
        let trigger = match self.config.gc.mode {
            GcMode::Foreground => marks.hard,
            _ => marks.low,
        };
        Some(CleanSpace {
            free: self.pools[pool as usize].free,
            trigger,
            blocks: self.blocks.of_pool(pool).len() as u32,
        })
    }

    fn save(&self, now: SimTime, path: &Path) -> Result<(), SnapshotError> {
        crate::snapshot::save(self, now, path)
    }

    fn facts(&self) -> Facts {
        self.facts
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        let at = block.index();
        let written = u32::from(self.blocks.written[at]);
        let valid = self.blocks.valid(block.0);
        let first = self.geometry.page(block, 0).0;
        let skipped = if self.skips {
            (first..first + u64::from(written))
                .filter(|page| self.map.is_skipped(*page))
                .count() as u32
        } else {
            0
        };
        BlockFacts {
            role: self.blocks.role[at],
            valid,
            invalid: written - valid - skipped,
            free: self.geometry.pages_per_block - written,
            skipped,
            erase_count: self.blocks.erases[at],
        }
    }
}
