//! Trace formats and trace statistics.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::{RunError, TraceError};
use crate::guard::guarded;

/// The trace formats that can be read: name, description and an example row of each.
#[pyfunction]
pub(crate) fn formats(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for format in wordline_workload::formats() {
        let entry = PyDict::new(py);
        entry.set_item("name", format.name)?;
        entry.set_item("description", format.description)?;
        entry.set_item("example", format.example)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// What a trace is like, as JSON: figures, histograms and curves, grouped as in Rust.
#[pyfunction]
#[pyo3(signature = (path, format = None))]
pub(crate) fn trace_stats(py: Python<'_>, path: PathBuf, format: Option<&str>) -> PyResult<String> {
    let stats = py.detach(|| {
        guarded(|| {
            wordline_workload::trace_stats(&path, format, None)
                .map_err(|error| TraceError::new_err(error.to_string()))
        })
    })?;
    serde_json::to_string(&stats).map_err(|error| RunError::new_err(error.to_string()))
}
