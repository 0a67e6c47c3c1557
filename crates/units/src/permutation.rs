//! A seeded permutation of 0..n that needs no table.

use crate::Seed;

/// A Feistel network of four rounds over the smallest even number of bits that holds n, walked
/// until it falls below n (Black and Rogaway, CT-RSA 2002): a bijection of 0..n. A round changes 24 bits at most, so that
/// numbers of more than 48 bits are mixed in part only.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    below: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Permutation {
    /// That of the numbers below `below`, drawn from a seed for the component called `name`.
    #[must_use]
    pub fn new(below: u64, seed: Seed, name: &str) -> Self {
        let bits = 64 - below.saturating_sub(1).leading_zeros();
        Self {
            below,
            half_bits: bits.div_ceil(2).max(1),
            keys: [0, 1, 2, 3].map(|round| seed.draw(name, round)),
        }
    }

    /// The image of `value`, which lies below n.
    #[inline]
    #[must_use]
    pub fn of(&self, value: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let mut at = value;
        loop {
            let (mut left, mut right) = (at >> self.half_bits, at & mask);
            for key in self.keys {
                (left, right) = (right, left ^ mix(right, key) & mask);
            }
            at = left << self.half_bits | right;
            if at < self.below {
                return at;
            }
        }
    }

    /// The value below n whose image is `image`, which lies below n too.
    #[inline]
    #[must_use]
    pub fn inverse(&self, image: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let mut at = image;
        loop {
            let (mut left, mut right) = (at >> self.half_bits, at & mask);
            for key in self.keys.into_iter().rev() {
                (left, right) = (right ^ mix(left, key) & mask, left);
            }
            at = left << self.half_bits | right;
            if at < self.below {
                return at;
            }
        }
    }
}

/// What a round adds to one half of a number for the other half.
#[inline]
fn mix(half: u64, key: u64) -> u64 {
    let mut mixed = (half ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^= mixed >> 32;
    mixed.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 40
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn is_a_permutation_of_any_size() {
        for below in [1, 2, 3, 5, 64, 65, 1000, 4097] {
            let permutation = Permutation::new(below, Seed(7), "test");
            let mut seen: Vec<u64> = (0..below).map(|value| permutation.of(value)).collect();
            for (value, image) in (0..below).zip(&seen) {
                assert_eq!(permutation.inverse(*image), value);
            }
            let fixed = seen
                .iter()
                .enumerate()
                .filter(|(at, image)| *at as u64 == **image)
                .count();
            assert!(below < 64 || fixed < 10, "{fixed} of {below} stay");
            seen.sort_unstable();
            assert_eq!(seen, (0..below).collect::<Vec<_>>());
        }
        let other = Permutation::new(1000, Seed(8), "test");
        assert!((0..1000).any(|value| other.of(value) != Permutation::new(1000, Seed(7), "test").of(value)));
    }

    proptest! {
        #[test]
        fn it_can_be_inverted(below in 1_u64..1 << 40, seed: u64, value: u64) {
            let permutation = Permutation::new(below, Seed(seed), "test");
            let value = value % below;
            prop_assert_eq!(permutation.inverse(permutation.of(value)), value);
        }
    }
}
