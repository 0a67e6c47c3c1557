//! What can be seen of a mapping that keeps the place of every logical page in a dense map.

use wordline_nand::{BlockId, Geometry, PlaneId, Ppn};
use wordline_units::SimTime;

use crate::block::{BlockFacts, BlockUse, CleanSpace};
use crate::contract::{CollectedSpace, Ftl, Inspect, LookupTable, ProgramTimes, Subjects};
use crate::counters::FtlCounters;
use crate::map::{DenseMap, Relocate};
use crate::plan::{Lpn, Scope};
use crate::space::FlashSpace;
use crate::table_cost::TableCost;

/// A mapping with a dense map of pages on a flash space.
pub(crate) trait Paged: Ftl {
    /// Blocks, frontiers and pools.
    fn flash_space(&self) -> &FlashSpace;

    /// The same, to be changed.
    fn flash_space_mut(&mut self) -> &mut FlashSpace;

    /// Where the logical pages are.
    fn page_map(&self) -> &DenseMap;

    /// The planes where allocation may put a logical page.
    fn planes_of(&self, lpn: Lpn) -> Scope;

    /// What a controller takes to know where they are.
    fn cost_of_table(&self) -> TableCost;
}

impl<T: Paged> Inspect for T {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        let inside = lpn.0 < self.user_pages();
        inside.then(|| self.page_map().lookup(lpn.0).map(Ppn)).flatten()
    }

    fn mapped_pages(&self) -> u64 {
        self.page_map().mapped_pages(self.user_pages())
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        let inside = page.0 < self.flash_space().geometry.pages();
        inside.then(|| self.page_map().owner(page.0).map(Lpn)).flatten()
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        if lpn.0 < self.user_pages() {
            self.page_map().bitmap(lpn.0)
        } else {
            0
        }
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        let space = self.flash_space();
        let skipped = self.page_map().skipped_among(space.passed(block.0));
        space.block_facts(block, skipped)
    }

    fn block_use(&self, block: BlockId) -> BlockUse {
        // how many of its pages were skipped does not matter
        BlockUse::from(self.flash_space().block_facts(block, 0))
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.planes_of(lpn)
    }

    fn counters(&self) -> FtlCounters {
        self.flash_space().counters
    }

    fn reset_counters(&mut self) {
        self.flash_space_mut().counters = FtlCounters::default();
        self.restart_subject_counts();
    }
}

impl<T: Paged> CollectedSpace for T {
    fn pools(&self) -> u32 {
        self.flash_space().pools.len() as u32
    }

    fn collected_geometry(&self) -> &Geometry {
        &self.flash_space().geometry
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        Some(block)
    }

    fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        self.flash_space().clean_space(plane)
    }

    fn stuck_pools(&self) -> u32 {
        self.flash_space().stuck_pools
    }

    fn least_blocks(&self) -> u32 {
        let space = self.flash_space();
        space.capacity.least_blocks(&space.geometry, space.gc.frontier)
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        self.flash_space().usable_pages(pool)
    }
}

impl<T: Paged> LookupTable for T {
    fn table_cost(&self) -> TableCost {
        self.cost_of_table()
    }
}

impl<T: Paged> ProgramTimes for T {
    fn record_program_times(&mut self) {
        self.flash_space_mut().record_program_times();
    }

    fn take_program_times(&mut self) -> Vec<SimTime> {
        self.flash_space_mut().take_program_times()
    }
}
