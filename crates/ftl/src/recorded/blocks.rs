//! Blocks about which journal and checkpoints on flash may be wrong: recovery looks at the spare areas of their pages.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use wordline_nand::BlockId;

use crate::block::BlockRole;

/// How a block that was written to stands to the records on flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    /// Pages of it may have no record that is sealed.
    Open,
    /// Everything of it is in pages of the journal up to the one of this number.
    Sealed(u64),
    /// It is being emptied or about to be erased. What was moved out of it counts as being in it still, so that a block that was taken from the reserve for
    /// the copies holds nothing current after a power cut.
    Doomed,
}

/// The blocks, as the drive numbers them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct WatchedBlocks {
    free: BTreeSet<BlockId>,
    written: BTreeMap<BlockId, State>,
    /// Programs under way in a block.
    under_way: BTreeMap<BlockId, u32>,
}

impl WatchedBlocks {
    /// Begins with blocks of these roles.
    pub(super) fn begin(&mut self, blocks: impl Iterator<Item = (BlockId, BlockRole)>) {
        *self = Self::default();
        for (block, role) in blocks {
            match role {
                BlockRole::Free => _ = self.free.insert(block),
                BlockRole::Open => _ = self.written.insert(block, State::Open),
                BlockRole::Closed | BlockRole::Bad => {}
            }
        }
    }

    /// Pages of a block that was found after a power cut may have no record on flash.
    pub(super) fn reopen(&mut self, block: BlockId) {
        self.written.insert(block, State::Open);
    }

    /// Whether no program is under way.
    pub(super) fn is_quiescent(&self) -> bool {
        self.under_way.is_empty()
    }

    /// A page of a block was chosen for a program.
    pub(super) fn bound(&mut self, block: BlockId) {
        self.free.remove(&block);
        self.written.insert(block, State::Open);
        *self.under_way.entry(block).or_default() += 1;
    }

    /// A program in a block has ended.
    pub(super) fn ended(&mut self, block: BlockId) {
        if let Some(count) = self.under_way.get_mut(&block) {
            *count -= 1;
            if *count == 0 {
                self.under_way.remove(&block);
            }
        }
    }

    /// Pages are moved out of a block, or it is about to be erased.
    pub(super) fn mark_for_erase(&mut self, block: BlockId) {
        self.written.insert(block, State::Doomed);
    }

    /// A block was erased, or is bad now.
    pub(super) fn erased(&mut self, block: BlockId, is_bad: bool) {
        self.written.remove(&block);
        if !is_bad {
            self.free.insert(block);
        }
    }

    /// All records so far are in pages of the journal up to the one of this number.
    pub(super) fn sealed(&mut self, number: u64, is_closed: impl Fn(BlockId) -> bool) {
        for (block, state) in &mut self.written {
            if *state == State::Open && !self.under_way.contains_key(block) && is_closed(*block) {
                *state = State::Sealed(number);
            }
        }
    }

    /// Pages of the journal below this number are on flash.
    pub(super) fn settled(&mut self, below: u64) {
        self.written
            .retain(|_, state| !matches!(state, State::Sealed(number) if *number < below));
    }

    /// The blocks that recovery must look at.
    pub(super) fn list(&self) -> Vec<BlockId> {
        self.free.iter().chain(self.written.keys()).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block leaves the list when it is closed, its records are sealed, and the page that seals them is on flash; it is back when it is
    /// about to be erased.
    #[test]
    fn a_block_is_looked_at_until_its_records_are_on_flash() {
        let (a, b) = (BlockId(1), BlockId(2));
        let mut watched = WatchedBlocks::default();
        watched.begin([(a, BlockRole::Free), (b, BlockRole::Closed)].into_iter());
        assert_eq!(watched.list(), [a]);
        watched.bound(a);
        watched.sealed(5, |_| true);
        watched.settled(6);
        assert_eq!(watched.list(), [a], "a program is under way");
        watched.ended(a);
        watched.sealed(6, |_| false);
        watched.settled(7);
        assert_eq!(watched.list(), [a], "it is open");
        watched.sealed(7, |_| true);
        watched.settled(7);
        assert_eq!(watched.list(), [a], "page 7 is not on flash");
        watched.settled(8);
        assert!(watched.list().is_empty());
        watched.mark_for_erase(a);
        assert_eq!(watched.list(), [a]);
        watched.erased(a, false);
        assert_eq!(watched.list(), [a]);
        watched.erased(b, true);
        assert_eq!(watched.list(), [a]);
    }
}
