//! The random map: every block of a region is visited exactly once per pass.

use wordline_units::Stream;

use super::axmap::Visited;
use crate::synthetic::scatter::Scatter;
use crate::synthetic::slots::below;

/// Blocks of a region in an order drawn anew for each pass.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    blocks: u64,
    order: Order,
}

/// How the next block is found.
#[derive(Clone, Debug)]
enum Order {
    /// Commands are one block: an order that needs no memory, and the index in it of the next block.
    Scattered(Scatter, u64),
    /// Commands may be several blocks long: a block is drawn, or the first one behind it that was not visited, as in fio's axmap, and kept until it is visited.
    Drawn(Visited, Option<u64>),
}

impl Coverage {
    /// A pass over `blocks` blocks, at least 1; `several`: commands may be several blocks long.
    pub(crate) fn new(blocks: u64, several: bool, stream: &mut Stream) -> Self {
        let order = if several {
            Order::Drawn(Visited::none_of(blocks), None)
        } else {
            Order::Scattered(Scatter::of(blocks, stream), 0)
        };
        Self { blocks, order }
    }

    /// Blocks in all.
    pub(crate) const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Starts the next pass, in an order of its own.
    pub(crate) fn restart(&mut self, stream: &mut Stream) {
        match &mut self.order {
            Order::Scattered(scatter, next) => {
                *scatter = Scatter::of(self.blocks, stream);
                *next = 0;
            }
            Order::Drawn(visited, next) => {
                visited.clear();
                *next = None;
            }
        }
    }

    /// The next block that was not visited, `None` at the end of the pass.
    pub(crate) fn peek(&mut self, stream: &mut Stream) -> Option<u64> {
        match &mut self.order {
            Order::Scattered(scatter, next) => (*next < self.blocks).then(|| scatter.place(*next)),
            Order::Drawn(_, Some(next)) => Some(*next),
            Order::Drawn(visited, next) => {
                let drawn = below(self.blocks, stream);
                *next = visited.next_free(drawn).or_else(|| visited.next_free(0));
                *next
            }
        }
    }

    /// Visits up to `length` blocks from `block` on, which was not visited: those before the first visited
    /// one and before the end. Answers how many.
    pub(crate) fn visit(&mut self, block: u64, length: u64) -> u64 {
        match &mut self.order {
            Order::Scattered(_, next) => {
                *next += 1;
                1
            }
            Order::Drawn(visited, next) => {
                *next = None;
                let end = self.blocks.min(block.saturating_add(length));
                for index in block..end {
                    if visited.holds(index) {
                        return index - block;
                    }
                    visited.add(index);
                }
                end - block
            }
        }
    }
}
