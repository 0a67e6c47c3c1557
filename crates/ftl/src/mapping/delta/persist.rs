//! Ageing and saving.

use wordline_nand::BlockId;
use wordline_units::{Seed, SimTime};

use super::DeltaFtl;
use super::row::DELTA;
use crate::allocation::Order;
use crate::contract::{Ageable, AssignByRule, Identity, Persist};
use crate::error::FtlError;
use crate::exec::functional::FunctionalError;
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent};

impl Ageable for DeltaFtl {
    fn expect_requests(&mut self, pages: u64) {
        self.data.expect_requests(pages);
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.data.set_erase_count(block, erases);
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        self.data.consume_block(filling)
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.data.finish_fill(now);
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        self.data.check_filled(pages)
    }

    /// A drive in the state of one without deltas: there are none.
    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        self.data.by_rule()
    }

    /// What ageing wrote is not counted: a page is write-hot by what the host writes. Counts of a saved state stay.
    fn complete_age(&mut self, order: Order, now: SimTime, seed: Seed) -> Result<(), FunctionalError> {
        if !self.is_loaded {
            self.accesses.clear();
            self.unscanned = 0;
        }
        self.data.complete_age(order, now, seed)
    }
}

impl Persist for DeltaFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        self.data.archive(now, extent, archive)?;
        self.log.archive(archive)?;
        archive.table(&mut self.versions)?;
        if archive.is_loading() {
            self.count_pages();
        }
        if extent == Extent::Content {
            if archive.is_loading() {
                // who asked the jobs of the drive that was saved does not ask those of this one
                self.age_noticed = false;
                self.watch_age();
            }
            return self.archive_bytes(archive);
        }
        self.is_loaded = archive.is_loading();
        self.accesses.archive(archive)?;
        self.gate.archive(archive)?;
        let mut cold: Vec<u64> = self.cold.iter().copied().collect();
        archive.part(&mut cold)?;
        archive.part(&mut self.unscanned)?;
        archive.part(&mut self.cold_noticed)?;
        archive.part(&mut self.age_noticed)?;
        archive.part(&mut self.notices)?;
        archive.part(&mut self.closed)?;
        archive.table(&mut self.merge_budget)?;
        archive.part(&mut self.counters)?;
        if archive.is_loading() {
            self.cold = cold.into();
        }
        self.archive_bytes(archive)
    }

    fn latest(&self) -> SimTime {
        self.data.latest()
    }

    fn identity(&self) -> Identity {
        Identity {
            content_keys: self.keys_of_bytes().to_vec(),
            ..Identity::of_mapping(DELTA.entry.name)
        }
    }
}

impl DeltaFtl {
    /// Counts the pages of deltas of each pool afresh.
    pub(super) fn count_pages(&mut self) {
        self.spare.clear();
        for log in 0..self.log.pages() {
            if let Some(page) = self.place_of(log) {
                let block = self.data.space.blocks.block_of(page);
                self.spare.change(self.data.space.blocks.pool_of(block), 1);
            }
        }
    }
}
