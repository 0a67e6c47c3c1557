//! Page-level mapping with superblocks over several planes (FTL specification, 2.8; Tai, Flash Memory Summit 2016).
//!
//! A superblock is one block of each plane of a group, all of one index. It is filled superpage by superpage, collected and erased as one. The map, the
//! blocks, the policies of collection and ageing are those of a page-level mapping on an array whose blocks are superblocks
//! ([`Geometry::striped`]); which page of flash is which page of a superblock says the `layout`.
//!
//! A program gets its page as soon as its data are in the controller (`Ftl::place`), in the order in which programs come, whatever the planes are
//! doing. So the planes of a die have the pages of one superpage to program, one after the other or with one command, and are in step by
//! construction: also where the drive has aged. Host writes of each temperature and handle, and relocated pages, have open superblocks of their own.

mod completion;
mod keys;
mod layout;
mod persist;
pub(crate) mod row;
mod steps;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use super::page::PageFtl;
use super::recovery::{programmed, reads_per_die};
use crate::allocation::AllocationConfig;
use crate::block::{BlockFacts, Census, CleanSpace};
use crate::config::{FlashRules, FtlConfig, GcFrontier, MappingInput, Pool};
use crate::contract::{Ftl, Inspect};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::notice::{JobId, JobNotice, JobState};
use crate::plan::{Bind, Lpn, Outcome, Plan, Scope, Step};
use crate::request::{Answer, PageRequest};
use crate::space::{Capacity, HandleCounters};
use crate::table_cost::{TableCost, address_bytes};
use completion::Erasing;
use keys::{Span, span};
use layout::Layout;

/// A page-level FTL with superblocks.
pub(crate) struct StripedFtl {
    layout: Layout,
    /// The page-level FTL of the superblocks.
    pages: PageFtl,
    /// By frontier: the group whose turn it is, where a program may go to several.
    turns: Vec<u32>,
    /// By pool: when its job was asked for its last plan.
    asked: Vec<SimTime>,
    /// Superblocks that are being erased.
    erasing: FxHashMap<BlockId, Erasing>,
    /// Kept for its space.
    steps: Plan,
}

/// What the page-level FTL of the superblocks is built from.
struct Parts {
    superblocks: Geometry,
    span: Span,
    config: FtlConfig,
    allocation: AllocationConfig,
}

impl Parts {
    /// # Errors
    /// Superblocks that are too large.
    fn of(input: &MappingInput<'_>) -> Result<Self, FtlError> {
        let span = span(input.config, input.geometry)?;
        let members = span.members(input.geometry);
        let mut config = input.config.clone();
        // a group of planes is a plane of the array of superblocks, and each is collected for itself
        (config.gc.pool, config.gc.frontier) = (Pool::Plane, GcFrontier::Separate);
        let allocation = AllocationConfig {
            active_block: input.allocation.active_block,
            ..AllocationConfig::default()
        };
        let superblocks = input
            .geometry
            .striped(members, members * input.geometry.pages_per_block);
        Ok(Self {
            superblocks,
            span,
            config,
            allocation,
        })
    }

    fn input<'a>(&'a self, input: &MappingInput<'a>) -> MappingInput<'a> {
        MappingInput {
            geometry: &self.superblocks,
            config: &self.config,
            allocation: &self.allocation,
            ..*input
        }
    }

    /// # Errors
    /// As for [`Capacity::new`].
    fn capacity(&self) -> Result<Capacity, FtlError> {
        Capacity::new(&self.superblocks, &self.config, &self.allocation)
    }
}

impl StripedFtl {
    /// An empty drive.
    ///
    /// # Errors
    /// As for `PageFtl`; superblocks that are too large.
    fn new(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Self, FtlError> {
        let parts = Parts::of(input)?;
        let layout = Layout::new(input.geometry, &parts.span);
        let capacity = parts.capacity()?.with_width(layout.width());
        let user_pages = capacity.user_pages;
        let pages = PageFtl::with_capacity(&parts.input(input), rules, capacity, user_pages)?;
        Ok(Self {
            turns: vec![0; usize::from(pages.space.frontiers.count())],
            asked: vec![SimTime::ZERO; pages.pools() as usize],
            layout,
            pages,
            erasing: FxHashMap::default(),
            steps: Plan::new(),
        })
    }

    /// The state of a block, which is a member of a superblock.
    fn facts(&self, block: BlockId) -> BlockFacts {
        let (superblock, member) = self.layout.superblock_of(block);
        let facts = self.pages.block(superblock);
        let of_superblock = self.layout.superblocks().pages_per_block;
        let passed = self.layout.written(member, of_superblock - facts.free);
        let valid = if facts.valid == 0 {
            0
        } else {
            let pages = self.layout.pages_of_member(superblock, member);
            let pages = pages.take(passed as usize);
            pages.filter(|page| self.pages.owner(*page).is_some()).count() as u32
        };
        BlockFacts {
            valid,
            invalid: passed - valid,
            free: self.layout.flash().pages_per_block - passed,
            ..facts
        }
    }
}

impl Ftl for StripedFtl {
    fn geometry(&self) -> &Geometry {
        self.layout.flash()
    }

