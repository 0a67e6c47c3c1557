//! By load: what is programmed while nothing else of the host waits may take its time (the idea of G. Wu 2013, without an
//! estimate of how long the time without requests lasts).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_nand::Mode;

use super::{ModePolicy, ModeRow, ModeView};

/// Keys of `by_load`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct ByLoadKeys {
    /// `by_load`: the mode of a page that is programmed while no other flash operation of the host waits in the drive.
    alone: String,
    /// `by_load`: the mode of all other pages, and of all pages that are written without a clock.
    others_wait: String,
}

impl Default for ByLoadKeys {
    fn default() -> Self {
        Self {
            alone: Mode::NORMAL_NAME.to_owned(),
            others_wait: Mode::NORMAL_NAME.to_owned(),
        }
    }
}

/// A mode for programs that nothing waits behind, and one for the others.
struct ByLoad {
    alone: Mode,
    others_wait: Mode,
}

impl ModePolicy for ByLoad {
    fn mode(&mut self, view: &ModeView<'_>) -> Mode {
        // the program itself waits too
        match view.load {
            Some(load) if load.of_drive.reads + load.of_drive.programs <= 1 => self.alone,
            _ => self.others_wait,
        }
    }
}

/// `ftl.modes.policy = "by_load"`.
pub(crate) const BY_LOAD: ModeRow = ModeRow::new(
    "by_load",
    "Pages that the host writes are programmed in one mode while no other flash operation of the host waits in the drive, and in \
     another one while some do.",
    Keys::of::<ByLoadKeys>(),
    |keys, modes| {
        let keys = keys.read::<ByLoadKeys>();
        Ok(Box::new(ByLoad {
            alone: modes.find("ftl.modes.alone", &keys.alone)?,
            others_wait: modes.find("ftl.modes.others_wait", &keys.others_wait)?,
        }))
    },
);
