//! Logical blocks after a power cut (FTL specification, 8.3).
//!
//! A block belongs to the logical block of the pages in it that count. A merge that was cut off leaves its target beside the blocks that were merged: where the target holds copies alone,
//! their sources count, and it is erased. Where it holds the host write for which the merge had left a gap too, it stays, and the next merge empties all of them. For that merge a free
//! block is needed, so that no merge with a gap may take the last one.

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::BlockFtl;
use crate::mapping::recovery::{FoundPages, PageByPage, spare_area_of};
use crate::plan::{Lpn, Step};
use crate::recovery::{FoundFlash, Recovery, RecoveryError, SpareArea};
use crate::space::FlashSpace;
use crate::state::archive::{ArchiveError, require};

impl PageByPage for BlockFtl {
    fn spare_area(&self, step: &Step, _page: Ppn) -> Option<SpareArea> {
        spare_area_of(&self.inflight, &self.chains, step)
    }

    fn programmed_space(&mut self) -> &mut FlashSpace {
        &mut self.space
    }

    /// Builds a fresh drive anew.
    ///
    /// # Errors
    /// Logical pages beyond the drive or at another offset than theirs, blocks of two logical blocks or in another plane than theirs; planes that cannot work with the blocks as they are.
    fn rebuild(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        let geometry = self.space.geometry;
        let found = FoundPages::new(flash, &self.space)?;
        let mut owners: Vec<Option<u32>> = vec![None; geometry.blocks() as usize];
        for (lpn, page) in found.pages() {
            let (logical, offset) = self.chains.split(lpn);
            let block = geometry.block_of(page.page);
            let owner = owners[block.index()].get_or_insert(logical);
            let in_place = *owner == logical && geometry.page_in_block(page.page) == offset;
            require(in_place, "a block with pages of another logical block")?;
        }
        self.link(&owners, &found.in_sequence())?;
        Ok(found.take_over(now, &mut self.space, &mut self.chains)?)
    }
}

impl BlockFtl {
    /// Appends blocks to the logical blocks that own them.
    fn link(&mut self, owners: &[Option<u32>], blocks: &[u32]) -> Result<(), ArchiveError> {
        for block in blocks.iter().copied() {
            let Some(logical) = owners[block as usize] else {
                continue;
            };
            let plane = self.space.geometry.plane_of(BlockId(block));
            let is_home = self.order.plane(Lpn(u64::from(logical))) == plane;
            require(is_home, "a block in another plane than its logical block")?;
            self.chains.append(logical, block);
        }
        Ok(())
    }
}
