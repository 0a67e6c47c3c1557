//! A study from a configuration: what it starts from.

use std::path::Path;
use std::sync::Arc;

use wordline_cell::fence::VariedCells;
use wordline_config::{Config, ConfigError};
use wordline_drive::{AgedFtl, BlockHealth, Phase, without_rests};
use wordline_ftl::{AgeConfig, AllocationMode, DynamicMode, KnownFeature, Subject};
use wordline_metrics::Stopwatch;
use wordline_nand::{Geometry, Use};
use wordline_units::{Seed, SimTime};

use crate::block_wear::BlockWear;
use crate::cells;
use crate::engine::{Engine, SkipState};
use crate::error::LifetimeError;
use crate::held_blocks::HeldBlocks;
use crate::host_writes::HostWrites;
use crate::options::{Fidelity, LifetimeEvent, LifetimeOptions};
use crate::refreshing::{RefreshTimes, configured};
use crate::report::LifetimeReport;
use crate::simulation::{Simulation, functional_options};
use crate::skip_control::SkipControl;
use crate::state::{self, SaveSchedule};
use crate::study_snapshots::StudySnapshots;
use crate::temperature::TemperatureProfile;
use crate::timed_drive::TimedDrive;

/// Studies how long a drive keeps its data under its workload.
///
/// `base_dir` is where relative paths start from. `watch` is called with the events of the study under way and stops it by
/// returning false.
///
/// # Errors
/// Bad input (see `LifetimeError::is_input`), a drive without reclaimable space, a state file of another study or one that
/// cannot be written, or an interruption.
pub fn lifetime(
    config: &Config,
    base_dir: &Path,
    options: &LifetimeOptions,
    watch: &mut dyn FnMut(LifetimeEvent<'_>) -> bool,
) -> Result<LifetimeReport, LifetimeError> {
    let stopwatch = Stopwatch::start();
    options.check()?;
    if !config.tenants.is_empty() {
        let problem = "a lifetime study has one workload; accepted is a drive without tenants";
        return Err(ConfigError::key(None, "tenants", problem).into());
    }
    if config.mapping_knows(KnownFeature::Zones) {
        let problem = "writes of a lifetime study overwrite pages, which zones refuse; accepted are mappings without zones";
        return Err(ConfigError::key(None, "ftl.mapping", problem).into());
    }
    if config.ftl.failures.is_on() {
        let key = if config.ftl.failures.program.is_some() {
            "ftl.failures.program"
        } else {
            "ftl.failures.erase"
        };
        let problem = "a lifetime study skips ahead, where no block is retired by a failure; accepted is a drive without";
        return Err(ConfigError::key(None, key, problem).into());
    }
    let lookup = Arc::new(cells::lookup(config, options)?);
    let temperature = TemperatureProfile::new(options, &lookup)?;
    let identity = state::identity(config, options);
    let config = &configured(config, options)?;
    let mut ageing = |share| watch(LifetimeEvent::Before(Phase::Ageing, share));
    let saved = options
        .keep
        .state
        .as_deref()
        .filter(|path| options.keep.resume && path.exists());
    let mut aged = match saved {
        // what the drive did before is in the state
        Some(_) => {
            let fresh = Config {
                age: AgeConfig::default(),
                ..config.clone()
            };
            AgedFtl::new(&fresh, base_dir, &mut ageing)?
        }
        None => AgedFtl::new(config, base_dir, &mut ageing)?,
    };
    let geometry = aged.geometry;
    let per_page = aged.ftl.unit_geometry().sectors_per_page();
    let sectors = aged.ftl.user_pages() * u64::from(per_page);
    let writes = HostWrites::new(
        &config.workload,
        base_dir,
        sectors,
        per_page,
        options.writes_per_day,
        aged.now,
        &mut |share| watch(LifetimeEvent::Before(Phase::ReadingTrace, share)),
    )?
    .with_reads(config.ftl.refresh.read_limit.is_some());
    // cycles before the study count as if the cells had not rested between them
    let states = without_rests(&*aged.ftl);
    options.check_held(geometry.blocks())?;
    if let Some(fleet) = &options.fleet {
        fleet.check(geometry.blocks())?;
    }
    let fleet = options
        .fleet
        .zip(lookup.model())
        .map(|(fleet, model)| {
            VariedCells::new(model, &fleet.variation, Seed(config.seed), fleet.drives, &states)
        })
        .transpose()?;
    let varied = options
        .inside
        .zip(lookup.model())
        .map(|(inside, model)| VariedCells::new(model, &inside, Seed(config.seed), 1, &states))
        .transpose()?;
    let mut wear = BlockWear::new(
        Arc::clone(&lookup),
        temperature.rest_factor(),
        &geometry,
        groups(config, &geometry),
        // a block is refreshed before its last page is written, where it stays open for long
        config.commands.copyback == Use::Blind || aged.ftl.part(Subject::Refresh).is_some(),
        states,
    );
    (wear.fleet, wear.varied) = (fleet, varied);
    let factor = temperature.retention_factor();
    let since = SimTime(aged.now.ns().saturating_sub(config.age.storage.ns()));
    let keeps = |block| wear.keeps(block);
    let health = BlockHealth::new(&mut *aged.ftl, &wear.states, keeps, factor, since);
    let refreshes = aged.ftl.part(Subject::Refresh).is_some();
    let read_limit = config.ftl.refresh.read_limit.filter(|_| refreshes);
    let refresh_times = RefreshTimes::new(&config.ftl.refresh).filter(|_| refreshes);
    wear.health = Some(health.counting_reads(read_limit));
    if options.fidelity != Fidelity::Exact {
        let (blocks, groups) = (wear.states.len(), wear.erases.len());
        wear.held = Some(HeldBlocks::new(refresh_times.clone(), blocks, groups));
    }
    let timed = options
        .timed
        .map(|asked| TimedDrive::new(asked, config, base_dir));
    let mut engine = Engine {
        simulation: Simulation::new(&mut *aged.ftl, functional_options(config), wear, writes),
        lookup,
        temperature,
        refresh_times,
        options,
        identity,
        seed: Seed(config.seed),
        skipped: 0,
        snapshots: StudySnapshots::default(),
        control: SkipControl::new(match options.fidelity {
            Fidelity::Exact => 1.0,
            Fidelity::Skip { tolerance } => tolerance,
        }),
        skipping: SkipState::default(),
        save_schedule: SaveSchedule::default(),
        timed,
        watch,
    };
    match saved {
        Some(path) => engine.load(path)?,
        None => engine.take_snapshot(0)?,
    }
    engine.run()?;
    Ok(engine.report(&stopwatch))
}

/// How many groups of planes there are, within each of which a page may go to any plane: by symmetry the blocks of a group
/// are erased equally often in the long run.
fn groups(config: &Config, geometry: &Geometry) -> u32 {
    match (config.allocation.mode, config.allocation.dynamic) {
        (AllocationMode::Static, _) => geometry.planes(),
        (AllocationMode::Dynamic, DynamicMode::ChannelBound) => geometry.channels,
        (AllocationMode::Dynamic, DynamicMode::Full) => 1,
    }
}
