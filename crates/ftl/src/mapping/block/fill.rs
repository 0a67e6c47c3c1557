//! Filling a drive from outside, saving it and loading it.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::{BLOCK, BlockFtl};
use crate::block::BlockRole;
use crate::contract::{Ageable, Identity, Persist};
use crate::error::FtlError;
use crate::mapping::whole_blocks::check_filled;
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent};

/// Data are written: there is no closed form.
impl Ageable for BlockFtl {
    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.space.set_erase_count(block, erases);
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        self.space.occupy_block(filling)?;
        self.unlink(filling.block.0);
        Ok(())
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.space.finish_fill(now);
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        check_filled(&self.space.capacity, &self.space.geometry, pages)
    }
}

impl Persist for BlockFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        self.chains.archive(archive)?;
        archive.table(&mut self.skipped)?;
        self.space.archive_blocks(archive)?;
        if archive.is_loading() {
            for page in self.chains.current_pages_of_drive() {
                self.space.validate_loaded(page);
            }
        }
        self.space.archive_work(now, extent, archive)?;
        match extent {
            Extent::Everything => archive.table(&mut self.pools),
            Extent::Content => {
                if archive.is_loading() {
                    for (pool, dead) in self.find_dead().into_iter().enumerate() {
                        self.pools[pool].dead = dead;
                    }
                }
                Ok(())
            }
        }
    }

    fn latest(&self) -> SimTime {
        self.space.latest()
    }

    fn identity(&self) -> Identity {
        Identity::of_mapping(BLOCK.entry.name)
    }
}

impl BlockFtl {
    /// The closed blocks of each pool that belong to no logical block, which are to be erased.
    fn find_dead(&self) -> Vec<Vec<u32>> {
        let blocks = &self.space.blocks;
        let is_dead = |block: &u32| {
            blocks.role[*block as usize] == BlockRole::Closed && self.chains.logical_of(*block).is_none()
        };
        let pools = 0..self.pools.len() as u32;
        pools
            .map(|pool| blocks.of_pool(pool).filter(is_dead).collect())
            .collect()
    }
}
