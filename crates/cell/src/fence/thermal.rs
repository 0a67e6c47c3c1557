//! What temperature does (equation 3.1, section 9 of the specification).

use super::constants::BOLTZMANN_EV;
use super::error::{ParamError, require};

/// Activation energy of data retention in electronvolts (JEDEC JEP122, as the dissertation cites it).
pub const RETENTION_EV: f64 = 0.3;
/// Activation energy of detrapping in electronvolts (JEDEC JEP122, as the dissertation cites it).
pub const DETRAPPING_EV: f64 = 1.1;
/// The temperature at which the model is calibrated, in degrees Celsius.
pub const REFERENCE_CELSIUS: f64 = 30.0;

const ZERO_CELSIUS: f64 = 273.15;

/// Whether heat speeds the recovery of resting cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestAcceleration {
    /// No: heat is harmful on balance, as the dissertation says.
    #[default]
    Off,
    /// A rest counts as the longer one at 30 degC that frees as much charge: an extension, to study self-healing.
    On,
}

/// How much faster a process of activation energy `ev` runs at `stress` than at `used`, both in degrees Celsius.
#[must_use]
pub fn arrhenius(ev: f64, used: f64, stress: f64) -> f64 {
    libm::exp(ev / BOLTZMANN_EV * (1.0 / kelvin(used) - 1.0 / kelvin(stress)))
}

pub(super) fn kelvin(celsius: f64) -> f64 {
    celsius + ZERO_CELSIUS
}

/// Checks a temperature in degrees Celsius.
pub(super) fn check_temperature(celsius: f64) -> Result<(), ParamError> {
    require(
        (-40.0..=150.0).contains(&celsius),
        "temperature",
        format!("{celsius} degC"),
        "accepted are -40 to 150 degC",
    )
}
