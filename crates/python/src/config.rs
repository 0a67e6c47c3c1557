//! Presets, schema, reference and the resolution of a configuration.

use std::io::Read;
use std::path::Path;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use toml::Value;
use wordline_config::DriveSource;
use wordline_config::conflicts::{Conflict, FEATURES, Feature};
use wordline_exceptions::{ConfigError, guarded, refused};
use wordline_ftl::analytic::table::TableDesign;
use wordline_workload::{fio_command_line, variables_of};

use crate::policies;

/// What is read of a job file at most, in bytes.
const LARGEST_JOB_FILE: u64 = 1 << 20;

/// The presets: name, title and TOML text of each.
#[pyfunction]
pub(crate) fn presets(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for preset in wordline_config::presets() {
        let entry = PyDict::new(py);
        entry.set_item("name", preset.name)?;
        entry.set_item("title", preset.title())?;
        entry.set_item("text", preset.text)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// What rules what out: for each conflict the feature, how errors name it, the key whose value is ruled out, and what is accepted instead.
#[pyfunction]
pub(crate) fn conflicts() -> PyResult<Vec<(&'static str, &'static str, &'static str, &'static str)>> {
    guarded(|| {
        let rows = |feature: &&'static Feature| {
            let with_row =
                |conflict: &'static Conflict| (feature.name, feature.with, conflict.key, conflict.accepted);
            feature.conflicts.iter().map(with_row).collect::<Vec<_>>()
        };
        Ok(FEATURES.iter().flat_map(rows).collect())
    })
}

/// The JSON Schema of a drive and workload.
#[pyfunction]
pub(crate) fn schema() -> PyResult<String> {
    guarded(|| Ok(format!("{:#}\n", wordline_config::schema())))
}

/// The configuration reference in Markdown.
#[pyfunction]
pub(crate) fn reference() -> PyResult<String> {
    guarded(|| Ok(wordline_config::reference()))
}

/// Every key of a summary: name, unit, meaning.
#[pyfunction]
pub(crate) fn summary_keys() -> PyResult<Vec<(String, &'static str, &'static str)>> {
    guarded(|| {
        Ok(wordline_metrics::KEYS
            .iter()
            .flat_map(|key| key.expand().into_iter().map(|name| (name, key.unit, key.meaning)))
            .collect())
    })
}

/// The rows of the documentation of summary keys: name, which may hold placeholders, unit, meaning.
#[pyfunction]
pub(crate) fn summary_families() -> PyResult<Vec<(&'static str, &'static str, &'static str)>> {
    guarded(|| {
        Ok(wordline_metrics::KEYS
            .iter()
            .map(|key| (key.name, key.unit, key.meaning))
            .collect())
    })
}

/// A placeholder of summary keys: its name, what the names are that it stands for, and these.
type Placeholder = (&'static str, &'static str, Vec<&'static str>);

/// The placeholders of summary keys; one that stands for any name lists none.
#[pyfunction]
pub(crate) fn summary_placeholders() -> PyResult<Vec<Placeholder>> {
    guarded(|| {
        let names = |kind| {
            let names = wordline_metrics::names_of(kind).unwrap_or_default();
            names.into_iter().filter(|name| !name.starts_with('<')).collect()
        };
        Ok(wordline_metrics::PLACEHOLDERS
            .iter()
            .map(|&(kind, meaning)| (kind, meaning, names(kind)))
            .collect())
    })
}

/// Bytes of a record of a journal: logical page, physical page, sequence number (FTL specification, 2.10).
const RECORD_BYTES: u32 = 12;

/// The arguments of `resolve`.
type Pickled = (String, bool, Option<String>, Vec<(String, String)>);

/// Operation, mode, page type, seconds, joules, data bits.
type OperationRow = (&'static str, String, Option<&'static str>, f64, f64, u64);

/// A complete drive and workload, checked, every default filled in.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct Resolved {
    pub(crate) inner: wordline_config::Resolved,
}

#[pymethods]
impl Resolved {
    /// The configuration as TOML: every key that has an effect.
    #[getter]
    fn toml(&self) -> &str {
        &self.inner.toml
    }

    /// Content hash of the configuration.
    #[getter]
    fn hash(&self) -> &str {
        &self.inner.hash
    }

    /// What the user should be told, one sentence each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.inner.warnings.clone()
    }

    /// The policies in Python that it names, as `key = "name"`.
    #[getter]
    fn python_policies(&self) -> Vec<String> {
        policies::named(&self.inner.config)
    }

    /// What a design of the map that is not simulated would cost on this drive, as keys of its summary, and the reads of flash for a
    /// look-up: `extents` of so many pages, a `journal` with a checkpoint after so many writes, a `tree`.
    fn table_design<'py>(&self, py: Python<'py>, design: &str, amount: u64) -> PyResult<Bound<'py, PyDict>> {
        let cost = guarded(|| {
            let one = || match amount {
                0 => Err(refused(format!("{design} of {amount}: at least 1"))),
                some => Ok(some),
            };
            let design = match design {
                "extents" => TableDesign::Extents { pages: one()? },
                "journal" => TableDesign::Journal {
                    record_bytes: RECORD_BYTES,
                    checkpoint_writes: one()?,
                    incremental: false,
                },
                "tree" => TableDesign::Tree,
                other => {
                    return Err(refused(format!(
                        "design = {other:?}: accepted are \"extents\", \"journal\" and \"tree\""
                    )));
                }
            };
            self.inner.config.table_design(design).map_err(refused)
        })?;
        let keys = PyDict::new(py);
        keys.set_item("ftl.table.memory_bytes", cost.memory_bytes)?;
        keys.set_item("ftl.table.flash_bytes", cost.flash_bytes)?;
        keys.set_item("reads_per_lookup", cost.reads_per_lookup)?;
        keys.set_item("ftl.table.programs_per_write", cost.programs_per_write)?;
        keys.set_item("ftl.table.recovery_time_s", cost.recovery.as_secs())?;
        Ok(keys)
    }

    /// What the drive holds, and what its simulation needs: bytes of `capacity`, `raw` flash and `memory`, `dies`, `planes`, `blocks`, and the
    /// logical pages of a block (`units_per_block`).
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = guarded(|| {
            wordline_drive::sizes(&self.inner.config).map_err(|error| crate::errors::of_run(&error))
        })?;
        let sizes = PyDict::new(py);
        sizes.set_item("capacity", found.capacity)?;
        sizes.set_item("raw", found.raw)?;
        sizes.set_item("dies", found.dies)?;
        sizes.set_item("planes", found.planes)?;
        sizes.set_item("blocks", found.blocks)?;
        sizes.set_item("units_per_block", found.units_per_block)?;
        sizes.set_item("memory", found.memory)?;
        Ok(sizes)
    }

    /// What the ledger of energy charges for each operation: operation, mode, page type, seconds, joules, data bits; none without
    /// `power.chip` and `power.supply`.
    fn energies(&self) -> PyResult<Vec<OperationRow>> {
        guarded(|| {
            let rows = wordline_drive::operation_energies(&self.inner.config, Path::new(""))
                .map_err(|error| crate::errors::of_run(&error))?;
            let row = |row: wordline_drive::OperationEnergy| {
                let seconds = row.time.as_secs();
                (
                    row.operation.name(),
                    row.mode,
                    row.page_type,
                    seconds,
                    row.joules,
                    row.data_bits,
                )
            };
            Ok(rows.into_iter().map(row).collect())
        })
    }

    /// What the drive takes when it has nothing to do, by state: its name, W beside the DRAM, W of the DRAM, seconds without work before it, seconds to leave it.
    fn idle_powers(&self) -> Vec<(String, f64, f64, f64, f64)> {
        let power = &self.inner.config.power;
        let awake = ("idle".to_owned(), power.idle.0, power.dram_watts(), 0.0, 0.0);
        let states = (3..).zip(power.idle_states()).map(|(number, state)| {
            let (after, exit) = (state.after.as_secs(), state.exit.as_secs());
            (format!("PS{number}"), state.power.0, 0.0, after, exit)
        });
        std::iter::once(awake).chain(states).collect()
    }

    /// How it is pickled: as its text, which resolves to the same.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled)> {
        let resolve = py.import("wordline._wordline")?.getattr("resolve")?;
        Ok((resolve, (self.inner.toml.clone(), true, None, Vec::new())))
    }

    /// The value at a dotted path, or a section as a dictionary; `None` where it is unset.
    fn get<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.inner.get(path) {
            Some(value) => to_python(py, value),
            None if wordline_config::Resolved::knows(path) => Ok(py.None().into_bound(py)),
            None => Err(PyKeyError::new_err(path.to_owned())),
        }
    }
}

