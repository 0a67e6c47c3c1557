//! Years of use.

use std::path::{Path, PathBuf};
use std::time::Instant;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_cell::fence::{CellKind, RestAcceleration, Variation};
use wordline_exceptions::{ConfigError, guarded};
use wordline_ftl::BlockRole;
use wordline_lifetime::{
    BlockColumns, BlockSnapshot, Fidelity, FleetOptions, Keep, LifetimeEvent, LifetimeOptions,
    LifetimeReport, PERCENTILES, Snapshot, StudiedCells, TimedOptions, TimedReport, TimedSample,
};
use wordline_units::Duration;

use crate::cell::Cells;
use crate::config::Resolved;
use crate::errors::of_lifetime;
use crate::policies::Watch;
use crate::run::LOOK;

/// What is asked of a study. Times are in nanoseconds; without a tolerance every write is simulated.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    cells: Option<AskedCells>,
    heat_heals: bool,
    /// For how long, and degrees Celsius.
    temperature: Vec<(u64, f64)>,
    required: u64,
    horizon: u64,
    every: u64,
    writes_per_day: Option<f64>,
    tolerance: Option<f64>,
    /// How the traps, the leak and the gap of the cells of the drive itself vary from block to block.
    inside: Option<(f64, f64, f64)>,
    rest_cycles: u32,
    /// Drives, and how the traps, the leak and the gap of their cells vary.
    fleet: Option<(u32, f64, f64, f64)>,
    /// Samples with a clock: one at every so many snapshots, how long they are, and the ratio of response times at which the life ends.
    timed: Option<(u64, u64, f64)>,
    blocks_every: Option<u64>,
    state: Option<PathBuf>,
    resume: bool,
}

/// What says how long blocks keep data, where it is not the drive: FENCE with a threshold gap in volts, or a file of cells.
#[derive(FromPyObject)]
enum AskedCells {
    Gap(f64),
    File(Py<Cells>),
}

impl Asked {
    fn options(self) -> PyResult<LifetimeOptions> {
        let fleet = self
            .fleet
            .map(|(drives, traps, leak, gap)| {
                let variation = Variation::new(traps, leak, gap);
                variation.map(|variation| FleetOptions { drives, variation })
            })
            .transpose()
            .map_err(|error| ConfigError::new_err(error.to_string()))?;
        let inside = self
            .inside
            .map(|(traps, leak, gap)| Variation::new(traps, leak, gap))
            .transpose()
            .map_err(|error| ConfigError::new_err(error.to_string()))?;
        Ok(LifetimeOptions {
            inside,
            rest_cycles: self.rest_cycles,
            cells: match self.cells {
                None => StudiedCells::OfDrive,
                Some(AskedCells::Gap(level_gap)) => StudiedCells::Fence(CellKind::Custom { level_gap }),
                Some(AskedCells::File(cells)) => StudiedCells::Errors(Box::new(cells.get().config().clone())),
            },
            rest_acceleration: if self.heat_heals {
                RestAcceleration::On
            } else {
                RestAcceleration::Off
            },
            temperature: self
                .temperature
                .into_iter()
                .map(|(time, celsius)| (Duration(time), celsius))
                .collect(),
            required: Duration(self.required),
            horizon: Duration(self.horizon),
            every: Duration(self.every),
            writes_per_day: self.writes_per_day,
            fidelity: self
                .tolerance
                .map_or(Fidelity::Exact, |tolerance| Fidelity::Skip { tolerance }),
            keep: Keep {
                blocks_every: self.blocks_every,
                state: self.state,
                resume: self.resume,
            },
            fleet,
            timed: self.timed.map(|(every, length, end_ratio)| TimedOptions {
                every,
                length: Duration(length),
                end_ratio,
            }),
        })
    }
}

