//! DFTL: a page-level mapping whose map is on flash, in translation pages; the controller's memory holds the entries that
//! were used last (Gupta et al., ASPLOS 2009; FTL specification, 2.9).
//!
//! Data and map are two page-level FTLs on two regions of the drive: the first blocks of each plane hold data, the last ones
//! translation pages. Data may be mapped in units smaller than a page of flash; translation pages are whole ones, each known
//! as as many logical pages as a page of flash has units. The FTL of the data answers every request as it would alone; what has to be read and written of the
//! map before (`lookup`), and after pages were moved (`update`), is added to its plans. So a cache that holds the whole
//! map makes this the page-level mapping.
//!
//! Where a page is current is known to the simulator at once, in the map of the FTL of the data. The entry that a translation page
//! or the cache would hold is always that one; what is kept here is which entries the controller has, and which of them
//! flash has not. A plan names the pages of data from the start, although a controller knows them when it has read the entry:
//! the steps on them wait for that.

mod cache;
mod cost;
mod data;
mod fill;
mod host_memory;
mod keys;
mod loads;
mod lookup;
mod outdated;
mod rebuilding;
pub(crate) mod row;
mod table;
#[cfg(test)]
mod tests;
mod update;

use wordline_nand::{BlockId, Geometry, Mode, PlaneId, Ppn};
use wordline_units::{Divider, SimTime};

use crate::allocation::{KeptDies, RoundRobin};
use crate::block::{BlockFacts, CleanSpace};
use crate::config::{FlashRules, MappingInput};
use crate::contract::{
    Ahead, Batches, CollectedSpace, Facts, FlushMark, Flushing, Ftl, Inspect, LookupTable, PageModes,
};
use crate::counters::{FtlCounters, TableCounters};
use crate::error::FtlError;
use crate::hand_out;
use crate::mapping::page::PageFtl;
use crate::notice::{JobId, JobKind, JobNotice, JobState};
use crate::plan::{Bind, Bound, Lpn, Outcome, Plan, Scope, Step, Work};
use crate::request::{Answer, PageOp, PageRequest, TimedRequest};
use crate::space::Region;
use crate::table_cost::TableCost;
use cache::MapCache;
use data::DataFtl;
use keys::{CacheUnit, DftlKeys, Division};
use loads::Loads;
use outdated::Outdated;
use table::{Table, all_bound_in, bound_in};

/// A page-level FTL with its map on flash.
pub(crate) struct Dftl<D> {
    geometry: Geometry,
    /// The array as the map of the data sees it.
    units: Geometry,
    data: D,
    region: Region,
    /// The region of the data as their map sees it.
    unit_region: Region,
    table: Table,
    /// The entries in the controller's memory, or in memory of the host; none where the controller has them all.
    cache: Option<MapCache>,
    keys: DftlKeys,
    /// Whether TRIM has an effect.
    trims: bool,
    entries_per_page: Divider,
    /// Reads of translation pages under way that bring entries.
    loads: Loads,
    /// Per pool of the data: translation pages that lack the new places of moved pages.
    outdated: Vec<Outdated>,
    counters: TableCounters,
    /// Kept for its space.
    steps: Plan,
    /// Kept for its space.
    brought: Vec<u64>,
    /// Translation pages whose entries are changed by what was done last, and not in the cache.
    late: Vec<u32>,
}

impl<D: DataFtl> Dftl<D> {
    /// An empty drive.
    ///
    /// # Errors
    /// As for [`Division::new`].
    fn new(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        let division = Division::new(input)?;
        let entries_per_page = division.entries_per_page();
        let Division {
            keys,
            units,
            data: region,
            units_of_data: unit_region,
            table,
            table_config,
            user_pages,
            translation_pages,
        } = division;
        let own = |geometry, config| MappingInput {
            geometry,
            config,
            ..*input
        };
        let data = D::of_data(&own(&region.geometry, input.config), rules)?;
        // the map is in blocks of the normal mode
        let of_table = FlashRules { slc: None, ..*rules };
        let table_ftl = PageFtl::from_input(&own(&table.geometry, &table_config), &of_table)?;
        let pools = data.pages().pools();
        let first_job = JobId::of(JobKind::Collect, pools).0;
        let (cached, all) = match keys.cache_unit {
            CacheUnit::Entry => (u64::from(keys.cached_entries), user_pages),
            CacheUnit::Page => (
                u64::from(keys.cached_entries / entries_per_page),
                translation_pages,
            ),
        };
        Ok(Self {
            geometry: *input.geometry,
            table: Table::new(table_ftl, table, units.pages_per_program, user_pages, first_job),
            units,
            cache: (cached < all || keys.is_in_host_memory())
                .then(|| MapCache::new(cached.min(all) as u32, keys.protected_share, translation_pages)),
            keys,
            trims: input.config.trim.enabled,
            entries_per_page: Divider::new(entries_per_page),
            loads: Loads::default(),
            outdated: vec![Outdated::default(); pools as usize],
            counters: TableCounters::default(),
            steps: Plan::new(),
            brought: Vec::new(),
            late: Vec::new(),
            data,
            region,
            unit_region,
        })
    }

