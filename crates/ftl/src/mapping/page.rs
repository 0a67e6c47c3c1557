//! Page-level mapping: every logical page is mapped on its own.
//!
//! About 4 bytes per physical page and 4 per logical page hold the map in both directions, a
//! few bytes per block the rest; what ageing has mapped takes a bit per page until it is looked
//! up or written. A host overwrite touches the logical page's entry, the old physical page's
//! entry, the counts of two blocks and the next entry of the open block.

mod at_once;
mod completion;
mod persist;
mod prefill;
#[cfg(test)]
mod tests;

use wordline_nand::{BlockId, CommandsConfig, Geometry, PlaneId, Ppn, RestrictionsConfig};
use wordline_units::{Seed, SimTime};

use super::MappingRow;
use crate::allocation::{AllocationConfig, HostPlacement, RoundRobin};
use crate::block::{BlockFacts, CleanSpace};
use crate::config::FtlConfig;
use crate::config::{FlashRules, MappingInput};
use crate::contract::{Ftl, Inspect, Relocated};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::host::HostRequests;
use crate::inflight::InFlight;
use crate::jobs::{Collector, Work};
use crate::map::{DenseMap, Relocate};
use crate::notice::{JobId, JobKind, JobNotice, JobState};
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Scope, Step, Target};
use crate::policy::hot_cold::Separation;
use crate::request::{Answer, PageRequest, TimedRequest};
use crate::space::{Aligner, Capacity, FlashSpace};
use wordline_keys::{Entry, Keys};

/// The page-level FTL.
pub struct PageFtl {
    space: FlashSpace,
    map: DenseMap,
    /// Versions of logical pages under way.
    inflight: InFlight,
    collector: Collector,
    aligner: Aligner,
    placement: HostPlacement,
    /// Which open block host writes go to.
    separation: Separation,
    /// Whether TRIM has an effect.
    trims: bool,
    /// Whether what ageing assigns is written into the map at once.
    materializes: bool,
}

/// `ftl.mapping = "page"`.
pub(crate) const PAGE: MappingRow = MappingRow {
    entry: Entry {
        name: "page",
        help: "Every logical page on its own.",
        keys: Keys::NONE,
        reads: &["ftl.gc", "ftl.hot", "ftl.wear", "ftl.trim", "allocation"],
    },
    has_closed_form: true,
    exported: |input| Ok(Capacity::new(input.geometry, input.config, input.allocation)?.user_pages),
    check_filled: |input, fill| {
        let capacity = Capacity::new(input.geometry, input.config, input.allocation)?;
        let pages = (capacity.user_pages as f64 * fill).round() as u64;
        capacity.check_filled(input.geometry, input.config.gc.frontier, pages)
    },
    build: |input, rules| Ok(Box::new(PageFtl::from_input(input, rules)?)),
};

impl PageFtl {
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
        let input = MappingInput {
            geometry: &geometry,
            config,
            allocation,
        };
        let rules = FlashRules {
            commands,
            restrictions,
            seed,
        };
        Self::from_input(&input, &rules)
    }

    fn from_input(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        let MappingInput {
            geometry,
            config,
            allocation,
        } = *input;
        let capacity = Capacity::new(geometry, config, allocation)?;
        let blocks_per_pool = capacity.planes_per_pool * geometry.blocks_per_plane;
        let (collector, recording) = Collector::new(config, geometry.blocks(), blocks_per_pool, rules.seed)?;
        let placement = HostPlacement::new(geometry, allocation);
        Ok(Self {
            map: DenseMap::new(capacity.user_pages, geometry.pages(), geometry.full_bitmap()),
            space: FlashSpace::new(capacity, input, rules, recording, JobKind::Collect),
            inflight: InFlight::default(),
            collector,
            aligner: Aligner::new(rules.commands, rules.restrictions, placement.is_static()),
            placement,
            separation: Separation::new(&config.hot, rules.seed)?,
            trims: config.trim.enabled,
            materializes: false,
        })
    }

    /// Whether nothing is under way: no write, no relocation, no erase. A job that has yielded
    /// in the middle of its work does not count; it can be left there.
    #[must_use]
    pub fn is_quiescent(&self) -> bool {
        self.inflight.is_empty() && self.space.is_quiescent()
    }

    /// What the jobs of relocation work on, and the collector.
    fn work(&mut self) -> (&mut Collector, Work<'_, DenseMap>) {
        let work = Work {
            space: &mut self.space,
            pages: &mut self.map,
            inflight: &mut self.inflight,
        };
        (&mut self.collector, work)
    }

    /// Whether the page that a step relocates has been overwritten or trimmed meanwhile.
    fn is_superseded(&self, step: &Step) -> bool {
        Collector::is_superseded(&self.map, &self.inflight, step)
    }
}

