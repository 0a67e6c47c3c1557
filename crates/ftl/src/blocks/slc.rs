//! Blocks in SLC mode, which have fewer pages.

use super::Blocks;
use crate::state::archive::{Archive, ArchiveError};

impl Blocks {
    /// Blocks can be in SLC mode, where cells have `bits` bits otherwise and so many programs belong together.
    pub(crate) fn enable_slc(&mut self, bits: u32, programs: u32) {
        let row = self.geometry.pages_per_program * programs;
        self.slc_pages = (self.geometry.pages_per_block / row / bits * row) as u16;
        self.slc = vec![false; self.role.len()];
    }

    /// Whether a block is in SLC mode.
    #[inline]
    pub(crate) fn is_slc(&self, block: u32) -> bool {
        self.slc.get(block as usize).is_some_and(|slc| *slc)
    }

    pub(crate) fn set_slc(&mut self, block: u32, slc: bool) {
        self.slc[block as usize] = slc;
    }

    /// Pages of a block that can be programmed in its mode.
    #[inline]
    pub(crate) fn pages_of(&self, block: u32) -> u32 {
        if self.is_slc(block) {
            u32::from(self.slc_pages)
        } else {
            self.geometry.pages_per_block
        }
    }

    /// Whether no page of a block is left to be programmed.
    #[inline]
    pub(crate) fn is_full(&self, block: u32) -> bool {
        self.room_in(block) == 0
    }

    /// Pages of an open block that were not programmed and can be in its mode.
    #[inline]
    pub(crate) fn room_in(&self, block: u32) -> u32 {
        self.pages_of(block)
            .saturating_sub(u32::from(self.written[block as usize]))
    }

    /// Passes which blocks are in SLC mode to a state file or takes it from it, after their roles.
    pub(crate) fn archive_slc(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.slc)
    }
}
