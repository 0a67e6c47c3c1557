//! Why a workload cannot be had.

use std::path::Path;

use thiserror::Error;
use wordline_keys::RefusedValue;

use crate::SourceError;
use crate::fio::JobError;

/// Why a workload cannot be opened.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WorkloadError {
    /// A key cannot be used.
    #[error(transparent)]
    Key(#[from] RefusedValue),
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
