//! Page-level mapping of units that are smaller than a page of flash: several logical pages, its units, share one.
//!
//! The map, the blocks, the policies of collection and ageing are those of a page-level mapping on an array whose pages are
//! units ([`Geometry::divided`]). What is added is how units become pages, since a page is programmed once, as a whole: host
//! writes are collected in a page register of the controller for each write frontier and each scope of allocation, until they
//! fill a page (`write`); collection reads a page once for all its current units, and packs those of several pages into
//! one (`collect`).
//!
//! A write is acknowledged when its data are in the register, the one that fills the page when the page has been programmed.

mod at_once;
mod collect;
mod completion;
mod emptying;
mod in_step;
mod pages;
mod persist;
mod rebuilding;
mod write;

use wordline_nand::{BlockId, Geometry, Mode, PlaneId, Ppn, Use};
use wordline_units::SimTime;

use super::page::PageFtl;
use crate::allocation::{KeptDies, RoundRobin};
use crate::block::{BlockFacts, BlockUse};
use crate::config::{FlashRules, MAPPING_UNIT, MappingInput, RecoveryKind};
use crate::contract::{Ahead, Batches, FlushMark, Flushing, Ftl, Inspect, LookupTable, PageModes, Relocated};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::hand_out;
use crate::notice::{JobId, JobKind, JobNotice, JobState};
use crate::plan::{Bind, Bound, Frontier, Lpn, Outcome, Plan, Scope, Step, Target, Work};
use crate::request::{Answer, PageRequest, TimedRequest};
use crate::table_cost::TableCost;
use emptying::Emptying;
pub(in crate::mapping) use in_step::{InStepFtl, is_in_step};
use pages::Pages;

/// The page-level FTL of units smaller than a page.
pub(crate) struct UnitFtl {
    /// The array of flash.
    flash: Geometry,
    /// Units of a page.
    per_page: u32,
    /// Pages that are programmed together: one for each plane of a die where planes work in step, else 1.
    together: u32,
    /// The page-level FTL whose pages are units.
    units: PageFtl,
    /// Pages that are put together or programmed.
    pages: Pages,
    /// Per pool: what collection has read ahead.
    emptying: Vec<Emptying>,
    /// Whether writes of the host are numbered, and the number of the one that is submitted next.
    is_numbered: bool,
    number: u64,
}

impl UnitFtl {
    /// An empty drive; `units` is its array divided into units.
    ///
    /// # Errors
    /// As for `PageFtl`; copy-back, which cannot pack units.
    pub(crate) fn new(
        units: Geometry,
        input: &MappingInput<'_>,
        rules: &FlashRules<'_>,
    ) -> Result<Self, FtlError> {
        if rules.commands.copyback != Use::Off {
            let unit = input.config.mapping_unit.unwrap_or_default();
            let accepted = "the page (geometry.page_size) with commands.copyback: a page that is copied inside its plane \
                            cannot be packed with the units of others";
            return Err(FtlError::new(MAPPING_UNIT, unit, accepted));
        }
        // a group is counted by pages of flash
        input
            .config
            .placement
            .refuse_groups("where ftl.mapping_unit is smaller than the page")?;
        let own = MappingInput {
            geometry: &units,
            ..*input
        };
        Ok(Self::with_units(PageFtl::from_input(&own, rules)?, input, 1))
    }

    /// The FTL of the units of an array, `together` pages of which are programmed together.
    fn with_units(ftl: PageFtl, input: &MappingInput<'_>, together: u32) -> Self {
        let units = ftl.geometry();
        let pools = ftl.space.pools.len();
        Self {
            flash: *input.geometry,
            per_page: units.pages_per_program,
            together,
            pages: Pages::new(ftl.space.frontiers.count(), ftl.placement.scopes(units)),
            emptying: (0..pools).map(|_| Emptying::default()).collect(),
            units: ftl,
            is_numbered: input.config.recovery.kind != RecoveryKind::None,
            number: 0,
        }
    }

