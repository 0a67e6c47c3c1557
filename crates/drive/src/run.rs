//! From a configuration to results: build the drive, age it, run the workload, sum up.

mod steady;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use wordline_ecc::EccKind;
use wordline_ftl::{
    AgeMethod, Aged, AllocationConfig, DynamicOrder, FixedPrograms, FlashRules, Level, Mapping, MappingInput,
    Pressure, exported_pages, snapshot,
};
use wordline_metrics::{
    AttributionColumns, BlockTable, EnergyLedger, Note, Recorder, ReliabilityRecord, RequestLog,
    SeriesColumns, SteadyFrom, Stopwatch, Summary, SuspensionLedger, TimelineTables, available_memory_bytes,
};
use wordline_nand::{BlockId, Geometry, GeometryError, Medium, PageTypes, Timing};
use wordline_units::{Seed, SimTime};
use wordline_workload::Client;

use crate::attribution::Attribution;
use crate::audit::Audit;
use crate::buffer::{Traffic, WriteBuffer};
use crate::channels::ChannelSet;
use crate::config::{BusyGrain, Config, Reference, WarmUp};
use crate::drive::{Drive, Phase, Progress};
use crate::energy::ledger;
use crate::error::{LATEST, RunError};
use crate::events::EventQueue;
use crate::firmware::Firmware;
use crate::flash::Flash;
use crate::host::Host;
use crate::host::clients::Tenant;
use crate::host::gather::Gather;
use crate::host::interface::Interface;
use crate::jobs::Jobs;
use crate::load::{Demand, Model};
use crate::plans::Plans;
use crate::reliability::Reliability;
use crate::scheduler::issue::Command;
use crate::scheduler::ranking;
use crate::scheduler::write_limit::WriteLimit;
use crate::summarize::{starvation, summarize};
use crate::suspension::Suspension;
use crate::table::Table;
use crate::tenants;
use crate::timeline::Watch;
use crate::trace_notes::trace_notes;

/// How to run, beside what the configuration says.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Replay the rules of the medium and the FTL's promises against every operation.
    pub audit: bool,
    /// Where to write the timeline as trace events; compressed where the name ends in `.gz`.
    pub timeline: Option<PathBuf>,
    /// Where to save the state of the drive after the run, for `age.method = "snapshot"`.
    pub save_state: Option<PathBuf>,
}

/// The latency distribution of a class of requests: (microseconds, share of requests at or below).
pub type Cdf = Vec<(f64, f64)>;

/// What a run gives.
#[derive(Debug)]
pub struct RunOutput {
    /// The user stopped it: no request was sent after that, and all that had been sent are completed.
    pub interrupted: bool,
    /// The flat summary.
    pub summary: Summary,
    /// What the user should know.
    pub notes: Vec<Note>,
    /// Every request, up to the configured number.
    pub requests: RequestLog,
    /// The slowest requests, a stretch of the run in full, utilisation over time; empty where the timeline
    /// is off.
    pub timeline: TimelineTables,
    /// Windows over time.
    pub time_series: SeriesColumns,
    /// Every block at the end of the run.
    pub blocks: BlockTable,
    /// Where response times went.
    pub attribution: AttributionColumns,
    /// Latency distributions: reads, writes, all.
    pub latency: [Cdf; 3],
}

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
    finish(config, aged, tenants, found, options, progress, stopwatch)
}

