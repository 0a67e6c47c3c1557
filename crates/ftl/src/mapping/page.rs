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
mod recover;
pub(crate) mod row;
mod subjects;
#[cfg(test)]
mod tests;

use wordline_nand::{CommandsConfig, Geometry, PlaneId, Ppn, RestrictionsConfig};
use wordline_units::{Seed, SimTime};

use super::paged::Paged;
use crate::allocation::{AllocationConfig, HostPlacement};
use crate::block_classes::BlockClasses;
use crate::config::FtlConfig;
use crate::config::{FlashRules, MappingInput, RefreshConfig};
use crate::contract::{Ahead, Ftl};
use crate::error::FtlError;
use crate::hand_out;
use crate::host::HostRequests;
use crate::inflight::{InFlight, PendingProgram};
use crate::jobs::{Collector, Work as Relocation};
use crate::map::{DenseMap, HostMap};
use crate::mapping::recovery::{programmed, reads_per_die};
use crate::notice::{JobId, JobKind, JobNotice, JobState};
use crate::plan::{Bind, Bound, Frontier, Lpn, Outcome, Plan, Scope, Step, Target, Work};
use crate::policy::hot_cold::Separation;
use crate::refresh::{RefreshedDrive, Refresher};
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::space::{Aligner, Capacity, FlashSpace, NoUnit, Placement, WritePlace, place_write};
use crate::table_cost::{TableCost, address_bytes};

/// The page-level FTL.
pub struct PageFtl {
    pub(super) space: FlashSpace,
    pub(super) map: DenseMap,
    /// Versions of logical pages under way.
    pub(super) inflight: InFlight,
    pub(super) collector: Collector,
    pub(super) aligner: Aligner,
    pub(super) placement: HostPlacement,
    /// Which open block host writes go to.
    pub(super) separation: Separation,
    /// Whether TRIM has an effect.
    pub(super) trims: bool,
    /// Whether what ageing assigns is written into the map at once.
    materializes: bool,
}

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
            strong_classes: 0,
        };
        let rules = FlashRules {
            commands,
            restrictions,
            block_classes: None,
            slc: None,
            seed,
        };
        Self::from_input(&input, &rules)
    }

    pub(crate) fn from_input(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        let MappingInput {
            geometry,
            config,
            allocation,
            ..
        } = *input;
        let strong = rules.block_classes.map_or(0, BlockClasses::strong);
        let capacity = Capacity::new(geometry, config, allocation)?.with_strong_classes(strong);
        Self::with_capacity(input, rules, capacity, capacity.user_pages)
    }

    /// The same with a capacity, and a map of so many logical pages: those behind the exported ones are of the mapping that is built upon it.
    pub(crate) fn with_capacity(
        input: &MappingInput<'_>,
        rules: &FlashRules<'_>,
        capacity: Capacity,
        logical_pages: u64,
    ) -> Result<Self, FtlError> {
        let MappingInput {
            geometry,
            config,
            allocation,
            ..
        } = *input;
        let blocks_per_pool = capacity.planes_per_pool * geometry.blocks_per_plane;
        let (collector, recording) = Collector::new(config, geometry.blocks(), blocks_per_pool, rules.seed)?;
        let placement = HostPlacement::new(geometry, allocation);
        let mut space = FlashSpace::new(capacity, input, rules, recording, JobKind::Collect);
        if let Some(placement) = Placement::new(input, &space.frontiers, &capacity)? {
            space.tenants.place_by_host(&mut space.ground, placement);
        }
        for block in config.failures.bad_from_start(rules.seed, geometry) {
            space.retire_free(block.0);
        }
        Ok(Self {
            map: DenseMap::new(logical_pages, geometry.pages(), geometry.full_bitmap()),
            space,
            inflight: InFlight::default(),
            collector,
            aligner: Aligner::new(rules.commands, rules.restrictions, placement.is_static()),
            placement,
            separation: Separation::new(&config.hot, rules.seed)?,
            trims: config.trim.enabled,
            materializes: false,
        })
    }

    /// The same with refresh as it is configured.
    ///
    /// # Errors
    /// As for `RefreshConfig::check`.
    pub(crate) fn with_refresh(mut self, config: &RefreshConfig) -> Result<Self, FtlError> {
        let space = &self.space;
        let marks = &space.capacity.watermarks;
        let least = space.capacity.least_blocks(&space.geometry, space.gc.frontier);
        let drive = RefreshedDrive {
            pools: space.pools.len() as u32,
            blocks_per_pool: space.capacity.planes_per_pool * space.geometry.blocks_per_plane,
            // collection must be able to reach its goal
            needed: least + marks.high.saturating_sub(marks.reserve),
        };
        self.space.tenants.refresh = Refresher::new(config, drive)?.map(Box::new);
        Ok(self)
    }

    /// Whether nothing is under way: no write, no relocation, no erase. A job that has yielded
    /// in the middle of its work does not count; it can be left there.
    #[must_use]
    pub fn is_quiescent(&self) -> bool {
        self.inflight.is_empty() && self.space.is_quiescent()
    }

    /// Whether a write of a logical page is under way.
    pub(crate) fn is_being_written(&self, lpn: Lpn) -> bool {
        self.inflight.overlaps(&(lpn.0..lpn.0 + 1))
    }

    /// What the program of a token does once it is done.
    #[inline]
    pub(crate) fn pending(&self, token: u32) -> Option<PendingProgram> {
        self.inflight.get(token)
    }

    /// What the jobs of relocation work on, and the collector.
    pub(in crate::mapping) fn work(&mut self) -> (&mut Collector, Relocation<'_, DenseMap>) {
        let work = Relocation {
            space: &mut self.space,
            pages: &mut self.map,
            inflight: &mut self.inflight,
        };
        (&mut self.collector, work)
    }

    /// Tells the classifier that asks for it by which frontier a logical page was written where it is.
    #[inline]
    pub(crate) fn locate(&mut self, lpn: Lpn) {
        let (map, blocks, user) = (&self.map, &self.space.blocks, self.space.capacity.user_pages);
        self.separation.locate(|| {
            let (page, _) = (lpn.0 < user).then(|| map.get(lpn.0))??;
            Some(Frontier(blocks.frontier[blocks.block_of(page) as usize]))
        });
    }

    /// Where a write goes by its placement handle; anywhere where nothing is to be programmed.
    ///
    /// # Errors
    /// The answer to a request that is not served now.
    #[inline]
    fn place_of_write(&mut self, now: SimTime, request: &PageRequest) -> Result<WritePlace, Answer> {
        let anywhere = WritePlace {
            identifier: request.placement,
            ..WritePlace::default()
        };
        if self.space.tenants.placement.is_none() {
            return Ok(anywhere);
        }
        let new = request.bitmap & self.space.geometry.full_bitmap();
        let is_program = request.op == PageOp::Write && new != 0 && request.lpn.0 < self.user_pages();
        if !is_program {
            return Ok(anywhere);
        }
        let pending = self.inflight.pending(request.lpn.0);
        if pending.is_some_and(|pending| pending & !new != 0) {
            return Err(Answer::Wait);
        }
        let placed = place_write(&mut self.space, now, request.placement, &self.inflight);
        placed.map_err(|NoUnit| Answer::Refused(Refusal::NoUnit))
    }

    /// Answers a request whose data go where its placement handle says.
    #[inline]
    pub(in crate::mapping) fn submit_placed(
        &mut self,
        now: SimTime,
        request: &PageRequest,
        place: WritePlace,
        plan: &mut Plan,
    ) -> Answer {
        let request = &PageRequest {
            placement: place.identifier,
            ..*request
        };
        let of_choice = place
            .frontier
            .or_else(|| self.space.frontiers.of_kind(request.class));
        self.locate(request.lpn);
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
                frontier: of_choice.unwrap_or_else(|| separation.frontier(now, request)),
                scope: place.scope.unwrap_or_else(|| placement.scope(request.lpn)),
            },
        };
        requests.plan(now, request, plan)
    }

    /// The frontier to which a planned program goes now.
    pub(in crate::mapping) fn frontier_now(&self, planned: Frontier, program: PendingProgram) -> Frontier {
        self.space
            .tenants
            .frontier_now(&self.space.ground, planned, program)
    }

    /// A step whose program goes to the frontier of its handle as of now.
    pub(in crate::mapping) fn placed(&self, step: &Step) -> Step {
        let mut placed = *step;
        if let Work::Program { target, .. } | Work::CopyBack { target, .. } = &mut placed.work
            && let Target::Frontier { frontier, .. } = target
            && let Some(program) = self.inflight.get(step.token)
        {
            *frontier = self.frontier_now(*frontier, program);
        }
        placed
    }

    /// Whether the page that a step relocates has been overwritten or trimmed meanwhile.
    fn is_superseded(&self, step: &Step) -> bool {
        Collector::is_superseded(&self.map, &self.inflight, step)
    }
}

