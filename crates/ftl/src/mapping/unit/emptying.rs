//! What collection has read ahead of the blocks that it empties.

use std::collections::VecDeque;

use super::pages::Unit;

/// A unit that was read, and the step of the plan in the making that reads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) unit: Unit,
    /// Mask of the step; 0 once the controller has it.
    pub(super) step: u64,
}

/// A block that is emptied after the victim of a pool.
#[derive(Clone, Debug)]
pub(super) struct Following {
    pub(super) block: u32,
    /// Index of the next unit to look at.
    pub(super) next: u32,
    /// Units without current data when it was chosen.
    pub(super) spare: u32,
    /// What was read of it.
    pub(super) read: VecDeque<Read>,
}

/// What collection has read ahead in a pool.
#[derive(Clone, Debug, Default)]
pub(super) struct Emptying {
    /// Units of the victim that the controller has and no program yet.
    pub(super) read: VecDeque<Read>,
    /// The block after the victim, once it was needed.
    pub(super) following: Option<Following>,
}
