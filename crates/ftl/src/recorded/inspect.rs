//! What is seen of a mapping with records, and how it is saved, aged and built anew.

use wordline_nand::{BlockId, Geometry, Mode, PlaneId, Ppn};
use wordline_units::{Seed, SimTime};

use super::step::is_own;
use super::{Recorded, Records};
use crate::allocation::Order;
use crate::block::{BlockFacts, BlockRole, CleanSpace};
use crate::config::RecoveryKind;
use crate::contract::{AssignByRule, DeltaPages, Inspect, Mapping, Persist, ReadRepair, Subjects};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::exec::functional::FunctionalError;
use crate::plan::{Lpn, Scope, Step};
use crate::recovery::{FoundFlash, Recovery, RecoveryError};
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent};
use crate::table_cost::TableCost;

impl Recorded {
    /// The state of a block of journal, checkpoints or root.
    fn own_block(&self, block: BlockId) -> BlockFacts {
        let (pages, erases) = match &self.records {
            Records::Journal(journal) => journal.blocks.get(&block).copied().unwrap_or_default(),
            _ => (0, 0),
        };
        let per_page = self.places.per_page;
        let (pages, all) = (pages * per_page, self.geometry.pages_per_block * per_page);
        BlockFacts {
            role: match pages {
                0 => BlockRole::Free,
                _ if pages < all => BlockRole::Open,
                _ => BlockRole::Closed,
            },
            valid: 0,
            invalid: pages,
            free: all - pages,
            skipped: 0,
            erase_count: erases,
        }
    }
}

impl Inspect for Recorded {
    fn lookup(&self, lpn: Lpn) -> Option<Ppn> {
        self.inner.lookup(lpn).map(|place| self.places.of_drive(place))
    }

    fn mapped_pages(&self) -> u64 {
        self.inner.mapped_pages()
    }

    fn owner(&self, page: Ppn) -> Option<Lpn> {
        self.inner.owner(self.places.of_region(page)?)
    }

    fn units_of(&self, step: &Step, units: &mut Vec<Lpn>) {
        self.inner
            .units_of(&self.places.region.step_of_region(*step), units);
    }

    fn valid_sectors(&self, lpn: Lpn) -> u64 {
        self.inner.valid_sectors(lpn)
    }

    /// A summary page is one that holds nothing current.
    fn block(&self, block: BlockId) -> BlockFacts {
        let Some(own) = self.places.region.block_of_region(block) else {
            return self.own_block(block);
        };
        let mut facts = self.inner.block(own);
        if let Records::Summaries(summaries) = &self.records {
            let count = if summaries.has(block) {
                &mut facts.invalid
            } else {
                &mut facts.free
            };
            *count += self.places.per_page;
        }
        facts
    }

    fn is_unsettled(&self, block: BlockId) -> bool {
        let own = self.places.region.block_of_region(block);
        own.is_some_and(|own| self.inner.is_unsettled(own))
    }

    fn mode_of(&self, page: Ppn) -> Mode {
        let own = self.places.region.page_of_region(page);
        own.map_or(Mode::NORMAL, |own| self.inner.mode_of(own))
    }

    fn home(&self, lpn: Lpn) -> Scope {
        self.inner.home(lpn)
    }

    fn pools(&self) -> u32 {
        self.inner.pools()
    }

    fn collected_geometry(&self) -> &Geometry {
        self.inner.collected_geometry()
    }

    fn collected_block(&self, block: BlockId) -> Option<BlockId> {
        self.inner
            .collected_block(self.places.region.block_of_region(block)?)
    }

    fn usable_pages(&self, pool: u32) -> u64 {
        self.inner.usable_pages(pool)
    }

    fn clean_space(&self, plane: PlaneId) -> Option<CleanSpace> {
        self.inner.clean_space(plane)
    }

    fn stuck_pools(&self) -> u32 {
        self.inner.stuck_pools()
    }

    fn least_blocks(&self) -> u32 {
        self.inner.least_blocks()
    }

