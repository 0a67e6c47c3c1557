//! What the block-level FTL does in a pool.

use serde::{Deserialize, Serialize};

/// The merge under way in a pool, and what is to be erased there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BlockPool {
    /// The merge under way.
    pub(super) merge: Option<Merge>,
    /// Blocks that hold nothing and belong to no logical block, to be erased when space is wanted.
    pub(super) dead: Vec<u32>,
}

/// A merge under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Merge {
    pub(super) logical: u32,
    /// The block that takes the pages.
    pub(super) target: u32,
    /// The next offset to look at.
    pub(super) next: u32,
    /// The offset that is left to the host write for which the merge was begun.
    pub(super) gap: Option<u32>,
}
