//! Filling a drive from outside, saving it and loading it.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::SuperblockFtl;
use crate::contract::{Ageable, Ftl, Identity, Persist};
use crate::error::FtlError;
use crate::mapping::whole_blocks::check_filled;
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent};

/// Data are written: there is no closed form.
impl Ageable for SuperblockFtl {
    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.space.set_erase_count(block, erases);
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        self.space.occupy_block(filling)?;
        self.space.close_block(filling.block);
        let plane = self.space.blocks.pool_of(filling.block.0);
        self.planes[plane as usize].dead.push(filling.block.0);
        Ok(())
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.space.finish_fill(now);
        self.exclude_taken();
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        check_filled(&self.space.capacity, &self.space.geometry, pages)
    }
}

impl Persist for SuperblockFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        self.map.archive(archive, self.space.geometry.blocks())?;
        self.space.archive_blocks(archive)?;
        archive.table(&mut self.superblocks)?;
        archive.table(&mut self.planes)?;
        self.tree.archive(archive)?;
        if archive.is_loading() {
            for lpn in 0..self.user_pages() {
                if let Some(page) = self.map.lookup(lpn) {
                    self.space.validate_loaded(page);
                }
            }
        }
        self.space.archive_work(now, extent, archive)?;
        if extent == Extent::Everything {
            self.cache.archive(archive)?;
        }
        if archive.is_loading() {
            if extent == Extent::Content {
                self.cache.clear();
                self.planes.iter_mut().for_each(|plane| plane.victim = None);
            }
            self.exclude_taken();
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.space.latest()
    }

    fn identity(&self) -> Identity {
        Identity::of_mapping("superblock")
    }
}

impl SuperblockFtl {
    /// Blocks that are being emptied or are to be erased are no candidates.
    fn exclude_taken(&mut self) {
        for plane in &self.planes {
            let victim = plane.victim.map(|victim| victim.block);
            for block in plane.dead.iter().copied().chain(victim) {
                self.space.blocks.exclude_candidate(block);
            }
        }
    }
}
