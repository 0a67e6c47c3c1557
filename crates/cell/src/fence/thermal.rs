//! What temperature does (equation 3.1, section 9 of the specification).

use super::error::{ParamError, require};

/// Activation energy of data retention in electronvolts (JEDEC JEP122, as the dissertation cites it).
pub const RETENTION_EV: f64 = 0.3;
/// Activation energy of detrapping in electronvolts (JEDEC JEP122, as the dissertation cites it).
pub const DETRAPPING_EV: f64 = 1.1;
/// The temperature at which the model is calibrated, in degrees Celsius.
pub const REFERENCE_CELSIUS: f64 = 30.0;

/// Whether heat speeds the recovery of resting cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestAcceleration {
    /// No: heat is harmful on balance, as the dissertation says.
    #[default]
    Off,
    /// A rest counts as the longer one at 30 degC that frees as much charge: an extension, to study self-healing.
    On,
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
