//! What becomes of superblocks of which something has failed (FTL specification, 2.8 and 6.2): a superblock is retired, goes on without such a member, or gets a spare block of the same plane
//! for it.

use std::collections::BTreeMap;

use wordline_nand::BlockId;

use super::StripedFtl;
use super::keys::BadMember;
use crate::block::BlockRole;
use crate::contract::Inspect;

impl StripedFtl {
    /// Something of a block has failed, which takes no further programs.
    pub(super) fn fail_member(&mut self, block: BlockId) {
        if let Some((superblock, member)) = self.layout.membership(block) {
            self.damage.fail(superblock, member);
        }
    }

    /// Blocks that are bad from the start: those of which superblocks would have been made have substitutes, or their superblock goes on without them or is none.
    pub(super) fn leave_out_from_start(&mut self, bad: &[BlockId]) {
        let (of_superblocks, spare): (Vec<BlockId>, Vec<BlockId>) = bad
            .iter()
            .partition(|block| self.layout.place_of(**block).is_some());
        for block in spare {
            self.layout.members_now.drop_spare(block);
        }
        let mut masks = BTreeMap::<BlockId, u64>::new();
        for block in of_superblocks {
            let (superblock, member) = self.layout.superblock_of(block);
            *masks.entry(superblock).or_default() |= 1 << member;
        }
        for (superblock, members) in masks {
            if !self.replace(superblock, members, 0) {
                self.pages.space.retire_free(superblock.0);
            }
        }
    }

    /// Has an erased superblock, which counts so many erases from now on, go on without the blocks of some of its members; whether it can.
    pub(super) fn replace(&mut self, superblock: BlockId, members: u64, erases: u32) -> bool {
        match self.damage.way {
            BadMember::Degrade if self.can_go_without(superblock, members) => {
                self.layout
                    .members_now
                    .leave_out(superblock, members.trailing_zeros());
                let pages = self.layout.flash().pages_per_block;
                self.pages.space.blocks.set_absent(superblock.0, pages as u16);
                true
            }
            BadMember::Substitute if self.has_spares(superblock, members) => {
                for member in (0..self.layout.width()).filter(|member| members >> member & 1 == 1) {
                    let home = self.layout.home(superblock, member);
                    let plane = self.layout.flash().plane_of(home).index();
                    if let Some(spare) = self.layout.members_now.take_spare(plane, home) {
                        self.layout.members_now.substitute(spare, erases);
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// Takes back that something of a superblock's blocks has failed, which takes no further pages: where each of its bad ones gets a spare block, collection may take it as any other. A superblock that is kept so has a claim
    /// on these spare blocks until it is erased.
    pub(super) fn keep_if_replaced(&mut self, superblock: BlockId) {
        let members = self.damage.members(superblock);
        self.pages.space.blocks.fail(superblock.0);
        if self.damage.way == BadMember::Substitute && self.has_spares(superblock, members) {
            self.pages.space.blocks.unfail(superblock.0);
        }
    }

    /// Whether there is a spare block for each of some members of a superblock, beside those that others have a claim on.
    pub(super) fn has_spares(&self, superblock: BlockId, members: u64) -> bool {
        let mut claimed = vec![0; self.layout.flash().planes() as usize];
        let mut claim = |superblock: BlockId, members: u64| {
            for member in (0..self.layout.width()).filter(|member| members >> member & 1 == 1) {
                let home = self.layout.home(superblock, member);
                claimed[self.layout.flash().plane_of(home).index()] += 1;
            }
        };
        claim(superblock, members & !self.damage.rebuilt(superblock));
        for (other, members) in &self.damage.failures.members {
            // one that is lost needs none
            if *other != superblock && !self.pages.space.blocks.has_failed(other.0) {
                claim(*other, members & !self.damage.rebuilt(*other));
            }
        }
        let mut planes = claimed.iter().enumerate();
        planes.all(|(plane, claimed)| *claimed <= self.layout.members_now.spares(plane))
    }

    /// Pages for data of a pool that are of superblocks of which nothing has failed.
    pub(super) fn sound_pages_of(&self, pool: u32) -> u64 {
        let of_pool = self.pages.space.blocks.of_pool(pool).map(BlockId);
        let is_sound = |superblock: &BlockId| {
            self.pages.block_use(*superblock).role != BlockRole::Bad && self.damage.members(*superblock) == 0
        };
        let data = |superblock| u64::from(self.layout.data_of(superblock));
        let per_member = u64::from(self.layout.flash().pages_per_block);
        of_pool.filter(is_sound).map(data).sum::<u64>() * per_member
    }

    /// Pages for data of a pool that can be used once what has failed is out of use.
    pub(super) fn usable_pages_of(&self, pool: u32) -> u64 {
        let of_pool = self.pages.space.blocks.of_pool(pool).map(BlockId);
        let data: u32 = of_pool.map(|superblock| self.usable_data_of(superblock)).sum();
        u64::from(data) * u64::from(self.layout.flash().pages_per_block)
    }

    /// Pages for data of each superpage of a superblock, once what has failed of it is out of use.
    fn usable_data_of(&self, superblock: BlockId) -> u32 {
        if self.pages.block_use(superblock).role == BlockRole::Bad {
            return 0;
        }
        let data = self.layout.data_of(superblock);
        let not_erased = self.erasing.get(&superblock).map_or(0, |erasing| erasing.failed);
        let failed = (self.damage.members(superblock) & !self.damage.rebuilt(superblock)) | not_erased;
        if failed == 0 {
            return data;
        }
        match self.damage.way {
            BadMember::Degrade if self.can_go_without(superblock, failed) => data - 1,
            BadMember::Substitute if not_erased != 0 && self.has_spares(superblock, failed) => data,
            BadMember::Substitute if not_erased == 0 && !self.pages.space.blocks.has_failed(superblock.0) => {
                data
            }
            _ => 0,
        }
    }

    /// Whether a superblock that has all its members can go on without some.
    fn can_go_without(&self, superblock: BlockId, members: u64) -> bool {
        members.count_ones() == 1
            && self.layout.members_now.absent(superblock).is_none()
            && self.layout.data() >= 2
    }
}
