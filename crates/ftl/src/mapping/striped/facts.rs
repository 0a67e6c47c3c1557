//! What is known of blocks: from their superblocks, or otherwise where they are members of none.

use wordline_nand::{BlockId, Ppn};

use super::StripedFtl;
use crate::block::{BlockFacts, BlockRole, BlockUse};
use crate::contract::Inspect;

impl StripedFtl {
    /// Pages of each die that were programmed since the erase of their block.
    pub(super) fn programmed_per_die(&self) -> Vec<u64> {
        let flash = self.layout.flash();
        let mut of_die = vec![0; flash.dies() as usize];
        for block in (0..flash.blocks()).map(BlockId) {
            let BlockUse { role, free, .. } = self.use_of(block);
            if role != BlockRole::Bad {
                let die = flash.die_of(flash.plane_of(block));
                of_die[die.index()] += u64::from(flash.pages_per_block - free);
            }
        }
        of_die
    }

    /// Superpages of a superblock that are complete, and have their parity but for those that are broken.
    pub(super) fn complete_superpages(&self, superblock: BlockId) -> u32 {
        let facts = self.pages.block(superblock);
        let is_lost = facts.role == BlockRole::Bad || self.erasing.contains_key(&superblock);
        if !self.layout.has_parity() || is_lost {
            return 0;
        }
        (self.layout.superblocks().pages_per_block - facts.free) / self.layout.data()
    }

    /// Superpages of a superblock that are full, whether they hold anything or not.
    pub(super) fn superpages_passed(&self, superblock: BlockId) -> u64 {
        let written = self.layout.superblocks().pages_per_block - self.pages.block(superblock).free;
        u64::from(written / self.layout.data())
    }

    /// The page with the parity of a superpage that is complete.
    pub(super) fn parity_on_flash(&self, number: u64) -> Option<Ppn> {
        if number >= self.layout.superpages() {
            return None;
        }
        let (superblock, superpage, page) = self.layout.superpage(number)?;
        let is_there =
            self.complete_superpages(superblock) > superpage && !self.recovery.broken.contains(&number);
        is_there.then_some(page)
    }

    /// The superpages of a superblock without parity, by their numbers: a program of theirs has failed, or the power has before all had ended.
    pub(super) fn broken_of(&self, superblock: BlockId) -> impl Iterator<Item = u64> {
        let numbers = self.layout.numbers_of(superblock);
        self.recovery.broken.range(numbers).copied()
    }

    /// Complete superpages of a superblock without parity, of those whose parity would be in some of its blocks.
    pub(super) fn missing_parities(&self, superblock: BlockId, is_of: impl Fn(BlockId) -> bool) -> u32 {
        let complete = self.complete_superpages(superblock);
        let is_missing = |number: &u64| {
            let found = self.layout.superpage(*number);
            found.is_some_and(|(_, superpage, page)| {
                superpage < complete && is_of(self.layout.flash().block_of(page))
            })
        };
        self.broken_of(superblock).filter(is_missing).count() as u32
    }

    /// What is known of a block without a look at its pages.
    pub(super) fn use_of(&self, block: BlockId) -> BlockUse {
        let flash = self.layout.flash();
        let Some((superblock, member)) = self.layout.membership(block) else {
            return self.use_of_other(block);
        };
        let BlockUse {
            role,
            free,
            erase_count,
        } = self.pages.block_use(superblock);
        let missed = self
            .layout
            .members_now
            .missed_erases(self.layout.home(superblock, member));
        let erase_count = erase_count.saturating_sub(missed);
        if let Some(erasing) = self.erasing.get(&superblock)
            && erasing.has_erased(member)
        {
            return BlockUse {
                role,
                free: flash.pages_per_block,
                erase_count: erase_count + 1,
            };
        }
        let written = self.layout.superblocks().pages_per_block - free;
        BlockUse {
            role,
            free: flash.pages_per_block - self.layout.written(superblock, member, written),
            erase_count,
        }
    }

    /// The same of a block that is no member of a superblock: a spare one, one that is programmed to become a member, or a bad one.
    fn use_of_other(&self, block: BlockId) -> BlockUse {
        let pages = self.layout.flash().pages_per_block;
        let (role, free) = if let Some(rebuild) = self
            .damage
            .rebuilds
            .values()
            .find(|rebuild| rebuild.target == block)
        {
            (BlockRole::Open, pages - rebuild.planned)
        } else if self.layout.members_now.is_spare(block) {
            (BlockRole::Free, pages)
        } else {
            (BlockRole::Bad, 0)
        };
        BlockUse {
            role,
            free,
            erase_count: 0,
        }
    }

    /// The state of a block, which is a member of a superblock or none.
    pub(super) fn facts_of_block(&self, block: BlockId) -> BlockFacts {
        let BlockUse {
            role,
            free,
            erase_count,
        } = self.use_of(block);
        let passed = self.layout.flash().pages_per_block - free;
        let Some((superblock, member)) = self.layout.membership(block) else {
            // nothing is known of the pages of a bad block
            let is_bad = role == BlockRole::Bad;
            return BlockFacts {
                role,
                valid: 0,
                invalid: if is_bad { 0 } else { passed },
                free,
                skipped: if is_bad { passed } else { 0 },
                erase_count,
            };
        };
        let valid = if passed == 0 {
            0
        } else {
            let complete = self.complete_superpages(superblock);
            let parities = self.layout.parities(superblock, member, complete);
            parities - self.missing_parities(superblock, |of| of == block)
                + self.valid_data(superblock, member)
        };
        let skipped = if passed == 0 {
            0
        } else {
            self.given_up.get(&block).copied().unwrap_or(0)
        };
        BlockFacts {
            role,
            valid,
            invalid: passed - valid - skipped,
            free,
            skipped,
            erase_count,
        }
    }

    /// Pages of a member that hold the current version of a logical page, counted one by one where the superblock has any.
    fn valid_data(&self, superblock: BlockId, member: u32) -> u32 {
        if self.pages.block(superblock).valid == 0 {
            return 0;
        }
        let pages = self.layout.pages_of_member(superblock, member);
        pages.filter(|page| self.pages.owner(*page).is_some()).count() as u32
    }
}
