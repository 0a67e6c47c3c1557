//! A drive at its age: the FTL of a configuration is aged, and everything else is built around it.

use std::path::Path;

use wordline_config::{Config, LATEST};
use wordline_ecc::EccKind;
use wordline_ftl::functional::Pace;
use wordline_ftl::{Aged, FlashRules, Mapping, MappingInput, Pressure, Reclaim, Subjects, unit_geometry};
use wordline_metrics::{
    EnergyLedger, ModeLedger, ReliabilityRecord, SuspensionLedger, TenantRecord, available_memory_bytes,
};
use wordline_nand::{Geometry, PageTypes, Timing, Use, WordLines};
use wordline_scheduler::Frame;
use wordline_units::{Seed, SimTime};

use crate::array::reliability::Reliability;
use crate::array::{FlashArray, OperationTimes, chip_is_unit, in_reference};
use crate::block_health::KnownWear;
use crate::buffer::{Traffic, WriteBuffer};
use crate::control::Control;
use crate::control::refreshed_blocks::RefreshedBlocks;
use crate::door::WriteDoor;
use crate::energy::charged::rows;
use crate::energy::ledger;
use crate::error::RunError;
use crate::features::Features;
use crate::host::Host;
use crate::host::clients::Tenant;
use crate::host::gather::Gather;
use crate::idle_states::IdleStates;
use crate::kernel::Drive;
use crate::load::Model;
use crate::observe::{Observed, Observer};
use crate::power_limit::PowerLimit;
use crate::request_queue::RequestQueue;
use crate::run::ahead::Ahead;
use crate::scheduler::Schedule;
use crate::summarize::starvation;
use crate::thermal::Thermal;
use crate::timing::timing_of;

/// A drive that has been brought to its age.
pub(crate) struct AgedDrive {
    pub(crate) geometry: Geometry,
    page_types: PageTypes,
    timing: Timing,
    /// What the host will ask of the buffer.
    pub(super) traffic: Option<Traffic>,
    pub(crate) ftl: Box<dyn Mapping>,
    pub(crate) aged: Aged,
    energy: Option<Box<EnergyLedger>>,
    pub(crate) reliability: Option<Box<Reliability>>,
    /// The wear of its blocks, where a study knows it.
    wear: Option<KnownWear>,
}

/// The array of a drive, which is the same all through its life.
pub(crate) struct ArrayDescription {
    geometry: Geometry,
    page_types: PageTypes,
    timing: Timing,
}

impl ArrayDescription {
    /// How long steps of jobs take that move so many pages at a time.
    pub(crate) fn pace(&self, moves: usize) -> Pace {
        let Geometry { pages_per_block, .. } = self.geometry;
        let sectors = self.geometry.sectors_per_page();
        let times = OperationTimes::new(&self.timing, &self.page_types, 0, pages_per_block, sectors);
        Pace {
            read: times.read,
            program: times.program,
            erase: times.erase,
            moves,
        }
    }
}

impl AgedDrive {
    /// The array of the drive.
    pub(crate) fn description(&self) -> ArrayDescription {
        ArrayDescription {
            geometry: self.geometry,
            page_types: self.page_types.clone(),
            timing: self.timing,
        }
    }

    /// A drive that goes on at a time of its life; its energy is not counted.
    pub(crate) fn going_on(
        array: &ArrayDescription,
        ftl: Box<dyn Mapping>,
        reliability: Option<Box<Reliability>>,
        now: SimTime,
    ) -> Self {
        Self {
            geometry: array.geometry,
            page_types: array.page_types.clone(),
            timing: array.timing,
            traffic: None,
            ftl,
            aged: Aged {
                now,
                ..Aged::default()
            },
            energy: None,
            reliability,
            wear: None,
        }
    }
}

/// A drive without a past.
pub(super) struct Fresh {
    geometry: Geometry,
    page_types: PageTypes,
    timing: Timing,
    pub(super) ftl: Box<dyn Mapping>,
}

