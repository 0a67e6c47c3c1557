//! The exceptions, and which Rust error becomes which.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::{PyErr, import_exception};
use wordline_drive::RunError as DriveError;
use wordline_lifetime::LifetimeError;
use wordline_workload::WorkloadError;

// written in Python, where they share a base and can be pickled
import_exception!(wordline.errors, ConfigError);
import_exception!(wordline.errors, PolicyError);
import_exception!(wordline.errors, TraceError);
import_exception!(wordline.errors, RunError);

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

/// What a workload that cannot be read is in Python.
pub(crate) fn of_workload(error: &WorkloadError) -> PyErr {
    let text = error.to_string();
    match error {
        WorkloadError::Key(_) => ConfigError::new_err(text),
        _ => TraceError::new_err(text),
    }
}
