//! A run: the interpreter lock is released while it lasts; Ctrl-C stops it and gives what it has until then.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use numpy::IntoPyArray;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use wordline_drive::{Progress, RunError as DriveError, RunOptions, RunOutput};
use wordline_exceptions::{RunError, guarded};
use wordline_metrics::{Activity, BAND_NAMES, Note, Part, Severity, Summary, Track, Value};

use crate::config::Resolved;
use crate::errors;
use crate::policies::Watch;
use crate::result_tables;

/// Between two looks at the user: ten a second.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// What a run measured. Columns are handed over, not copied, when a table is first asked for: to import NumPy takes as
/// long as a small run.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct Output {
    /// Every total, by dotted name.
    #[pyo3(get)]
    summary: Py<PyDict>,
    /// What the reader of the numbers should know, the gravest first.
    #[pyo3(get)]
    notes: Py<PyList>,
    /// What becomes `tables`.
    measured: Mutex<Option<RunOutput>>,
    tables: PyOnceLock<Tables>,
}

/// The tables of a run, as dictionaries of columns.
struct Tables {
    requests: Py<PyDict>,
    time_series: Py<PyDict>,
    modes: Py<PyDict>,
    start_levels: Py<PyDict>,
    temperature: Py<PyDict>,
    blocks: Py<PyDict>,
    attribution: Py<PyDict>,
    slowest: Py<PyDict>,
    slowest_parts: Py<PyDict>,
    in_front: Py<PyDict>,
    timeline: Py<PyDict>,
    utilisation: Py<PyDict>,
    latency: Py<PyDict>,
}

/// Runs a resolved configuration. `progress` is called about ten times a second with what is being done (`phases`), the
/// share of it that is done (0 while it is unknown), the requests completed and the simulated seconds. It stops the
/// run by returning False, as Ctrl-C does: if the workload has begun, the output is that of the requests sent until then
/// and says so (`run.interrupted`); if not, `KeyboardInterrupt` is raised. `save_state` names a file for the state of the drive after the run, `timeline` one
/// for trace events.
#[pyfunction]
#[pyo3(signature = (resolved, audit, progress, save_state = None, timeline = None))]
pub(crate) fn simulate(
    py: Python<'_>,
    resolved: &Resolved,
    audit: bool,
    progress: Option<Py<PyAny>>,
    save_state: Option<PathBuf>,
    timeline: Option<PathBuf>,
) -> PyResult<Output> {
    let options = RunOptions {
        audit,
        timeline,
        save_state,
    };
    let config = &resolved.inner.config;
    // paths are absolute in a resolved configuration
    let output = stoppable(py, progress.as_ref(), |look| {
        wordline_drive::run(config, Path::new(""), options.clone(), look)
    })?;
    guarded(|| Output::new(py, output))
}

/// Runs something with the interpreter lock released. It is told to stop by the user, by `progress` and by a policy in Python that
/// failed, whose error goes before others.
pub(crate) fn stoppable<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    run: impl FnOnce(&mut dyn FnMut(Progress) -> bool) -> Result<T, DriveError> + Send,
) -> PyResult<T> {
    py.detach(|| {
        guarded(|| {
            let policies = Watch::begin();
            let mut looked = Instant::now();
            let mut stopped = None;
            let mut look = |state: Progress| {
                if policies.has_failed() {
                    return false;
                }
                if looked.elapsed() < LOOK {
                    return true;
                }
                looked = Instant::now();
                match Python::attach(|py| goes_on(py, progress, state)) {
                    Ok(goes_on) => goes_on,
                    Err(error) => {
                        stopped = Some(error);
                        false
                    }
                }
            };
            let run = run(&mut look);
            policies.check()?;
            if matches!(run, Err(DriveError::Stalled { .. })) {
                policies.check_stalled()?;
            }
            match stopped {
                // an error of the callback; Ctrl-C is none, as long as there is something to give
                Some(error) if run.is_err() || !is_ctrl_c(&error) => Err(error),
                _ => run.map_err(|error| errors::of_run(&error)),
            }
        })
    })
}

fn is_ctrl_c(error: &PyErr) -> bool {
    Python::attach(|py| error.is_instance_of::<PyKeyboardInterrupt>(py))
}

fn goes_on(py: Python<'_>, progress: Option<&Py<PyAny>>, state: Progress) -> PyResult<bool> {
    py.check_signals()?;
    let Some(progress) = progress else { return Ok(true) };
    let share = state.share.unwrap_or(0.0);
    let seconds = state.now.ns() as f64 / 1e9;
    let answer = progress.call1(py, (state.phase.words(), share, state.requests, seconds))?;
    // a callback that returns nothing has nothing against going on
    Ok(answer.is_none(py) || answer.is_truthy(py)?)
}

