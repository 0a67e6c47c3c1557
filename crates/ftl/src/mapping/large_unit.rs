//! Page-level mapping of units that are larger than a page of flash: several successive logical pages have one entry of the map.
//!
//! The map, the blocks, the policies of collection and ageing are those of a page-level mapping on an array whose pages are units
//! ([`Geometry::grouped`]). The pages of a unit lie in order in successive pages of one block, and are programmed one after the other:
//! the first program of a unit takes the place of all its pages in the open block, which no other unit gets before the last one has
//! begun (`steps`). Whatever the host writes of a unit, all of it is programmed; what it does not write is read before
//! (read-modify-write). Writes are collected in unit registers of the controller for that (`write`).
//!
//! A unit stays in the plane that its number gives (`allocation.order`): which of several pages would come first in which plane could
//! not be known when the first one starts.

mod completion;
mod persist;
mod programs;
mod rebuilding;
mod registers;
mod steps;
mod write;

use rustc_hash::FxHashMap;
use wordline_nand::{BlockId, Geometry, Mode, PlaneId, Ppn, Use};
use wordline_units::SimTime;

use super::page::PageFtl;
use crate::allocation::AllocationMode;
use crate::block::{BlockFacts, CleanSpace};
use crate::config::{FlashRules, MAPPING_UNIT, MappingInput, Pool, RecoveryKind};
use crate::contract::{Ahead, CollectedSpace, Facts, FlushMark, Flushing, Ftl, Inspect, PageModes};
use crate::counters::{FtlCounters, SlcCounters};
use crate::error::FtlError;
use crate::hand_out;
use crate::map::HostMap;
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Lpn, Outcome, Plan, Scope, Step};
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::space::{GroupCounters, HandleCounters, PlacedWrites};
use programs::Programs;
use registers::{Registers, UnitWrites};

/// A page-level FTL of units of several pages.
pub(crate) struct LargeUnitFtl {
    flash: Geometry,
    /// Pages of a unit.
    per_unit: u32,
    /// The page-level FTL of the units; sub-page i of a unit is its page i.
    units: PageFtl,
    /// Sub-pages that hold data, of logical pages on flash that are not full of them.
    partial: FxHashMap<u64, u64>,
    registers: Registers,
    /// The units of which host writes are under way.
    writes: FxHashMap<u64, UnitWrites>,
    programs: Programs,
    /// Pages of a block that were not programmed, since a program of their unit had failed before.
    given_up: FxHashMap<u32, u32>,
    /// Kept for its space.
    steps: Plan,
    /// Whether writes of the host are numbered, and the number of the one that is submitted next.
    is_numbered: bool,
    number: u64,
}

impl LargeUnitFtl {
    /// What does not go with units of several pages.
    ///
    /// # Errors
    /// Dynamic allocation, pools of several planes.
    pub(crate) fn check(input: &MappingInput<'_>) -> Result<(), FtlError> {
        let larger = "where ftl.mapping_unit is larger than the page";
        if input.allocation.mode != AllocationMode::Static {
            let accepted = format!("\"static\" {larger}: a unit stays in one plane");
            return Err(FtlError::new("allocation.mode", "\"dynamic\"", accepted));
        }
        if input.config.gc.pool != Pool::Plane {
            let accepted = format!("\"plane\" {larger}: a unit stays in one plane");
            return Err(FtlError::new("ftl.gc.pool", "of several planes", accepted));
        }
        Ok(())
    }

