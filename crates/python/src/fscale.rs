//! Very large drives: closed forms and the simulation of their queues, with and without local controllers.

use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wordline_fscale::{Drive, RunSettings};

use crate::arrays::refused;
use crate::errors::ConfigError;
use crate::guard::guarded;

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
pub(crate) fn large_drives() -> Vec<String> {
    wordline_fscale::names()
}

/// All keys of the drive of a name, as JSON; none if there is none.
#[pyfunction]
pub(crate) fn large_drive(name: &str) -> PyResult<Option<String>> {
    wordline_fscale::named(name).as_ref().map(written).transpose()
}

/// The keys of a drive in their complete form, as JSON.
#[pyfunction]
pub(crate) fn large_drive_checked(keys: &str) -> PyResult<String> {
    guarded(|| written(&drive(keys)?))
}

/// What closed forms say of a drive, as JSON.
#[pyfunction]
pub(crate) fn large_drive_outlook(keys: &str) -> PyResult<String> {
    guarded(|| written(&drive(keys)?.outlook()))
}

/// What a simulation of a drive measures, as JSON.
#[pyfunction]
pub(crate) fn large_drive_simulated(py: Python<'_>, drive_keys: &str, settings: &str) -> PyResult<String> {
    py.detach(|| {
        guarded(|| {
            let settings: RunSettings = keys(settings)?;
            written(&drive(drive_keys)?.simulate(&settings).map_err(refused)?)
        })
    })
}

/// The number of central cores at which FScale stops winning, as JSON.
#[pyfunction]
pub(crate) fn large_drive_cores(keys: &str, most: u32) -> PyResult<String> {
    guarded(|| written(&wordline_fscale::cores_to_match(&drive(keys)?, most)))
}

/// Power of a drive at a throughput, as JSON.
#[pyfunction]
pub(crate) fn large_drive_power(keys: &str, iops: f64) -> PyResult<String> {
    guarded(|| written(&drive(keys)?.power_at(iops)))
}
