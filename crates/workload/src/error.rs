//! Why a workload cannot be had.

use std::path::Path;

use thiserror::Error;

use crate::SourceError;
use crate::fio::JobError;

/// A key of `[workload]` that cannot be used: key, value found, what is accepted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{key} = {found}: {accepted}")]
pub struct KeyError {
    /// The offending key, as a dotted path.
    pub key: &'static str,
    /// Its value, or `unset`.
    pub found: String,
    /// What would be accepted.
    pub accepted: String,
}

impl KeyError {
    /// An error about `key`, a dotted path.
    pub(crate) fn new(key: &'static str, found: impl ToString, accepted: impl Into<String>) -> Self {
        Self {
            key,
            found: found.to_string(),
            accepted: accepted.into(),
        }
    }
}

/// Why a workload cannot be opened.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WorkloadError {
    /// A key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A trace cannot be read or recognised, or does not fit the drive.
    #[error("{file}: {problem}")]
    File {
        /// The trace.
        file: String,
        /// What is wrong, and what would help.
        problem: String,
    },
    /// A fio job file cannot be run.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A row of a trace is malformed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The user stopped what was being done.
    #[error("interrupted")]
    Interrupted,
}

impl WorkloadError {
    /// An error about a file.
    pub(crate) fn file(path: &Path, problem: impl Into<String>) -> Self {
        Self::File {
            file: path.display().to_string(),
            problem: problem.into(),
        }
    }
}
