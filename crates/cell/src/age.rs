//! The age of data, as the error rates see it.

use wordline_units::Temperature;

use crate::error::{CellError, require};

/// Turns the age of data at a temperature into the age that gives the same errors at the temperature for which the
/// error rates hold. A model of retention (FENCE) supplies one; by default temperature does not enter.
pub trait AgeHook: Send + Sync {
    /// Effective age in days of data that are `days` old, at an absolute `temperature`.
    fn age(&self, days: f64, temperature: Temperature) -> f64;
}

impl<F: Fn(f64, Temperature) -> f64 + Send + Sync> AgeHook for F {
    fn age(&self, days: f64, temperature: Temperature) -> f64 {
        self(days, temperature)
    }
}

/// The effective age by a hook, checked.
///
/// # Errors
/// A negative age, a temperature at or below 0 K, or a hook that gives no age.
pub fn age_hook(hook: &dyn AgeHook, days: f64, temperature: Temperature) -> Result<f64, CellError> {
    check_days("age_days", days)?;
    check_temperature(temperature)?;
    let effective = hook.age(days, temperature);
    check_days("effective age_days", effective)?;
    Ok(effective)
}

/// Checks an age in days.
pub(crate) fn check_days(key: &str, days: f64) -> Result<(), CellError> {
    let holds = days >= 0.0 && days.is_finite();
    require(holds, key, days, "finite numbers of days from 0")
}

/// Checks an absolute temperature.
pub(crate) fn check_temperature(temperature: Temperature) -> Result<(), CellError> {
    let holds = temperature.0 > 0.0 && temperature.0.is_finite();
    require(holds, "temperature", temperature, "temperatures above 0 K")
}
