//! What a power cut leaves of blocks that are filled and erased together: those of a superblock, or of a multi-plane block.
//!
//! Each is erased by a command of its own. Where some are erased and others not, none holds anything current, as they are erased when all that they held is elsewhere. Then they
//! differ in how often they were erased, and at no other time.

use wordline_nand::{BlockId, Geometry};

use crate::recovery::{FoundBlock, FoundFlash, Repair};

/// What was found of every block of a drive, each looked at once, and which of them belong together.
pub(in crate::mapping) struct FoundTogether {
    blocks: Vec<FoundBlock>,
    /// The blocks of each superblock; none of one that cannot be formed.
    members: Vec<Vec<BlockId>>,
    /// By superblock: whether some of its blocks are erased and others not.
    partly_erased: Vec<bool>,
}

impl FoundTogether {
    /// What is found on the flash, of superblocks with these blocks.
    pub(in crate::mapping) fn new(
        flash: &dyn FoundFlash,
        geometry: &Geometry,
        members: Vec<Vec<BlockId>>,
    ) -> Self {
        let blocks = flash.blocks(geometry);
        let differ = |members: &Vec<BlockId>| {
            let mut erases = members.iter().map(|block| blocks[block.index()].erases);
            let first = erases.next();
            erases.any(|other| Some(other) != first)
        };
        Self {
            partly_erased: members.iter().map(differ).collect(),
            members,
            blocks,
        }
    }

    /// What was found of a block.
    pub(in crate::mapping) fn of_block(&self, block: BlockId) -> FoundBlock {
        self.blocks[block.index()]
    }

    /// What was found of the blocks of a superblock.
    pub(in crate::mapping) fn members(&self, superblock: BlockId) -> impl Iterator<Item = FoundBlock> {
        let members = self.members[superblock.index()].iter();
        members.map(|block| self.of_block(*block))
    }

    pub(in crate::mapping) fn is_partly_erased(&self, superblock: BlockId) -> bool {
        self.partly_erased[superblock.index()]
    }

    /// Whether something was programmed since all of a superblock was erased.
    pub(in crate::mapping) fn has_begun(&self, superblock: BlockId) -> bool {
        self.is_partly_erased(superblock) || self.members(superblock).any(|member| member.passed > 0)
    }

    /// How often the blocks of a superblock have been erased when it is erased next, or as it is where nothing is in it: the same for all, also where an erase that failed counts
    /// and was not repeated.
    fn erases_when_erased(&self, superblock: BlockId) -> u32 {
        let erases = self
            .members(superblock)
            .map(|member| member.erases + u32::from(member.passed > 0));
        erases.max().unwrap_or(0)
    }

    /// A superblock as a block, of which so many pages are passed.
    pub(in crate::mapping) fn as_block(&self, superblock: BlockId, passed: u32) -> FoundBlock {
        let written = self.members(superblock).filter(|member| member.passed > 0);
        let erases = self.erases_when_erased(superblock);
        FoundBlock {
            passed,
            erases: erases.saturating_sub(u32::from(self.has_begun(superblock))),
            sequence: written.map(|member| member.sequence).min().unwrap_or(0),
            bad: self.members(superblock).next().is_none()
                || self.members(superblock).any(|member| member.bad),
        }
    }

    /// The erases after which all blocks of superblocks were erased equally often.
    pub(in crate::mapping) fn erase(&self, superblocks: impl Iterator<Item = BlockId>) -> Vec<Repair> {
        let of_superblock = |superblock: BlockId| {
            let erases = self.erases_when_erased(superblock);
            self.members[superblock.index()].iter().flat_map(move |block| {
                let left = erases.saturating_sub(self.of_block(*block).erases);
                (0..left).map(|_| Repair::Erase(*block))
            })
        };
        superblocks.flat_map(of_superblock).collect()
    }
}
