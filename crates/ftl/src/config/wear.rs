//! `[ftl.wear]`: wear levelling.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;

use crate::policy::wear::WearRow;
use wordline_keys::{Parameters, Selected};

/// Which free block is opened next, by wear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DynamicWear {
    /// As `allocation.active_block` says.
    #[default]
    Off,
    /// The least erased block.
    LowestErase,
    /// The least erased block for host writes, the most erased one for relocated pages.
    ByTemperature,
}

/// `[ftl.wear]`: wear levelling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct WearConfig {
    /// Which free block is opened next, by wear.
    pub dynamic: DynamicWear,
    /// How cold data are moved onto worn blocks.
    #[serde(rename = "static")]
    pub static_: Selected<WearRow>,
    /// The keys of policies of static wear levelling.
    #[serde(flatten)]
    pub keys: Parameters<WearRow>,
    /// Erases in a pool between two checks of static wear levelling, at least 1.
    #[schemars(range(max = MANY))]
    pub check_erases: u32,
}

impl Default for WearConfig {
    fn default() -> Self {
        Self {
            dynamic: DynamicWear::Off,
            static_: Selected::default(),
            keys: Parameters::default(),
            check_erases: 50,
        }
    }
}
