//! Years of use.

use std::path::Path;
use std::time::Instant;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_cell::fence::{CellKind, RestAcceleration};
use wordline_drive::lifetime::{Fidelity, LifetimeOptions, LifetimeProgress, PERCENTILES};
use wordline_units::Duration;

use crate::config::Resolved;
use crate::errors::of_run;
use crate::guard::guarded;
use crate::run::LOOK;

/// Studies how long a drive keeps its data. Times are in nanoseconds, results in SI units; without a tolerance every write
/// is simulated. `progress` is told the share of the horizon and the pages programmed.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the options of a private interface")]
pub(crate) fn lifetime<'py>(
    py: Python<'py>,
    resolved: &Resolved,
    level_gap: f64,
    heat_heals: bool,
    celsius: f64,
    required: u64,
    horizon: u64,
    every: u64,
    writes_per_day: Option<f64>,
    tolerance: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = LifetimeOptions {
        cell: CellKind::Custom { level_gap },
        rest_acceleration: if heat_heals {
            RestAcceleration::On
        } else {
            RestAcceleration::Off
        },
        celsius,
        required: Duration(required),
        horizon: Duration(horizon),
        every: Duration(every),
        writes_per_day,
        fidelity: tolerance.map_or(Fidelity::Exact, |tolerance| Fidelity::Skip { tolerance }),
    };
    let found = py.detach(|| {
        guarded(|| {
            let mut looked = Instant::now();
            let mut stopped = None;
            let mut look = |at: LifetimeProgress| {
                if looked.elapsed() < LOOK {
                    return true;
                }
                looked = Instant::now();
                let answer = Python::attach(|py| {
                    py.check_signals()?;
                    progress.as_ref().map_or(Ok(()), |progress| {
                        progress.call1(py, (at.share, at.programmed)).map(drop)
                    })
                });
                stopped = answer.err();
                stopped.is_none()
            };
            // paths are absolute in a resolved configuration
            let config = &resolved.inner.config;
            let found = wordline_drive::lifetime::lifetime(config, Path::new(""), &options, &mut look);
            match stopped {
                Some(error) => Err(error),
                None => found.map_err(|error| of_run(&error)),
            }
        })
    })?;
    let dict = PyDict::new(py);
    let snapshots = PyDict::new(py);
    let column = |of: &dyn Fn(&wordline_drive::lifetime::Snapshot) -> f64| {
        found
            .snapshots
            .iter()
            .map(of)
            .collect::<Vec<f64>>()
            .into_pyarray(py)
    };
    snapshots.set_item("time_s", column(&|at| at.time))?;
    for (place, percent) in PERCENTILES.into_iter().enumerate() {
        snapshots.set_item(
            format!("retention_p{percent:02}_s"),
            column(&|at| at.retention[place]),
        )?;
    }
    for (place, percent) in PERCENTILES.into_iter().enumerate() {
        snapshots.set_item(
            format!("equivalent_events_p{percent:02}"),
            column(&|at| at.wear[place]),
        )?;
    }
    snapshots.set_item("erase_count_mean", column(&|at| at.erases.0))?;
    snapshots.set_item("erase_count_stddev", column(&|at| at.erases.1))?;
    snapshots.set_item("erase_count_min", column(&|at| f64::from(at.erases.2)))?;
    snapshots.set_item("erase_count_max", column(&|at| f64::from(at.erases.3)))?;
    dict.set_item("snapshots", snapshots)?;
    let blocks = PyDict::new(py);
    blocks.set_item("pool", found.blocks.pool.into_pyarray(py))?;
    blocks.set_item("erase_count", found.blocks.erase_count.into_pyarray(py))?;
    blocks.set_item(
        "equivalent_events",
        found.blocks.equivalent_events.into_pyarray(py),
    )?;
    blocks.set_item("vth_net_v", found.blocks.vth_net.into_pyarray(py))?;
    blocks.set_item("retention_s", found.blocks.retention.into_pyarray(py))?;
    blocks.set_item("rest_erased_s", found.blocks.rest_erased.into_pyarray(py))?;
    blocks.set_item("rest_data_s", found.blocks.rest_data.into_pyarray(py))?;
    blocks.set_item("valid_pages", found.blocks.valid_pages.into_pyarray(py))?;
    dict.set_item("blocks", blocks)?;
    dict.set_item("life_s", found.life)?;
    dict.set_item("error", found.error)?;
    dict.set_item("life_error_s", found.life_error)?;
    dict.set_item("write_amplification", found.write_amplification)?;
    dict.set_item("pages_programmed", found.programmed)?;
    dict.set_item("simulated_share", found.simulated)?;
    dict.set_item("skips_kept", found.skips.0)?;
    dict.set_item("skips_discarded", found.skips.1)?;
    dict.set_item("run.cpu_s", found.cpu)?;
    Ok(dict)
}
