//! `[ftl.hot]`: hot/cold separation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::FtlError;
use crate::policy::hot_cold::{ClassifierRow, MOST_TEMPERATURES};
use wordline_keys::{Parameters, Selected};

/// `[ftl.hot]`: hot/cold separation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct HotConfig {
    /// How hot pages are told from cold ones; pages of one temperature share open blocks, and keep their temperature when
    /// they are relocated to the open blocks of host writes, or take the next colder one (`gc_separation`, `dac`).
    pub classifier: Selected<ClassifierRow>,
    /// The keys of classifiers.
    #[serde(flatten)]
    pub keys: Parameters<ClassifierRow>,
}

impl HotConfig {
    /// Temperatures that are told apart.
    ///
    /// # Errors
    /// There is no such classifier, values that it refuses, a number of temperatures that is not possible.
    pub(crate) fn temperatures(&self) -> Result<u8, FtlError> {
        let row = self.classifier.row()?;
        (row.check)(&self.keys)?;
        let temperatures = (row.temperatures)(&self.keys);
        if (1..=MOST_TEMPERATURES).contains(&temperatures) {
            return Ok(temperatures);
        }
        Err(FtlError::new(
            "ftl.hot.classifier",
            format!("\"{}\" with {temperatures} temperatures", row.entry.name),
            format!("from 1 to {MOST_TEMPERATURES} temperatures"),
        ))
    }
}
