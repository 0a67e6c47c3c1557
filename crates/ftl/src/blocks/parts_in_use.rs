//! How many pages are in use by each part of the drive.

use wordline_units::Divider;

/// Pages of a part of the drive that cannot be written to, whatever collection does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InUse {
    /// Current pages.
    pub(crate) current: u64,
    /// Pages of blocks that are bad or to be retired.
    pub(crate) lost: u64,
}

/// What is in use, by part of the drive.
#[derive(Clone, Debug)]
pub(super) struct PagesInUse {
    pub(super) per_part: Divider,
    pub(super) block_pages: u64,
    pub(super) parts: Vec<InUse>,
}

impl PagesInUse {
    const fn part_of(&self, block: u32) -> usize {
        self.per_part.divide(block as u64) as usize
    }

    #[inline(never)]
    pub(super) fn validate(&mut self, block: u32, pages: u16) {
        let part = self.part_of(block);
        self.parts[part].current += u64::from(pages);
    }

    #[inline(never)]
    pub(super) fn invalidate(&mut self, block: u32, pages: u16) {
        let part = self.part_of(block);
        self.parts[part].current -= u64::from(pages);
    }

    /// A block is lost. Current pages in it are in use beside its own until they are moved, as each needs another page.
    pub(super) fn lose(&mut self, block: u32) {
        let part = self.part_of(block);
        self.parts[part].lost += self.block_pages;
    }
}
