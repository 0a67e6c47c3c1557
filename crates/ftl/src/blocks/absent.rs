//! Blocks that do not have all of their pages.

use super::Blocks;

impl Blocks {
    /// Pages of a block that hold current data.
    #[inline]
    pub(crate) fn current(&self, block: u32) -> u32 {
        let absent = self.absent.get(&block).copied().unwrap_or_default();
        self.valid(block) - u32::from(absent)
    }

    /// A block that holds nothing current does not have so many of its pages.
    pub(crate) fn set_absent(&mut self, block: u32, pages: u16) {
        self.absent.insert(block, pages);
        self.valid[block as usize] += pages;
    }

    /// All blocks have all of their pages.
    pub(crate) fn clear_absent(&mut self) {
        for (block, pages) in std::mem::take(&mut self.absent) {
            self.valid[block as usize] -= pages;
        }
    }
}
