//! What the mapping of superblocks saves, loads and is aged by: that of the page-level mapping of the superblocks, and whose turn it is.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::StripedFtl;
use super::row::STRIPED;
use crate::contract::{Ageable, AssignByRule, Ftl, Identity, Persist, ProgramTimes};
use crate::error::FtlError;
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent, require};

impl Persist for StripedFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        let is_quiescent = self.erasing.is_empty()
            && self.recovery.is_quiescent()
            && self.damage.rebuilds.is_empty()
            && self.damage.rewriting.is_empty();
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
        self.archive_members(extent, archive)?;
        self.pages.archive(now, extent, archive)?;
        if self.layout.has_parity() {
            archive.part(&mut self.recovery.broken)?;
        }
        if extent == Extent::Everything {
            archive.table(&mut self.turns.groups)?;
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.pages.latest()
    }

    fn identity(&self) -> Identity {
        Identity::of_mapping(STRIPED.entry.name)
    }
}

impl StripedFtl {
    /// Passes which blocks are members of superblocks to a state file or takes it from one, and of what something has failed.
    fn archive_members(&mut self, extent: Extent, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.layout.members_now)?;
        if archive.is_loading() {
            let pages = self.layout.flash().pages_per_block as u16;
            self.pages.space.blocks.clear_absent();
            for superblock in self.layout.members_now.degraded() {
                self.pages.space.blocks.set_absent(superblock.0, pages);
            }
        }
        if extent == Extent::Everything {
            archive.part(&mut self.damage.failures)?;
        }
        Ok(())
    }
}

impl Ageable for StripedFtl {
    fn expect_requests(&mut self, pages: u64) {
        self.pages.expect_requests(pages);
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        if let Some((superblock, _)) = self.layout.place_of(block) {
            self.pages.set_erase_count(superblock, erases);
        }
    }

    /// The members of a superblock are consumed together, with its first one.
    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        let Some((superblock, 0)) = self.layout.place_of(filling.block) else {
            return Ok(());
        };
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

    /// Superblocks that go without a member, or are none, have no closed form.
    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        let is_whole = self.layout.members_now.degraded().next().is_none();
        self.pages.by_rule().filter(|_| is_whole)
    }
}

impl ProgramTimes for StripedFtl {
    fn record_program_times(&mut self) {
        self.pages.record_program_times();
    }

    fn take_program_times(&mut self) -> Vec<SimTime> {
        let times = self.pages.take_program_times();
        if times.is_empty() {
            return times;
        }
        let blocks = (0..self.geometry().blocks()).map(BlockId);
        let of_superblock = |block| {
            let place = self.layout.place_of(block);
            place.map_or(SimTime::ZERO, |(superblock, _)| times[superblock.index()])
        };
        blocks.map(of_superblock).collect()
    }
}
