//! Subjects of a mapping with records: what names pages, blocks or steps is translated between the drive and the mapping's part of it.

use wordline_nand::{BlockId, Geometry, Mode, PlaneId, Ppn};

use super::step::is_own;
use super::{Recorded, Records};
use crate::block::CleanSpace;
use crate::contract::{Codecs, CollectedSpace, DeltaPages, PageModes, ReadRepair, Subjects};
use crate::plan::{Lpn, Step};

/// A pool of a mapping that does not collect.
const NO_SPACE: CleanSpace = CleanSpace {
    free: 0,
    trigger: 0,
    blocks: 0,
};

impl CollectedSpace for Recorded {
    fn pools(&self) -> u32 {
        self.inner.collected_space().map_or(0, |inner| inner.pools())
    }

    fn collected_geometry(&self) -> &Geometry {
        let inner = self.inner.collected_space();
        inner.map_or(&self.geometry, |inner| inner.collected_geometry())
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        let own = self.places.region.block_of_region(block)?;
        self.inner.collected_space()?.collected_block(own)
    }

    fn clean_space(&self, plane: PlaneId) -> CleanSpace {
        let inner = self.inner.collected_space();
        inner.map_or(NO_SPACE, |inner| inner.clean_space(plane))
    }

    fn stuck_pools(&self) -> u32 {
        self.inner
            .collected_space()
            .map_or(0, |inner| inner.stuck_pools())
    }

    fn least_blocks(&self) -> u32 {
        self.inner
            .collected_space()
            .map_or(0, |inner| inner.least_blocks())
    }

    /// None where journal and checkpoints have no spare blocks left.
    fn usable_pages(&self, pool: u32) -> u64 {
        if matches!(&self.records, Records::Journal(journal) if journal.is_worn_out()) {
            return 0;
        }
        self.inner
            .collected_space()
            .map_or(0, |inner| inner.usable_pages(pool))
    }
}

/// Pages of the FTL's own are in the normal mode.
impl PageModes for Recorded {
    fn mode_names(&self) -> &[String] {
        self.inner.page_modes().map_or(&[], |inner| inner.mode_names())
    }

    fn page_mode(&self, page: Ppn) -> Mode {
        let own = self.places.region.page_of_region(page);
        own.map_or(Mode::NORMAL, |own| self.inner.mode_of(own))
    }

    fn block_mode(&self, _block: BlockId) -> Option<Mode> {
        None
    }
}

impl ReadRepair for Recorded {
    fn recovers(&self, step: &Step) -> bool {
        let own = self.places.region.step_of_region(*step);
        let inner = self.inner.read_repair();
        !is_own(step) && inner.is_some_and(|inner| inner.recovers(&own))
    }

    fn repairs_flash(&self) -> bool {
        self.inner
            .read_repair()
            .is_some_and(|inner| inner.repairs_flash())
    }

    fn page_wanted(&self, step: &Step) -> Option<Ppn> {
        if is_own(step) {
            return step.work.planned_page();
        }
        let own = self.places.region.step_of_region(*step);
        let wanted = self.inner.read_repair()?.page_wanted(&own)?;
        Some(self.places.region.page_of_drive(wanted))
    }
}

impl DeltaPages for Recorded {
    fn delta_page(&self, lpn: Lpn) -> Option<Ppn> {
        let page = self.inner.delta_pages()?.delta_page(lpn)?;
        Some(self.places.region.page_of_drive(page))
    }

    fn check_data(&self) -> Result<(), String> {
        self.inner
            .delta_pages()
            .map_or(Ok(()), |inner| inner.check_data())
    }

    fn codecs(&self) -> Codecs {
        let inner = self.inner.delta_pages();
        inner.map_or_else(Codecs::default, |inner| inner.codecs())
    }
}
