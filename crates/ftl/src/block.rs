//! Blocks and free space as tables, wear maps and the auditor see them.

use serde::{Deserialize, Serialize};
use wordline_nand::{BlockId, Geometry};

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

impl Census {
    /// The states of the pages of blocks, of which so many logical pages, and pages of the FTL's own, are mapped.
    pub(crate) fn of_blocks(
        geometry: &Geometry,
        facts: impl Fn(BlockId) -> BlockFacts,
        mapped: u64,
        own: u64,
    ) -> Self {
        let none = Self {
            mapped,
            own,
            ..Self::default()
        };
        let blocks = (0..geometry.blocks()).map(|block| facts(BlockId(block)));
        blocks.fold(none, |census, facts| Self {
            valid: census.valid + u64::from(facts.valid),
            invalid: census.invalid + u64::from(facts.invalid),
            free: census.free + u64::from(facts.free),
            skipped: census.skipped + u64::from(facts.skipped),
            ..census
        })
    }
}

/// Pages of the blocks of a pool that are not bad, of so many pools of an array.
pub(crate) fn usable_pages(
    geometry: &Geometry,
    pools: u32,
    pool: u32,
    use_of: impl Fn(BlockId) -> BlockUse,
) -> u64 {
    let blocks = geometry.blocks() / pools;
    let usable =
        (pool * blocks..(pool + 1) * blocks).filter(|block| use_of(BlockId(*block)).role != BlockRole::Bad);
    usable.count() as u64 * u64::from(geometry.pages_per_block)
}
