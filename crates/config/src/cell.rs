//! `[cell]`: how reliable the cells of the drive are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_cell::{HeatLaw, RberConfig, Reading, VariationConfig, VthConfig};
use wordline_keys::When::{Is, IsNot, Unset};
use wordline_keys::{Rule, Section};

/// `[cell]`: raw bit error rates by wear, age and block. Bits of a cell are those of `geometry.cell_type`, cycles those
/// of each block (`age.initial_cycles` and erases), ages those of each page, in whole seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CellSection {
    /// Which error rate is used, where rates are computed from threshold voltages.
    pub ber_reading: Reading,
    /// Erases of a block for which the programs of classes of blocks (`[[modes]]` with a `quantile`) are laid out. Unset: those with which the drive begins (`age.initial_cycles`). A drive
    /// that goes on from a saved state brings its own, so that they must be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100_000_000))]
    pub design_cycles: Option<u32>,
    /// Threshold voltages.
    pub vth: VthConfig,
    /// Raw bit error rates.
    pub rber: RberConfig,
    /// How blocks differ.
    pub process_variation: VariationConfig,
    /// How heat ages data that are kept.
    pub retention: HeatLaw,
}

impl Section for CellSection {
    const RULES: &'static [Rule] = &[
        Rule::only(
            &["rber.redone_phase"],
            &[Is("scheduler.policy", &["pes", "dlv_pes"])],
        ),
        Rule::only(
            &["rber.redone_phase"],
            &[Is("scheduler.suspension.program_suspend", &["ipc"])],
        ),
        Rule::all_but(&["design_cycles"], &[IsNot("ecc.kind", &["none"])]),
        Rule::only(&["ber_reading"], &[Is("cell.rber.model", &["fixed"])]),
        Rule::only(&["ber_reading"], &[Unset("cell.rber.rate")]),
    ];
}
