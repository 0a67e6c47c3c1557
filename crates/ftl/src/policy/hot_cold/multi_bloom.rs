//! By Bloom filters of successive windows of writes: recent ones weigh more (Park and Du, MSST 2011; FTL specification, 5.1).

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

/// The most filters.
const MOST_FILTERS: u32 = 64;

/// Keys of `multi_bloom`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct MultiBloomKeys {
    /// `multi_bloom`: Bloom filters (V), from 1 to 64.
    #[schemars(range(max = MANY))]
    filters: u32,
    /// `multi_bloom`: bits of a filter, a power of two.
    #[schemars(range(max = MANY))]
    filter_bits: u32,
    /// `multi_hash`, `multi_bloom`: hash functions, from 1 to 8.
    #[schemars(range(max = MANY))]
    hashes: u32,
    /// `multi_bloom`: writes of pages after which the oldest filter is cleared and becomes the newest.
    #[schemars(range(max = MANY))]
    filter_window: u32,
    /// `multi_bloom`: a page is hot from this sum of weights on. The newest filter weighs 2, the others less by 2 / V each, so that
    /// the sum is at most V + 1.
    hot_weight: f64,
}

impl Default for MultiBloomKeys {
    /// The reading of the FTL specification, 5.1.
    fn default() -> Self {
        Self {
            filters: 4,
            filter_bits: 2048,
            hashes: 2,
            filter_window: 512,
            hot_weight: 4.0,
        }
    }
}

/// Filters, one after the other in a ring.
struct MultiBloom {
    /// Bits of each filter.
    filters: Vec<Vec<u64>>,
    hashes: Hashes,
    /// The one that writes are recorded in first.
    current: usize,
    window: u32,
    /// Writes since it became that.
    writes: u32,
    hot_weight: f64,
}

impl MultiBloom {
    fn new(keys: &MultiBloomKeys, seed: Seed) -> Self {
        let words = keys.filter_bits.div_ceil(64) as usize;
        Self {
            filters: vec![vec![0; words]; keys.filters as usize],
            hashes: Hashes::new(keys.hashes, keys.filter_bits, seed),
            current: 0,
            window: keys.filter_window,
            writes: 0,
            hot_weight: keys.hot_weight,
        }
    }

    fn contains(&self, filter: usize, lpn: u64) -> bool {
        let bits = &self.filters[filter];
        self.hashes
            .of(lpn)
            .all(|bit| bits[bit / 64] >> (bit % 64) & 1 == 1)
    }

    /// Records a page in the first filter, from the current one on, that does not have it.
    fn record(&mut self, lpn: u64) {
        let count = self.filters.len();
        let mut ring = (0..count).map(|step| (self.current + step) % count);
        if let Some(filter) = ring.find(|filter| !self.contains(*filter, lpn)) {
            for bit in self.hashes.of(lpn) {
                self.filters[filter][bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    /// The sum of the weights of the filters with a page. The filter before the current one in the ring is the second newest.
    fn weight(&self, lpn: u64) -> f64 {
        let count = self.filters.len();
        let with_page = (0..count).filter(|age| self.contains((self.current + count - age) % count, lpn));
        with_page
            .map(|age| 2.0 * (count - age) as f64 / count as f64)
            .sum()
    }
}

impl Classifier for MultiBloom {
    fn temperature(&mut self, _now: SimTime, write: &PageRequest) -> u8 {
        if self.writes == self.window {
            self.writes = 0;
            self.current = (self.current + 1) % self.filters.len();
            self.filters[self.current].fill(0);
        }
        self.writes += 1;
        self.record(write.lpn.0);
        u8::from(self.weight(write.lpn.0) < self.hot_weight)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        for filter in &mut self.filters {
            archive.table(filter)?;
        }
        archive.part(&mut self.current)?;
        archive.part(&mut self.writes)
    }
}

/// `ftl.hot.classifier = "multi_bloom"`.
pub(crate) const MULTI_BLOOM: ClassifierRow = {
    let help =
        "Pages that were written in several of the last windows of writes are hot; recent ones weigh more.";
    let mut row = ClassifierRow::new(
        "multi_bloom",
        help,
        Keys::of::<MultiBloomKeys>(),
        &|keys, seed| Some(Box::new(MultiBloom::new(&keys.read::<MultiBloomKeys>(), seed))),
    );
    row.check = |keys| {
        let keys = keys.read::<MultiBloomKeys>();
        if !(1..=MOST_FILTERS).contains(&keys.filters) {
            let accepted = format!("from 1 to {MOST_FILTERS}");
            return Err(FtlError::new("ftl.hot.filters", keys.filters, accepted));
        }
        check_power_of_two("ftl.hot.filter_bits", keys.filter_bits)?;
        if !(1..=MOST_HASHES).contains(&keys.hashes) {
            let accepted = format!("from 1 to {MOST_HASHES}");
            return Err(FtlError::new("ftl.hot.hashes", keys.hashes, accepted));
        }
        let most = f64::from(keys.filters) + 1.0;
        if !(keys.hot_weight > 0.0 && keys.hot_weight <= most) {
            let accepted = format!("above 0 and up to {most}, the sum of all weights");
            return Err(FtlError::new("ftl.hot.hot_weight", keys.hot_weight, accepted));
        }
        check_at_least("ftl.hot.filter_window", keys.filter_window, 1)
    };
    row
};

#[cfg(test)]
mod tests {
    use super::super::tests::write;
    use super::*;

    /// With weights 2, 0.5, 1 and 1.5 around the ring from the current filter on, four writes fill it: 2, 2.5, 3.5, 5.
    #[test]
    fn repeated_writes_go_to_further_filters() {
        let mut classifier = MultiBloom::new(&MultiBloomKeys::default(), Seed(1));
        let mut weights = Vec::new();
        let temperatures: Vec<u8> = (0..5)
            .map(|_| {
                let temperature = write(&mut classifier, 7);
                weights.push(classifier.weight(7));
                temperature
            })
            .collect();
        assert_eq!(weights, [2.0, 2.5, 3.5, 5.0, 5.0]);
        assert_eq!(temperatures, [1, 1, 1, 0, 0]);
    }

    /// After each window the oldest filter, which is the next one, is cleared: a page that is not written any more weighs less.
    #[test]
    fn pages_are_forgotten_window_by_window() {
        let keys = MultiBloomKeys {
            filter_window: 4,
            filter_bits: 1 << 16,
            ..MultiBloomKeys::default()
        };
        let mut classifier = MultiBloom::new(&keys, Seed(1));
        for _ in 0..4 {
            write(&mut classifier, 7);
        }
        let mut weights = Vec::new();
        for other in 0..16 {
            write(&mut classifier, 100 + other);
            weights.push(classifier.weight(7));
        }
        // filter 0 with weight 1.5, filters 3 and 2 with 1 and 0.5, and so on
        let expected = [3.0, 1.5, 0.5, 0.0];
        assert_eq!(weights, expected.map(|weight| [weight; 4]).concat());
    }
}
