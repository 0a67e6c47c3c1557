//! By temperature: pages that are rewritten soon, and those that stay, as the classifier of `[ftl.hot]` tells them apart
//! (what is programmed slowly or reliably should be read often and stay long).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_nand::Mode;

use super::{ModePolicy, ModeRow, ModeView};
use crate::plan::HOST;
use crate::plan::{Target, Work};

/// Keys of `by_temperature`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct ByTemperatureKeys {
    /// `by_temperature`: the mode of pages of the hottest temperature; all pages without a classifier (`ftl.hot`).
    hot: String,
    /// `by_temperature`: the mode of all other pages.
    cold: String,
}

impl Default for ByTemperatureKeys {
    fn default() -> Self {
        Self {
            hot: Mode::NORMAL_NAME.to_owned(),
            cold: Mode::NORMAL_NAME.to_owned(),
        }
    }
}

/// A mode for hot pages and one for the others.
struct ByTemperature {
    hot: Mode,
    cold: Mode,
}

impl ModePolicy for ByTemperature {
    fn mode(&mut self, view: &ModeView<'_>) -> Mode {
        match view.program.work {
            Work::Program {
                target: Target::Frontier { frontier, .. },
                ..
            } if frontier != HOST => self.cold,
            _ => self.hot,
        }
    }
}

/// `ftl.modes.policy = "by_temperature"`.
pub(crate) const BY_TEMPERATURE: ModeRow = ModeRow::new(
    "by_temperature",
    "Pages that the host writes are programmed in one mode where the classifier of `ftl.hot` finds them hot, and in \
     another one where not.",
    Keys::of::<ByTemperatureKeys>(),
    |keys, modes| {
        let keys = keys.read::<ByTemperatureKeys>();
        Ok(Box::new(ByTemperature {
            hot: modes.find("ftl.modes.hot", &keys.hot)?,
            cold: modes.find("ftl.modes.cold", &keys.cold)?,
        }))
    },
);
