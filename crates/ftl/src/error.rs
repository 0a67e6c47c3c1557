//! What an FTL cannot be built from.

use thiserror::Error;

/// A configuration that cannot be built: key, value found, what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{key} = {found}: {accepted}")]
pub struct FtlError {
    /// The offending key, as a dotted path.
    pub key: &'static str,
    /// Its value.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

impl FtlError {
    /// An error about `key`.
    #[must_use]
    pub fn new(key: &'static str, found: impl ToString, accepted: impl Into<String>) -> Self {
        Self {
            key,
            found: found.to_string(),
            accepted: accepted.into(),
        }
    }
}
