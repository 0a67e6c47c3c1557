//! A refused code, rate or level.

use std::fmt::Display;

use thiserror::Error;

/// What is refused: the name of the value, what was found, what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{key} = {found}: {accepted}")]
pub struct EccError {
    /// Dotted key, or the name of the argument.
    pub key: String,
    /// Its value.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

impl EccError {
    /// The same with the key below `section`.
    #[must_use]
    pub fn below(self, section: &str) -> Self {
        Self {
            key: format!("{section}.{}", self.key),
            ..self
        }
    }
}

/// Checks one value.
///
/// # Errors
/// `holds` is false.
pub(crate) fn require(
    holds: bool,
    key: &str,
    found: impl Display,
    accepted: impl FnOnce() -> String,
) -> Result<(), EccError> {
    if holds {
        Ok(())
    } else {
        Err(EccError {
            key: key.to_owned(),
            found: found.to_string(),
            accepted: accepted(),
        })
    }
}

/// Checks a probability, 0 to 1.
pub(crate) fn probability(key: &str, value: f64) -> Result<(), EccError> {
    require((0.0..=1.0).contains(&value), key, value, || {
        "accepted is a probability, 0 to 1".to_owned()
    })
}

/// Checks a target failure probability, between 0 and 1 and neither.
pub(crate) fn target(key: &str, value: f64) -> Result<(), EccError> {
    require(value > 0.0 && value < 1.0, key, value, || {
        "accepted is a probability between 0 and 1, without the two".to_owned()
    })
}

/// Checks a time in nanoseconds.
pub(crate) fn time(key: &str, value: f64) -> Result<(), EccError> {
    require(value.is_finite() && value >= 0.0, key, value, || {
        "accepted are nanoseconds, 0 or more".to_owned()
    })
}
