//! Trace formats and trace statistics.

use std::cell::RefCell;
use std::path::PathBuf;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use wordline_exceptions::{ConfigError, RunError, guarded, of_workload};
use wordline_workload::{
    ArrivalGaps, HostOp, Measured, TimeUnit, TraceOptions, WorkloadConfig, WorkloadError,
};

/// The trace formats that can be read, each with its columns, an example, and what is easily misread.
#[pyfunction]
pub(crate) fn formats(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for format in wordline_workload::formats() {
        let entry = PyDict::new(py);
        entry.set_item("name", format.name)?;
        entry.set_item("title", format.title)?;
        entry.set_item("description", format.description)?;
        entry.set_item("example", format.example)?;
        entry.set_item("binary", format.binary)?;
        entry.set_item("extensions", format.extensions.to_vec())?;
        entry.set_item("time_unit", format.time_unit.name())?;
        entry.set_item("source", format.source)?;
        entry.set_item("traps", format.traps.to_vec())?;
        list.append(entry)?;
    }
    Ok(list)
}

/// A trace and how it is read.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct Trace {
    path: PathBuf,
    config: WorkloadConfig,
}

impl Trace {
    fn options(&self) -> TraceOptions<'_> {
        TraceOptions::of(&self.config)
    }
}

#[pymethods]
impl Trace {
    /// How it is read: the section `[workload]` as JSON, without the path, which need not be text.
    fn workload(&self) -> PyResult<String> {
        let config = WorkloadConfig {
            path: None,
            ..self.config.clone()
        };
        serde_json::to_string(&config).map_err(|error| RunError::new_err(error.to_string()))
    }
}

/// Resolves how the trace at `path` is read: keys and their values as TOML.
#[pyfunction]
#[pyo3(signature = (path, overrides))]
pub(crate) fn resolve_trace(path: PathBuf, overrides: Vec<(String, String)>) -> PyResult<Trace> {
    guarded(|| {
        let config = wordline_config::resolve_trace(&path, &overrides)
            .map_err(|error| ConfigError::new_err(error.to_string()))?;
        Ok(Trace { path, config })
    })
}

/// Works without the lock of the interpreter, and looks for Ctrl-C where `work` asks whether to go on.
fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T, WorkloadError> + Send,
) -> PyResult<T> {
    py.detach(|| {
        guarded(|| {
            let stopped = RefCell::new(None);
            let goes_on = || match Python::attach(|py| py.check_signals()) {
                Ok(()) => true,
                Err(error) => {
                    stopped.replace(Some(error));
                    false
                }
            };
            let done = work(&goes_on);
            match stopped.into_inner() {
                Some(error) => Err(error),
                None => done.map_err(|error| of_workload(&error)),
            }
        })
    })
}

/// What must be known of the recorded times of a trace.
fn notes_on_times(
    trace: &Trace,
    gaps: Option<ArrivalGaps>,
    unit_from_name: Option<(TimeUnit, TimeUnit)>,
) -> impl Iterator<Item = String> {
    let path = trace.path.display().to_string();
    let notes = wordline_drive::recorded_time_notes(&path, gaps, unit_from_name);
    notes.into_iter().map(|note| note.text)
}

/// What a trace is like, as JSON: figures, histograms and curves, grouped as in Rust.
#[pyfunction]
pub(crate) fn trace_stats(py: Python<'_>, trace: &Trace) -> PyResult<String> {
    let mut stats = watched(py, |goes_on| {
        wordline_workload::trace_stats_watched(&trace.path, &trace.options(), goes_on)
    })?;
    let notes = notes_on_times(trace, Some(stats.arrival_gaps), stats.unit_from_name);
    stats.notes.extend(notes);
    serde_json::to_string(&stats).map_err(|error| RunError::new_err(error.to_string()))
}

/// The class of an operation, as in the table of requests.
fn class_of(op: HostOp) -> &'static str {
    match op {
        HostOp::Read => "read",
        HostOp::Write => "write",
        _ => "other",
    }
}

/// The requests of a trace in the order of time: arrivals in nanoseconds since the first, classes, bytes, and response times
/// in nanoseconds, 0 where the trace does not say.
#[pyfunction]
#[pyo3(signature = (trace, skip, take))]
pub(crate) fn measured<'py>(
    py: Python<'py>,
    trace: &Trace,
    skip: u64,
    take: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = watched(py, |goes_on| {
        let take = take.unwrap_or(u64::MAX);
        wordline_workload::measured(&trace.path, &trace.options(), skip, take, goes_on)
    })?;
    let column = |value: fn(&Measured) -> u64| rows.iter().map(value).collect::<Vec<u64>>().into_pyarray(py);
    let columns = PyDict::new(py);
    columns.set_item("arrival_ns", column(|row| row.arrival))?;
    columns.set_item(
        "class",
        rows.iter().map(|row| class_of(row.op)).collect::<Vec<_>>(),
    )?;
    columns.set_item("bytes", column(|row| row.bytes))?;
    columns.set_item("response_ns", column(|row| row.response.unwrap_or_default()))?;
    Ok(columns)
}

/// Reads a trace and writes it to `output`, whose name says the form. `progress` is called now and
/// then with the share done and the requests written. Answers the requests written and notes.
#[pyfunction]
#[pyo3(signature = (trace, output, progress))]
pub(crate) fn convert(
    py: Python<'_>,
    trace: &Trace,
    output: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, Vec<String>)> {
    py.detach(|| {
        guarded(|| {
            let mut stopped = None;
            let mut look = |share: f64, requests: u64| {
                let told = Python::attach(|py| {
                    py.check_signals()?;
                    if let Some(progress) = &progress {
                        progress.call1(py, (share, requests))?;
                    }
                    Ok(())
                });
                stopped = told.err();
                stopped.is_none()
            };
            let done = wordline_workload::convert(&trace.path, &output, &trace.options(), &mut look);
            match (stopped, done) {
                (Some(error), _) => Err(error),
                (None, Ok(done)) => {
                    let named = notes_on_times(trace, None, done.unit_from_name);
                    Ok((done.requests, done.notes.into_iter().chain(named).collect()))
                }
                (None, Err(error)) => Err(of_workload(&error)),
            }
        })
    })
}

/// The built-in profiles: name, title and TOML text of each.
#[pyfunction]
pub(crate) fn profiles(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for named in wordline_workload::profiles() {
        let entry = PyDict::new(py);
        entry.set_item("name", named.name)?;
        entry.set_item("title", &named.profile.title)?;
        entry.set_item("text", named.profile.to_toml().map_err(RunError::new_err)?)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// Marks of the sources of the built-in profiles, and what they stand for.
#[pyfunction]
pub(crate) fn profile_sources() -> Vec<(&'static str, &'static str)> {
    wordline_workload::SOURCES.to_vec()
}

/// A profile of a trace, as TOML, and it beside the trace, as JSON.
#[pyfunction]
pub(crate) fn fit(py: Python<'_>, trace: &Trace, seed: u64) -> PyResult<(String, String)> {
    let mut fit = watched(py, |goes_on| {
        wordline_workload::fit_watched(&trace.path, &trace.options(), seed, goes_on)
    })?;
    let notes = notes_on_times(trace, Some(fit.trace.arrival_gaps), fit.trace.unit_from_name);
    fit.trace.notes.extend(notes);
    let json = serde_json::to_string(&fit).map_err(|error| RunError::new_err(error.to_string()))?;
    Ok((fit.profile.to_toml().map_err(RunError::new_err)?, json))
}