/// `watch` is told the share of the ageing that is done and stops it by returning false.
pub(crate) fn age(
    config: &Config,
    base_dir: &Path,
    ahead: &Ahead,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<AgedDrive, RunError> {
    let mut parts = fresh(config)?;
    let ftl = &mut *parts.ftl;
    if let Some(ageable) = ftl.ageable_mut() {
        ageable.expect_requests(ahead.requests);
    }
    let mut past = config.age.clone();
    past.snapshot = past
        .snapshot
        .map(|file| base_dir.join(file).to_string_lossy().into_owned());
    let model = ahead.demand.map(|demand| {
        let timing = in_reference(config, parts.timing);
        Model::new(
            config,
            &parts.geometry,
            &parts.page_types,
            &timing,
            (pools(ftl), ftl.facts().joins_placed_programs),
            demand,
        )
    });
    let (per_page, per_unit) = (ftl.unit_geometry().pages_per_program, ftl.facts().pages_per_unit);
    let load = |reclaim: Reclaim| {
        let of_pages = reclaim.of_pages(per_page).in_units(per_unit);
        model
            .as_ref()
            .map_or(Pressure::NONE, |model| model.pressure(of_pages))
    };
    let order = config.array_allocation().order;
    let seed = Seed(config.seed);
    let mut aged = wordline_ftl::age_watched(ftl, &past, order, seed, &load, watch)?;
    aged.notes.extend(ahead.place_reads(ftl, &past, order, watch)?);
    if let Some(recoverable) = ftl.recoverable_mut() {
        recoverable.format();
    }
    if aged.now > LATEST {
        return Err(RunError::TooOld { age: aged.now });
    }
    let traffic = ahead.demand.map(|demand| demand.traffic());
    complete(config, base_dir, parts, aged, traffic)
}

/// Pools of the drive; none of a mapping that does not collect.
fn pools(ftl: &dyn Mapping) -> u32 {
    ftl.collected_space().map_or(0, |collected| collected.pools())
}

/// The drive of a study at a time of its life: `load` brings an FTL without a past to its state.
///
/// # Errors
/// A drive that cannot be built; those of `load`.
pub(crate) fn continued<E: From<RunError>>(
    config: &Config,
    base_dir: &Path,
    now: SimTime,
    wear: Option<KnownWear>,
    load: impl FnOnce(&mut dyn Mapping) -> Result<(), E>,
) -> Result<AgedDrive, E> {
    let mut parts = fresh(config)?;
    load(&mut *parts.ftl)?;
    let aged = Aged {
        now,
        ..Aged::default()
    };
    let drive = complete(config, base_dir, parts, aged, None)?;
    Ok(AgedDrive { wear, ..drive })
}

/// The array and the FTL of a drive without a past.
pub(super) fn fresh(config: &Config) -> Result<Fresh, RunError> {
    let geometry = config.array_geometry()?;
    let is_reliability_on = config.ecc.kind != EccKind::None;
    let (commands, _) = config.commands.resolve(&geometry);
    let input = MappingInput {
        geometry: &geometry,
        config: &config.ftl,
        allocation: &config.array_allocation(),
        strong_classes: config.strong_classes(),
    };
    fits_memory(
        &geometry,
        memory_needed(config, &geometry, &unit_geometry(&input)?),
    )?;
    let classes = config.block_classes(&geometry)?;
    let slc = config.slc_mode()?;
    let rules = FlashRules {
        commands: &commands,
        restrictions: &config.restrictions,
        block_classes: classes.as_ref(),
        slc: slc.as_ref(),
        seed: Seed(config.seed),
    };
    let ftl = wordline_ftl::build(&input, &rules)?;
    let mut ftl = match classes {
        _ if slc.is_some() => ftl,
        Some(_) => ftl,
        None => wordline_ftl::with_modes(ftl, &config.ftl.modes, &config.described_modes()?)?,
    };
    if let Some(times) = ftl.program_times_mut().filter(|_| is_reliability_on) {
        times.record_program_times();
    }
    let page_types = PageTypes::new(&config.geometry, &geometry)?;
    let timing = timing_of(config, &geometry, &page_types)?;
    Ok(Fresh {
        geometry,
        page_types,
        timing,
        ftl,
    })
}

/// Adds what is built once the FTL has its age.
pub(super) fn complete(
    config: &Config,
    base_dir: &Path,
    parts: Fresh,
    aged: Aged,
    traffic: Option<Traffic>,
) -> Result<AgedDrive, RunError> {
    let Fresh {
        geometry,
        page_types,
        timing,
        ftl,
    } = parts;
    let word_lines = WordLines::new(config.nand.program, config.geometry.cell_type);
    let failures = &config.ftl.failures;
    let mut ftl = wordline_ftl::with_failures(ftl, failures, Seed(config.seed), word_lines)?;
    ftl.reset_counters();
    let energy = ledger(
        config,
        &geometry,
        &page_types,
        &timing,
        ftl.user_pages(),
        base_dir,
    )?;
    let times = ftl.program_times_mut();
    let times = times.map_or_else(Vec::new, |times| times.take_program_times());
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
        wear: None,
    })
}

/// Places that the map has an entry for: pages, or units of a part or several of them.
pub(super) fn map_entries(config: &Config, units: &Geometry) -> u64 {
    let per_page = units.raw_bytes() / units.pages().max(1);
    let unit = config.ftl.mapping_unit.map_or(per_page, |unit| unit.bytes());
    let pages = unit / per_page.max(1);
    units.pages() / pages.max(1)
}

/// Bytes of memory that the maps of a drive and what is kept for its pages take, about.
pub(super) fn memory_needed(config: &Config, geometry: &Geometry, units: &Geometry) -> u64 {
    let has_modes = !config.modes.is_empty() && !config.has_block_classes() && !config.ftl.slc_cache.is_on();
    let entries = map_entries(config, units);
    memory_of_maps(geometry, entries, bytes_of_page(config, has_modes))
}