/// Resolves a drive (preset, file or text), a workload file and overrides.
#[pyfunction]
#[pyo3(signature = (drive, drive_is_text, workload, overrides))]
pub(crate) fn resolve(
    drive: &str,
    drive_is_text: bool,
    workload: Option<&str>,
    overrides: Vec<(String, String)>,
) -> PyResult<Resolved> {
    let source = if drive_is_text {
        DriveSource::Text(drive)
    } else {
        DriveSource::Named(drive)
    };
    guarded(|| {
        wordline_config::resolve(source, workload.map(Path::new), &overrides)
            .map(|inner| Resolved { inner })
            .map_err(refused)
    })
}

/// Checks what can be told of a workload without its drive.
#[pyfunction]
pub(crate) fn check_workload(path: Option<&str>, overrides: Vec<(String, String)>) -> PyResult<()> {
    guarded(|| wordline_config::check_workload(path.map(Path::new), &overrides).map_err(refused))
}

/// The job file that a command line of fio stands for, with the files that it names in it, and the names of the variables in it.
#[pyfunction]
pub(crate) fn fio_jobs(words: Vec<String>) -> PyResult<(String, Vec<String>)> {
    guarded(|| {
        let mut read = |file: &str| {
            let cannot = |error: std::io::Error| format!("{file}: cannot be read: {error}");
            let mut text = String::new();
            let file = std::fs::File::open(file).map_err(cannot)?;
            file.take(LARGEST_JOB_FILE)
                .read_to_string(&mut text)
                .map_err(cannot)?;
            Ok(text)
        };
        let text = fio_command_line(&words, &mut read)
            .map_err(|problem| ConfigError::new_err(format!("fio: {problem}")))?;
        let variables = variables_of(&text).into_iter().collect();
        Ok((text, variables))
    })
}

fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => number.into_pyobject(py)?.into_any(),
        Value::Boolean(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Datetime(time) => time.to_string().into_pyobject(py)?.into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            list.into_any()
        }
        Value::Table(table) => {
            let dict = PyDict::new(py);
            for (key, value) in table {
                dict.set_item(key, to_python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// Keys of notes, and when each note is given.
#[pyfunction]
pub(crate) fn note_keys() -> Vec<(&'static str, &'static str)> {
    wordline_metrics::NOTE_KEYS.to_vec()
}

/// "did you mean `x`? " for a word that is none of what is accepted, nothing where no candidate is near.
#[pyfunction]
pub(crate) fn did_you_mean(word: &str, accepted: Vec<String>) -> String {
    wordline_units::did_you_mean(word, accepted.iter().map(String::as_str))
}
