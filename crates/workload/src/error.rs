//! Why a workload cannot be had.

use std::path::Path;

use thiserror::Error;
use wordline_keys::RefusedValue;

use crate::command::SourceError;

/// Why a fio job file cannot be run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: {problem}")]
pub struct JobError {
    /// The job file.
    pub file: String,
    /// The line of the option, or of the job's `[name]`; from 1.
    pub line: usize,
    /// The option and its value, and what is accepted.
    pub problem: String,
}

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
