//! One mode for all pages that the host writes: the bound that a scheme which chooses among modes is compared with
//! (`always_slow` of G. Wu 2013, section 2.4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_nand::Mode;

use super::{ModePolicy, ModeRow, ModeView};

/// Keys of `fixed`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct FixedKeys {
    /// `fixed`: the mode of all pages that the host writes: `normal`, or the name of a mode.
    host: String,
}

impl Default for FixedKeys {
    fn default() -> Self {
        Self {
            host: Mode::NORMAL_NAME.to_owned(),
        }
    }
}

/// Always the same mode.
pub(super) struct Fixed(pub(super) Mode);

impl ModePolicy for Fixed {
    fn mode(&mut self, _view: &ModeView<'_>) -> Mode {
        self.0
    }
}

/// `ftl.modes.policy = "fixed"`.
pub(crate) const FIXED: ModeRow = ModeRow::new(
    "fixed",
    "Every page that the host writes is programmed in the mode that `host` names.",
    Keys::of::<FixedKeys>(),
    |keys, modes| {
        let mode = modes.find("ftl.modes.host", &keys.read::<FixedKeys>().host)?;
        Ok(Box::new(Fixed(mode)))
    },
);