/// Bytes that the maps of a drive take, about.
pub(super) fn memory_of_maps(geometry: &Geometry, entries: u64, bytes_of_page: u64) -> u64 {
    // two map entries of 4 or 5 bytes each; tables of FTL, medium and drive per block
    let entry = if entries < 1 << 31 { 4 } else { 5 };
    entries * 2 * entry + geometry.pages() * bytes_of_page + u64::from(geometry.blocks()) * 32
}

/// Bytes that the drive keeps for each physical page: its mode, the time of its program, the errors that a copy-back brought to it, and the programs that have disturbed it.
pub(super) fn bytes_of_page(config: &Config, has_modes: bool) -> u64 {
    let of_reliability = match config.ecc.kind {
        EccKind::None => 0,
        _ => {
            let carried = if config.commands.copyback == Use::Off {
                0
            } else {
                4
            };
            let disturbed = if config.cell.rber.program_disturb.is_some() {
                8
            } else {
                0
            };
            4 + carried + disturbed
        }
    };
    of_reliability + u64::from(has_modes)
}

/// Refuses a drive whose maps would not fit into memory, before anything is allocated.
fn fits_memory(geometry: &Geometry, needed: u64) -> Result<(), RunError> {
    match available_memory_bytes() {
        Some(available) if needed > available => Err(RunError::Memory {
            pages: geometry.pages(),
            needed_mb: needed / 1_000_000,
            available_mb: available / 1_000_000,
        }),
        _ => Ok(()),
    }
}

/// Puts an aged drive together with its clients.
pub(crate) fn build<F: Features>(
    config: &Config,
    aged: AgedDrive,
    tenants: Vec<Tenant>,
) -> Result<Drive<F>, RunError> {
    let AgedDrive {
        geometry,
        page_types,
        timing,
        traffic: _,
        mut ftl,
        aged,
        energy,
        reliability,
        wear,
    } = aged;
    let epoch = aged.now.since(SimTime::ZERO);
    let refreshed = RefreshedBlocks::new(config, &mut *ftl, aged.now, wear)?;
    let (commands, _) = config.commands.resolve(&geometry);
    let units = *ftl.unit_geometry();
    let names = if tenants.len() > 1 {
        tenants.iter().map(record_of).collect()
    } else {
        Vec::new()
    };
    let user_pages = ftl.user_pages();
    // pages of a buffered write need not wait: they are programmed when the buffer writes them back; nor do those that wait in a
    // register of the FTL
    let gather = if config.buffer.is_present() || ftl.facts().gathers_writes {
        None
    } else {
        Gather::new(
            &geometry,
            &config.array_allocation(),
            &commands,
            chip_is_unit(config, &commands),
            config.host.gather,
        )
    };
    let starvation = starvation(config, timing.erase_array());
    let record = reliability.as_ref().map(|reliability| {
        let draws = reliability.expects_failures();
        let mut record = ReliabilityRecord::new(geometry.channels, draws);
        record.start_levels = reliability.start_levels();
        Box::new(record)
    });
    let limit = energy.as_ref().and_then(|ledger| {
        let operations = rows(config, ledger, (&geometry, &page_types, &timing));
        PowerLimit::new(config, &operations, ledger.steady())
    });
    let mut array = FlashArray::new(config, &*ftl, (page_types, timing), reliability)?;
    let suspension = array.suspendable();
    let observed = Observed {
        clients: names,
        energy,
        reliability: record,
        suspension: suspension.map(|_| Box::new(SuspensionLedger::new(config.timing.program_iterations))),
        modes: (!config.modes.is_empty()).then(|| Box::new(ModeLedger::new(config.mode_names()))),
        dies_per_unit: array.flash().dies_per_unit,
        starvation,
    };
    let frame = Frame {
        geometry: &geometry,
        seed: Seed(config.seed),
    };
    let schedule = Schedule::new(&config.scheduler, &frame, ftl.facts().joins_placed_programs)?;
    let savings = if config.has_block_classes() {
        &array.operation_times().savings[..]
    } else {
        &[]
    };
    let busy_units = array.flash().units.len();
    let requests = RequestQueue::new(config, &geometry, (busy_units, savings))?;
    if requests.is_some() {
        array.follow_unit_changes();
    }
    Ok(Drive::new(
        (
            Host::new(config, &units, user_pages, tenants, gather),
            requests,
            config.scheduler.max_writes.map(WriteDoor::new),
        ),
        WriteBuffer::new(config, &units, user_pages),
        Control::new(config, (ftl, refreshed), epoch, busy_units),
        schedule,
        array,
        (Thermal::new(config), IdleStates::new(config), limit),
        Observer::new(&geometry, units.pages_per_program, &config.output, observed),
    ))
}

/// What is recorded of a client.
fn record_of(tenant: &Tenant) -> TenantRecord {
    let conduct = &tenant.client.conduct;
    let group = conduct.is_reported_together.then_some(conduct.reporting_group);
    TenantRecord::new(tenant.client.name.clone())
        .ramping(conduct.ramp)
        .of_group(group)
}