    /// An empty drive with units of `per_unit` pages.
    ///
    /// # Errors
    /// As for `PageFtl`, and [`Self::check`]; copy-back.
    pub(crate) fn new(
        per_unit: u32,
        input: &MappingInput<'_>,
        rules: &FlashRules<'_>,
    ) -> Result<Self, FtlError> {
        if rules.commands.copyback != Use::Off {
            let unit = input.config.mapping_unit.unwrap_or_default();
            let accepted = "the page (geometry.page_size) with commands.copyback: the pages of a unit are moved together";
            return Err(FtlError::new(MAPPING_UNIT, unit, accepted));
        }
        Self::check(input)?;
        let grouped = input.geometry.grouped(per_unit);
        let own = MappingInput {
            geometry: &grouped,
            ..*input
        };
        Ok(Self {
            flash: *input.geometry,
            per_unit,
            units: PageFtl::from_input(&own, rules)?,
            partial: FxHashMap::default(),
            registers: Registers::default(),
            writes: FxHashMap::default(),
            programs: Programs::default(),
            given_up: FxHashMap::default(),
            steps: Plan::new(),
            is_numbered: input.config.recovery.kind != RecoveryKind::None,
            number: 0,
        })
    }

    /// Whether nothing is under way; writes may wait in unit registers.
    pub(crate) fn is_quiescent(&self) -> bool {
        self.units.is_quiescent() && self.programs.is_empty()
    }

    /// The unit of a logical page, and which page of it that is.
    #[inline]
    fn split(&self, lpn: u64) -> (u64, usize) {
        let per_unit = u64::from(self.per_unit);
        (lpn / per_unit, (lpn % per_unit) as usize)
    }

    /// The first logical page of a unit, or the first page of flash of the place of one.
    #[inline]
    fn first_of(&self, unit: u64) -> u64 {
        unit * u64::from(self.per_unit)
    }

    /// Sub-pages of a logical page that hold data on flash.
    #[inline]
    fn valid_on_flash(&self, lpn: u64) -> u64 {
        let (unit, at) = self.split(lpn);
        match self.units.map.get(unit) {
            Some((_, pages)) if pages >> at & 1 == 1 => {
                let full = self.flash.full_bitmap();
                self.partial.get(&lpn).copied().unwrap_or(full)
            }
            _ => 0,
        }
    }

    fn has_modes(&self) -> bool {
        self.units.has_modes()
    }

    const fn has_placement(&self) -> bool {
        self.units.has_placement()
    }

    /// Sub-pages of a logical page that the controller has: in a register, or on their way to flash.
    #[inline]
    fn in_controller(&self, lpn: u64) -> u64 {
        let (unit, at) = self.split(lpn);
        let on_the_way = self.writes.get(&unit).map_or(0, |writes| writes.brought[at]);
        on_the_way | self.registers.of(unit).map_or(0, |register| register.new[at])
    }

    /// The logical pages that a request for one page, or for a run of them, concerns.
    fn checked_range(&self, request: &PageRequest) -> Option<std::ops::Range<u64>> {
        let (first, user) = (request.lpn.0, self.user_pages());
        (first < user && request.pages <= user - first).then(|| first..first + request.pages.max(1))
    }
}

impl Ftl for LargeUnitFtl {
    hand_out!(
        Ageing,
        Collection,
        Modes if has_modes,
        Placement if has_placement,
        Recovery;
        units: ProgramTimes, SlcCache, Table,
    );

    fn geometry(&self) -> &Geometry {
        &self.flash
    }

    fn facts(&self) -> Facts {
        Facts {
            pages_per_unit: self.per_unit,
            gathers_writes: true,
            numbers_writes: true,
            programs_on_flush: true,
            ..Facts::of_pages(&self.flash)
        }
    }

    fn user_pages(&self) -> u64 {
        self.first_of(self.units.user_pages())
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, ahead: Ahead) {
        self.units.prefetch(Lpn(self.split(lpn.0).0), ahead);
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let Some(pages) = self.checked_range(request) else {
            return Answer::Refused(Refusal::OutOfRange);
        };
        match request.op {
            PageOp::Write => self.write(now, request, plan),
            PageOp::Read => self.read(now, request, plan),
            PageOp::Trim => self.trim(now, request, pages),
            PageOp::Zone(_) => Answer::Refused(Refusal::InvalidField),
        }
    }

    fn flush(&mut self, now: SimTime, plan: &mut Plan) -> Flushing {
        self.close_registers(now, plan)
    }

    fn is_flushed(&self, mark: FlushMark) -> bool {
        self.registers.is_closed(mark) && self.programs.is_written(mark)
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        self.bind_page(now, step, plane)
    }

