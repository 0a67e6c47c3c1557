//! What can be seen of a mapping that keeps the place of every logical page in a dense map.

use wordline_nand::{BlockId, Mode, PlaneId, Ppn};

use crate::block::{BlockFacts, BlockUse, CleanSpace};
use crate::contract::{Ftl, Inspect};
use crate::counters::FtlCounters;
use crate::map::{DenseMap, OwnersByRule, Relocate};
use crate::plan::{Lpn, Scope, Step, Target, Work};
use crate::space::FlashSpace;
use crate::table_cost::TableCost;

/// A mapping with a dense map of pages on a flash space.
pub(crate) trait Paged: Ftl {
    /// Blocks, frontiers and pools.
    fn flash_space(&self) -> &FlashSpace;

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

    fn owners_by_rule(&self) -> Option<OwnersByRule> {
        self.page_map().owners_by_rule()
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

    fn mode_of(&self, page: Ppn) -> Mode {
        self.flash_space().mode_of(page)
    }

    /// Modes are a matter of blocks here; those of single pages are kept around the mapping.
    fn mode_of_block(&self, block: BlockId) -> Option<Mode> {
        let space = self.flash_space();
        Some(space.mode_of(space.geometry.page(block, 0)))
    }

    fn class_of(&self, step: &Step) -> u8 {
        match step.work {
            Work::Program {
                target: Target::Frontier { frontier, .. },
                ..
            } => self.flash_space().frontiers.class_of(frontier),
            _ => 0,
        }
    }

    fn free_pages_of_class(&self, plane: PlaneId, class: u8) -> u32 {
        self.flash_space().free_pages_of_class(plane.0, class)
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.planes_of(lpn)
    }

    fn pools(&self) -> u32 {
        self.flash_space().pools.len() as u32
    }

    fn stuck_pools(&self) -> u32 {
        self.flash_space().stuck_pools
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        self.flash_space().usable_pages(pool)
    }

    fn least_blocks(&self) -> u32 {
        let space = self.flash_space();
        space.capacity.least_blocks(&space.geometry, space.gc.frontier)
    }

    fn clean_space(&self, plane: PlaneId) -> Option<CleanSpace> {
        Some(self.flash_space().clean_space(plane))
    }

    fn counters(&self) -> FtlCounters {
        self.flash_space().counters
    }

    fn table_cost(&self) -> Option<TableCost> {
        Some(self.cost_of_table())
    }
}
