//! The random map: every block of a region is visited exactly once per pass.

use wordline_units::Stream;

use crate::synthetic::scatter::Scatter;

/// Blocks of a region in an order drawn anew for each pass. Commands of one block need no memory, larger
/// ones one bit per block.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    blocks: u64,
    order: Scatter,
    /// Index in the order of the next block.
    next: u64,
    /// Blocks that were visited; `None` where a command is always one block.
    visited: Option<Vec<u64>>,
}

impl Coverage {
    /// A pass over `blocks` blocks, at least 1; `several`: commands may be several blocks long.
    pub(crate) fn new(blocks: u64, several: bool, stream: &mut Stream) -> Self {
        Self {
            blocks,
            order: Scatter::of(blocks, stream),
            next: 0,
            visited: several.then(|| vec![0; usize::try_from(blocks.div_ceil(64)).unwrap_or(usize::MAX)]),
        }
    }

    /// Blocks in all.
    pub(crate) const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Starts the next pass, in an order of its own.
    pub(crate) fn restart(&mut self, stream: &mut Stream) {
        self.order = Scatter::of(self.blocks, stream);
        self.next = 0;
        if let Some(visited) = &mut self.visited {
            visited.fill(0);
        }
    }

    /// The next block that was not visited, `None` at the end of the pass.
    pub(crate) fn peek(&mut self) -> Option<u64> {
        while self.next < self.blocks {
            let block = self.order.place(self.next);
            if !self.is_visited(block) {
                return Some(block);
            }
            self.next += 1;
        }
        None
    }

    /// Visits up to `length` blocks from `block` on, which was not visited: those before the first visited
    /// one and before the end. Answers how many.
    pub(crate) fn visit(&mut self, block: u64, length: u64) -> u64 {
        let Some(visited) = &mut self.visited else {
            self.next += 1;
            return 1;
        };
        let end = self.blocks.min(block.saturating_add(length));
        for index in block..end {
            let (word, bit) = (&mut visited[(index / 64) as usize], 1 << (index % 64));
            if *word & bit != 0 {
                return index - block;
            }
            *word |= bit;
        }
        end - block
    }

    fn is_visited(&self, block: u64) -> bool {
        let visited = self.visited.as_ref();
        visited.is_some_and(|visited| visited[(block / 64) as usize] & (1 << (block % 64)) != 0)
    }
}
