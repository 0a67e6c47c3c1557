//! A refused description or request.

use thiserror::Error;

use crate::messages::one_line;

/// What is refused: place (file and line, built-in description or override) where it is known, key, value found,
/// what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{key} = {found}: {accepted}", lead(place.as_deref()))]
pub struct Refusal {
    /// File and line, built-in description and line, or override.
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

impl Refusal {
    /// A refusal without a place; the text of `accepted` becomes one line.
    pub fn new(key: impl Into<String>, found: impl ToString, accepted: impl Into<String>) -> Self {
        Self {
            place: None,
            key: key.into(),
            found: found.to_string(),
            accepted: one_line(&accepted.into()),
        }
    }

    /// The same at a place.
    #[must_use]
    pub fn at(mut self, place: Option<String>) -> Self {
        self.place = place;
        self
    }
}

/// Checks one value.
///
/// # Errors
/// `holds` is false.
pub fn require(
    holds: bool,
    key: &str,
    found: impl ToString,
    accepted: impl FnOnce() -> String,
) -> Result<(), Refusal> {
    if holds {
        Ok(())
    } else {
        Err(Refusal::new(key, found, accepted()))
    }
}
