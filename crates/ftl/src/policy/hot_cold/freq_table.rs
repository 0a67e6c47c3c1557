//! By a count of the writes of each page, all of which are halved from time to time (FTL specification, 5.1).

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;
use wordline_units::SimTime;

use super::{Classifier, ClassifierRow, check_at_least};
use crate::error::FtlError;
use crate::request::PageRequest;
use crate::state::archive::{Archive, ArchiveError};

/// Keys of `freq_table`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct FrequencyKeys {
    /// `freq_table`: a page is hot from this count of writes on, at most 255.
    #[schemars(range(max = MANY))]
    hot_count: u32,
    /// `freq_table`: writes of pages after which all counts are halved.
    #[schemars(range(max = MANY))]
    halving: u32,
}

impl Default for FrequencyKeys {
    /// Assumed.
    fn default() -> Self {
        Self {
            hot_count: 4,
            halving: 16_384,
        }
    }
}

/// A count for each page that has one above 0.
struct FrequencyTable {
    counts: FxHashMap<u64, u8>,
    hot_count: u8,
    halving: u32,
    /// Writes since the counts were halved.
    writes: u32,
}

impl Classifier for FrequencyTable {
    fn temperature(&mut self, _now: SimTime, write: &PageRequest) -> u8 {
        if self.writes == self.halving {
            self.writes = 0;
            self.counts.retain(|_, count| {
                *count /= 2;
                *count > 0
            });
        }
        self.writes += 1;
        let count = self.counts.entry(write.lpn.0).or_default();
        *count = count.saturating_add(1);
        u8::from(*count < self.hot_count)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let mut counts: Vec<(u64, u8)> = self.counts.iter().map(|(lpn, count)| (*lpn, *count)).collect();
        counts.sort_unstable();
        archive.part(&mut counts)?;
        archive.part(&mut self.writes)?;
        if archive.is_loading() {
            self.counts = counts.into_iter().collect();
            self.writes = self.writes.min(self.halving);
        }
        Ok(())
    }
}

/// `ftl.hot.classifier = "freq_table"`.
pub(crate) const FREQ_TABLE: ClassifierRow = {
    let help = "Pages that were written often are hot; counts are halved from time to time.";
    let mut row = ClassifierRow::new("freq_table", help, Keys::of::<FrequencyKeys>(), &|keys, _| {
        let keys = keys.read::<FrequencyKeys>();
        Some(Box::new(FrequencyTable {
            counts: FxHashMap::default(),
            hot_count: u8::try_from(keys.hot_count).unwrap_or(u8::MAX),
            halving: keys.halving,
            writes: 0,
        }))
    });
    row.check = |keys| {
        let keys = keys.read::<FrequencyKeys>();
        if !(1..=255).contains(&keys.hot_count) {
            return Err(FtlError::new(
                "ftl.hot.hot_count",
                keys.hot_count,
                "from 1 to 255",
            ));
        }
        check_at_least("ftl.hot.halving", keys.halving, 1)
    };
    row
};
