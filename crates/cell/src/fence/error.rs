//! What is refused.

use thiserror::Error;
use wordline_units::SimTime;

/// A parameter or argument outside what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{field} = {found}: {accepted}")]
pub struct ParamError {
    /// Its name.
    pub field: String,
    /// Its value.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

/// Checks one value.
pub(super) fn require(
    holds: bool,
    field: &str,
    found: impl ToString,
    accepted: impl Into<String>,
) -> Result<(), ParamError> {
    if holds {
        return Ok(());
    }
    Err(ParamError {
        field: field.to_owned(),
        found: found.to_string(),
        accepted: accepted.into(),
    })
}

/// An event of a block that lies before the block's last one.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("an event at {event} is before the last event of its block, at {last}; accepted are later times")]
pub struct TimeRunsBack {
    /// Time of the event.
    pub event: SimTime,
    /// Time of the event before it.
    pub last: SimTime,
}
