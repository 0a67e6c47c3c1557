//! Superblocks after a power cut (FTL specification, 8.3).
//!
//! A block belongs to the superblock of the pages in it that count. Those that were written first are taken for D-blocks, as many as there may be, the others for U-blocks: no spare area
//! says which a block was. Of the block that was being emptied its pages count, not their copies, so that a block with copies alone is erased. One that took host writes too stays beside it, and so do
//! blocks with trimmed pages that come back: a superblock can then have more blocks than it may open, until it is collected.

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::SuperblockFtl;
use super::owned::{Owned, Part};
use crate::map::Relocate;
use crate::mapping::recovery::{FoundPages, PageByPage, spare_area_of};
use crate::plan::Step;
use crate::recovery::{FoundFlash, Recovery, RecoveryError, SpareArea};
use crate::space::FlashSpace;
use crate::state::archive::{ArchiveError, require};

impl PageByPage for SuperblockFtl {
    fn spare_area(&self, step: &Step, _page: Ppn) -> Option<SpareArea> {
        spare_area_of(&self.inflight, &self.map, step)
    }

    fn programmed_space(&mut self) -> &mut FlashSpace {
        &mut self.space
    }

    /// Builds a fresh drive anew.
    ///
    /// # Errors
    /// Logical pages beyond the drive, blocks of two superblocks or in another plane than theirs; planes that cannot work with the blocks as they are.
    fn rebuild(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        let found = FoundPages::new(flash, &self.space)?;
        let owners = self.owners(&found)?;
        let recovery = found.take_over(now, &mut self.space, &mut self.map)?;
        for block in found.in_sequence() {
            if let Some(superblock) = owners[block as usize] {
                self.take_over(superblock, block);
            }
        }
        self.order_by_last_write(&found);
        Ok(recovery)
    }
}

impl SuperblockFtl {
    /// The superblock of each block with pages that count.
    ///
    /// # Errors
    /// A block of two superblocks, or in another plane than its superblock.
    fn owners(&self, found: &FoundPages<'_>) -> Result<Vec<Option<u32>>, ArchiveError> {
        let geometry = self.space.geometry;
        let mut owners = vec![None; geometry.blocks() as usize];
        for (lpn, page) in found.pages() {
            let superblock = self.place_of(lpn).superblock;
            let block = geometry.block_of(page.page);
            let is_home = geometry.plane_of(block).0 == self.plane_of(superblock);
            let is_only = *owners[block.index()].get_or_insert(superblock) == superblock;
            require(is_home && is_only, "a page outside its superblock")?;
        }
        Ok(owners)
    }

    /// A block becomes the last one of a superblock. The maps in its spare areas are taken for newer than those in the blocks before.
    fn take_over(&mut self, superblock: u32, block: u32) {
        let owner = &mut self.superblocks[superblock as usize];
        let part = if owner.count(Part::Original, None) < self.limits.originals {
            Part::Original
        } else {
            Part::Update
        };
        owner.blocks.push(Owned {
            block,
            part,
            opened: 0,
        });
        let geometry = self.space.geometry;
        let pages = (0..geometry.pages_per_block).map(|page| geometry.page(BlockId(block), page));
        for lpn in pages.filter_map(|Ppn(page)| self.map.owner(page)) {
            let place = self.place_of(lpn);
            self.tree.programmed(place.superblock, place.offset);
        }
    }

    /// Which superblocks of each plane were written least recently follows from the numbers of their newest writes.
    fn order_by_last_write(&mut self, found: &FoundPages<'_>) {
        let mut last = vec![(0, 0); self.superblocks.len()];
        for (lpn, page) in found.pages() {
            let superblock = self.place_of(lpn).superblock as usize;
            last[superblock] = last[superblock].max(page.version);
        }
        for plane in 0..self.planes.len() as u32 {
            let mut written: Vec<u32> = self.superblocks_of(plane).collect();
            written.retain(|superblock| last[*superblock as usize] > (0, 0));
            written.sort_by_key(|superblock| last[*superblock as usize]);
            self.planes[plane as usize].writes = written.len() as u64;
            for (number, superblock) in (1..).zip(written) {
                self.superblocks[superblock as usize].last_write = number;
            }
        }
    }
}