/// Studies how long a drive keeps its data; results are in SI units. `progress` is told what is being done, the share
/// of the ageing or of the horizon and the pages programmed, and stops the study by returning false, `blocks` is told of every block at a snapshot.
#[pyfunction]
pub(crate) fn lifetime<'py>(
    py: Python<'py>,
    resolved: &Resolved,
    asked: Asked,
    progress: Option<Py<PyAny>>,
    blocks: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = asked.options()?;
    let found = py.detach(|| {
        guarded(|| {
            let policies = Watch::begin();
            let mut looked = Instant::now();
            let mut stopped = None;
            let mut watch = |event: LifetimeEvent<'_>| {
                if policies.has_failed() {
                    return false;
                }
                if !matches!(event, LifetimeEvent::Blocks(_)) && looked.elapsed() < LOOK {
                    return true;
                }
                let answer = Python::attach(|py| {
                    py.check_signals()?;
                    match (event, &progress, &blocks) {
                        (LifetimeEvent::Before(phase, share), Some(progress), _) => {
                            progress.call1(py, (phase.words(), share, 0))?.extract::<bool>(py)
                        }
                        (LifetimeEvent::Progress(at), Some(progress), _) => progress
                            .call1(py, ("years", at.share, at.programmed))?
                            .extract::<bool>(py),
                        (LifetimeEvent::Blocks(snapshot), _, Some(blocks)) => {
                            blocks.call1(py, (told(py, snapshot)?,))?;
                            Ok(true)
                        }
                        _ => Ok(true),
                    }
                });
                looked = Instant::now();
                match answer {
                    Ok(goes_on) => goes_on,
                    Err(error) => {
                        stopped = Some(error);
                        false
                    }
                }
            };
            // paths are absolute in a resolved configuration
            let config = &resolved.inner.config;
            let found = wordline_lifetime::lifetime(config, Path::new(""), &options, &mut watch);
            policies.check()?;
            match stopped {
                Some(error) => Err(error),
                None => found.map_err(|error| of_lifetime(&error)),
            }
        })
    })?;
    results(py, found)
}

fn results(py: Python<'_>, found: LifetimeReport) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("snapshots", snapshots(py, &found.snapshots)?)?;
    dict.set_item("blocks", columns(py, &found.blocks)?)?;
    let tenths: Vec<&[f64]> = found.snapshots.iter().map(|at| &at.fleet[..]).collect();
    dict.set_item("fleet_retention_p10_s", tenths)?;
    dict.set_item("fleet_life_s", found.fleet)?;
    dict.set_item("identity", found.identity)?;
    dict.set_item("life_s", found.life)?;
    dict.set_item("error", found.error)?;
    dict.set_item("life_error_s", found.life_error)?;
    dict.set_item("write_amplification", found.write_amplification)?;
    dict.set_item("pages_programmed", found.programmed)?;
    dict.set_item("simulated_share", found.simulated)?;
    dict.set_item("skips_kept", found.skips.0)?;
    dict.set_item("skips_discarded", found.skips.1)?;
    dict.set_item("skips_halved", found.halved)?;
    if let Some(refresh) = found.refresh {
        let [collection, wear, refreshing] = refresh.write_amplification;
        dict.set_item("refresh.first_lost_s", refresh.first_lost)?;
        dict.set_item("refresh.blocks", refresh.totals.blocks)?;
        dict.set_item("refresh.pages", refresh.totals.pages)?;
        dict.set_item("refresh.missed", refresh.totals.missed)?;
        dict.set_item("refresh.left_to_fade", refresh.totals.left)?;
        dict.set_item("refresh.retired_blocks", refresh.totals.retired)?;
        if let Some(disturbed) = refresh.totals.disturbed {
            dict.set_item("refresh.disturbed", disturbed)?;
        }
        dict.set_item("refresh.most_queued", refresh.totals.most_queued)?;
        dict.set_item("write_amplification.collection", collection)?;
        dict.set_item("write_amplification.wear_levelling", wear)?;
        dict.set_item("write_amplification.refresh", refreshing)?;
    }
    if let Some(timed) = found.timed {
        dict.set_item("samples", samples(py, &timed)?)?;
        dict.set_item("samples.life_s", timed.life)?;
        dict.set_item("samples.ratio_at_end", timed.ratio_at_end)?;
    }
    dict.set_item("corrected_rber", found.corrected)?;
    dict.set_item("run.cpu_s", found.cpu)?;
    Ok(dict)
}

