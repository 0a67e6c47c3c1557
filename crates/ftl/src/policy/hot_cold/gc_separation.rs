//! By generations: what the host writes, what collection moved once, and what it moved again. A page that was moved often was not
//! overwritten for long (FTL specification, 5.1; a passive separation, without any table).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_keys::limits::MANY;
use wordline_units::SimTime;

use super::{Classifier, ClassifierRow, MOST_TEMPERATURES};
use crate::error::FtlError;
use crate::request::PageRequest;

/// Keys of `gc_separation`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct GenerationKeys {
    /// `gc_separation`: generations of pages, each with open blocks of its own: what the host writes, what was moved once,
    /// and so on; pages of the last one stay there. From 2 to 64.
    #[schemars(range(max = MANY))]
    generations: u32,
}

impl Default for GenerationKeys {
    /// FTL specification, 5.1: writes of the host, pages moved, pages moved again.
    fn default() -> Self {
        Self { generations: 3 }
    }
}

impl GenerationKeys {
    /// # Errors
    /// More or fewer generations than there can be.
    fn generations(&self) -> Result<u8, FtlError> {
        u8::try_from(self.generations)
            .ok()
            .filter(|generations| (2..=MOST_TEMPERATURES).contains(generations))
            .ok_or_else(|| {
                FtlError::new(
                    "ftl.hot.generations",
                    self.generations,
                    format!("from 2 to {MOST_TEMPERATURES}"),
                )
            })
    }
}

/// The host writes pages of the first generation.
struct FirstGeneration;

impl Classifier for FirstGeneration {
    fn temperature(&mut self, _now: SimTime, _write: &PageRequest) -> u8 {
        0
    }
}

/// `ftl.hot.classifier = "gc_separation"`.
pub(crate) const GC_SEPARATION: ClassifierRow = {
    let help = "Pages become colder each time that collection moves them.";
    let mut row = ClassifierRow::new("gc_separation", help, Keys::of::<GenerationKeys>(), &|_, _| {
        Some(Box::new(FirstGeneration))
    });
    row.temperatures = &|keys| keys.read::<GenerationKeys>().generations().unwrap_or(2);
    row.check = |keys| keys.read::<GenerationKeys>().generations().map(|_| ());
    row.cools_when_moved = true;
    row
};
