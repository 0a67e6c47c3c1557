//! The description of a chip: the inputs of FlashPower, as a TOML file spells them.
//!
//! After V. Mohan's dissertation (University of Virginia, 2015), table 2.3, and the inputs that its
//! equations use but its table omits.

mod check;
mod effect;
mod full_sequence;
mod load;
mod parameters;
mod ranges;
mod reference;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::{ByteSize, Concentration, Current, Duration, Energy, Length, Temperature, Voltage};

pub use load::{ChipSource, load};
pub use parameters::{PARAMETERS, Parameter, parameter};
pub use reference::reference;
pub use wordline_overlay::Overlay;

/// A chip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChipConfig {
    /// What the chip is called.
    pub chip: Identity,
    /// Numbers and sizes.
    pub geometry: Geometry,
    /// The floating-gate transistor and the wells.
    pub device: Device,
    /// Default content of a page.
    #[serde(default)]
    pub workload: Workload,
    /// How long operations take.
    pub timing: Timing,
    /// Voltages.
    pub bias: Bias,
    /// Pulses and threshold shifts.
    pub policy: Policy,
    /// Constants that are calibrated or overridden.
    #[serde(default)]
    pub calibration: Calibration,
}

/// What the chip is called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Its name in reports.
    pub name: String,
}

/// Numbers and sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Geometry {
    /// Data bytes of a page.
    pub page_size: ByteSize,
    /// Spare bytes of a page.
    pub spare_size: ByteSize,
    /// Pages of a block; even for SLC, a multiple of 4 for MLC.
    pub pages_per_block: u32,
    /// Rows of blocks in a plane.
    pub block_rows: u32,
    /// Columns of blocks in a plane.
    #[serde(default = "one")]
    pub block_cols: u32,
    /// Planes of a die.
    #[serde(default = "one")]
    pub planes_per_die: u32,
    /// Dies of the chip.
    #[serde(default = "one")]
    pub dies: u32,
    /// Feature size, 22 to 90 nm.
    pub feature: Length,
    /// Bits of a cell, 1 to 4.
    pub bits_per_cell: u32,
    /// Word lines of a block, if not one for each page; the equations of the source count pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word_lines_per_block: Option<u32>,
    /// Kind of each page of a block, 1 (programmed first) to `bits_per_cell`; the source has a map for one
    /// and two bits only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_kinds: Option<Vec<u8>>,
    /// Uses `1 + page mod bits_per_cell` as the kind of a page: a simple rule for cells of three
    /// and four bits.
    #[serde(default)]
    pub page_kinds_modulo: bool,
}

/// The floating-gate transistor and the wells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Doping of the P-well.
    #[serde(default = "doping_pwell")]
    pub doping_pwell: Concentration,
    /// Doping of the N-well.
    #[serde(default = "doping_nwell")]
    pub doping_nwell: Concentration,
    /// Coupling of control gate and P-well.
    #[serde(default = "beta")]
    pub beta: f64,
    /// Share of the control gate in the capacitance of the floating gate.
    #[serde(default = "gcr")]
    pub gcr: f64,
    /// Thickness of the tunnel oxide.
    pub tunnel_oxide: Length,
    /// Width of the floating-gate transistor by its length.
    #[serde(default = "unity")]
    pub aspect_ratio: f64,
    /// Temperature; enters the built-in voltage of the well junction only.
    #[serde(default = "temperature")]
    pub temperature: Temperature,
}

/// Default content of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Ones in a page that is read or programmed: a share when written with a point or as a percentage, else a count.
    #[serde(default)]
    pub ones: Ones,
}

/// A share of cells, or a count of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Ones {
    /// Cells.
    Count(u64),
    /// Share of the cells, 0 to 1.
    Share(#[schemars(with = "wordline_units::Share")] f64),
}

impl Default for Ones {
    fn default() -> Self {
        Self::Share(0.5)
    }
}

impl<'de> Deserialize<'de> for Ones {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl serde::de::Visitor<'_> for Number {
            type Value = Ones;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a share such as 0.5 or \"50%\", or a count of ones such as 8448")
            }
            fn visit_i64<E: serde::de::Error>(self, count: i64) -> Result<Ones, E> {
                u64::try_from(count)
                    .map(Ones::Count)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(count), &self))
            }
            fn visit_f64<E: serde::de::Error>(self, share: f64) -> Result<Ones, E> {
                Ok(Ones::Share(share))
            }
            fn visit_str<E: serde::de::Error>(self, percentage: &str) -> Result<Ones, E> {
                percentage
                    .parse()
                    .map(|share: wordline_units::Share| Ones::Share(share.0))
                    .map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Number)
    }
}

/// How long operations take. The times of reads give their mean power; the others set the length of a pulse
/// too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Program of an SLC or fast page.
    pub t_prog: Duration,
    /// Program of a slow page, of any kind but the first; twice `t_prog` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_prog_slow: Option<Duration>,
    /// Program of all pages of a word line in one sequence; by default as many times a pulse of `t_prog` as it has pulses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_prog_full: Option<Duration>,
    /// Read of an SLC or fast page.
    pub t_r: Duration,
    /// Read of a slow page; twice `t_r` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_r_slow: Option<Duration>,
    /// Erase of a block.
    pub t_bers: Duration,
}

