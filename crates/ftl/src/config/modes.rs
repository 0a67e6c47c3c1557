//! `[ftl.modes]`: which pages get which mode.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::Set;
use wordline_keys::{Parameters, Rule, Section, Selected};
use wordline_nand::Mode;

use crate::policy::mode::ModeRow;

/// `[ftl.modes]`: which pages are programmed in which of the modes of `[[modes]]`. Pages of a map on flash are always
/// programmed in the normal mode, and a copy-back, whose data stay in their die, keeps the mode of its source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct PageModesConfig {
    /// The mode of pages that the host writes.
    pub policy: Selected<ModeRow>,
    /// The keys of the policies.
    #[serde(flatten)]
    pub keys: Parameters<ModeRow>,
    /// The mode of pages that garbage collection, merges and wear levelling move: `normal`, `preserve` (that of the page
    /// that is moved), or the name of a mode.
    pub copies: String,
}

impl Default for PageModesConfig {
    fn default() -> Self {
        Self {
            policy: Selected::default(),
            keys: Parameters::default(),
            copies: Mode::NORMAL_NAME.to_owned(),
        }
    }
}

impl Section for PageModesConfig {
    const RULES: &'static [Rule] = &[Rule::only(&["policy", "copies"], &[Set("modes")])];
}