    /// The translation page with the entry of a logical page.
    #[inline]
    fn translation_page(&self, lpn: u64) -> u32 {
        self.entries_per_page.divide(lpn) as u32
    }

    /// What the cache holds for a logical page.
    #[inline]
    fn key(&self, lpn: u64) -> u64 {
        match self.keys.cache_unit {
            CacheUnit::Entry => lpn,
            CacheUnit::Page => u64::from(self.translation_page(lpn)),
        }
    }

    /// Whether nothing is under way.
    fn is_quiescent(&self) -> bool {
        self.data.is_at_rest() && self.table.ftl.is_quiescent() && self.loads.is_empty()
    }

    fn has_modes(&self) -> bool {
        self.data.pages().has_modes()
    }

    fn all_of_drive(&self, plan: &mut Plan) {
        for step in plan {
            *step = self.region.step_of_drive(*step);
        }
    }
}

impl<D: DataFtl> Ftl for Dftl<D> {
    hand_out!(
        Ageing,
        Batches,
        Collection,
        Modes if has_modes,
        ProgramTimes,
        Recovery,
        Table;
        data: Placement, SlcCache,
    );

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn unit_geometry(&self) -> &Geometry {
        &self.units
    }

    fn facts(&self) -> Facts {
        Facts {
            own_pages: self.table.logical_pages(),
            ..Facts::of_pages(&self.units)
        }
    }

    fn user_pages(&self) -> u64 {
        self.data.user_pages()
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn, ahead: Ahead) {
        self.data.prefetch(lpn, ahead);
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        if self.cache.is_none() {
            let answer = self.data.submit(now, request, plan);
            self.all_of_drive(plan);
            return answer;
        }
        match request.op {
            PageOp::Read | PageOp::Write => self.access(now, request, plan),
            PageOp::Trim if self.trims => self.trim(now, request, plan),
            PageOp::Trim | PageOp::Zone(_) => self.data.submit(now, request, plan),
        }
    }

    fn flush(&mut self, now: SimTime, plan: &mut Plan) -> Flushing {
        let flushing = self.data.flush(now, plan);
        self.all_of_drive(plan);
        flushing
    }

    fn is_flushed(&self, mark: FlushMark) -> bool {
        self.data.is_flushed(mark)
    }

    fn bind(&mut self, now: SimTime, step: &Step, plane: PlaneId) -> Bind {
        if self.table.owns(step) {
            self.table.bind(now, step, plane)
        } else {
            let own = self.region.step_of_region(*step);
            bound_in(&self.region, self.data.bind(now, &own, plane))
        }
    }

    /// Programs of data and of the map do not go together: those of the kind of the first step are aligned.
    fn bind_aligned(
        &mut self,
        now: SimTime,
        pairs: &[(Step, PlaneId)],
        bound: &mut Vec<Option<Bound>>,
    ) -> bool {
        let of_table = |(step, _): &(Step, PlaneId)| self.table.owns(step);
        let is_table = pairs.first().is_some_and(of_table);
        let chosen: Vec<bool> = pairs.iter().map(|pair| of_table(pair) == is_table).collect();
        let own: Vec<_> = pairs
            .iter()
            .zip(&chosen)
            .filter(|(_, chosen)| **chosen)
            .map(|((step, plane), _)| {
                let step = if is_table {
                    *step
                } else {
                    self.region.step_of_region(*step)
                };
                (step, *plane)
            })
            .collect();
        let mut found = Vec::new();
        let aligned = if is_table {
            self.table.bind_aligned(now, &own, &mut found)
        } else {
            let aligned = self.data.bind_aligned(now, &own, &mut found);
            all_bound_in(&self.region, &mut found);
            aligned
        };
        if aligned {
            let mut found = found.into_iter();
            let of_pair = |chosen| if chosen { found.next().flatten() } else { None };
            bound.extend(chosen.into_iter().map(of_pair));
        }
        aligned
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        if matches!(step.work, Work::HostMemory { .. }) {
            // the cache has been read or written, and nothing follows
        } else if self.table.owns(step) {
            if !self.end_load(step) {
                self.table.done(now, step, page, outcome, plan);
            }
        } else {
            self.end_data_step(now, step, page, outcome, plan);
        }
    }

