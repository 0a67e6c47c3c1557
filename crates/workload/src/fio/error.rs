//! Why a job file cannot be run.

use crate::error::JobError;

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
