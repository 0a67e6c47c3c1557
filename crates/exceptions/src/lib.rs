//! Which exception of the Python package an error or a panic becomes. Every extension module has this crate in it: the
//! exceptions themselves are written in Python, where they share a base and can be pickled.

mod guard;

use std::fmt::Display;

use pyo3::{PyErr, Python, import_exception};
use wordline_workload::WorkloadError;

pub use guard::{guarded, keep_panics_to_ourselves};

import_exception!(wordline.errors, ConfigError);
import_exception!(wordline.errors, PolicyError);
import_exception!(wordline.errors, OutputError);
import_exception!(wordline.errors, TraceError);
import_exception!(wordline.errors, RunError);

/// What a refusal is in Python.
pub fn refused(error: impl Display) -> PyErr {
    ConfigError::new_err(error.to_string())
}

/// What a workload that cannot be read is in Python. A Ctrl-C that came meanwhile, which may be why, goes before it.
pub fn of_workload(error: &WorkloadError) -> PyErr {
    if let Err(interrupted) = Python::attach(|py| py.check_signals()) {
        return interrupted;
    }
    let text = error.to_string();
    match error {
        WorkloadError::Key(_) => ConfigError::new_err(text),
        _ => TraceError::new_err(text),
    }
}
