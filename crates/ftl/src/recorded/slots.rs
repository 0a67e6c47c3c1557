//! How far checkpoints have come, and which slot and root count.

use serde::{Deserialize, Serialize};
use wordline_nand::BlockId;

use crate::notice::Urgency;

/// How far a checkpoint has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Phase {
    /// None is being written.
    #[default]
    Idle,
    /// Its pages are, from this one on.
    Parts(u64),
    /// Its root is.
    Root,
    /// What it replaces is to be erased.
    Clean,
}

/// The state of checkpoints.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Checkpoints {
    pub(super) phase: Phase,
    /// The number of the newest checkpoint, complete or not.
    pub(super) number: u64,
    /// Its slot.
    pub(super) slot: u32,
    /// How many records there were when it was begun, and the position of the next page of the journal then.
    pub(super) includes: u64,
    pub(super) journal_from: u64,
    /// The same of the newest complete one.
    pub(super) committed_from: u64,
    /// Pages of it under way.
    pub(super) parts_left: u64,
    /// The block of the root that is written to, and its next page.
    pub(super) root: (u32, u32),
    /// Blocks to be erased.
    pub(super) stale: Vec<BlockId>,
    /// Erases under way.
    pub(super) erases_left: u64,
    /// Where the journal ends once they are done.
    pub(super) new_end: u64,
    /// How pressing the notice said that they are; none where none was given.
    #[serde(skip)]
    pub(super) noticed: Option<Urgency>,
    /// How many have been completed.
    pub(super) completed: u64,
}
