//! A study from a configuration: what it starts from.

use std::path::Path;
use std::sync::Arc;

use wordline_cell::fence::{CellParams, Lookup, RetentionModel, WearState};
use wordline_ftl::functional::FunctionalOptions;
use wordline_ftl::{AgeConfig, AllocationMode, DynamicMode};
use wordline_metrics::Stopwatch;
use wordline_nand::{BlockId, Geometry, Use};
use wordline_units::{Duration, Seed};

use super::climate::Climate;
use super::control::Control;
use super::engine::{Engine, Method};
use super::fleet::Fleet;
use super::looks::Looks;
use super::options::{Fidelity, LifetimeEvent, LifetimeOptions};
use super::report::LifetimeReport;
use super::simulate::Simulation;
use super::state::{self, Pace};
use super::wear::Wear;
use super::writes::Writes;
use crate::config::{Config, ConfigError};
use crate::drive::Phase;
use crate::error::RunError;
use crate::run::age;

/// Studies how long a drive keeps its data under its workload.
///
/// `base_dir` is where relative paths start from. `watch` is told of the study under way and stops it by returning
/// false.
///
/// # Errors
/// Bad input (see `RunError::is_input`), a drive without reclaimable space, a state file of another study or one that
/// cannot be written, or an interruption.
pub fn lifetime(
    config: &Config,
    base_dir: &Path,
    options: &LifetimeOptions,
    watch: &mut dyn FnMut(LifetimeEvent<'_>) -> bool,
) -> Result<LifetimeReport, RunError> {
    let stopwatch = Stopwatch::start();
    options.check()?;
    if !config.tenants.is_empty() {
        let problem = "a lifetime study has one workload; accepted is a drive without tenants";
        return Err(ConfigError::key(None, "tenants", problem).into());
    }
    let model = RetentionModel::new(CellParams::nand_80nm(), options.cell, options.rest_acceleration)?;
    let climate = Climate::new(options, &model)?;
    let identity = state::identity(config, options);
    let mut ageing = |share| watch(LifetimeEvent::Before(Phase::Ageing, share));
    let saved = options
        .keep
        .state
        .as_deref()
        .filter(|path| options.keep.resume && path.exists());
    let mut aged = match saved {
        // the state brings the past with it
        Some(_) => {
            let fresh = Config {
                age: AgeConfig::default(),
                ..config.clone()
            };
            age(&fresh, base_dir, u64::MAX, None, &mut ageing)?
        }
        None => age(config, base_dir, u64::MAX, None, &mut ageing)?,
    };
    let geometry = aged.geometry;
    let per_page = geometry.sectors_per_page();
    let sectors = aged.ftl.user_pages() * u64::from(per_page);
    let writes = Writes::new(
        &config.workload,
        base_dir,
        sectors,
        per_page,
        options.writes_per_day,
        aged.aged.now,
        &mut |share| watch(LifetimeEvent::Before(Phase::ReadingTrace, share)),
    )?;
    let lookup = Arc::new(Lookup::new(model));
    // cycles before the study count as if there had been no rest between them
    let states: Vec<WearState> = (0..geometry.blocks())
        .map(|block| {
            let cycles = aged.ftl.block(BlockId(block)).erase_count;
            WearState::worn(2.0 * f64::from(cycles), cycles)
        })
        .collect();
    options.check_held(geometry.blocks())?;
    if let Some(fleet) = &options.fleet {
        fleet.check(geometry.blocks())?;
    }
    let fleet = options
        .fleet
        .map(|fleet| Fleet::new(fleet, lookup.model(), options.cell, Seed(config.seed), &states))
        .transpose()?;
    let mut wear = Wear::new(
        Arc::clone(&lookup),
        climate.rests(),
        &geometry,
        groups(config, &geometry),
        config.commands.copyback == Use::Blind,
        states,
    );
    wear.fleet = fleet;
    let functional_options = FunctionalOptions {
        time_per_write: Duration::ZERO,
        order: config.allocation.order,
        ..FunctionalOptions::default()
    };
    let mut engine = Engine {
        simulation: Simulation::new(&mut *aged.ftl, functional_options, wear, writes),
        lookup,
        climate,
        options,
        identity,
        seed: Seed(config.seed),
        skipped: 0,
        looks: Looks::default(),
        control: Control::new(match options.fidelity {
            Fidelity::Exact => 1.0,
            Fidelity::Skip { tolerance } => tolerance,
        }),
        method: Method::default(),
        pace: Pace::default(),
        watch,
    };
    match saved {
        Some(path) => engine.load(path)?,
        None => engine.look(0)?,
    }
    engine.run()?;
    Ok(engine.report(&stopwatch))
}

/// The groups of planes among which a page may go anywhere: by symmetry they fare alike in the long run, however their
/// pools stand at the moment.
fn groups(config: &Config, geometry: &Geometry) -> u32 {
    match (config.allocation.mode, config.allocation.dynamic) {
        (AllocationMode::Static, _) => geometry.planes(),
        (AllocationMode::Dynamic, DynamicMode::ChannelBound) => geometry.channels,
        (AllocationMode::Dynamic, DynamicMode::Full) => 1,
    }
}
