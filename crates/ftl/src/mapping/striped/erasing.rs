//! Superblocks that are being erased, member by member.

/// A superblock that is being erased.
#[derive(Clone, Copy, Debug)]
pub(super) struct Erasing {
    /// Members whose erase has not ended.
    pub(super) left: u32,
    /// Members that have been erased, a bit each.
    pub(super) erased: u64,
    pub(super) has_failed: bool,
}

impl Erasing {
    pub(super) const fn new(members: u32) -> Self {
        Self {
            left: members,
            erased: 0,
            has_failed: false,
        }
    }

    pub(super) const fn has_erased(&self, member: u32) -> bool {
        self.erased >> member & 1 == 1
    }
}