impl Ftl for PageFtl {
    fn geometry(&self) -> &Geometry {
        &self.space.geometry
    }

    fn user_pages(&self) -> u64 {
        self.space.capacity.user_pages
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn) {
        self.map.prefetch(lpn.0);
    }

    #[inline]
    fn prefetch_next(&self, lpn: Lpn) {
        if lpn.0 < self.space.capacity.user_pages {
            self.map.prefetch_next(lpn.0);
        }
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let Self {
            placement,
            separation,
            ..
        } = self;
        let mut requests = HostRequests {
            space: &mut self.space,
            map: &mut self.map,
            inflight: &mut self.inflight,
            trims: self.trims,
            is_static: placement.is_static(),
            target: |request: &PageRequest| Target::Frontier {
                frontier: separation.frontier(now, request),
                scope: placement.scope(request.lpn),
            },
        };
        requests.plan(now, request, plan)
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        if self.is_superseded(step) {
            return Bind::Declined;
        }
        let map = &mut self.map;
        self.space.bind(now, step, plane, &mut |page| map.skip(page))
    }

    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let Self {
            space,
            map,
            inflight,
            aligner,
            ..
        } = self;
        let skipped = &mut Vec::new();
        let aligned = aligner.align(
            space,
            now,
            pairs,
            |step| Collector::is_superseded(map, inflight, step),
            &mut |page| skipped.push(page),
            bound,
        );
        for page in skipped {
            map.skip(*page);
        }
        aligned
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.complete_step(now, step, page, outcome, plan);
    }

    #[inline]
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        if !self.space.notices.is_empty() {
            notices.append(&mut self.space.notices);
        }
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        if job.kind() != JobKind::Collect || job.pool() as usize >= self.space.pools.len() {
            return JobState::Finished;
        }
        let (collector, mut work) = self.work();
        collector.advance(&mut work, now, job.pool(), plan)
    }

    #[inline]
    fn write_at_once(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) {
        self.write_pages(now, requests, turns, written);
    }

    fn relocate_at_once(
        &mut self,
        now: SimTime,
        job: JobId,
        turns: &mut RoundRobin,
        relocated: &mut Relocated,
    ) {
        let (collector, mut work) = self.work();
        collector.relocate_at_once(&mut work, now, job.pool(), turns, relocated);
    }
}

impl Inspect for PageFtl {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        (lpn.0 < self.user_pages())
            .then(|| self.map.lookup(lpn.0).map(Ppn))
            .flatten()
    }

    fn mapped_pages(&self) -> u64 {
        self.map.mapped_pages(self.user_pages())
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        (page.0 < self.space.geometry.pages())
            .then(|| self.map.owner(page.0).map(Lpn))
            .flatten()
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        if lpn.0 < self.user_pages() {
            self.map.bitmap(lpn.0)
        } else {
            0
        }
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        let skipped = if self.map.has_skipped() {
            let passed = self.space.passed(block.0);
            passed.filter(|page| self.map.is_skipped(*page)).count() as u32
        } else {
            0
        };
        self.space.block_facts(block, skipped)
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.placement.scope(lpn)
    }

    fn pools(&self) -> u32 {
        self.space.pools.len() as u32
    }

    fn stuck_pools(&self) -> u32 {
        self.space.stuck_pools
    }

    fn clean_space(&self, plane: PlaneId) -> Option<CleanSpace> {
        Some(self.space.clean_space(plane))
    }

    fn counters(&self) -> FtlCounters {
        self.space.counters
    }
}
