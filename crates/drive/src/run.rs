//! From a configuration to results: build the drive, age it, run the workload, sum up.

mod aged_drive;
mod ahead;
mod cut_samples;
mod recovered;
mod recovery_time;
pub(crate) mod simulation;
pub(crate) mod sizes;
mod steady;
#[cfg(test)]
mod tests;
mod unwritten;

use std::path::Path;

use wordline_config::{Acknowledge, Config, InterfaceKind, WarmUp};
use wordline_ecc::EccKind;
use wordline_ftl::{MappingInput, PlaceReads, exported_pages, unit_geometry};
use wordline_metrics::{SteadyFrom, Stopwatch};
use wordline_units::{Duration, SimTime};
use wordline_workload::Client;

pub(crate) use aged_drive::{AgedDrive, ArrayDescription, age, build, continued};
pub(crate) use ahead::Ahead;
use cut_samples::CutSamples;
pub(crate) use recovered::recovered;
pub use recovery_time::RecoveryTime;
pub(crate) use recovery_time::recovery_time;
use simulation::Simulation;
pub(crate) use simulation::audit;

use crate::error::RunError;
use crate::features::{Features, Full, Plain, Watched, is_plain};
use crate::host::clients::Tenant;
use crate::load::Demand;
use crate::output::{RunOptions, RunOutput};
use crate::progress::{Phase, Progress};
use crate::tenants;