fn snapshots<'py>(py: Python<'py>, found: &[Snapshot]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let column = |of: &dyn Fn(&Snapshot) -> f64| found.iter().map(of).collect::<Vec<f64>>().into_pyarray(py);
    dict.set_item("time_s", column(&|at| at.time))?;
    for (place, percent) in PERCENTILES.into_iter().enumerate() {
        let name = format!("retention_p{percent:02}_s");
        dict.set_item(name, column(&|at| at.retention[place]))?;
    }
    for (place, percent) in PERCENTILES.into_iter().enumerate() {
        let name = format!("left_p{percent:02}_s");
        dict.set_item(name, column(&|at| at.left[place]))?;
    }
    for (place, percent) in PERCENTILES.into_iter().enumerate() {
        let name = format!("equivalent_events_p{percent:02}");
        dict.set_item(name, column(&|at| at.wear[place]))?;
    }
    dict.set_item("erase_count_mean", column(&|at| at.erases.0))?;
    dict.set_item("erase_count_stddev", column(&|at| at.erases.1))?;
    dict.set_item("erase_count_min", column(&|at| f64::from(at.erases.2)))?;
    dict.set_item("erase_count_max", column(&|at| f64::from(at.erases.3)))?;
    dict.set_item("blocks_short", column(&|at| f64::from(at.short.0)))?;
    dict.set_item("blocks_faded", column(&|at| f64::from(at.short.1)))?;
    Ok(dict)
}

/// The samples with a clock.
fn samples<'py>(py: Python<'py>, timed: &TimedReport) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let column = |of: &dyn Fn(&TimedSample) -> f64| {
        let values: Vec<f64> = timed.samples.iter().map(of).collect();
        values.into_pyarray(py)
    };
    let flags: Vec<bool> = timed.samples.iter().map(|sample| sample.without_weak).collect();
    dict.set_item("time_s", column(&|sample| sample.time))?;
    dict.set_item("without_weak_blocks", flags)?;
    dict.set_item("blocks", column(&|sample| f64::from(sample.blocks)))?;
    dict.set_item("requests", column(&|sample| sample.requests as f64))?;
    dict.set_item("response_mean_s", column(&|sample| sample.mean))?;
    dict.set_item("response_p80_s", column(&|sample| sample.p80))?;
    dict.set_item("response_p99_s", column(&|sample| sample.p99))?;
    dict.set_item("response_ratio", timed.ratios.clone().into_pyarray(py))?;
    Ok(dict)
}

/// All blocks at a snapshot, and what stands at the head of their file.
fn told<'py>(py: Python<'py>, snapshot: &BlockSnapshot) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("number", snapshot.number)?;
    dict.set_item("time_s", snapshot.time)?;
    dict.set_item("identity", &snapshot.identity)?;
    dict.set_item("seed", snapshot.seed)?;
    dict.set_item("workload_passes", snapshot.passes)?;
    dict.set_item("error", snapshot.error)?;
    dict.set_item("blocks", columns(py, &snapshot.blocks)?)?;
    Ok(dict)
}

fn columns<'py>(py: Python<'py>, blocks: &BlockColumns) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let numbers = |of: &[f64]| of.to_vec().into_pyarray(py);
    let counts = |of: &[u32]| of.to_vec().into_pyarray(py);
    let role = |role: &BlockRole| match role {
        BlockRole::Free => "free",
        BlockRole::Open => "open",
        BlockRole::Closed => "closed",
        BlockRole::Bad => "bad",
    };
    dict.set_item(
        "block",
        (0..blocks.pool.len() as u32).collect::<Vec<_>>().into_pyarray(py),
    )?;
    dict.set_item("pool", counts(&blocks.pool))?;
    dict.set_item("erase_count", counts(&blocks.erase_count))?;
    dict.set_item("equivalent_events", numbers(&blocks.equivalent_events))?;
    dict.set_item("vth_net_v", numbers(&blocks.vth_net))?;
    dict.set_item("retention_s", numbers(&blocks.retention))?;
    dict.set_item("left_s", numbers(&blocks.left))?;
    dict.set_item("rest_erased_s", numbers(&blocks.rest_erased))?;
    dict.set_item("rest_data_s", numbers(&blocks.rest_data))?;
    dict.set_item("valid_pages", counts(&blocks.valid_pages))?;
    dict.set_item("last_program_s", numbers(&blocks.last_program))?;
    dict.set_item("role", blocks.role.iter().map(role).collect::<Vec<_>>())?;
    Ok(dict)
}
