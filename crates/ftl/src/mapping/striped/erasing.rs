//! Superblocks that are being erased, member by member.

use crate::plan::Step;

/// A superblock that is being erased.
#[derive(Clone, Copy, Debug)]
pub(super) struct Erasing {
    /// The erase of the superblock, as it was planned.
    pub(super) step: Step,
    /// Members whose erase has not ended.
    pub(super) left: u32,
    /// Members that have been erased, a bit each.
    pub(super) erased: u64,
    /// Members whose erase has failed, a bit each.
    pub(super) failed: u64,
}

impl Erasing {
    pub(super) const fn new(step: Step, members: u32) -> Self {
        Self {
            step,
            left: members,
            erased: 0,
            failed: 0,
        }
    }

    pub(super) const fn has_erased(&self, member: u32) -> bool {
        self.erased >> member & 1 == 1
    }

    /// Members whose erase has ended, one way or the other.
    pub(super) const fn ended(&self) -> u32 {
        (self.erased | self.failed).count_ones()
    }
}