/// Builds the drive of a configuration, brings it to its age and runs its workload.
///
/// `base_dir` is where relative paths (traces, snapshots) start from. `progress` is called now and
/// then and stops the run by returning false: what the run gives is then that of the requests sent until there.
///
/// # Errors
/// Bad input (see `RunError::is_input`), a run that can make no progress, a broken rule of the
/// medium or of the audit; `RunError::Interrupted` where `progress` stops it before the first request, or stops it again
/// while the last requests are being completed.
pub fn run(
    config: &Config,
    base_dir: &Path,
    options: RunOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<RunOutput, RunError> {
    let stopwatch = Stopwatch::start();
    let found = match config.run.warm_up {
        Some(WarmUp::Auto) => Some(steady::find(config, base_dir, progress)?),
        _ => None,
    };
    let (aged, tenants) = prepare(config, base_dir, progress)?;
    finish(
        (config, base_dir),
        aged,
        tenants,
        found,
        options,
        progress,
        stopwatch,
    )
}

/// Opens the workload and brings the drive to its age.
pub(crate) fn prepare(
    config: &Config,
    base_dir: &Path,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<(AgedDrive, Vec<Tenant>), RunError> {
    let geometry = config.array_geometry()?;
    let input = MappingInput {
        geometry: &geometry,
        config: &config.ftl,
        allocation: &config.array_allocation(),
        strong_classes: config.strong_classes(),
    };
    let units = unit_geometry(&input)?;
    let user_sectors = exported_pages(&input)? * u64::from(units.sectors_per_page());
    // first the workload: a short one leaves most of what ageing would note of a large drive unnoticed
    let mut reading = |share| progress(Progress::before(Phase::ReadingTrace, share));
    let mut tenants = tenants::open(config, user_sectors, base_dir, &mut reading)?;
    let placed = if config.age.place_reads == PlaceReads::Off {
        Vec::new()
    } else {
        let once_more = tenants::open(config, user_sectors, base_dir, &mut |_| true)?;
        unwritten::reads(once_more, units.sectors_per_page(), &mut reading)?
    };
    let mut ageing = |share| progress(Progress::before(Phase::Ageing, share));
    let requests = expected_requests(&tenants);
    let demand = Demand::of(&mut tenants, &units);
    let ahead = Ahead {
        requests,
        demand: Some(demand),
        placed: Some(placed),
    };
    let aged = age(config, base_dir, &ahead, &mut ageing)?;
    Ok((aged, tenants))
}

/// As [`run`], with clients of the caller's own instead of the configured workload. They can be run only once, so that
/// `run.warm_up = "auto"` cannot look for a steady state and says that none was found.
///
/// # Errors
/// As [`run`].
pub fn run_clients(
    config: &Config,
    clients: Vec<Client>,
    options: RunOptions,
) -> Result<RunOutput, RunError> {
    let stopwatch = Stopwatch::start();
    let mut tenants: Vec<Tenant> = clients.into_iter().map(tenants::of).collect();
    let demand = Demand::of(&mut tenants, &config.array_geometry()?);
    let ahead = Ahead {
        demand: Some(demand),
        ..Ahead::of(u64::MAX)
    };
    let aged = age(config, Path::new("."), &ahead, &mut |_| true)?;
    let found = (config.run.warm_up == Some(WarmUp::Auto)).then(SteadyFrom::default);
    finish(
        (config, Path::new(".")),
        aged,
        tenants,
        found,
        options,
        &mut |_| true,
        stopwatch,
    )
}

/// How many requests will come; those of which it is not known may be very many.
fn expected_requests(tenants: &[Tenant]) -> u64 {
    tenants
        .iter()
        .map(|tenant| tenant.client.source.len_hint().unwrap_or(u64::MAX))
        .fold(0, u64::saturating_add)
}

/// Whether a run takes the set that has everything, whatever it needs. So it is in development builds, for which the drive is
/// compiled once and not three times; tests show that each set gives the same results.
const COMPILES_ONE_SET: bool = cfg!(debug_assertions);

/// Runs the workload on an aged drive, compiled for the least set of features that has all it needs.
fn finish(
    (config, base_dir): (&Config, &Path),
    drive: AgedDrive,
    tenants: Vec<Tenant>,
    found: Option<SteadyFrom>,
    options: RunOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
    stopwatch: Stopwatch,
) -> Result<RunOutput, RunError> {
    let output = &config.output;
    let is_watched = options.audit
        || options.timeline.is_some()
        || output.timeline == Some(true)
        || output.attribution == Some(true)
        || output.recovery_every > 0
        || config.run.warm_up.is_some()
        || tenants::ramp(&tenants) > Duration::ZERO;
    let simulate = if COMPILES_ONE_SET || has_options(config) {
        simulate::<Full>
    } else if is_watched || !is_plain(&*drive.ftl) {
        simulate::<Watched>
    } else {
        simulate::<Plain>
    };
    simulate(
        (config, base_dir),
        drive,
        tenants,
        found,
        options,
        progress,
        stopwatch,
    )
}

/// Whether a drive has any of the options that [`features`](crate::features) can leave out.
fn has_options(config: &Config) -> bool {
    config.buffer.is_present()
        || config.host.interface != InterfaceKind::Ideal
        || config.firmware.enabled
        || config.firmware.delays_commands()
        || config.ecc.kind != EccKind::None
        || config.scheduler.suspends()
        || config.nand.independent_plane_reads
        || !config.modes.is_empty()
        || config.scheduler.holds_requests()
        || config.scheduler.has_view()
        || config.scheduler.max_writes.is_some()
        || config.scheduler.collection_holds_channel
        || config.host.write_acknowledge == Acknowledge::Transferred
        || config.ftl.local.enabled
        || config.thermal.enabled
        || config.power.is_limited()
        || config.power.ps3.is_some()
        || config.ftl.refresh.is_on().is_ok_and(|on| on)
}

fn simulate<F: Features>(
    (config, base_dir): (&Config, &Path),
    drive: AgedDrive,
    tenants: Vec<Tenant>,
    found: Option<SteadyFrom>,
    options: RunOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
    stopwatch: Stopwatch,
) -> Result<RunOutput, RunError> {
    let mut simulation = Simulation::<F>::new(config, drive, tenants, found, &options, progress)?;
    let cuts = CutSamples::of(config, base_dir, simulation.drive.control().ftl());
    if let Some(cuts) = &cuts {
        simulation.drive.add_probe(Box::new(cuts.clone()));
    }
    simulation.drive.run(progress)?;
    let unmeasured = simulation.drive.now().since(SimTime::ZERO) - simulation.drive.measured_time();
    let mut output = simulation.finish(config, &options, stopwatch, progress)?;
    if let Some(cuts) = cuts {
        cuts.summarize(&mut output.summary, SimTime::ZERO + unmeasured)?;
    }
    Ok(output)
}
