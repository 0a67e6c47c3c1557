//! A refused configuration value.

use thiserror::Error;

use crate::geometry::GeometryError;

/// A value that cannot be built: key, value found, what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{key} = {found}: {accepted}")]
pub struct ConfigError {
    /// The offending key, dotted from the top of the file.
    pub key: String,
    /// Its value.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

impl ConfigError {
    pub(crate) fn new(key: impl Into<String>, found: impl ToString, accepted: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            found: found.to_string(),
            accepted: accepted.into(),
        }
    }
}

impl From<GeometryError> for ConfigError {
    fn from(error: GeometryError) -> Self {
        Self::new(format!("geometry.{}", error.key), error.found, error.accepted)
    }
}