/// Voltages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bias {
    /// Maximum operating voltage, 1 to 5 V.
    pub vdd: Voltage,
    /// Unselected word lines in a read.
    #[serde(default = "vread")]
    pub vread: Voltage,
    /// Step of the selected word line between two cycles of a slow-page read; 2.4 V by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vread_slow: Option<Voltage>,
    /// Voltages of the selected word line, cycle by cycle, for each kind of page; replaces
    /// `vread_slow`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vread_selected: Option<Vec<Vec<Voltage>>>,
    /// First program pulse.
    #[serde(default = "vpgm")]
    pub vpgm: Voltage,
    /// Unselected word lines in a program.
    #[serde(default = "vpass")]
    pub vpass: Voltage,
    /// First erase pulse; `vpgm` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vera: Option<Voltage>,
    /// Bit lines in precharge; three fifths of `vdd` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vbl_pre: Option<Voltage>,
    /// Word lines in precharge.
    #[serde(default)]
    pub vwl_pre: Voltage,
    /// Bit line of a cell that is not to be programmed; `vdd` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vbl_inhibit: Option<Voltage>,
    /// Voltage left on the bit line after a 0 was read; 0.7 V by default, or `vbl_pre` if that is lower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bl_residual_0: Option<Voltage>,
    /// Voltage left on the bit line after a 1 was read; likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bl_residual_1: Option<Voltage>,
    /// Step between pulses of a program or an erase.
    #[serde(default = "vstep")]
    pub vstep: Voltage,
    /// Step between pulses of a slow-page program; by default the number of pulses times the step
    /// is that of fast pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vstep_slow: Option<Voltage>,
}

/// Pulses and threshold shifts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Pulses of a program of an SLC or fast page, 1 to 1000.
    pub program_pulses: u32,
    /// Pulses of a program of a slow page; by default in proportion to the program times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_pulses_slow: Option<u32>,
    /// Pulses of a program of all pages of a word line in one sequence; by default as many steps of `bias.vstep` as shift a cell
    /// from the erased state to the highest one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_pulses_full: Option<u32>,
    /// Pulses of an erase, 1 to 1000.
    pub erase_pulses: u32,
    /// Threshold shift of a programmed SLC cell; 3 V by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dvth_slc: Option<Voltage>,
    /// Threshold shift between adjacent states of cells of several bits; 0.9 V by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dvth_mlc: Option<Voltage>,
    /// Gives no pulse to a program in which every cell is inhibited.
    #[serde(default)]
    pub optimize_write: bool,
    /// Gives no pulse to an erase of a block that is erased.
    #[serde(default)]
    pub optimize_erase: bool,
    /// Which bit lines a verify of a program discharges.
    #[serde(default)]
    pub verify_bitlines: VerifyBitlines,
    /// Threshold shift of single program states, by name (`"slow 01" = "1.8 V"`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub state_shift: BTreeMap<String, Voltage>,
    /// Pulses in which cells of single program states are programmed, by name (`"slow 10" = 9`); in the
    /// later pulses of the page they are inhibited.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub state_pulses: BTreeMap<String, u32>,
}

/// Which bit lines a verify of a program discharges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerifyBitlines {
    /// None: only cells that are programmed are sensed, and those that have reached their target do
    /// not conduct.
    #[default]
    ProgrammedCells,
    /// As a read of the page's data, as printed in the source.
    AsRead,
}

/// Constants that are calibrated or overridden.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Energy of the charge pump for each high-voltage pulse; by default 0.15 uJ from 2.5 V of `vdd` on,
    /// 0.25 uJ below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pump: Option<Energy>,
    /// The same for a cycle of a read; `pump` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pump_read: Option<Energy>,
    /// The same for a pulse of a program; `pump` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pump_program: Option<Energy>,
    /// The same for a pulse of an erase; `pump` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pump_erase: Option<Energy>,
    /// Voltage to which the pump energies belong: the energy of a pulse at another voltage is
    /// multiplied by the square of the ratio. If unset, the energies are constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pump_reference: Option<Voltage>,
    /// Fixed energy of a command.
    #[serde(default)]
    pub control: Energy,
    /// Share of the program voltage across the tunnel oxide, by default 1; a calibration constant,
    /// not a coupling ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_coupling_program: Option<f64>,
    /// Share of the erase voltage across the tunnel oxide; `gcr` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_coupling_erase: Option<f64>,
    /// Tunnelling current of a cell in a program, in place of the Fowler-Nordheim formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tunnel_current_program: Option<Current>,
    /// Tunnelling current of a cell in an erase, in place of the Fowler-Nordheim formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tunnel_current_erase: Option<Current>,
}

fn one() -> u32 {
    1
}
fn unity() -> f64 {
    1.0
}
fn doping_pwell() -> Concentration {
    Concentration(1e15)
}
fn doping_nwell() -> Concentration {
    Concentration(1e19)
}
fn beta() -> f64 {
    0.8
}
fn gcr() -> f64 {
    0.65
}
fn temperature() -> Temperature {
    Temperature(300.0)
}
fn vread() -> Voltage {
    Voltage(4.5)
}
fn vpgm() -> Voltage {
    Voltage(18.0)
}
fn vpass() -> Voltage {
    Voltage(10.0)
}
fn vstep() -> Voltage {
    Voltage(0.3)
}