    /// Units that fill a page register.
    const fn units_of_register(&self) -> usize {
        (self.per_page * self.together) as usize
    }

    /// Whether nothing is under way; units may wait in page registers.
    pub(crate) fn is_quiescent(&self) -> bool {
        self.units.is_quiescent() && self.pages.is_quiescent()
    }

    /// The logical pages that the program of a step which is not done yet brings, and the pool whose job moves them, if one does.
    pub(crate) fn programmed_by(&self, step: &Step) -> Option<(Option<u32>, impl Iterator<Item = u64>)> {
        let is_program = matches!(step.work, Work::Program { .. });
        let page = self.pages.get(step.token).filter(|_| is_program)?;
        Some((page.pool, page.units.iter().map(|unit| unit.lpn)))
    }

    /// The units that wait in page registers.
    pub(crate) fn units_in_registers(&self) -> impl Iterator<Item = u64> {
        let pages = self
            .pages
            .registers()
            .filter_map(|(_, token)| self.pages.get(token));
        pages.flat_map(|page| page.units.iter().map(|unit| unit.lpn))
    }

    /// The page of flash that holds a unit's place.
    #[inline]
    fn page_of(&self, place: u64) -> Ppn {
        Ppn(place / u64::from(self.per_page))
    }

    /// Sub-pages of a place, as those of its page.
    #[inline]
    fn in_page(&self, place: u64, sectors: u64) -> u64 {
        let slot = place % u64::from(self.per_page);
        sectors << (slot * u64::from(self.units.geometry().sectors_per_page()))
    }

    /// The page-level FTL whose logical pages are the units.
    pub(in crate::mapping) const fn units(&self) -> &PageFtl {
        &self.units
    }

    /// The same, to be changed.
    pub(in crate::mapping) const fn units_mut(&mut self) -> &mut PageFtl {
        &mut self.units
    }

    fn has_modes(&self) -> bool {
        self.units.has_modes()
    }

    /// A step whose program goes to the frontier of its placement handle as of now.
    fn placed(&self, step: &Step) -> Step {
        let mut placed = *step;
        if self.units.has_placement()
            && let Some(page) = self.pages.get(step.token)
            && let Work::Program { target, .. } = &mut placed.work
            && let Target::Frontier { frontier, .. } = target
            && let Some(program) = page.pending(&self.units.map)
        {
            *frontier = self.units.frontier_now(*frontier, program);
        }
        placed
    }

    /// The whole page whose first unit was bound is taken.
    fn take_page(&mut self, bound: Bound) -> Bound {
        let space = &mut self.units.space;
        let block = space.blocks.block_of(bound.page.0);
        let plane = space.blocks.plane_of(block);
        let frontier = Frontier(space.blocks.frontier[block as usize]);
        space.take_rest(plane, frontier, bound.page.0);
        let skipped = bound.skipped / self.per_page;
        space.counters.skipped_multi_plane -= u64::from(bound.skipped - skipped);
        Bound {
            page: self.page_of(bound.page.0),
            skipped,
        }
    }
}

impl Ftl for UnitFtl {
    hand_out!(
        Ageing,
        Batches,
        Modes if has_modes,
        Recovery,
        Table;
        units: Collection, Placement, ProgramTimes, SlcCache,
    );

    fn geometry(&self) -> &Geometry {
        &self.flash
    }

    fn unit_geometry(&self) -> &Geometry {
        self.units.geometry()
    }

    fn user_pages(&self) -> u64 {
        self.units.user_pages()
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, ahead: Ahead) {
        self.units.prefetch(lpn, ahead);
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        self.serve(now, request, plan)
    }

    fn flush(&mut self, _now: SimTime, plan: &mut Plan) -> Flushing {
        self.program_registers(plan)
    }

