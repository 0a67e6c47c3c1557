//! What the mapping of superblocks saves, loads and is aged by: that of the page-level mapping of the superblocks, and whose turn it is.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::StripedFtl;
use super::row::STRIPED;
use crate::contract::{AssignByRule, Ftl, Mapping, Persist};
use crate::counters::ParityCounters;
use crate::error::FtlError;
use crate::recovery::{FoundFlash, Recovery, RecoveryError};
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent, require};

impl Persist for StripedFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        let is_quiescent = self.erasing.is_empty() && self.recovery.is_quiescent();
        if !archive.is_loading() && !is_quiescent {
            return Err(ArchiveError::Busy);
        }
        // other superblocks would have other pages under the same numbers
        let own = (self.layout.width(), self.layout.data());
        let mut sizes = own;
        archive.part(&mut sizes)?;
        require(
            sizes == own,
            "superblocks of another span (ftl.span) or parity (ftl.parity)",
        )?;
        self.pages.archive(now, extent, archive)?;
        if self.layout.has_parity() {
            archive.part(&mut self.recovery.broken)?;
            let superpages = self.layout.superpages();
            let known = self.recovery.broken.iter().all(|number| *number < superpages);
            require(known, "a superpage that the drive does not have")?;
        }
        if extent == Extent::Everything {
            archive.table(&mut self.turns)?;
            let groups = self.layout.superblocks().planes();
            let known = self.turns.iter().all(|group| *group < groups);
            require(known, "the turn of a group that the drive does not have")?;
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.pages.latest()
    }

    fn mapping(&self) -> &'static str {
        STRIPED.entry.name
    }
}

impl Mapping for StripedFtl {
    fn expect_requests(&mut self, pages: u64) {
        self.pages.expect_requests(pages);
    }

    /// The members of a superblock are erased together.
    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        let (superblock, _) = self.layout.superblock_of(block);
        self.pages.set_erase_count(superblock, erases);
    }

    /// The members of a superblock are consumed together, with its first one.
    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        let (superblock, member) = self.layout.superblock_of(filling.block);
        if member > 0 {
            return Ok(());
        }
        self.pages.consume_block(&Filling {
            block: superblock,
            written: filling.written * self.layout.data(),
            ..*filling
        })
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.pages.finish_fill(now);
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        self.pages.check_filled(pages)
    }

    fn reset_counters(&mut self) {
        self.pages.reset_counters();
        self.recovery.counters = ParityCounters::default();
    }

    fn record_program_times(&mut self) {
        self.pages.record_program_times();
    }

    fn take_program_times(&mut self) -> Vec<SimTime> {
        let times = self.pages.take_program_times();
        if times.is_empty() {
            return times;
        }
        let blocks = (0..self.geometry().blocks()).map(BlockId);
        let of_superblock = |block| times[self.layout.superblock_of(block).0.index()];
        blocks.map(of_superblock).collect()
    }

    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        self.rebuild(now, flash)
    }

    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        self.pages.by_rule()
    }
}
