//! Members of superblocks that are not the block of their superblock's index: substitutes of bad ones, and members that a superblock goes without (FTL specification, 2.8).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wordline_nand::BlockId;

/// Members that are other blocks than those of the index of their superblock, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Members {
    /// By the block that a member had at first: the one that stands for it, and how often the superblock was erased without that one.
    substitutes: BTreeMap<BlockId, (BlockId, u32)>,
    /// By spare block that stands for a member, is to, or did: the block that the member had at first.
    homes: BTreeMap<BlockId, BlockId>,
    /// By superblock: the member that it goes without.
    absent: BTreeMap<BlockId, u32>,
    /// By plane: spare blocks that nothing has been asked of yet; the last one is taken first.
    spares: Vec<Vec<BlockId>>,
}

impl Members {
    /// Nothing is bad; `spares` are the spare blocks of each plane.
    pub(super) fn new(spares: Vec<Vec<BlockId>>) -> Self {
        Self {
            spares,
            ..Self::default()
        }
    }

    /// Whether each member is the block of its superblock's index.
    pub(super) fn is_plain(&self) -> bool {
        self.homes.is_empty() && self.absent.is_empty() && self.spares.iter().all(Vec::is_empty)
    }

    /// The block that a member has, which had this one at first.
    #[inline]
    pub(super) fn block(&self, home: BlockId) -> BlockId {
        self.substitutes.get(&home).map_or(home, |(block, _)| *block)
    }

    /// The block that the member of a block had at first.
    #[inline]
    pub(super) fn home(&self, block: BlockId) -> BlockId {
        self.homes.get(&block).copied().unwrap_or(block)
    }

    /// Erases of its superblock in which a member had no part, which had this block at first.
    pub(super) fn missed_erases(&self, home: BlockId) -> u32 {
        self.substitutes.get(&home).map_or(0, |(_, erases)| *erases)
    }

    /// The member that a superblock goes without.
    #[inline]
    pub(super) fn absent(&self, superblock: BlockId) -> Option<u32> {
        self.absent.get(&superblock).copied()
    }

    /// Superblocks that go without a member.
    pub(super) fn degraded(&self) -> impl Iterator<Item = BlockId> {
        self.absent.keys().copied()
    }

    /// From now on a superblock goes without a member.
    pub(super) fn leave_out(&mut self, superblock: BlockId, member: u32) {
        self.absent.insert(superblock, member);
    }

    /// Spare blocks of a plane that are free.
    pub(super) fn spares(&self, plane: usize) -> usize {
        self.spares.get(plane).map_or(0, Vec::len)
    }

    pub(super) fn is_spare(&self, block: BlockId) -> bool {
        self.spares.iter().any(|spares| spares.contains(&block))
    }

    /// A spare block of a plane that is to stand for the member which had a block at first.
    pub(super) fn take_spare(&mut self, plane: usize, home: BlockId) -> Option<BlockId> {
        let block = self.spares.get_mut(plane)?.pop()?;
        self.homes.insert(block, home);
        Some(block)
    }

    /// A spare block is bad.
    pub(super) fn drop_spare(&mut self, block: BlockId) {
        for spares in &mut self.spares {
            spares.retain(|spare| *spare != block);
        }
    }

    /// A spare block that was taken stands for its member, whose superblock was erased so often without it.
    pub(super) fn substitute(&mut self, block: BlockId, erases: u32) {
        let home = self.home(block);
        self.substitutes.insert(home, (block, erases));
    }
}
