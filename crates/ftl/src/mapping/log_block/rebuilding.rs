//! Data blocks and log blocks after a power cut (FTL specification, 8.3).
//!
//! A block whose current pages are of one logical block, each at its own offset, can be its data block; of several the one that was written first is. All other blocks with current pages
//! are log blocks, and what for follows from the association. A merge that was cut off leaves a target with copies alone, whose sources count, so that it is erased and the merge is
//! done again. Trimmed pages that come back may be in a block that was waiting for its erase, so that a plane can have more log blocks than it may open until they are merged.
//!
//! Every logical block with data has a data block, as it has before a power cut, also where all of it was trimmed: one whose pages have all been written again is replaced by an erased one.
//! So a merge frees a block for the one that it takes.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::logs::Log;
use super::{LogFtl, NONE};
use crate::mapping::recovery::{FoundPages, PageByPage, spare_area_of};
use crate::plan::HOST;
use crate::plan::Step;
use crate::recovery::{FoundFlash, Recovery, RecoveryError, SpareArea};
use crate::space::FlashSpace;
use crate::state::archive::{ArchiveError, require};

/// What the current pages of a block are.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// A logical block of which there are some.
    logical: u32,
    /// Whether all are of that one, and at their own offsets.
    in_place: bool,
}

impl PageByPage for LogFtl {
    fn spare_area(&self, step: &Step, _page: Ppn) -> Option<SpareArea> {
        spare_area_of(&self.inflight, &self.map, step)
    }

    fn programmed_space(&mut self) -> &mut FlashSpace {
        &mut self.space
    }

    /// Builds a fresh drive anew.
    ///
    /// # Errors
    /// Logical pages beyond the drive or in another plane than theirs; planes that cannot work with the blocks as they are.
    fn rebuild(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        let found = FoundPages::new(flash, &self.space)?;
        let held = self.held(&found)?;
        let recovery = found.take_over(now, &mut self.space, &mut self.map)?;
        self.assign(&held, &found.in_sequence());
        self.open_lacking_data_blocks(now)?;
        Ok(recovery)
    }
}

impl LogFtl {
    /// What each block holds, if anything.
    ///
    /// # Errors
    /// A page in another plane than its logical block.
    fn held(&self, found: &FoundPages<'_>) -> Result<Vec<Option<Held>>, ArchiveError> {
        let geometry = self.space.geometry;
        let mut held: Vec<Option<Held>> = vec![None; geometry.blocks() as usize];
        for (lpn, page) in found.pages() {
            let (logical, offset) = self.split(lpn);
            let block = geometry.block_of(page.page);
            let is_home = geometry.plane_of(block).0 == self.plane_of(logical);
            require(is_home, "a page in another plane than its logical block")?;
            let held = held[block.index()].get_or_insert(Held {
                logical,
                in_place: true,
            });
            held.in_place &= held.logical == logical && geometry.page_in_block(page.page) == offset;
        }
        Ok(held)
    }

    /// Says which blocks are data blocks and which are log blocks.
    fn assign(&mut self, held: &[Option<Held>], blocks: &[u32]) {
        for block in blocks.iter().copied() {
            let Some(held) = held[block as usize] else {
                continue;
            };
            let data = &mut self.data[held.logical as usize];
            if held.in_place && *data == NONE {
                *data = block;
                continue;
            }
            let plane = self.plane_of(held.logical);
            let in_plane = self.in_plane(held.logical);
            let (owner, used_for) = self.ask(plane, |association, view| {
                association.found(view, in_plane, held.in_place)
            });
            // one with room left takes no copies, so that only a full one may take the place of a data block
            let is_full =
                u32::from(self.space.blocks.written[block as usize]) == self.space.geometry.pages_per_block;
            self.planes[plane as usize].logs.push(Log {
                block,
                owner,
                used_for,
                in_place: (held.in_place && is_full).then_some(held.logical),
                last_write: 0,
                numbers: Vec::new(),
            });
        }
    }

    /// Opens a data block for each logical block that has current pages in log blocks alone.
    ///
    /// # Errors
    /// There is no free block.
    fn open_lacking_data_blocks(&mut self, now: SimTime) -> Result<(), ArchiveError> {
        for logical in 0..self.data.len() as u32 {
            let has_pages = self.pages_of(logical).any(|lpn| self.map.is_mapped(lpn));
            if has_pages && self.data_block(logical).is_none() {
                let block = self.space.open_free_block(now, self.plane_of(logical), HOST);
                self.data[logical as usize] = block.ok_or(ArchiveError::Content(
                    "a plane without a free block for the data block of a logical block",
                ))?;
            }
        }
        Ok(())
    }
}
