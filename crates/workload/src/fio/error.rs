//! Why a job file cannot be run.

use thiserror::Error;

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

/// A problem at a line of a file whose name the caller knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) line: usize,
    pub(crate) problem: String,
}

impl Fault {
    pub(crate) fn new(line: usize, problem: impl Into<String>) -> Self {
        Self {
            line,
            problem: problem.into(),
        }
    }

    /// The same with the file.
    pub(crate) fn of(self, file: &str) -> JobError {
        JobError {
            file: file.to_owned(),
            line: self.line,
            problem: self.problem,
        }
    }
}
