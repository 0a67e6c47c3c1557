//! The one error of the configuration: place, key, what was found, what is accepted.

use thiserror::Error;
use wordline_overlay::one_line;

/// A configuration that is refused. Its text is one clear paragraph that names the place (file
/// and line, preset or override), the key, what was found and what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{}{problem}", lead(place.as_deref()), lead(subject.as_deref()))]
pub struct ConfigError {
    /// File and line, preset or override, where it is known.
    pub place: Option<String>,
    /// Dotted key, with the value found where there is one.
    pub subject: Option<String>,
    /// What is wrong and what would be accepted.
    pub problem: String,
}

fn lead(part: Option<&str>) -> String {
    part.map_or_else(String::new, |part| format!("{part}: "))
}

impl ConfigError {
    /// An error that belongs to no key.
    pub(crate) fn at(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            place: Some(place.into()),
            subject: None,
            problem: one_line(&problem.into()),
        }
    }

    /// An error of a key (with the value found, where there is one), or of an option that acts like one, at its place where
    /// that is known.
    pub fn key(place: Option<String>, subject: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            place,
            subject: Some(subject.into()),
            problem: one_line(&problem.into()),
        }
    }
}
