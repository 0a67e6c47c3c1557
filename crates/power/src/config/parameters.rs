//! The numeric inputs by key, so that arrays of them can be swept without building files.

use wordline_units::{ByteSize, Concentration, Current, Duration, Energy, Length, Temperature, Voltage};

use super::{ChipConfig, Ones};
use crate::error::ChipError;

/// A numeric input: how arrays name it, and in which unit.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Dotted key of the chip's file.
    pub key: &'static str,
    /// Unit of the numbers; empty for counts and ratios.
    pub unit: &'static str,
    set: fn(&mut ChipConfig, f64) -> bool,
}

impl Parameter {
    /// Sets the input in `chip`; the chip is checked when it is built.
    ///
    /// # Errors
    /// A number that the key cannot hold: a fraction of a page, say.
    pub fn set(&self, chip: &mut ChipConfig, value: f64) -> Result<(), ChipError> {
        if value.is_finite() && (self.set)(chip, value) {
            return Ok(());
        }
        let accepted = match self.unit {
            "" => "accepted is a finite number; a whole one, not negative, for counts".to_owned(),
            unit => format!("accepted is a finite number in {unit}"),
        };
        Err(ChipError::new(self.key, format!("{value:?}"), accepted))
    }
}

/// The whole number that a float is, if it is one that fits.
fn whole(value: f64) -> Option<u32> {
    (value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}

/// A duration of seconds, to the nanosecond.
fn seconds(value: f64) -> Option<Duration> {
    (0.0..=1e6)
        .contains(&value)
        .then(|| Duration::from_ns((value * 1e9).round() as u64))
}

/// How a number becomes the value of a field.
trait FromNumber: Sized {
    fn from_number(value: f64) -> Option<Self>;
}

macro_rules! from_number {
    ($($type:ty: $value:ident => $made:expr;)*) => {
        $(impl FromNumber for $type {
            fn from_number($value: f64) -> Option<Self> {
                $made
            }
        })*
    };
}

from_number! {
    f64: value => Some(value);
    u32: value => whole(value);
    Option<f64>: value => Some(Some(value));
    Option<u32>: value => whole(value).map(Some);
    ByteSize: value => whole(value).map(|bytes| ByteSize(u64::from(bytes)));
    Length: value => format!("{value:e} nm").parse().ok();
    Concentration: value => Some(Self(value));
    Temperature: value => Some(Self(value));
    Duration: value => seconds(value);
    Option<Duration>: value => seconds(value).map(Some);
    Voltage: value => Some(Self(value));
    Option<Voltage>: value => Some(Some(Voltage(value)));
    Energy: value => Some(Self(value));
    Option<Energy>: value => Some(Some(Energy(value)));
    Option<Current>: value => Some(Some(Current(value)));
    Ones: value => Some(Self::Share(value));
}

macro_rules! parameters {
    ($($section:ident.$field:ident: $unit:literal),* $(,)?) => {
        &[$(Parameter {
            key: concat!(stringify!($section), ".", stringify!($field)),
            unit: $unit,
            set: |chip, value| match FromNumber::from_number(value) {
                Some(value) => {
                    chip.$section.$field = value;
                    true
                }
                None => false,
            },
        }),*]
    };
}

/// Every numeric input, in the order of the file.
pub const PARAMETERS: &[Parameter] = parameters![
    geometry.page_size: "B",
    geometry.spare_size: "B",
    geometry.pages_per_block: "",
    geometry.block_rows: "",
    geometry.block_cols: "",
    geometry.planes_per_die: "",
    geometry.dies: "",
    geometry.feature: "nm",
    geometry.bits_per_cell: "",
    geometry.word_lines_per_block: "",
    device.doping_pwell: "cm^-3",
    device.doping_nwell: "cm^-3",
    device.beta: "",
    device.gcr: "",
    device.tunnel_oxide: "nm",
    device.aspect_ratio: "",
    device.temperature: "K",
    workload.ones: "",
    timing.t_prog: "s",
    timing.t_prog_slow: "s",
    timing.t_prog_full: "s",
    timing.t_r: "s",
    timing.t_r_slow: "s",
    timing.t_bers: "s",
    bias.vdd: "V",
    bias.vread: "V",
    bias.vread_slow: "V",
    bias.vpgm: "V",
    bias.vpass: "V",
    bias.vera: "V",
    bias.vbl_pre: "V",
    bias.vwl_pre: "V",
    bias.vbl_inhibit: "V",
    bias.bl_residual_0: "V",
    bias.bl_residual_1: "V",
    bias.vstep: "V",
    bias.vstep_slow: "V",
    policy.program_pulses: "",
    policy.program_pulses_slow: "",
    policy.program_pulses_full: "",
    policy.erase_pulses: "",
    policy.dvth_slc: "V",
    policy.dvth_mlc: "V",
    calibration.pump: "J",
    calibration.pump_read: "J",
    calibration.pump_program: "J",
    calibration.pump_erase: "J",
    calibration.pump_reference: "V",
    calibration.control: "J",
    calibration.field_coupling_program: "",
    calibration.field_coupling_erase: "",
    calibration.tunnel_current_program: "A",
    calibration.tunnel_current_erase: "A",
];

/// The numeric input called `key`.
///
/// # Errors
/// No numeric input has that key.
pub fn parameter(key: &str) -> Result<&'static Parameter, ChipError> {
    PARAMETERS
        .iter()
        .find(|parameter| parameter.key == key)
        .ok_or_else(|| {
            let names: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.key).collect();
            let hint = wordline_units::nearest(key, names.iter().copied())
                .map_or_else(String::new, |name| format!("did you mean `{name}`? "));
            ChipError::new(
                key,
                "an array",
                format!(
                    "no numeric input of a chip; {hint}accepted are {}",
                    names.join(", ")
                ),
            )
        })
}