/// Opens the workload and brings the drive to its age.
fn prepare(
    config: &Config,
    base_dir: &Path,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<(AgedDrive, Vec<Tenant>), RunError> {
    let geometry = geometry_of(config)?;
    let user_pages = exported_pages(&MappingInput {
        geometry: &geometry,
        config: &config.ftl,
        allocation: &allocation_of(config),
    })?;
    let user_sectors = user_pages * u64::from(geometry.sectors_per_page());
    // first the workload: a short one leaves most of what ageing would note of a large drive unnoticed
    let mut reading = |share| progress(Progress::before(Phase::ReadingTrace, share));
    let mut tenants = tenants::open(config, user_sectors, base_dir, &mut reading)?;
    let mut ageing = |share| progress(Progress::before(Phase::Ageing, share));
    let requests = expected_requests(&tenants);
    let demand = Demand::of(&mut tenants, &geometry);
    let aged = age(config, base_dir, requests, Some(demand), &mut ageing)?;
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
    let demand = Demand::of(&mut tenants, &geometry_of(config)?);
    let aged = age(config, Path::new("."), u64::MAX, Some(demand), &mut |_| true)?;
    let found = (config.run.warm_up == Some(WarmUp::Auto)).then(SteadyFrom::default);
    finish(config, aged, tenants, found, options, &mut |_| true, stopwatch)
}

/// How many requests will come; those of which it is not known may be very many.
fn expected_requests(tenants: &[Tenant]) -> u64 {
    tenants
        .iter()
        .map(|tenant| tenant.client.source.len_hint().unwrap_or(u64::MAX))
        .fold(0, u64::saturating_add)
}

/// The array as the drive sees it: where planes are independent, each is what a die is otherwise.
///
/// # Errors
/// A geometry that cannot be built.
pub(crate) fn geometry_of(config: &Config) -> Result<Geometry, GeometryError> {
    let geometry = Geometry::new(&config.geometry)?;
    Ok(if config.nand.independent_planes {
        geometry.with_independent_planes()
    } else {
        geometry
    })
}

/// The allocation for that array: where a chip has one die, its planes go where they are named.
fn allocation_of(config: &Config) -> AllocationConfig {
    let mut allocation = config.allocation.clone();
    if config.nand.independent_planes && config.geometry.dies_per_chip == 1 {
        allocation.order = allocation.order.exchanged(Level::Die, Level::Plane);
    }
    allocation
}

/// A drive that has been brought to its age.
pub(crate) struct AgedDrive {
    pub(crate) geometry: Geometry,
    page_types: PageTypes,
    timing: Timing,
    /// What the host will ask of the buffer.
    traffic: Option<Traffic>,
    pub(crate) ftl: Box<dyn Mapping>,
    pub(crate) aged: Aged,
    energy: Option<Box<EnergyLedger>>,
    reliability: Option<Box<Reliability>>,
}

/// `requests` says about how many pages will be asked for, `demand` what the run will ask of the flash, where it is a run
/// with a clock. `watch` is told the share of the ageing that is done and stops it by returning false.
pub(crate) fn age(
    config: &Config,
    base_dir: &Path,
    requests: u64,
    demand: Option<Demand>,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<AgedDrive, RunError> {
    let geometry = geometry_of(config)?;
    let is_reliability_on = config.ecc.kind != EccKind::None;
    fits_memory(&geometry, is_reliability_on)?;
    let (commands, _) = config.commands.resolve(&geometry);
    let seed = Seed(config.seed);
    let input = MappingInput {
        geometry: &geometry,
        config: &config.ftl,
        allocation: &allocation_of(config),
    };
    let rules = FlashRules {
        commands: &commands,
        restrictions: &config.restrictions,
        seed,
    };
    let mut ftl = wordline_ftl::build(&input, &rules)?;
    ftl.expect_requests(requests);
    if is_reliability_on {
        ftl.record_program_times();
    }
    let mut past = config.age.clone();
    past.snapshot = past
        .snapshot
        .map(|file| base_dir.join(file).to_string_lossy().into_owned());
    let page_types = PageTypes::new(&config.geometry, &geometry)?;
    let timing = timing_of(config, &geometry, &page_types)?;
    let traffic = demand.map(|demand| demand.traffic());
    let model = demand.map(|demand| {
        let timing = in_reference(config, timing);
        Model::new(config, &geometry, &page_types, &timing, ftl.pools(), demand)
    });
    let load = |reclaim| {
        model
            .as_ref()
            .map_or(Pressure::NONE, |model| model.pressure(reclaim))
    };
    let order = allocation_of(config).order;
    let aged = wordline_ftl::age_watched(&mut *ftl, &past, order, seed, &load, watch)?;
    if aged.now > LATEST {
        return Err(RunError::TooOld { age: aged.now });
    }
    ftl.reset_counters();
    let energy = ledger(config, &geometry, &page_types, ftl.user_pages(), base_dir)?;
    let times = ftl.take_program_times();
    let reliability = Reliability::new(config, &page_types, &*ftl, |block| {
        times.get(block.index()).copied().unwrap_or_default()
    })?;
    Ok(AgedDrive {
        geometry,
        page_types,
        timing,
        traffic,
        ftl,
        aged,
        energy,
        reliability,
    })
}

/// The times of the drive's operations.
fn timing_of(config: &Config, geometry: &Geometry, types: &PageTypes) -> Result<Timing, RunError> {
    Ok(Timing::new(&config.timing, geometry, types)?
        .with_ssdsim_combined_bus(config.compat.ssdsim_combined_bus))
}

/// The same in the ideal reference that the configuration names.
fn in_reference(config: &Config, timing: Timing) -> Timing {
    match config.scheduler.reference {
        Reference::None => timing,
        Reference::Per => timing.with_writes_like_reads(),
        Reference::Pe0 => timing.with_writes_in_no_time(),
    }
}

/// Refuses a drive whose maps would not fit into memory, before anything is allocated.
fn fits_memory(geometry: &Geometry, is_reliability_on: bool) -> Result<(), RunError> {
    // two map entries of 4 or 5 bytes per page; tables of FTL, medium and drive per block
    let entry = if geometry.pages() < 1 << 31 { 4 } else { 5 };
    // the time of each page's program
    let entry = 2 * entry + if is_reliability_on { 4 } else { 0 };
    let needed = geometry.pages() * entry + u64::from(geometry.blocks()) * 32;
    match available_memory_bytes() {
        Some(available) if needed > available => Err(RunError::Memory {
            pages: geometry.pages(),
            needed_mb: needed / 1_000_000,
            available_mb: available / 1_000_000,
        }),
        _ => Ok(()),
    }
}

fn finish(
    config: &Config,
    drive: AgedDrive,
    tenants: Vec<Tenant>,
    found: Option<SteadyFrom>,
    options: RunOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
    stopwatch: Stopwatch,
) -> Result<RunOutput, RunError> {
    let geometry = drive.geometry;
    let mut notes: Vec<Note> = drive
        .aged
        .notes
        .iter()
        .map(|text| Note::remark("age", text.clone()))
        .collect();
    let ramp = tenants::ramp(&tenants);
    let traffic = drive.traffic;
    let mut drive = build(config, drive, tenants)?;
    drive.watch = Watch::new(&geometry, &config.output, options.timeline.as_deref())?;
    if let (Some(watch), Some(suspension)) = (&mut drive.watch, &drive.suspension) {
        let (programs, erases) = suspension.suspends();
        watch.suspends(&geometry, programs, erases);
    }
    if options.audit {
        drive
            .probes
            .push(Box::new(Audit::new(geometry, &config.restrictions, &*drive.ftl)));
        if let Some(buffer) = &mut drive.buffer {
            buffer.watch(geometry.sectors_per_page());
        }
    }
    fill_buffer(config, &mut drive, traffic);
    let expected = drive.host.clients.len_hint();
    drive.begin_warm_up(config, found, ramp)?;
    drive.run(progress)?;
    drive.check_measured()?;
    if drive.interrupted {
        notes.push(Note::interrupted(
            drive.host.completed,
            expected,
            drive.now.since(SimTime::ZERO),
        ));
    }
    if let Some(path) = &options.save_state {
        let now = drive.ftl_now();
        snapshot::save(&mut *drive.ftl, now, path)?;
    }
    notes.extend(source_notes(&drive));
    notes.extend(trace_notes(&drive));
    notes.extend(drive.watermark_note());
    let timeline = match drive.watch.take() {
        Some(watch) => watch.finish(drive.now)?,
        None => TimelineTables::default(),
    };
    notes.extend(timeline_notes(config, &timeline));
    let mut output = summarize(config, drive, notes, &stopwatch.cost(), options.audit);
    output.timeline = timeline;
    Ok(output)
}

/// Fills the buffer of a drive that starts from a steady state, with pages of the region that the workload is in.
fn fill_buffer(config: &Config, drive: &mut Drive, traffic: Option<Traffic>) {
    let is_steady = config.age.method == AgeMethod::SteadyState;
    let (Some(buffer), Some(traffic)) = (&mut drive.buffer, traffic.filter(|_| is_steady)) else {
        return;
    };
    let pages = drive.ftl.user_pages();
    let per_page = u64::from(drive.flash.geometry.sectors_per_page());
    let region = config.workload.region.filter(|_| config.tenants.is_empty());
    let (from, end) = region
        .and_then(|region| region.sectors(pages * per_page))
        .map_or((0, pages), |(from, end)| {
            (from.div_ceil(per_page), end / per_page)
        });
    buffer.fill_at_start(&*drive.ftl, from..end, &traffic, Seed(config.seed));
}

/// What the sources of the clients have to say, each thing once.
fn source_notes(drive: &Drive) -> Vec<Note> {
    let clients = &drive.host.clients;
    let mut texts: Vec<String> = Vec::new();
    for client in clients.iter() {
        for text in client.source.notes().into_iter().chain(client.steady_note()) {
            let text = if clients.several() {
                format!("{}: {text}", client.name)
            } else {
                text
            };
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    texts
        .into_iter()
        .map(|text| Note::remark("workload", text))
        .collect()
}

/// What of the timeline did not fit.
fn timeline_notes(config: &Config, timeline: &TimelineTables) -> Option<Note> {
    let left = timeline.events_left_out;
    (left > 0).then(|| {
        Note::remark(
            "timeline",
            format!(
                "the file of the timeline holds the first {} events; {left} more did not fit: choose a stretch \
                 with output.timeline_from and output.timeline_to, or raise output.timeline_events",
                config.output.timeline_events
            ),
        )
    })
}

fn build(config: &Config, aged: AgedDrive, tenants: Vec<Tenant>) -> Result<Drive, RunError> {
    let AgedDrive {
        geometry,
        page_types,
        timing,
        traffic: _,
        ftl,
        aged,
        energy,
        reliability,
    } = aged;
    let epoch = aged.now.since(SimTime::ZERO);
    let (commands, _) = config.commands.resolve(&geometry);
    let one_by_one = config.scheduler.busy_grain == BusyGrain::Chip || !commands.interleave;
    let chip_is_unit = one_by_one && !config.nand.independent_planes;
    let mut medium = Medium::new(&geometry, &config.restrictions);
    for block in (0..geometry.blocks()).map(BlockId) {
        let facts = ftl.block(block);
        if facts.free < geometry.pages_per_block {
            medium.set_written(block, geometry.pages_per_block - facts.free);
        }
    }
    let order = DynamicOrder::new(
        geometry,
        allocation_of(config).order,
        commands.interleave || config.nand.independent_planes,
        commands.multi_plane_write != wordline_nand::Use::Off,
    );
    let names = if tenants.len() > 1 {
        tenants.iter().map(|tenant| tenant.client.name.clone()).collect()
    } else {
        Vec::new()
    };
    let user_pages = ftl.user_pages();
    // pages of a buffered write need not wait: they are programmed when the buffer writes them back
    let gather = if config.buffer.is_present() {
        None
    } else {
        Gather::new(
            &geometry,
            &allocation_of(config),
            &commands,
            chip_is_unit,
            config.host.gather,
        )
    };
    let mut recorder = Recorder::new(&geometry, &config.output, names);
    recorder.energy = energy;
    recorder.reliability = reliability.as_ref().map(|reliability| {
        let draws = reliability.expects_failures();
        Box::new(ReliabilityRecord::new(geometry.channels, draws))
    });
    let flash = Flash::new(geometry, chip_is_unit);
    let units = flash.units.len();
    let suspension = Suspension::new(config, &timing, &page_types, &flash)?;
    recorder.suspension = suspension
        .is_some()
        .then(|| Box::new(SuspensionLedger::new(config.timing.program_iterations)));
    let ranking = ranking(config.scheduler.policy);
    let write_limit = config
        .scheduler
        .max_writes
        .map(|most| WriteLimit::new(most, ranking));
    let starvation = starvation(config, timing.erase_array());
    let timing = in_reference(config, timing);
    Ok(Drive {
        now: SimTime::ZERO,
        epoch,
        predicted_amplification: aged.amplification,
        ftl,
        medium,
        timing,
        page_types,
        restrictions: config.restrictions.clone(),
        commands,
        ranking,
        max_wait: config.scheduler.max_wait,
        write_limit,
        suspension,
        starvation,
        starved_ops: 0,
        order,
        events: EventQueue::new(),
        ops: Table::new(),
        sequence: 0,
        plans: Plans::default(),
        fixed: FixedPrograms::default(),
        attribution: config
            .output
            .attribution
            .unwrap_or(false)
            .then(|| Attribution::new(flash.units.len(), flash.channels.len())),
        flash,
        first_channel: 0,
        looking: ChannelSet::new(geometry.channels),
        command: Command::default(),
        tried: Vec::new(),
        interface: Interface::new(&config.host, &tenants, gather),
        host: Host::new(config, &geometry, user_pages, tenants),
        requests: Table::new(),
        sub_requests: Table::new(),
        parked: rustc_hash::FxHashMap::default(),
        parked_ranges: Vec::new(),
        firmware: Firmware::new(&config.firmware),
        memory_access: config.buffer.access,
        buffer: WriteBuffer::new(config, &geometry, user_pages),
        jobs: Jobs::new(config.ftl.gc.idle, units),
        notices: Vec::new(),
        ftl_called: true,
        plan: Vec::new(),
        watch: None,
        reliability,
        warm_up: None,
        unmeasured: None,
        recorder,
        probes: Vec::new(),
        failure: None,
        interrupted: false,
    })
}
