//! Very large drives: closed forms and the simulation of their queues, with and without local controllers.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wordline_exceptions::{ConfigError, TraceError, guarded, of_workload, refused};
use wordline_fscale::{Drive, ReplayError, RunSettings};
use wordline_workload::WorkloadConfig;

/// The model of very large drives, written in Rust. Private: use the names of the `wordline_fscale` package.
#[pymodule]
mod _fscale {
    use super::*;

    #[pymodule_export]
    use super::{
        large_drive, large_drive_checked, large_drive_cores, large_drive_die_cost, large_drive_outlook,
        large_drive_power, large_drive_replayed, large_drive_same_budget, large_drive_simulated,
        large_drives,
    };

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        wordline_exceptions::keep_panics_to_ourselves();
        Ok(())
    }
}

/// Reads keys from JSON.
fn keys<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        // the place in the text of JSON says nothing to who wrote keywords
        let said = error.inner().to_string();
        let said = said.split(" at line ").next().unwrap_or_default();
        ConfigError::new_err(format!("{}: {said}", error.path()))
    })
}

fn drive(text: &str) -> PyResult<Drive> {
    let drive: Drive = keys(text)?;
    drive.check().map_err(refused)?;
    Ok(drive)
}

fn written(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(refused)
}

/// The names of the drives.
#[pyfunction]
fn large_drives() -> Vec<String> {
    wordline_fscale::names()
}

/// All keys of the drive of a name, as JSON.
#[pyfunction]
fn large_drive(name: &str) -> PyResult<String> {
    let drive = wordline_fscale::named(name)
        .map_err(|error| ConfigError::new_err(format!("drive '{name}': {error}")))?;
    written(&drive)
}

/// The keys of a drive in their complete form, as JSON.
#[pyfunction]
fn large_drive_checked(keys: &str) -> PyResult<String> {
    guarded(|| written(&drive(keys)?))
}

/// What closed forms say of a drive, as JSON.
#[pyfunction]
fn large_drive_outlook(keys: &str) -> PyResult<String> {
    guarded(|| written(&drive(keys)?.outlook()))
}

/// What a simulation of a drive measures, as JSON.
#[pyfunction]
fn large_drive_simulated(py: Python<'_>, drive_keys: &str, settings: &str) -> PyResult<String> {
    py.detach(|| {
        guarded(|| {
            let settings: RunSettings = keys(settings)?;
            written(&drive(drive_keys)?.simulate(&settings).map_err(refused)?)
        })
    })
}

/// What the replay of the trace at `path` on a drive measures, as JSON, and what must be known of how the trace was read. `workload` is how it is read,
/// as the `Trace` of the package `wordline` says it.
#[pyfunction]
fn large_drive_replayed(
    py: Python<'_>,
    drive_keys: &str,
    settings: &str,
    path: PathBuf,
    workload: &str,
) -> PyResult<String> {
    py.detach(|| {
        guarded(|| {
            let settings: RunSettings = keys(settings)?;
            let drive = drive(drive_keys)?;
            let mut workload: WorkloadConfig = keys(workload)?;
            workload.path = Some(path);
            let source = wordline_workload::open(&workload, drive.capacity.0 / 512, Path::new(""))
                .map_err(|error| of_workload(&error))?;
            let found = drive.replay(&settings, source).map_err(|error| match error {
                ReplayError::Refused(value) => refused(value),
                ReplayError::Source(failed) => TraceError::new_err(failed.0),
            })?;
            written(&found)
        })
    })
}

/// A word of the keys, such as a design.
fn word<T: DeserializeOwned>(name: &str, text: &str) -> PyResult<T> {
    serde_json::from_value(serde_json::Value::from(text))
        .map_err(|error| ConfigError::new_err(format!("{name}: {error}")))
}

/// The number of central cores with which the bound of a rival design is no lower than that of FScale, or than `iops`, as JSON.
#[pyfunction]
#[pyo3(signature = (keys, rival, most, iops = None))]
fn large_drive_cores(keys: &str, rival: &str, most: u32, iops: Option<f64>) -> PyResult<String> {
    let rival = word("rival", rival)?;
    guarded(|| {
        let drive = drive(keys)?;
        written(&match iops {
            None => wordline_fscale::cores_to_match(&drive, rival, most),
            Some(iops) => wordline_fscale::cores_to_reach(&drive, rival, iops, most),
        })
    })
}

/// FScale against a rival design within the same power or area, that of FScale where none is given, as JSON.
#[pyfunction]
#[pyo3(signature = (keys, rival, budget, most, available = None))]
fn large_drive_same_budget(
    py: Python<'_>,
    keys: &str,
    rival: &str,
    budget: &str,
    most: u32,
    available: Option<f64>,
) -> PyResult<String> {
    let (rival, budget) = (word("rival", rival)?, word("budget", budget)?);
    py.detach(|| {
        guarded(|| {
            let drive = drive(keys)?;
            written(&wordline_fscale::same_budget(
                &drive, rival, budget, available, most,
            ))
        })
    })
}

/// How many times more a die of flash costs with the logic of a package on it.
#[pyfunction]
fn large_drive_die_cost(keys: &str) -> PyResult<f64> {
    guarded(|| Ok(drive(keys)?.die_cost_with_logic()))
}

/// Power of a drive at a throughput, as JSON.
#[pyfunction]
fn large_drive_power(keys: &str, iops: f64) -> PyResult<String> {
    guarded(|| written(&drive(keys)?.power_at(iops)))
}
