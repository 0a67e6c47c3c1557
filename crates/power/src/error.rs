//! A refused chip or request.

use thiserror::Error;

/// What is refused: place (file and line, chip or override) where it is known, key, value found,
/// what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{key} = {found}: {accepted}", lead(place.as_deref()))]
pub struct ChipError {
    /// File and line, built-in chip and line, or override.
    pub place: Option<String>,
    /// Dotted key, or the name of the argument.
    pub key: String,
    /// Its value.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

fn lead(place: Option<&str>) -> String {
    place.map_or_else(String::new, |place| format!("{place}: "))
}

impl ChipError {
    pub(crate) fn new(key: impl Into<String>, found: impl ToString, accepted: impl Into<String>) -> Self {
        Self {
            place: None,
            key: key.into(),
            found: found.to_string(),
            accepted: one_line(&accepted.into()),
        }
    }

    pub(crate) fn at(mut self, place: Option<String>) -> Self {
        self.place = place;
        self
    }
}

/// Messages of libraries may span lines; ours are one paragraph.
fn one_line(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// Checks one value.
///
/// # Errors
/// `holds` is false.
pub(crate) fn require(
    holds: bool,
    key: &str,
    found: impl ToString,
    accepted: impl FnOnce() -> String,
) -> Result<(), ChipError> {
    if holds {
        Ok(())
    } else {
        Err(ChipError::new(key, found, accepted()))
    }
}
