//! A run by systematic sampling: windows with a clock, everything else without one.

use std::path::Path;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_drive::{Sample, SamplePlan, sample};
use wordline_exceptions::guarded;

use crate::config::Resolved;
use crate::run::{notes, stoppable};

/// Which requests are simulated with a clock.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    windows: u32,
    fewer: bool,
    measured: u32,
    warm_up: u32,
    cool_down: u32,
    paced: bool,
    seed: u64,
    audit: bool,
}

/// Runs a resolved configuration by sampling; `progress` is as for `simulate`. Gives the requests that were measured, as columns in
/// the order of the windows; of each window its first request and its length; what was written in each period; how long the pages of a block take to be moved, and a block to be erased; and how long it took.
#[pyfunction]
pub(crate) fn simulate_sample(
    py: Python<'_>,
    resolved: &Resolved,
    asked: Asked,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyDict>> {
    let plan = SamplePlan {
        windows: asked.windows,
        fewer: asked.fewer,
        measured: asked.measured,
        warm_up: asked.warm_up,
        cool_down: asked.cool_down,
        paced: asked.paced,
        seed: asked.seed,
        audit: asked.audit,
    };
    let config = &resolved.inner.config;
    // paths are absolute in a resolved configuration
    let found = stoppable(py, progress.as_ref(), |look| {
        sample(config, Path::new(""), &plan, look)
    })?;
    guarded(|| columns(py, found))
}

fn columns(py: Python<'_>, found: Sample) -> PyResult<Py<PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("requests", found.requests)?;
    dict.set_item("functional_s", found.functional_time.as_secs_f64())?;
    dict.set_item("timed_s", found.timed_time.as_secs_f64())?;
    let (moving, erase) = found.block_times;
    dict.set_item("block_times_s", (moving.as_secs(), erase.as_secs()))?;
    dict.set_item("notes", notes(py, &found.notes)?)?;
    let windows = &found.windows;
    let each = || windows.iter().flat_map(|window| &window.requests);
    let window: Vec<u32> = (0..)
        .zip(windows)
        .flat_map(|(at, window)| window.requests.iter().map(move |_| at))
        .collect();
    dict.set_item("window", window.into_pyarray(py))?;
    let class: Vec<u8> = each().map(|request| request.class.index() as u8).collect();
    dict.set_item("class", class.into_pyarray(py))?;
    let sectors: Vec<u32> = each().map(|request| request.sectors).collect();
    dict.set_item("sectors", sectors.into_pyarray(py))?;
    let response: Vec<u64> = each()
        .map(|request| request.completed.since(request.arrival).ns())
        .collect();
    dict.set_item("response_ns", response.into_pyarray(py))?;
    let first: Vec<u64> = windows.iter().map(|window| window.first).collect();
    dict.set_item("first", first.into_pyarray(py))?;
    let span: Vec<u64> = windows.iter().map(|window| window.span.ns()).collect();
    dict.set_item("span_ns", span.into_pyarray(py))?;
    let by_host: Vec<u64> = found.written.iter().map(|part| part.by_host).collect();
    dict.set_item("host_pages", by_host.into_pyarray(py))?;
    let programmed: Vec<u64> = found.written.iter().map(|part| part.programmed).collect();
    dict.set_item("pages_programmed", programmed.into_pyarray(py))?;
    Ok(dict.unbind())
}