    fn user_pages(&self) -> u64 {
        self.pages.user_pages()
    }

    #[inline]
    fn prefetch(&self, lpn: Lpn) {
        self.pages.prefetch(lpn);
    }

    #[inline]
    fn prefetch_next(&self, lpn: Lpn) {
        self.pages.prefetch_next(lpn);
    }

    fn release_handle(&mut self, now: SimTime, handle: u16) {
        self.pages.release_handle(now, handle);
    }

    fn restart_handle_counts(&mut self) {
        self.pages.restart_handle_counts();
    }

    fn submit(&mut self, now: SimTime, request: &PageRequest, plan: &mut Plan) -> Answer {
        let answer = self.pages.submit(now, request, plan);
        self.to_flash(plan);
        answer
    }

    /// No program of this mapping is bound when it starts: all are placed before.
    fn bind(&mut self, _: SimTime, _: &Step, _: PlaneId) -> Bind {
        Bind::Declined
    }

    fn place(&mut self, now: SimTime, step: &Step, _: &mut Plan) -> Bind {
        self.place_step(now, step)
    }

    fn joins_placed_programs(&self) -> bool {
        true
    }

    fn done(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        self.complete_step(now, step, page, outcome, plan);
    }

    #[inline]
    fn notices(&mut self, notices: &mut Vec<JobNotice>) {
        let first = notices.len();
        self.pages.notices(notices);
        for notice in &mut notices[first..] {
            // the planes of a group are no scope
            notice.scope = Scope::Drive;
        }
    }

    fn advance(&mut self, now: SimTime, job: JobId, plan: &mut Plan) -> JobState {
        let mut steps = std::mem::take(&mut self.steps);
        if let Some(asked) = self.asked.get_mut(job.pool() as usize) {
            *asked = now;
        }
        let state = self.pages.advance(now, job, &mut steps);
        self.to_flash(&mut steps);
        self.expand_erases(&mut steps, plan);
        self.steps = steps;
        state
    }
}

impl Inspect for StripedFtl {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        Some(self.layout.page_of_flash(self.pages.lookup(lpn)?))
    }

    fn mapped_pages(&self) -> u64 {
        self.pages.mapped_pages()
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        let inside = page.0 < self.geometry().pages();
        inside.then(|| self.pages.owner(self.layout.page_of_superblock(page)))?
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.pages.valid_sectors(lpn)
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        self.facts(block)
    }

    fn pools(&self) -> u32 {
        self.pages.pools()
    }

    fn collected_geometry(&self) -> &Geometry {
        self.layout.superblocks()
    }

    fn collected_block(&self, block: BlockId) -> BlockId {
        self.layout.superblock_of(block).0
    }

    fn stuck_pools(&self) -> u32 {
        self.pages.stuck_pools()
    }

    fn least_blocks(&self) -> u32 {
        self.pages.least_blocks()
    }

    fn clean_space(&self, plane: PlaneId) -> Option<CleanSpace> {
        let block = self.layout.flash().block(plane, 0);
        let (superblock, _) = self.layout.superblock_of(block);
        self.pages
            .clean_space(self.layout.superblocks().plane_of(superblock))
    }

    /// Erases are counted by blocks, victims by superblocks.
    fn counters(&self) -> FtlCounters {
        let counted = self.pages.counters();
        FtlCounters {
            erases: counted.erases * u64::from(self.layout.width()),
            retired_blocks: counted.retired_blocks * u64::from(self.layout.width()),
            ..counted
        }
    }

    fn handles(&self) -> Vec<(u16, HandleCounters)> {
        self.pages.handles()
    }

    /// The controller has an entry for each logical page; the newest version of a page is found among all programmed ones.
    fn table_cost(&self) -> Option<TableCost> {
        Some(TableCost {
            memory_bytes: self.user_pages() * address_bytes(self.geometry().pages()),
            host_memory_bytes: 0,
            flash_bytes: 0,
            recovery_reads: reads_per_die(self, |_, facts| programmed(facts)),
        })
    }

    fn census(&self) -> Census {
        self.pages.census()
    }
}
