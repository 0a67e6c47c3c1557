//! By two lists of recently written pages: a page that is written again while it is in the first one is hot (Chang and Kuo,
//! RTAS 2002; FTL specification, 5.1).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;
use wordline_units::SimTime;

use super::{Classifier, ClassifierRow, check_at_least};
use crate::request::PageRequest;
use crate::state::archive::{Archive, ArchiveError};

/// Keys of `two_level_lru`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct TwoLevelKeys {
    /// `two_level_lru`: pages in the list of candidates.
    #[schemars(range(max = MANY))]
    candidates: u32,
    /// `two_level_lru`: pages in the list of hot pages.
    #[schemars(range(max = MANY))]
    hot_pages: u32,
}

impl Default for TwoLevelKeys {
    /// FTL specification, 5.1.
    fn default() -> Self {
        Self {
            candidates: 1024,
            hot_pages: 512,
        }
    }
}

/// Pages by their last use.
#[derive(Debug, Default)]
struct Recent {
    most: usize,
    used: FxHashMap<u64, u64>,
    order: BTreeMap<u64, u64>,
    uses: u64,
}

impl Recent {
    fn new(most: u32) -> Self {
        Self {
            most: most as usize,
            ..Self::default()
        }
    }

    /// Takes a page out; whether it was there.
    fn remove(&mut self, lpn: u64) -> bool {
        let used = self.used.remove(&lpn);
        used.is_some_and(|used| self.order.remove(&used).is_some())
    }

    /// Puts a page at the head; the one that drops out at the tail.
    fn insert(&mut self, lpn: u64) -> Option<u64> {
        self.remove(lpn);
        self.uses += 1;
        self.used.insert(lpn, self.uses);
        self.order.insert(self.uses, lpn);
        if self.used.len() <= self.most {
            return None;
        }
        let (_, oldest) = self.order.pop_first()?;
        self.used.remove(&oldest);
        Some(oldest)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let mut pages: Vec<u64> = self.order.values().copied().collect();
        archive.part(&mut pages)?;
        if archive.is_loading() {
            *self = Self::new(self.most as u32);
            for lpn in pages {
                self.insert(lpn);
            }
        }
        Ok(())
    }
}

/// Two lists.
struct TwoLevelLru {
    candidates: Recent,
    hot: Recent,
}

impl Classifier for TwoLevelLru {
    fn temperature(&mut self, _now: SimTime, write: &PageRequest) -> u8 {
        let lpn = write.lpn.0;
        if self.hot.remove(lpn) || self.candidates.remove(lpn) {
            if let Some(demoted) = self.hot.insert(lpn) {
                self.candidates.insert(demoted);
            }
            return 0;
        }
        self.candidates.insert(lpn);
        1
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        self.candidates.archive(archive)?;
        self.hot.archive(archive)
    }
}

/// `ftl.hot.classifier = "two_level_lru"`.
pub(crate) const TWO_LEVEL_LRU: ClassifierRow = {
    let help = "Pages that are written again while they are in a list of recently written ones are hot.";
    let mut row = ClassifierRow::new("two_level_lru", help, Keys::of::<TwoLevelKeys>(), &|keys, _| {
        let keys = keys.read::<TwoLevelKeys>();
        Some(Box::new(TwoLevelLru {
            candidates: Recent::new(keys.candidates),
            hot: Recent::new(keys.hot_pages),
        }))
    });
    row.check = |keys| {
        let keys = keys.read::<TwoLevelKeys>();
        check_at_least("ftl.hot.candidates", keys.candidates, 1)?;
        check_at_least("ftl.hot.hot_pages", keys.hot_pages, 1)
    };
    row
};