#[pymethods]
impl Output {
    /// One row per request.
    #[getter]
    fn requests(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.requests)
    }

    /// One row per window of simulated time.
    #[getter]
    fn time_series(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.time_series)
    }

    /// Modes over time: one row for each mode in each interval; empty where the drive has one mode only.
    #[getter]
    fn modes(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.modes)
    }

    /// From which age of the data on reads start at each level; empty where the drive does not learn that.
    #[getter]
    fn start_levels(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.start_levels)
    }

    /// Temperature over time; empty where the drive has none.
    #[getter]
    fn temperature(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.temperature)
    }

    /// One row per block, at the end of the run.
    #[getter]
    fn blocks(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.blocks)
    }

    /// Where response times went: one row per class, band of latency and part.
    #[getter]
    fn attribution(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.attribution)
    }

    /// The slowest requests: one row each.
    #[getter]
    fn slowest(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.slowest)
    }

    /// Where their time went: row of the request, part, ns.
    #[getter]
    fn slowest_parts(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.slowest_parts)
    }

    /// What stood in front of them: row of the request, and the columns of `timeline`.
    #[getter]
    fn in_front(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.in_front)
    }

    /// A stretch of the run in full: one row per span.
    #[getter]
    fn timeline(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.timeline)
    }

    /// How busy dies and channels were over time.
    #[getter]
    fn utilisation(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.utilisation)
    }

    /// Latency distributions of `read`, `write` and `all` requests: microseconds, and the share
    /// of requests that took no longer.
    #[getter]
    fn latency(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.table(py, |tables| &tables.latency)
    }
}

impl Output {
    pub(crate) fn new(py: Python<'_>, output: RunOutput) -> PyResult<Self> {
        Ok(Self {
            summary: summary(py, &output.summary)?,
            notes: notes(py, &output.notes)?,
            measured: Mutex::new(Some(output)),
            tables: PyOnceLock::new(),
        })
    }

    fn table(&self, py: Python<'_>, table: impl FnOnce(&Tables) -> &Py<PyDict>) -> PyResult<Py<PyDict>> {
        let tables = self.tables.get_or_try_init(py, || {
            // what may fail comes first: nothing is lost then
            py.import("numpy")?;
            let measured = self
                .measured
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            let lost = || RunError::new_err("the tables of this run could not be handed over before");
            guarded(|| Tables::new(py, measured.ok_or_else(lost)?))
        })?;
        Ok(table(tables).clone_ref(py))
    }
}

impl Tables {
    fn new(py: Python<'_>, output: RunOutput) -> PyResult<Self> {
        let latency = PyDict::new(py);
        for (class, cdf) in ["read", "write", "all"].into_iter().zip(output.latency) {
            let (value, share): (Vec<f64>, Vec<f64>) = cdf.into_iter().unzip();
            latency.set_item(class, (value.into_pyarray(py), share.into_pyarray(py)))?;
        }
        let timeline = output.timeline;
        let (slowest, slowest_parts, in_front) = result_tables::slowest(py, timeline.slowest)?;
        Ok(Self {
            slowest,
            slowest_parts,
            in_front,
            timeline: result_tables::timeline(py, timeline.window)?,
            utilisation: result_tables::utilisation(py, timeline.utilisation)?,
            requests: result_tables::requests(py, output.requests)?,
            time_series: result_tables::time_series(py, output.time_series)?,
            modes: result_tables::modes(py, output.modes)?,
            start_levels: result_tables::start_levels(py, output.start_levels)?,
            temperature: result_tables::temperature(py, output.temperature)?,
            blocks: result_tables::blocks(py, output.blocks)?,
            attribution: result_tables::attribution(py, output.attribution)?,
            latency: latency.unbind(),
        })
    }
}

fn summary(py: Python<'_>, summary: &Summary) -> PyResult<Py<PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in summary.iter() {
        match value {
            Value::Count(count) => dict.set_item(name, count)?,
            Value::Number(number) => dict.set_item(name, number)?,
            Value::Text(text) => dict.set_item(name, text)?,
            Value::Flag(flag) => dict.set_item(name, flag)?,
            Value::Missing => dict.set_item(name, py.None())?,
        }
    }
    Ok(dict.unbind())
}

pub(crate) fn notes(py: Python<'_>, notes: &[Note]) -> PyResult<Py<PyList>> {
    let mut notes: Vec<&Note> = notes.iter().collect();
    // stable: notes of one weight keep their order
    notes.sort_by_key(|note| std::cmp::Reverse(note.severity));
    let list = PyList::empty(py);
    for note in notes {
        let entry = PyDict::new(py);
        let severity = match note.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
        };
        entry.set_item("severity", severity)?;
        entry.set_item("key", note.key)?;
        entry.set_item("text", &note.text)?;
        list.append(entry)?;
    }
    Ok(list.unbind())
}

/// Names of the kinds of tracks of a timeline, of activities and of causes, in the order of their codes.
#[pyfunction]
pub(crate) fn timeline_names() -> (Vec<&'static str>, Vec<&'static str>, Vec<&'static str>) {
    let causes = wordline_ftl::Cause::ALL.map(wordline_ftl::Cause::name);
    (Track::NAMES.to_vec(), Activity::NAMES.to_vec(), causes.to_vec())
}

/// Names of the parts of a response time, and of the bands of latency, in the order of their codes.
#[pyfunction]
pub(crate) fn attribution_names() -> (Vec<&'static str>, Vec<&'static str>) {
    let parts = Part::all().into_iter().map(Part::name).collect();
    (parts, BAND_NAMES.to_vec())
}
