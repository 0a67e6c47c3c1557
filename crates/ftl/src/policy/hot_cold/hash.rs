//! Independent hash functions of page numbers, for classifiers that have no room for a number of each page.

use wordline_units::Seed;

/// The most functions.
pub(super) const MOST_HASHES: u32 = 8;

/// Functions to places in a table whose length is a power of two.
#[derive(Debug)]
pub(super) struct Hashes {
    count: u32,
    mask: u64,
    seed: u64,
}

impl Hashes {
    pub(super) fn new(count: u32, length: u32, seed: Seed) -> Self {
        Self {
            count,
            mask: u64::from(length) - 1,
            seed: seed.0,
        }
    }

    /// The places of a page.
    pub(super) fn of(&self, lpn: u64) -> impl Iterator<Item = usize> + use<> {
        let (seed, mask) = (self.seed, self.mask);
        (1..=u64::from(self.count)).map(move |function| {
            let mixed = mix(lpn ^ mix(seed.wrapping_add(function.wrapping_mul(GOLDEN))));
            (mixed & mask) as usize
        })
    }
}

/// 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014; constants of variant 13 of Stafford).
const fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
