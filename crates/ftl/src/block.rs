//! Blocks and free space as tables, wear maps and the auditor see them.

use serde::{Deserialize, Serialize};

/// What a block is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BlockRole {
    /// Erased and in a free pool.
    Free,
    /// Partly written and still written to.
    Open,
    /// Written, or given up; a candidate for collection.
    Closed,
    /// Not to be used.
    Bad,
}

/// The state of one block, for tables, wear maps and the auditor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockFacts {
    /// What it is used for.
    pub role: BlockRole,
    /// Pages that hold the current version of a logical page.
    pub valid: u32,
    /// Programmed pages that do not.
    pub invalid: u32,
    /// Pages not passed yet.
    pub free: u32,
    /// Pages given up without being programmed.
    pub skipped: u32,
    /// Times the block was erased.
    pub erase_count: u32,
}

/// What is known of a block without a look at its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockUse {
    /// What it is used for.
    pub role: BlockRole,
    /// Pages not passed yet.
    pub free: u32,
    /// Times the block was erased.
    pub erase_count: u32,
}

impl From<BlockFacts> for BlockUse {
    fn from(facts: BlockFacts) -> Self {
        Self {
            role: facts.role,
            free: facts.free,
            erase_count: facts.erase_count,
        }
    }
}

/// The free space of a collection pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CleanSpace {
    /// Free blocks now.
    pub free: u32,
    /// Free blocks below which collection starts.
    pub trigger: u32,
    /// Blocks of the pool.
    pub blocks: u32,
}

/// Pages of the drive by state; they sum to all its pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Pages that hold the current version of a logical page.
    pub valid: u64,
    /// Programmed pages that do not.
    pub invalid: u64,
    /// Pages not passed yet.
    pub free: u64,
    /// Pages given up without being programmed.
    pub skipped: u64,
    /// Logical pages that are mapped.
    pub mapped: u64,
    /// Pages of the FTL's own that are mapped, such as those of a map on flash; the valid pages are these and the former.
    pub own: u64,
}
