//! Pages in use by parts of the drive, kept as blocks change: a sum over all blocks would be too slow for each write of the host.

use wordline_units::Divider;

use super::Blocks;
use super::parts_in_use::{InUse, PagesInUse};
use crate::block::BlockRole;

impl Blocks {
    /// From now on the pages in use of each part of so many blocks are known.
    pub(crate) fn watch_parts(&mut self, blocks_per_part: u32) {
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
