//! The exceptions, and which Rust error becomes which.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use wordline_drive::RunError as DriveError;
use wordline_workload::WorkloadError;

create_exception!(
    _wordline,
    ConfigError,
    PyValueError,
    "A drive, a workload or an override is refused; the message is one clear paragraph."
);
create_exception!(
    _wordline,
    TraceError,
    PyValueError,
    "A trace cannot be read; the message names file and row."
);
create_exception!(
    _wordline,
    RunError,
    PyRuntimeError,
    "A run broke one of Wordline's own rules: a defect of Wordline, not of the input."
);

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

/// What a workload that cannot be read is in Python.
pub(crate) fn of_workload(error: &WorkloadError) -> PyErr {
    let text = error.to_string();
    match error {
        WorkloadError::Key(_) => ConfigError::new_err(text),
        _ => TraceError::new_err(text),
    }
}
