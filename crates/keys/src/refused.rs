//! Values that are refused.

use thiserror::Error;

/// A value that is not accepted: its key, what it is, what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{key} = {found}: {accepted}")]
pub struct RefusedValue {
    /// The offending key, as a dotted path.
    pub key: &'static str,
    /// Its value.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

impl RefusedValue {
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
