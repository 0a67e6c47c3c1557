//! The blocks that a superblock owns, and what is done with the blocks of a plane.

use serde::{Deserialize, Serialize};

use crate::block::BlockRole;
use crate::blocks::Blocks;

/// What a block of a superblock is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Part {
    /// Data that were written for the first time, or not for a while (D-block).
    Original,
    /// Data that were written again (U-block).
    Update,
}

impl Part {
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Original => Self::Update,
            Self::Update => Self::Original,
        }
    }
}

/// A block of a superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Owned {
    pub(super) block: u32,
    pub(super) part: Part,
    /// Host programs of the superblock before the block was opened.
    pub(super) opened: u64,
}

/// A superblock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Superblock {
    /// In the order in which they were opened.
    pub(super) blocks: Vec<Owned>,
    /// Host programs so far.
    pub(super) writes: u64,
    /// Number of the last one among those of its plane.
    pub(super) last_write: u64,
}

impl Superblock {
    /// Blocks of a part, but for one.
    pub(super) fn count(&self, part: Part, but: Option<u32>) -> u32 {
        let is_counted = |owned: &&Owned| owned.part == part && Some(owned.block) != but;
        self.blocks.iter().filter(is_counted).count() as u32
    }

    /// The block of a part that takes further pages.
    pub(super) fn open_block(&self, blocks: &Blocks, part: Part) -> Option<u32> {
        let is_open =
            |owned: &&Owned| owned.part == part && blocks.role[owned.block as usize] == BlockRole::Open;
        self.blocks.iter().find(is_open).map(|owned| owned.block)
    }

    /// Current pages of all blocks.
    pub(super) fn valid(&self, blocks: &Blocks) -> u32 {
        self.blocks.iter().map(|owned| blocks.valid(owned.block)).sum()
    }
}

/// A block that is being emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Victim {
    pub(super) superblock: u32,
    pub(super) block: u32,
    /// The next page to look at.
    pub(super) next: u32,
    /// Current pages at the beginning.
    pub(super) valid: u32,
}

/// What is done with the blocks of a plane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plane {
    /// Host programs so far.
    pub(super) writes: u64,
    pub(super) victim: Option<Victim>,
    /// Blocks that hold nothing and belong to no superblock, to be erased when space is wanted.
    pub(super) dead: Vec<u32>,
}
