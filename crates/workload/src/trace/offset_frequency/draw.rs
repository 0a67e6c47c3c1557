//! Draws without putting back.

use wordline_units::{Seed, Stream};

use crate::synthetic::below;

/// Draws the index of an item until each was drawn as often as it is there, each order of draws
/// equally likely.
pub(super) struct Draw {
    /// How often items are there: a Fenwick tree (Fenwick, "A new data structure for cumulative
    /// frequency tables", 1994).
    tree: Vec<u64>,
    /// Draws left.
    left: u64,
    stream: Stream,
}

impl Draw {
    /// Over items that are there so many times each; their sum must fit 63 bits.
    pub(super) fn new(seed: u64, counts: impl Iterator<Item = u64>) -> Self {
        let mut tree: Vec<u64> = std::iter::once(0).chain(counts).collect();
        let left = tree.iter().sum();
        for node in 1..tree.len() {
            let parent = node + (node & node.wrapping_neg());
            let count = tree[node];
            if let Some(sum) = tree.get_mut(parent) {
                *sum += count;
            }
        }
        Self {
            tree,
            left,
            stream: Seed(seed).stream("workload.offset"),
        }
    }

    /// Takes the item that the draw number `rank` falls on, in the order of the items.
    fn take(&mut self, mut rank: u64) -> usize {
        let mut node = 0;
        let mut step = self.tree.len().next_power_of_two();
        while step > 0 {
            match self.tree.get_mut(node + step) {
                Some(below) if *below <= rank => {
                    rank -= *below;
                    node += step;
                }
                // the item lies under this node, which loses one
                Some(below) => *below -= 1,
                None => {}
            }
            step /= 2;
        }
        node
    }
}

impl Iterator for Draw {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        let rank = below(self.left, &mut self.stream);
        self.left -= 1;
        Some(self.take(rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_drawn_as_often_as_it_is_there() {
        let counts = [3, 0, 1, 500, 0, 7, 1];
        let draws: Vec<usize> = Draw::new(1, counts.into_iter()).collect();
        for (index, count) in counts.into_iter().enumerate() {
            let drawn = draws.iter().filter(|draw| **draw == index).count();
            assert_eq!(drawn as u64, count);
        }
        assert_ne!(draws, Draw::new(2, counts.into_iter()).collect::<Vec<_>>());
        assert_eq!(draws, Draw::new(1, counts.into_iter()).collect::<Vec<_>>());
        assert_eq!(Draw::new(1, std::iter::empty()).next(), None);
    }

    /// The first draw falls on an item in proportion to its count.
    #[test]
    fn first_draws_follow_the_counts() {
        let firsts = (0..4_000)
            .filter(|seed| Draw::new(*seed, [1, 3].into_iter()).next() == Some(1))
            .count();
        // mean 3000, standard deviation 27
        assert!((2_850..3_150).contains(&firsts), "{firsts}");
    }
}
