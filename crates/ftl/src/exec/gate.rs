//! When an erase may start.

use wordline_nand::BlockId;
use wordline_units::{ask_for_large_pages, prefetch};

/// An erase starts when no operation is outstanding on its block. An operation is outstanding on the block of
/// `Work::planned_page` from the moment at which it is planned, and on the block of a page that is chosen for it
/// from that moment; until it has ended.
#[derive(Clone, Debug)]
pub struct EraseGate {
    outstanding: Vec<u32>,
}

impl EraseGate {
    /// For so many blocks, with nothing outstanding.
    #[must_use]
    pub fn new(blocks: u32) -> Self {
        let mut outstanding = vec![0; blocks as usize];
        ask_for_large_pages(&mut outstanding);
        Self { outstanding }
    }

    /// An operation is planned on a block, or has been given a page there.
    #[inline]
    pub fn add(&mut self, block: BlockId) {
        self.outstanding[block.index()] += 1;
    }

    /// An operation on a block has ended; whether it was the last one.
    #[inline]
    pub fn remove(&mut self, block: BlockId) -> bool {
        let count = &mut self.outstanding[block.index()];
        *count -= 1;
        *count == 0
    }

    /// Whether an erase of a block may start.
    #[inline]
    #[must_use]
    pub fn is_open(&self, block: BlockId) -> bool {
        self.outstanding[block.index()] == 0
    }

    /// An operation will be planned on a block: fetches what will be needed into the cache.
    #[inline]
    pub fn prefetch(&self, block: BlockId) {
        prefetch(&self.outstanding, block.index());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_erase_waits_for_every_operation_on_its_block() {
        let mut gate = EraseGate::new(2);
        let (block, other) = (BlockId(1), BlockId(0));
        assert!(gate.is_open(block));
        gate.add(block);
        gate.add(block);
        assert!(!gate.is_open(block) && gate.is_open(other));
        assert!(!gate.remove(block));
        assert!(!gate.is_open(block));
        assert!(gate.remove(block));
        assert!(gate.is_open(block));
    }
}