    #[inline]
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        self.data.notices(notices);
        self.table.notices(notices);
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        match self.table.advance(now, job, plan) {
            Some(state) => state,
            None => self.advance_data(now, job, plan),
        }
    }
}

impl<D: DataFtl> Batches for Dftl<D> {
    fn write_at_once(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        kept: KeptDies<'_>,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize {
        let known = self.known_ahead(requests);
        let before = written.len();
        let done = self
            .data
            .write_at_once(now, &requests[..known], kept, turns, written);
        self.written_at_once(&requests[..done], &written[before..]);
        for page in &mut written[before..] {
            *page = self.region.page_of_drive(*page);
        }
        done
    }
}

impl<D: DataFtl> Inspect for Dftl<D> {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        if lpn.0 < self.user_pages() {
            let place = self.data.lookup(lpn)?;
            Some(self.unit_region.page_of_drive(place))
        } else {
            self.table.lookup(lpn)
        }
    }

    fn mapped_pages(&self) -> u64 {
        self.data.mapped_pages()
    }

    fn owner(&self, place: Ppn) -> Option<Lpn> {
        match self.unit_region.page_of_region(place) {
            Some(own) => self.data.owner(own),
            None => self.table.owner(place),
        }
    }

    fn units_of(&self, step: &Step, units: &mut Vec<Lpn>) {
        if self.table.owns(step) {
            units.extend(self.table.units_of(step));
        } else {
            self.data.units_of(step, units);
        }
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.data.valid_sectors(lpn)
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        match self.region.block_of_region(block) {
            Some(own) => self.data.block(own),
            None => self.table.block(block),
        }
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.data.home(lpn)
    }

    fn counters(&self) -> FtlCounters {
        let (data, table) = (self.data.counters(), self.table.ftl.counters());
        FtlCounters {
            erases: data.erases + table.erases,
            retired_blocks: data.retired_blocks + table.retired_blocks,
            table: self.counters,
            ..data
        }
    }

    fn reset_counters(&mut self) {
        self.data.reset_counters();
        self.table.ftl.reset_counters();
        self.counters = TableCounters::default();
    }
}

/// Modes are those of blocks of data.
impl<D: DataFtl> PageModes for Dftl<D> {
    fn mode_names(&self) -> &[String] {
        self.data.mode_names()
    }

    fn page_mode(&self, page: Ppn) -> Mode {
        let own = self.region.page_of_region(page);
        own.map_or(Mode::NORMAL, |own| self.data.page_mode(own))
    }

    fn block_mode(&self, _block: BlockId) -> Option<Mode> {
        None
    }
}

/// What is said of pools is said of those of the data.
impl<D: DataFtl> CollectedSpace for Dftl<D> {
    fn pools(&self) -> u32 {
        self.data.pages().pools()
    }

    fn collected_geometry(&self) -> &Geometry {
        &self.units
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        Some(block)
    }

    fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        self.data.pages().clean_space(plane)
    }

    fn stuck_pools(&self) -> u32 {
        self.data.pages().stuck_pools()
    }

    fn least_blocks(&self) -> u32 {
        self.data.pages().least_blocks()
    }

    /// None where the blocks of the map are too few to go on, as no write goes on without its map.
    fn usable_pages(&self, pool: u32) -> u64 {
        if self.table.is_worn_out() {
            0
        } else {
            self.data.pages().usable_pages(pool)
        }
    }
}

impl<D: DataFtl> LookupTable for Dftl<D> {
    fn table_cost(&self) -> TableCost {
        self.cost()
    }
}
