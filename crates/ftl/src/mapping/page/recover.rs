//! A page-level map from the spare areas of all programmed pages (FTL specification, section 8.3, kind A).

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::PageFtl;
use crate::map::{HostMap, Relocate};
use crate::recovery::FoundFlash;
use crate::state::archive::ArchiveError;

impl PageFtl {
    /// Builds the map of a fresh FTL from what is found on the flash, and says which blocks must be erased before it works.
    ///
    /// Of the pages that hold a logical page the one with the highest version counts. Equal versions are a page and its copy. A copy from which sub-pages
    /// had been trimmed has fewer of them, and the page that has more counts. Of pages with the same sub-pages the one in the block that was written first counts, so that the relocation begins anew: then a block that was
    /// taken from the reserve for copies holds nothing current, and the reserve is whole again. (The specification has the copy count,
    /// which can leave a pool without a free block.) Logical pages that were trimmed come back where an old version is left.
    ///
    /// # Errors
    /// A logical page beyond the drive; pools that cannot work with the blocks as they are.
    pub(super) fn map_spare_areas(
        &mut self,
        now: SimTime,
        flash: &dyn FoundFlash,
    ) -> Result<Vec<BlockId>, ArchiveError> {
        if self.space.cache.is_some() {
            return Err(ArchiveError::Content(
                "an SLC cache, of whose blocks spare areas do not say the mode",
            ));
        }
        let geometry = self.space.geometry;
        // of each logical page: its version, how many sub-pages it has, and how late its block was written
        let mut newest = vec![None; self.space.capacity.user_pages as usize];
        for block in (0..geometry.blocks()).map(BlockId) {
            let later = std::cmp::Reverse(flash.block(block).sequence);
            for page in (0..geometry.pages_per_block).map(|page| geometry.page(block, page)) {
                let Some(spare) = flash.spare_area(page) else {
                    continue;
                };
                if spare.sectors == 0 {
                    continue;
                }
                let found = Some((spare.version, spare.sectors.count_ones(), later));
                let Some(best) = newest.get_mut(spare.lpn.0 as usize) else {
                    return Err(ArchiveError::Content(
                        "a spare area names a logical page beyond the drive",
                    ));
                };
                if *best < found {
                    *best = found;
                    self.map.forget(spare.lpn.0, geometry.full_bitmap());
                    self.map.map(spare.lpn.0, page.0, spare.sectors);
                }
            }
        }
        let mut current = vec![0; geometry.blocks() as usize];
        for page in 0..geometry.pages() {
            current[self.space.blocks.block_of(page) as usize] += u16::from(self.map.owner(page).is_some());
        }
        self.space.recover(now, flash, &current)
    }
}
