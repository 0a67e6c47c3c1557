//! Trace formats and trace statistics.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

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

/// What a trace is like, as one flat dictionary: histograms become a key per bucket, named after
/// its lower bound; notes become one text.
#[pyfunction]
#[pyo3(signature = (path, format = None))]
pub(crate) fn trace_stats<'py>(
    py: Python<'py>,
    path: PathBuf,
    format: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let stats = py.detach(|| {
        guarded(|| {
            wordline_workload::trace_stats(&path, format, None)
                .map_err(|error| TraceError::new_err(error.to_string()))
        })
    })?;
    let dict = PyDict::new(py);
    let tree = serde_json::to_value(&stats).map_err(|error| RunError::new_err(error.to_string()))?;
    for (key, value) in tree.as_object().into_iter().flatten() {
        flatten(&dict, key, value)?;
    }
    Ok(dict)
}

fn flatten(dict: &Bound<'_, PyDict>, key: &str, value: &Value) -> PyResult<()> {
    match value {
        Value::Null => dict.set_item(key, dict.py().None()),
        Value::Bool(flag) => dict.set_item(key, flag),
        Value::Number(number) => match number.as_u64() {
            Some(count) => dict.set_item(key, count),
            None => dict.set_item(key, number.as_f64()),
        },
        Value::String(text) => dict.set_item(key, text),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let notes: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            dict.set_item(key, notes.join(" "))
        }
        Value::Array(buckets) => buckets
            .iter()
            .try_for_each(|bucket| flatten(dict, &format!("{key}.{}", bucket["from"]), &bucket["count"])),
        Value::Object(_) => Ok(()),
    }
}
