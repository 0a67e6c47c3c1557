//! By a few counters that pages share, found by hash functions: a page is hot if all of its own are high (Hsieh et al., ACM
//! Transactions on Storage, 2006; FTL specification, 5.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;
use wordline_units::{Seed, SimTime};

use super::hash::{Hashes, MOST_HASHES};
use super::{Classifier, ClassifierRow, check_at_least, check_power_of_two};
use crate::error::FtlError;
use crate::request::PageRequest;
use crate::state::archive::{Archive, ArchiveError};

/// Bits of a counter.
const BITS: u32 = 4;

/// Keys of `multi_hash`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct MultiHashKeys {
    /// `multi_hash`: counters of 4 bits, a power of two.
    #[schemars(range(max = MANY))]
    counters: u32,
    /// `multi_hash`, `multi_bloom`: hash functions, from 1 to 8.
    #[schemars(range(max = MANY))]
    hashes: u32,
    /// `multi_hash`: a counter is high if one of so many most significant bits is set, from 1 to 4.
    #[schemars(range(max = MANY))]
    high_bits: u32,
    /// `multi_hash`: writes of pages after which all counters are halved.
    #[schemars(range(max = MANY))]
    decay: u32,
}

impl Default for MultiHashKeys {
    /// FTL specification, 5.1.
    fn default() -> Self {
        Self {
            counters: 4096,
            hashes: 2,
            high_bits: 2,
            decay: 5117,
        }
    }
}

/// Shared counters.
struct MultiHash {
    counters: Vec<u8>,
    hashes: Hashes,
    /// The least value of a high counter.
    high: u8,
    decay: u32,
    /// Writes since the counters were halved.
    writes: u32,
}

impl MultiHash {
    fn new(keys: &MultiHashKeys, seed: Seed) -> Self {
        Self {
            counters: vec![0; keys.counters as usize],
            hashes: Hashes::new(keys.hashes, keys.counters, seed),
            high: 1 << (BITS - keys.high_bits),
            decay: keys.decay,
            writes: 0,
        }
    }
}

impl Classifier for MultiHash {
    fn temperature(&mut self, _now: SimTime, write: &PageRequest) -> u8 {
        if self.writes == self.decay {
            self.writes = 0;
            self.counters.iter_mut().for_each(|counter| *counter >>= 1);
        }
        self.writes += 1;
        let lpn = write.lpn.0;
        let least =
            |counters: &[u8], hashes: &Hashes| hashes.of(lpn).map(|at| counters[at]).min().unwrap_or(0);
        // those above the least count writes of other pages
        let before = least(&self.counters, &self.hashes);
        for at in self.hashes.of(lpn) {
            let counter = &mut self.counters[at];
            if *counter == before && before < (1 << BITS) - 1 {
                *counter += 1;
            }
        }
        u8::from(least(&self.counters, &self.hashes) < self.high)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.counters)?;
        archive.part(&mut self.writes)
    }
}

/// `ftl.hot.classifier = "multi_hash"`.
pub(crate) const MULTI_HASH: ClassifierRow = {
    let help = "Pages whose counters, shared with other pages, are all high are hot.";
    let mut row = ClassifierRow::new("multi_hash", help, Keys::of::<MultiHashKeys>(), &|keys, seed| {
        Some(Box::new(MultiHash::new(&keys.read::<MultiHashKeys>(), seed)))
    });
    row.check = |keys| {
        let keys = keys.read::<MultiHashKeys>();
        check_power_of_two("ftl.hot.counters", keys.counters)?;
        if !(1..=MOST_HASHES).contains(&keys.hashes) {
            let accepted = format!("from 1 to {MOST_HASHES}");
            return Err(FtlError::new("ftl.hot.hashes", keys.hashes, accepted));
        }
        if !(1..=BITS).contains(&keys.high_bits) {
            let accepted = format!("from 1 to {BITS}");
            return Err(FtlError::new("ftl.hot.high_bits", keys.high_bits, accepted));
        }
        check_at_least("ftl.hot.decay", keys.decay, 1)
    };
    row
};

#[cfg(test)]
mod tests {
    use super::super::tests::write;
    use super::*;

    /// A counter of 4 bits is high from 4 on where two bits count: the fourth write of a page is hot. Halved, its counters are 2,
    /// and the second write after that is hot again.
    #[test]
    fn the_fourth_write_is_hot() {
        let keys = MultiHashKeys {
            decay: 5,
            ..MultiHashKeys::default()
        };
        let mut classifier = MultiHash::new(&keys, Seed(1));
        let temperatures: Vec<u8> = (0..8).map(|_| write(&mut classifier, 7)).collect();
        // counts 1, 2, 3, 4, 5, halved to 2, then 3, 4, 5
        assert_eq!(temperatures, [1, 1, 1, 0, 0, 1, 0, 0]);
    }

    /// Counters end at 15, and only the least of a page count: one that another page has raised stays.
    #[test]
    fn only_the_least_counters_count() {
        let mut classifier = MultiHash::new(&MultiHashKeys::default(), Seed(1));
        for _ in 0..100 {
            write(&mut classifier, 7);
        }
        let places: Vec<usize> = classifier.hashes.of(7).collect();
        assert!(places.iter().all(|at| classifier.counters[*at] == 15));
        classifier.counters[places[0]] = 2;
        write(&mut classifier, 7);
        assert_eq!(classifier.counters[places[0]], 3);
        assert_eq!(classifier.counters[places[1]], 15);
    }
}
