//! `[compat]`: what other simulators do differently, to study the difference.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, IsNot, On};
use wordline_keys::{Rule, Section};

/// `[compat]`: what another simulator does that hardware does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompatConfig {
    /// Charge the bus of a program that is interleaved and multi-plane at once with one transfer, as
    /// SSDsim 2.x does, instead of one for each page. Favours orders that use that command.
    pub ssdsim_combined_bus: bool,
}

impl Section for CompatConfig {
    const RULES: &'static [Rule] = &[
        // the combined command of two dies exists only where the chip is busy as one
        Rule::only(&["ssdsim_combined_bus"], &[Is("scheduler.busy_grain", &["chip"])]),
        Rule::only(&["ssdsim_combined_bus"], &[On("commands.interleave")]),
        Rule::only(
            &["ssdsim_combined_bus"],
            &[IsNot("commands.multi_plane_write", &["off"])],
        ),
    ];
}