    fn is_flushed(&self, mark: FlushMark) -> bool {
        self.pages.is_written(mark)
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        if self.is_superseded(step) {
            return Bind::Declined;
        }
        let placed = self.placed(step);
        // no copy-backs: no page is given up here
        match self.units.space.bind(now, &placed, plane, &mut |_| {}) {
            Bind::Page(bound) => Bind::Page(self.take_page(bound)),
            other => other,
        }
    }

    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let current: Vec<bool> = pairs.iter().map(|(step, _)| !self.is_superseded(step)).collect();
        let is_current = |step: &Step| {
            let mut known = pairs.iter().zip(&current);
            known.any(|((other, _), current)| *current && other.token == step.token)
        };
        let placed = self
            .units
            .space
            .tenants
            .place_pairs(pairs, |step| self.placed(step));
        let PageFtl {
            space, map, aligner, ..
        } = &mut self.units;
        let skipped = &mut Vec::new();
        let aligned = aligner.align(
            space,
            now,
            &placed,
            |step| !is_current(step),
            &mut |place| skipped.push(place),
            bound,
        );
        for place in skipped {
            map.skip(*place);
        }
        for bound in bound.iter_mut().flatten().filter(|_| aligned) {
            *bound = self.take_page(*bound);
        }
        aligned
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.complete_step(now, step, page, outcome, plan);
    }

    #[inline]
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        self.units.notices(notices);
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        if job.kind() != JobKind::Collect || job.pool() as usize >= self.emptying.len() {
            return JobState::Finished;
        }
        self.collect(now, job.pool(), plan)
    }
}

impl Batches for UnitFtl {
    #[inline]
    fn write_at_once(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        kept: KeptDies<'_>,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize {
        self.write_units(now, requests, kept, turns, written)
    }

    fn relocate_at_once(
        &mut self,
        now: SimTime,
        job: JobId,
        most: usize,
        turns: &mut RoundRobin,
        relocated: &mut Relocated,
    ) {
        self.relocate_units(now, (job.pool(), most), turns, relocated);
    }
}

impl Inspect for UnitFtl {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        self.units.lookup(lpn)
    }

    fn mapped_pages(&self) -> u64 {
        self.units.mapped_pages()
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        self.units.owner(page)
    }

    fn units_of(&self, step: &Step, units: &mut Vec<Lpn>) {
        match self.pages.get(step.token) {
            Some(page) => units.extend(page.units.iter().map(|unit| Lpn(unit.lpn))),
            None => units.push(step.lpn),
        }
    }

    /// Those in the controller too, which were acknowledged.
    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        if lpn.0 >= self.user_pages() {
            return 0;
        }
        let scope = self.units.placement.scope(lpn);
        match self.pages.find(lpn.0, scope) {
            Some((token, at)) => self.pages.unit(token, at).sectors,
            None => {
                let under_way = self.units.inflight.pending(lpn.0);
                under_way.unwrap_or_else(|| self.units.valid_sectors(lpn))
            }
        }
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        self.units.block(block)
    }

    fn block_use(&self, block: BlockId) -> BlockUse {
        self.units.block_use(block)
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.units.home(lpn)
    }

    fn counters(&self) -> FtlCounters {
        self.units.counters()
    }

    fn reset_counters(&mut self) {
        self.units.reset_counters();
    }
}

impl PageModes for UnitFtl {
    fn mode_names(&self) -> &[String] {
        self.units.mode_names()
    }

    fn page_mode(&self, page: Ppn) -> Mode {
        self.units.page_mode(Ppn(page.0 * u64::from(self.per_page)))
    }

    fn block_mode(&self, block: BlockId) -> Option<Mode> {
        self.units.block_mode(block)
    }
}

impl LookupTable for UnitFtl {
    /// An entry for each unit; a spare area has the owners of all units of its page.
    fn table_cost(&self) -> TableCost {
        let per_page = u64::from(self.per_page);
        let cost = self.units.table_cost();
        let reads = cost.recovery_reads.into_iter().map(|units| units / per_page);
        TableCost {
            recovery_reads: reads.collect(),
            ..cost
        }
    }
}
