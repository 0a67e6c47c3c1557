//! Which exceptions the errors of runs and lifetime studies become.

use pyo3::PyErr;
use pyo3::exceptions::PyKeyboardInterrupt;
use wordline_drive::RunError as DriveError;
use wordline_exceptions::{ConfigError, OutputError, RunError, TraceError, of_workload};
use wordline_lifetime::LifetimeError;
use wordline_live::LiveError;

/// What a run that failed is in Python.
pub(crate) fn of_run(error: &DriveError) -> PyErr {
    let text = error.to_string();
    match error {
        DriveError::Interrupted => PyKeyboardInterrupt::new_err(text),
        DriveError::Workload(error) => of_workload(error),
        DriveError::Source(_) => TraceError::new_err(text),
        error if error.is_input() => ConfigError::new_err(text),
        _ => RunError::new_err(text),
    }
}

/// What a drive that cannot be served is in Python.
pub(crate) fn of_live(error: &LiveError) -> PyErr {
    let text = error.to_string();
    match error {
        LiveError::Drive(error) => of_run(error),
        LiveError::Refused(_) => ConfigError::new_err(text),
        _ => OutputError::new_err(text),
    }
}

/// What a lifetime study that failed is in Python.
pub(crate) fn of_lifetime(error: &LifetimeError) -> PyErr {
    let text = error.to_string();
    match error {
        LifetimeError::Interrupted => PyKeyboardInterrupt::new_err(text),
        LifetimeError::Drive(error) => of_run(error),
        LifetimeError::Workload(error) => of_workload(error),
        LifetimeError::Source(_) => TraceError::new_err(text),
        error if error.is_input() => ConfigError::new_err(text),
        _ => RunError::new_err(text),
    }
}
