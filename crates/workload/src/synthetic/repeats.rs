//! Requests that will be repeated, by when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Requests that wait at once; one more is not repeated.
const MOST: usize = 1 << 16;

/// A request that will be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Repeat {
    /// Number of the request from which on it is due.
    pub(crate) due: u64,
    /// Order of those that are due at once.
    sequence: u64,
    pub(crate) sector: u64,
    pub(crate) sectors: u32,
    /// How often it is still to be made, this time included; at least 1.
    pub(crate) left: u32,
    /// Band of its place.
    pub(crate) band: usize,
}

/// Requests that wait, the earliest first.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    heap: BinaryHeap<Reverse<Repeat>>,
    sequence: u64,
}

impl Waiting {
    /// A request of `sectors` at `sector` is due from request number `due` on, `left` times, the
    /// first of them then.
    pub(crate) fn push(&mut self, due: u64, sector: u64, sectors: u32, left: u32, band: usize) {
        if left == 0 || self.heap.len() >= MOST {
            return;
        }
        self.sequence += 1;
        self.heap.push(Reverse(Repeat {
            due,
            sequence: self.sequence,
            sector,
            sectors,
            left,
            band,
        }));
    }

    /// The earliest that is due at request number `now`.
    pub(crate) fn pop(&mut self, now: u64) -> Option<Repeat> {
        if self.heap.peek()?.0.due > now {
            return None;
        }
        self.heap.pop().map(|Reverse(repeat)| repeat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_none_too_soon() {
        let mut waiting = Waiting::default();
        waiting.push(5, 50, 8, 1, 0);
        waiting.push(3, 30, 8, 2, 1);
        waiting.push(3, 31, 8, 1, 0);
        waiting.push(1, 10, 8, 0, 0);
        assert_eq!(waiting.pop(2), None);
        let first = waiting.pop(3).unwrap();
        assert_eq!((first.sector, first.left, first.band), (30, 2, 1));
        assert_eq!(waiting.pop(4).map(|repeat| repeat.sector), Some(31));
        assert_eq!(waiting.pop(4), None);
        assert_eq!(waiting.pop(9).map(|repeat| repeat.sector), Some(50));
        for request in 0..=MOST as u64 {
            waiting.push(request, 0, 1, 1, 0);
        }
        assert_eq!(waiting.heap.len(), MOST);
    }
}
