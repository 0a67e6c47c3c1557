//! Pages in use by parts of the drive, kept as blocks change: a sum over all blocks would be too slow for each write of the host.

use wordline_units::Divider;

use super::Blocks;
use crate::block::BlockRole;

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
    per_part: Divider,
    block_pages: u64,
    parts: Vec<InUse>,
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

impl Blocks {
    /// From now on the pages in use of each part of so many blocks are known.
    pub(in crate::space) fn watch_parts(&mut self, blocks_per_part: u32) {
        let parts = self.geometry.blocks().div_ceil(blocks_per_part);
        self.in_use = Some(Box::new(PagesInUse {
            per_part: Divider::new(blocks_per_part),
            block_pages: u64::from(self.geometry.pages_per_block),
            parts: vec![InUse::default(); parts as usize],
        }));
        self.count_in_use();
    }

    /// What is in use by part. Empty unless parts are watched.
    pub(crate) fn in_use(&self) -> &[InUse] {
        self.in_use.as_ref().map_or(&[], |in_use| &in_use.parts)
    }

    /// Whether a block is bad or to be retired.
    pub(super) fn is_lost(&self, block: u32) -> bool {
        self.role[block as usize] == BlockRole::Bad || self.has_failed(block)
    }

    /// Counts anew what is in use.
    pub(super) fn count_in_use(&mut self) {
        let Some(mut in_use) = self.in_use.take() else {
            return;
        };
        in_use.parts.fill(InUse::default());
        for block in 0..self.role.len() as u32 {
            in_use.validate(block, self.valid(block) as u16);
            if self.is_lost(block) {
                in_use.lose(block);
            }
        }
        self.in_use = Some(in_use);
    }
}
