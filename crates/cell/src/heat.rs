//! What heat does to a process with an activation energy: the law of Arrhenius.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::Celsius;

use crate::error::{CellError, require};

/// Boltzmann constant in electronvolts per kelvin, as the JEDEC standards write it.
const BOLTZMANN_EV: f64 = 8.617e-5;
const ZERO_CELSIUS: f64 = 273.15;

/// How much faster a process of activation energy `ev` (electronvolts) runs at `stress` than at `used`, both in degrees Celsius.
#[must_use]
pub fn arrhenius(ev: f64, used: f64, stress: f64) -> f64 {
    libm::exp(ev / BOLTZMANN_EV * (1.0 / kelvin(used) - 1.0 / kelvin(stress)))
}

pub(crate) fn kelvin(celsius: f64) -> f64 {
    celsius + ZERO_CELSIUS
}

/// `[cell.retention]`: how heat ages data that are kept, by the law of Arrhenius. A lifetime study asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HeatLaw {
    /// Activation energy of the loss of charge in electronvolts, 0 to 3. The default agrees with the classes of JEDEC (JESD218): three months at 40 degC and a year at 30 degC
    /// are the same loss.
    pub activation_energy: f64,
    /// The temperature for which the error rates hold, -40 degC to 150 degC. The default is assumed: that at which a client drive keeps its data (JESD218).
    pub temperature: Celsius,
}

impl Default for HeatLaw {
    fn default() -> Self {
        Self {
            activation_energy: 1.1,
            temperature: Celsius(30.0),
        }
    }
}

impl HeatLaw {
    /// Checks every value.
    ///
    /// # Errors
    /// The first value outside its range, with its key.
    pub fn check(&self) -> Result<(), CellError> {
        let holds = (0.0..=3.0).contains(&self.activation_energy);
        let key = "cell.retention.activation_energy";
        require(holds, key, self.activation_energy, "0 to 3 (electronvolts)")?;
        let holds = (-40.0..=150.0).contains(&self.temperature.0);
        let key = "cell.retention.temperature";
        require(holds, key, self.temperature, "-40 degC to 150 degC")
    }

    /// What times at `temperature` are multiplied by at so many degrees Celsius.
    #[must_use]
    pub fn factor(&self, celsius: f64) -> f64 {
        1.0 / arrhenius(self.activation_energy, self.temperature.0, celsius)
    }
}
