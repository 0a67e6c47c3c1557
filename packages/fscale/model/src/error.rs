//! Refused values.

use std::fmt::Display;

use wordline_keys::RefusedValue;

/// Checks one value.
///
/// # Errors
/// `holds` is false.
pub(crate) fn require(
    holds: bool,
    key: &'static str,
    found: impl Display,
    accepted: &str,
) -> Result<(), RefusedValue> {
    if holds {
        Ok(())
    } else {
        Err(RefusedValue::new(key, found.to_string(), accepted))
    }
}

/// Checks a number of things.
pub(crate) fn count(key: &'static str, value: u32, least: u32, most: u32) -> Result<(), RefusedValue> {
    require(
        (least..=most).contains(&value),
        key,
        value,
        &format!("accepted are {least} to {most}"),
    )
}

/// Checks a probability or a share, 0 to 1.
pub(crate) fn share(key: &'static str, value: f64) -> Result<(), RefusedValue> {
    require(
        (0.0..=1.0).contains(&value),
        key,
        value,
        "accepted is a share, 0 to 1",
    )
}

/// Checks a rate in bytes per second.
pub(crate) fn rate(key: &'static str, value: f64) -> Result<(), RefusedValue> {
    require(
        (1e3..=1e15).contains(&value),
        key,
        value,
        "accepted are 1e3 to 1e15 bytes per second",
    )
}

/// Checks a time in nanoseconds, at most ten seconds.
pub(crate) fn step(key: &'static str, value: wordline_units::Duration) -> Result<(), RefusedValue> {
    require(value.0 <= 10_000_000_000, key, value, "accepted are 0 ns to 10 s")
}
