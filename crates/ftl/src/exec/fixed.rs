//! The order of programs whose pages the FTL has fixed.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use wordline_nand::BlockId;

/// Programs with a page fixed by the FTL (`Target::Page`): each waits for those that were planned before it in its
/// block. A back end names a program by an `Id` of its own.
#[derive(Clone, Debug)]
pub struct FixedPrograms<Id> {
    waiting: FxHashMap<BlockId, VecDeque<Id>>,
}

impl<Id> Default for FixedPrograms<Id> {
    fn default() -> Self {
        Self {
            waiting: FxHashMap::default(),
        }
    }
}

impl<Id: Copy + PartialEq> FixedPrograms<Id> {
    /// A program is planned.
    pub fn plan(&mut self, block: BlockId, program: Id) {
        self.waiting.entry(block).or_default().push_back(program);
    }

    /// The program of a block that may start.
    #[must_use]
    pub fn next(&self, block: BlockId) -> Option<Id> {
        self.waiting.get(&block)?.front().copied()
    }

    /// The program that was next in its block has ended.
    pub fn end(&mut self, block: BlockId) {
        self.take(block, VecDeque::pop_front);
    }

    /// The program that was planned last in its block counts no longer.
    pub(crate) fn withdraw(&mut self, block: BlockId) {
        self.take(block, VecDeque::pop_back);
    }

    fn take(&mut self, block: BlockId, pop: fn(&mut VecDeque<Id>) -> Option<Id>) {
        if let Some(queue) = self.waiting.get_mut(&block) {
            pop(queue);
            if queue.is_empty() {
                self.waiting.remove(&block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_a_block_go_in_the_order_of_their_planning() {
        let mut fixed = FixedPrograms::default();
        let (a, b) = (BlockId(3), BlockId(4));
        for (block, program) in [(a, 1), (b, 2), (a, 3)] {
            fixed.plan(block, program);
        }
        assert_eq!((fixed.next(a), fixed.next(b)), (Some(1), Some(2)));
        fixed.end(a);
        assert_eq!((fixed.next(a), fixed.next(b)), (Some(3), Some(2)));
        fixed.end(a);
        assert_eq!(fixed.next(a), None);
    }
}
