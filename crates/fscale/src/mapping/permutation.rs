//! A keyed permutation of page numbers that needs no memory.

use wordline_units::Seed;

/// Rounds of the Feistel network.
const ROUNDS: u64 = 4;

/// A permutation of the numbers below a bound: a Feistel network on the next power of four, walked until it is back in range (a construction of
/// format-preserving encryption; Black and Rogaway 2002).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    bound: u64,
    half_bits: u32,
    seed: Seed,
}

impl Permutation {
    /// Of the numbers below `bound`, at least 1.
    pub(crate) fn new(bound: u64, seed: u64) -> Self {
        let bits = u64::BITS - bound.saturating_sub(1).leading_zeros();
        Self {
            bound,
            half_bits: bits.div_ceil(2).max(1),
            seed: Seed(seed),
        }
    }

    /// Where `value`, below the bound, goes.
    pub(crate) fn apply(&self, value: u64) -> u64 {
        self.walk(
            value,
            |left, right, round| (right, left ^ self.round(round, right)),
            false,
        )
    }

    /// What goes to `value`.
    #[cfg(test)]
    fn invert(&self, value: u64) -> u64 {
        self.walk(
            value,
            |left, right, round| (right ^ self.round(round, left), left),
            true,
        )
    }

    fn round(&self, round: u64, half: u64) -> u64 {
        self.seed.draw("fscale.permutation", round << 32 | half) & self.mask()
    }

    fn mask(&self) -> u64 {
        (1 << self.half_bits) - 1
    }

    fn walk(&self, mut value: u64, step: impl Fn(u64, u64, u64) -> (u64, u64), backwards: bool) -> u64 {
        loop {
            let (mut left, mut right) = (value >> self.half_bits, value & self.mask());
            for round in 0..ROUNDS {
                let round = if backwards { ROUNDS - 1 - round } else { round };
                (left, right) = step(left, right, round);
            }
            value = left << self.half_bits | right;
            if value < self.bound {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_number_is_met_once() {
        for bound in [1, 2, 5, 1000, 4096, 4097] {
            let permutation = Permutation::new(bound, 7);
            let mut met: Vec<u64> = (0..bound).map(|value| permutation.apply(value)).collect();
            met.sort_unstable();
            assert!(met.into_iter().eq(0..bound), "{bound}");
        }
    }

    proptest! {
        #[test]
        fn it_can_be_inverted(bound in 1_u64..1 << 40, seed: u64, value: u64) {
            let permutation = Permutation::new(bound, seed);
            let value = value % bound;
            prop_assert_eq!(permutation.invert(permutation.apply(value)), value);
        }
    }
}
