//! What can be seen of planes in step from outside: blocks and pages as the drive numbers them.

use wordline_nand::{BlockId, Geometry, Mode, PlaneId, Ppn};

use super::InStepFtl;
use super::layout::Layout;
use crate::block::{BlockFacts, BlockRole, BlockUse, Census, CleanSpace};
use crate::contract::{CollectedSpace, Ftl, Inspect, PageModes};
use crate::counters::FtlCounters;
use crate::plan::{Lpn, Scope, Step};

impl InStepFtl {
    /// What is known of a block without a look at its pages, which are mapping units.
    fn use_of(&self, block: BlockId) -> BlockUse {
        let all = self.units.pages_per_block;
        let Some((merged, plane)) = self.layout.home(block) else {
            return BlockUse {
                role: BlockRole::Bad,
                free: 0,
                erase_count: 0,
            };
        };
        let BlockUse {
            role,
            free,
            erase_count,
        } = self.merged.block_use(merged);
        let is_erased = |erasing: &super::Erasing| erasing.left >> plane & 1 == 0;
        if self.erasing.get(&merged).is_some_and(is_erased) {
            return BlockUse {
                role,
                free: all,
                erase_count: erase_count + 1,
            };
        }
        let written = self.merged.unit_geometry().pages_per_block - free;
        let pages = self.layout.pages_in_plane(plane, written / self.merged.per_page);
        BlockUse {
            role,
            free: all - pages * self.merged.per_page,
            erase_count,
        }
    }

    /// Units of the first so many of a block that hold current data, and that were given up.
    fn count_units(&self, block: BlockId, units: u32) -> (u32, u32) {
        let Some((merged, plane)) = self.layout.home(block) else {
            return (0, 0);
        };
        let (map, per_page) = (&self.merged.units.map, self.per_page());
        let first = self.layout.merged().page(merged, 0).0 * per_page;
        let row = u64::from(self.layout.planes()) * per_page;
        let starts =
            (0..u64::from(units) / per_page).map(|number| u64::from(plane) * per_page + number * row);
        map.count_in_block((merged.0, first), starts.map(|start| start..start + per_page))
    }
}

impl Inspect for InStepFtl {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        let unit = self.merged.lookup(lpn)?;
        Some(self.layout.unit_of_flash(unit, self.per_page()))
    }

    fn mapped_pages(&self) -> u64 {
        self.merged.mapped_pages()
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        if page.0 >= self.units.pages() {
            return None;
        }
        self.merged
            .owner(self.layout.unit_of_merged(page, self.per_page())?)
    }

    fn units_of(&self, step: &Step, units: &mut Vec<Lpn>) {
        self.merged.units_of(step, units);
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.merged.valid_sectors(lpn)
    }

    fn block(&self, block: BlockId) -> BlockFacts {
        let BlockUse {
            role,
            free,
            erase_count,
        } = self.use_of(block);
        let passed = self.units.pages_per_block - free;
        if self.layout.home(block).is_none() {
            return BlockFacts {
                role,
                valid: 0,
                invalid: 0,
                free,
                skipped: passed,
                erase_count,
            };
        }
        let (valid, skipped) = self.count_units(block, passed);
        BlockFacts {
            role,
            valid,
            invalid: passed - valid - skipped,
            free,
            skipped,
            erase_count,
        }
    }

    fn block_use(&self, block: BlockId) -> BlockUse {
        self.use_of(block)
    }

    fn home(&self, lpn: Lpn) -> Scope {
        Layout::scope_of_flash(self.merged.home(lpn))
    }

    /// Erases are counted by blocks of planes, victims by multi-plane blocks.
    fn counters(&self) -> FtlCounters {
        let counted = self.merged.counters();
        FtlCounters {
            erases: counted.erases * u64::from(self.layout.planes()),
            retired_blocks: counted.retired_blocks * u64::from(self.layout.planes()),
            ..counted
        }
    }

    fn reset_counters(&mut self) {
        self.merged.reset_counters();
    }

    fn census(&self) -> Census {
        if self.erasing.is_empty() {
            return self.merged.census();
        }
        // some of the blocks that are erased together may be erased before others
        let facts = |block: BlockId| self.block(block);
        Census::of_blocks(self.layout.flash(), facts, self.mapped_pages(), 0)
    }
}

impl PageModes for InStepFtl {
    fn mode_names(&self) -> &[String] {
        self.merged.mode_names()
    }

    fn page_mode(&self, page: Ppn) -> Mode {
        let merged = self.layout.page_of_merged(page);
        merged.map_or(Mode::NORMAL, |page| self.merged.page_mode(page))
    }

    fn block_mode(&self, block: BlockId) -> Option<Mode> {
        match self.layout.home(block) {
            Some((merged, _)) => self.merged.block_mode(merged),
            None => Some(Mode::NORMAL),
        }
    }
}

/// Multi-plane blocks are collected.
impl CollectedSpace for InStepFtl {
    fn pools(&self) -> u32 {
        self.merged.units.pools()
    }

    fn collected_geometry(&self) -> &Geometry {
        self.merged.unit_geometry()
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        self.layout.home(block).map(|(merged, _)| merged)
    }

    fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        self.merged.units.clean_space(self.layout.plane_of_merged(plane))
    }

    fn stuck_pools(&self) -> u32 {
        self.merged.units.stuck_pools()
    }

    fn least_blocks(&self) -> u32 {
        self.merged.units.least_blocks()
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        self.merged.units.usable_pages(pool)
    }
}