impl Ftl for PageFtl {
    hand_out!(
        Ageing,
        Batches,
        Classes if has_classes,
        Collection,
        Modes if has_modes,
        Placement if has_placement,
        ProgramTimes,
        Recovery,
        Refresh if has_refresh,
        SlcCache if has_cache,
        Table,
    );

    fn geometry(&self) -> &Geometry {
        &self.space.geometry
    }

    fn user_pages(&self) -> u64 {
        self.space.capacity.user_pages
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, ahead: Ahead) {
        match ahead {
            Ahead::Far => self.map.prefetch(lpn.0),
            Ahead::Near if lpn.0 < self.space.capacity.user_pages => self.map.prefetch_next(lpn.0),
            Ahead::Near => {}
        }
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        match self.place_of_write(now, request) {
            Ok(place) => self.submit_placed(now, request, place, plan),
            Err(answer) => answer,
        }
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        if self.is_superseded(step) {
            return Bind::Declined;
        }
        let placed;
        let step = if self.space.tenants.placement.is_some() {
            placed = self.placed(step);
            &placed
        } else {
            step
        };
        let map = &mut self.map;
        self.space.bind(now, step, plane, &mut |page| map.skip(page))
    }

    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let pairs = self.space.tenants.place_pairs(pairs, |step| self.placed(step));
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
            &pairs,
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
}

impl Paged for PageFtl {
    fn flash_space(&self) -> &FlashSpace {
        &self.space
    }

    fn flash_space_mut(&mut self) -> &mut FlashSpace {
        &mut self.space
    }

    fn page_map(&self) -> &DenseMap {
        &self.map
    }

    fn planes_of(&self, lpn: Lpn) -> Scope {
        self.placement.scope(lpn)
    }

    /// The controller has an entry for each logical page. The newest version of a page is found among all programmed ones.
    fn cost_of_table(&self) -> TableCost {
        TableCost {
            memory_bytes: self.user_pages() * address_bytes(self.space.geometry.pages()),
            host_memory_bytes: 0,
            flash_bytes: 0,
            recovery_reads: reads_per_die(self, |_, facts| programmed(facts)),
        }
    }
}
