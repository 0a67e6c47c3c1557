//! What is remembered of members of superblocks of which something has failed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use wordline_nand::{BlockId, Ppn};

use super::keys::BadMember;

/// A member that is being programmed anew on a spare block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rebuild {
    pub(super) member: u32,
    /// The block that is to stand for it.
    pub(super) target: BlockId,
    /// Pages whose programs have been planned.
    pub(super) planned: u32,
    /// Pages that there are.
    pub(super) pages: u32,
}

/// What is remembered of failures until the superblock has been erased.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Failures {
    /// By superblock: the members of which something has failed, a bit each.
    pub(super) members: BTreeMap<BlockId, u64>,
    /// Pages that could not be read, of blocks of which more may be.
    pub(super) pages: BTreeSet<Ppn>,
    /// Blocks that are not read any more.
    pub(super) unreadable: BTreeSet<BlockId>,
}

/// Members of which something has failed.
#[derive(Debug, Default)]
pub(super) struct Damage {
    pub(super) way: BadMember,
    /// Pages of a block that cannot be read until the block is not read any more.
    pub(super) most_unreadable: Option<u32>,
    /// Whether pages that the host reads and that had to be computed are programmed anew.
    pub(super) rewrites: bool,
    pub(super) failures: Failures,
    /// By superblock.
    pub(super) rebuilds: BTreeMap<BlockId, Rebuild>,
    /// Pools in which a page that was computed is being programmed.
    pub(super) rewriting: BTreeSet<u32>,
    /// Blocks that are not used any more since something of them failed.
    pub(super) retired: u64,
    /// Erases of superblocks in which a member had no part.
    pub(super) missed_erases: u64,
}

impl Damage {
    /// The members of a superblock of which something has failed, a bit each.
    pub(super) fn members(&self, superblock: BlockId) -> u64 {
        self.failures
            .members
            .get(&superblock)
            .copied()
            .unwrap_or_default()
    }

    /// The member of a superblock that is being programmed anew, as a bit: its spare block is taken.
    pub(super) fn rebuilt(&self, superblock: BlockId) -> u64 {
        self.rebuilds
            .get(&superblock)
            .map_or(0, |rebuild| 1 << rebuild.member)
    }

    /// Something of a member has failed.
    pub(super) fn fail(&mut self, superblock: BlockId, member: u32) {
        *self.failures.members.entry(superblock).or_default() |= 1 << member;
    }

    /// What had failed of a member does not matter any more.
    pub(super) fn repair(&mut self, superblock: BlockId, member: u32) {
        let left = self.members(superblock) & !(1 << member);
        if left == 0 {
            self.failures.members.remove(&superblock);
        } else {
            self.failures.members.insert(superblock, left);
        }
    }
}
