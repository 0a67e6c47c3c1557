//! What planes in step save, load and are aged by: that of the mapping on the array of merged planes.

use wordline_nand::{BlockId, Geometry};
use wordline_units::SimTime;

use super::InStepFtl;
use crate::contract::{Ageable, AssignByRule, Identity, Persist, ProgramTimes};
use crate::error::FtlError;
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent, require};

impl Persist for InStepFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.erasing.is_empty() {
            return Err(ArchiveError::Busy);
        }
        // other multi-plane blocks would have other pages under the same numbers
        let mut planes = self.layout.planes();
        archive.part(&mut planes)?;
        require(
            planes == self.layout.planes(),
            "planes in step of another number (allocation.planes)",
        )?;
        let mut given_up: Vec<(u32, u32)> = self
            .given_up
            .iter()
            .map(|(block, pages)| (block.0, *pages))
            .collect();
        archive.part(&mut given_up)?;
        if archive.is_loading() {
            let geometry: &Geometry = self.layout.flash();
            let fits = |(block, pages): &(u32, u32)| {
                *block < geometry.blocks() && *pages <= geometry.pages_per_block
            };
            require(
                given_up.iter().all(fits),
                "pages given up of a block that there is not",
            )?;
            self.given_up = given_up
                .into_iter()
                .map(|(block, pages)| (BlockId(block), pages))
                .collect();
        }
        self.merged.archive(now, extent, archive)
    }

    fn latest(&self) -> SimTime {
        self.merged.latest()
    }

    fn identity(&self) -> Identity {
        Identity {
            content_keys: vec![(super::PLANES, "in_step".into())],
            ..self.merged.identity()
        }
    }
}

impl Ageable for InStepFtl {
    fn expect_requests(&mut self, pages: u64) {
        self.merged.expect_requests(pages);
    }

    /// The blocks of a multi-plane block are erased together: the one in the last plane says how often.
    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        if let Some((merged, _)) = self.layout.home(block) {
            self.merged.set_erase_count(merged, erases);
        }
    }

    /// The blocks of a multi-plane block are consumed together, with that of the first plane.
    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        let Some((merged, 0)) = self.layout.home(filling.block) else {
            return Ok(());
        };
        self.merged.consume_block(&Filling {
            block: merged,
            written: filling.written * self.layout.planes(),
            ..*filling
        })
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.merged.finish_fill(now);
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        self.merged.check_filled(pages)
    }

    /// Drives with bad blocks have no closed form.
    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        let is_whole = self.layout.missing().is_empty();
        self.merged.by_rule().filter(|_| is_whole)
    }
}

impl ProgramTimes for InStepFtl {
    fn record_program_times(&mut self) {
        self.merged.units.record_program_times();
    }

    fn take_program_times(&mut self) -> Vec<SimTime> {
        let times = self.merged.units.take_program_times();
        if times.is_empty() {
            return times;
        }
        let blocks = (0..self.layout.flash().blocks()).map(BlockId);
        let time_of = |block| {
            let home = self.layout.home(block);
            home.map_or(SimTime::ZERO, |(merged, _)| times[merged.index()])
        };
        blocks.map(time_of).collect()
    }
}