    fn counters(&self) -> FtlCounters {
        let mut counters = self.inner.counters();
        if let Records::Journal(journal) = &self.records {
            counters.erases += journal.erases;
        }
        counters
    }

    fn table_cost(&self) -> Option<TableCost> {
        self.inner.table_cost()
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

    fn codecs(&self) -> u32 {
        self.inner.delta_pages().map_or(0, |inner| inner.codecs())
    }
}

impl Persist for Recorded {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.held.is_empty() {
            return Err(ArchiveError::Busy);
        }
        self.begin();
        self.inner.archive(now, extent, archive)?;
        if extent == Extent::Everything {
            archive.part(&mut self.told)?;
        }
        self.versions.archive(archive)?;
        match &mut self.records {
            Records::SpareAreas => Ok(()),
            Records::Summaries(summaries) => summaries.archive(archive),
            Records::Journal(journal) => journal.archive(archive),
        }
    }

    fn latest(&self) -> SimTime {
        self.inner.latest()
    }

    fn mapping(&self) -> &'static str {
        self.inner.mapping()
    }

    fn content_keys(&self) -> Vec<(&'static str, String)> {
        self.inner.content_keys()
    }

    fn recovery(&self) -> RecoveryKind {
        self.kind
    }
}

impl Mapping for Recorded {
    fn expect_requests(&mut self, pages: u64) {
        self.inner.expect_requests(pages);
    }

    fn fail_block(&mut self, block: BlockId) {
        if let Some(own) = self.places.region.block_of_region(block) {
            self.inner.fail_block(own);
        }
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        match (self.places.region.block_of_region(block), &mut self.records) {
            (Some(own), _) => self.inner.set_erase_count(own, erases),
            (None, Records::Journal(journal)) => journal.blocks.entry(block).or_default().1 = erases,
            (None, _) => {}
        }
    }

    /// Blocks that are not the mapping's stay as they are.
    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        let Some(block) = self.places.region.block_of_region(filling.block) else {
            return Ok(());
        };
        if let Records::Summaries(summaries) = &mut self.records {
            summaries.set(filling.block, true);
        }
        let written = filling.written.min(self.places.region.geometry.pages_per_block);
        self.inner.consume_block(&Filling {
            block,
            written,
            ..*filling
        })
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.inner.finish_fill(now);
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        self.inner.check_filled(pages)
    }

    fn reset_counters(&mut self) {
        self.inner.reset_counters();
        if let Records::Journal(journal) = &mut self.records {
            journal.erases = 0;
        }
    }

    fn record_program_times(&mut self) {
        self.inner.record_program_times();
    }

    /// Times of the mapping's blocks; those of the others are not recorded.
    fn take_program_times(&mut self) -> Vec<SimTime> {
        let times = self.inner.take_program_times();
        let blocks = (0..self.geometry.blocks()).map(BlockId);
        let of_drive = |block| self.places.region.block_of_region(block);
        let time = |own: BlockId| times.get(own.index()).copied();
        blocks
            .map(|block| of_drive(block).and_then(time).unwrap_or_default())
            .collect()
    }

    fn complete_age(&mut self, order: Order, now: SimTime, seed: Seed) -> Result<(), FunctionalError> {
        self.inner.complete_age(order, now, seed)?;
        // blocks that the mapping has filled by itself have their summary pages too
        if let Records::Summaries(summaries) = &mut self.records {
            for own in (0..self.places.region.geometry.blocks()).map(BlockId) {
                let BlockFacts { role, free, .. } = self.inner.block(own);
                if role == BlockRole::Closed && free == 0 {
                    summaries.set(self.places.region.block_of_drive(own), true);
                }
            }
        }
        Ok(())
    }

    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        self.build_anew(now, flash)
    }

    /// A closed form fills whole blocks of the whole drive.
    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        match self.records {
            Records::SpareAreas => self.inner.by_rule(),
            Records::Summaries(_) | Records::Journal(_) => None,
        }
    }
}
