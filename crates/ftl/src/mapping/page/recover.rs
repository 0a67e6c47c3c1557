//! A page-level map from the spare areas of all programmed pages (FTL specification, section 8.3, kind A).

use std::collections::{BTreeMap, BTreeSet};

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::PageFtl;
use crate::map::{HostMap, Relocate};
use crate::mapping::recovery::{Newest, PageByPage, newest_pages, spare_area_of};
use crate::plan::{Frontier, Step};
use crate::recovery::{FoundBlock, FoundFlash, Recovery, RecoveryError, Repair, SpareArea};
use crate::space::FlashSpace;
use crate::state::archive::ArchiveError;

impl PageByPage for PageFtl {
    fn spare_area(&self, step: &Step, page: Ppn) -> Option<SpareArea> {
        Some(SpareArea {
            slc: self.space.is_slc(page.0),
            ..spare_area_of(&self.inflight, &self.map, step)?
        })
    }

    fn programmed_space(&mut self) -> &mut FlashSpace {
        &mut self.space
    }

    fn rebuild(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        let erased = self.map_spare_areas(now, flash)?;
        Ok(Recovery {
            reads: flash.passed_pages(&self.space.geometry),
            repairs: erased.into_iter().map(Repair::Erase).collect(),
        })
    }
}

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
    pub(in crate::mapping) fn map_spare_areas(
        &mut self,
        now: SimTime,
        flash: &dyn FoundFlash,
    ) -> Result<Vec<BlockId>, ArchiveError> {
        self.map_found(flash, 0)?;
        let coldest = self.space.frontiers.coldest;
        self.take_over(now, flash, &|_| coldest)
    }

    /// The part of [`Self::map_spare_areas`] that builds the map. Pages of the mapping's own, so many logical pages behind the exported ones, are left to it.
    ///
    /// # Errors
    /// A logical page beyond these.
    pub(in crate::mapping) fn map_found(
        &mut self,
        flash: &dyn FoundFlash,
        own: u64,
    ) -> Result<(), ArchiveError> {
        let geometry = self.space.geometry;
        let blocks = flash.blocks(&geometry);
        let user = self.space.capacity.user_pages;
        let newest = newest_pages(flash, &geometry, (user, own), &blocks)?;
        for (lpn, found) in (0..).zip(&newest) {
            if let Some(found) = found {
                self.map.map(lpn, found.page.0, found.sectors);
            }
        }
        self.complete_relocations(flash, &blocks, &newest);
        Ok(())
    }

    /// The part that takes over the blocks, as the map says what they hold. `frontier` says which pages a block was opened for.
    ///
    /// # Errors
    /// Pools that cannot work with the blocks as they are.
    pub(in crate::mapping) fn take_over(
        &mut self,
        now: SimTime,
        flash: &dyn FoundFlash,
        frontier: &dyn Fn(BlockId) -> Frontier,
    ) -> Result<Vec<BlockId>, ArchiveError> {
        let geometry = self.space.geometry;
        let mut current = vec![0; geometry.blocks() as usize];
        for page in 0..geometry.pages() {
            current[self.space.blocks.block_of(page) as usize] += u16::from(self.map.owner(page).is_some());
        }
        self.space.recover(now, flash, &current, frontier)
    }

    /// Lets copies count in place of their sources where that leaves nothing current in the block of the sources: all of it had been moved when the power failed, and
    /// a part may be erased already, so that there may be no room to begin anew. `blocks` is what was found of each block, `newest` of each logical page.
    fn complete_relocations(
        &mut self,
        flash: &dyn FoundFlash,
        blocks: &[FoundBlock],
        newest: &[Option<Newest>],
    ) {
        let geometry = self.space.geometry;
        let mut copies: BTreeMap<u64, Vec<Ppn>> = BTreeMap::new();
        let mut sources = BTreeSet::new();
        for page in (0..geometry.pages()).map(Ppn) {
            let Some(spare) = flash
                .spare_area(page)
                .filter(|_| self.map.owner(page.0).is_none())
            else {
                continue;
            };
            let lpn = spare.lpn.0;
            let found = newest.get(lpn as usize).copied().flatten();
            let is_bad = blocks[geometry.block_of(page).index()].bad;
            let is_equal = |found: Newest| {
                found.version == (spare.version, spare.write) && found.sub_pages == flash.sub_pages(page)
            };
            if found.is_some_and(is_equal) && !is_bad {
                copies.entry(lpn).or_default().push(page);
                let source = self.map.lookup(lpn).map(|page| geometry.block_of(Ppn(page)));
                sources.extend(source.map(|block| (blocks[block.index()].sequence, block)));
            }
        }
        let mut emptied = BTreeSet::new();
        for (_, block) in sources {
            let pages = (0..geometry.pages_per_block).map(|page| geometry.page(block, page));
            let current = pages.filter_map(|page| self.map.owner(page.0));
            let copy = |lpn: u64| {
                let others = copies.get(&lpn)?.iter().copied();
                let others = others.map(|page| (page, geometry.block_of(page)));
                let mut others = others.filter(|(_, other)| *other != block && !emptied.contains(other));
                others.next().map(|(page, _)| (lpn, page))
            };
            let chosen: Option<Vec<(u64, Ppn)>> = current.map(copy).collect();
            for (lpn, page) in chosen.iter().flatten() {
                let sectors = self.map.bitmap(*lpn);
                self.map.forget(*lpn, geometry.full_bitmap());
                self.map.map(*lpn, page.0, sectors);
            }
            if chosen.is_some() {
                emptied.insert(block);
            }
        }
    }
}