    fn done(&mut self, now: SimTime, step: &Step, _: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.complete_step(now, step, outcome, plan);
    }

    #[inline]
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        self.units.notices(notices);
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let mut steps = std::mem::take(&mut self.steps);
        let state = self.units.advance(now, job, &mut steps);
        self.expand(&steps, 0, None, plan);
        steps.clear();
        self.steps = steps;
        state
    }
}

impl Inspect for LargeUnitFtl {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        let (unit, at) = self.split(lpn.0);
        let place = self.units.lookup(Lpn(unit))?;
        Some(Ppn(self.first_of(place.0) + at as u64))
    }

    fn mapped_pages(&self) -> u64 {
        self.first_of(self.units.mapped_pages())
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        let (place, at) = self.split(page.0);
        let unit = self.units.owner(Ppn(place))?;
        Some(Lpn(self.first_of(unit.0) + at as u64))
    }

    /// Those in the controller too, which were acknowledged.
    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        if lpn.0 < self.user_pages() {
            self.valid_on_flash(lpn.0) | self.in_controller(lpn.0)
        } else {
            0
        }
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        let facts = self.units.block(block);
        let given_up = self.given_up.get(&block.0).copied().unwrap_or(0);
        BlockFacts {
            valid: facts.valid * self.per_unit,
            invalid: facts.invalid * self.per_unit - given_up,
            free: facts.free * self.per_unit,
            skipped: given_up,
            ..facts
        }
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.units.home(Lpn(self.split(lpn.0).0))
    }

    /// What the FTL of the units counts in units is pages here, but for host writes.
    fn counters(&self) -> FtlCounters {
        let counted = self.units.counters();
        let pages = |units: u64| self.first_of(units);
        FtlCounters {
            slc: SlcCounters {
                cached_pages: pages(counted.slc.cached_pages),
                direct_pages: pages(counted.slc.direct_pages),
                folded_pages: pages(counted.slc.folded_pages),
                ..counted.slc
            },
            gc_victim_valid_pages: pages(counted.gc_victim_valid_pages),
            gc_moves: pages(counted.gc_moves),
            superseded_moves: pages(counted.superseded_moves),
            wear_moves: pages(counted.wear_moves),
            ..counted
        }
    }

    fn reset_counters(&mut self) {
        self.units.reset_counters();
    }
}

impl PageModes for LargeUnitFtl {
    fn mode_names(&self) -> &[String] {
        self.units.mode_names()
    }

    fn page_mode(&self, page: Ppn) -> Mode {
        self.units.page_mode(Ppn(self.split(page.0).0))
    }

    fn block_mode(&self, block: BlockId) -> Option<Mode> {
        self.units.block_mode(block)
    }
}

/// What the FTL of the units counts in units is pages here.
impl PlacedWrites for LargeUnitFtl {
    fn handles(&self) -> Vec<(u16, HandleCounters)> {
        let mut handles = self.units.handles();
        for (_, counted) in &mut handles {
            counted.host_pages = self.first_of(counted.host_pages);
            counted.moved_pages = self.first_of(counted.moved_pages);
        }
        handles
    }

    fn reclaim_groups(&self) -> Vec<GroupCounters> {
        Vec::new()
    }

    fn release_handle(&mut self, now: SimTime, handle: u16) {
        self.units.release_handle(now, handle);
    }

    fn restart_counts(&mut self) {
        PlacedWrites::restart_counts(&mut self.units);
    }
}

/// Blocks are those of the units, whose pages are counted one by one.
impl CollectedSpace for LargeUnitFtl {
    fn pools(&self) -> u32 {
        self.units.pools()
    }

    fn collected_geometry(&self) -> &Geometry {
        &self.flash
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        Some(block)
    }

    fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        self.units.clean_space(plane)
    }

    fn stuck_pools(&self) -> u32 {
        self.units.stuck_pools()
    }

    fn least_blocks(&self) -> u32 {
        self.units.least_blocks()
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        self.first_of(self.units.usable_pages(pool))
    }
}
