//! A permutation of 0..n that needs no memory: popular ranks become scattered places.

use rand::Rng;
use wordline_units::Stream;

/// A balanced Feistel network over the next even power of two, walked along its cycle until it
/// falls below n (Black and Rogaway, 2002); fewer than four steps on average.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scatter {
    count: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Scatter {
    /// A permutation of the numbers below `count`, which is at least 1 and at most 2^62.
    fn new(count: u64, keys: [u64; 4]) -> Self {
        let bits = u64::BITS - (count - 1).leading_zeros();
        Self {
            count,
            half_bits: bits.div_ceil(2).max(1),
            keys,
        }
    }

    /// A permutation of the numbers below `count` with keys from `stream`.
    pub(crate) fn of(count: u64, stream: &mut Stream) -> Self {
        Self::new(count, std::array::from_fn(|_| stream.next_u64()))
    }

    /// The place of `rank`, which is below the count.
    #[inline]
    pub(crate) fn place(&self, rank: u64) -> u64 {
        let mut value = rank;
        loop {
            value = self.step(value);
            if value < self.count {
                return value;
            }
        }
    }

    #[inline]
    fn step(&self, value: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for key in self.keys {
            let round = (right ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (left, right) = (right, left ^ ((round ^ (round >> 32)) & mask));
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests {
    use super::Scatter;

    #[test]
    fn every_place_is_taken_once() {
        for count in [1, 2, 3, 5, 64, 1000, 4096, 4097] {
            let scatter = Scatter::new(count, [1, 2, 3, 4]);
            let mut taken = vec![false; count as usize];
            for rank in 0..count {
                let place = scatter.place(rank) as usize;
                assert!(!std::mem::replace(&mut taken[place], true), "{count}: {rank}");
            }
        }
    }

    /// Neighbouring ranks must not stay neighbours.
    #[test]
    fn ranks_are_scattered() {
        let scatter = Scatter::new(1_000_000, [11, 22, 33, 44]);
        let near = (0..1000).filter(|rank| scatter.place(*rank).abs_diff(scatter.place(rank + 1)) < 10_000);
        assert!(near.count() < 60);
    }
}
