//! What a section cannot check alone: sizes that must fit together, commands that the geometry
//! has no use for, spare space that garbage collection can never reach.

use std::path::Path;

use wordline_ftl::{AgeMethod, MappingInput, check_filled, exported_pages, unit_geometry, uses_host_memory};
use wordline_keys::RefusedValue;
use wordline_nand::{Geometry, PageTypes, PerPageType, Timing};
use wordline_units::{ByteSize, Duration};

use crate::Config;
use crate::chip::ChipProblem;
use crate::conflicts::{self, INDEPENDENT_PLANES};
use crate::error::ConfigError;
use crate::host::InterfaceKind;
use crate::merged::Merged;
use crate::remarks::Remarks;

/// Largest over-provisioning, as a share of the user pages (assumed): beyond, a percentage was meant.
const MOST_SPARE: f64 = 10.0;

impl Config {
    /// Whether the drive could refresh its blocks, whatever its policy is now: its mapping does, and none of its other keys rules that out.
    #[must_use]
    pub fn can_refresh(&self) -> bool {
        let mut asked = self.clone();
        asked.ftl.refresh.policy = "last_moment".into();
        let knows = |row: &wordline_ftl::MappingRow| row.entry.reads.contains(&"ftl.refresh");
        self.ftl.mapping.row().is_ok_and(knows)
            && asked.ftl.refresh.check().is_ok()
            && conflicts::check(&asked).is_ok()
    }
}

/// What a mapping is checked with.
fn input<'a>(geometry: &'a Geometry, config: &'a Config) -> MappingInput<'a> {
    MappingInput {
        geometry,
        config: &config.ftl,
        allocation: &config.allocation,
        strong_classes: config.strong_classes(),
    }
}

/// Checks `config` as a whole, switches off what the geometry has no use for, and says so.
///
/// # Errors
/// The first value that cannot be built.
pub(crate) fn check(config: &mut Config, merged: &Merged, remarks: &mut Remarks) -> Result<(), ConfigError> {
    let refused = |key: &str, found: &str, accepted: &str| {
        if merged.value(key).is_none() && ["unset", "nothing"].contains(&found) {
            return ConfigError::key(None, key, format!("not set, but needed here: {accepted}"));
        }
        let problem = format!("not accepted: {accepted}");
        ConfigError::key(merged.place(key), format!("{key} = {found}"), problem)
    };
    let of_value = |error: RefusedValue| refused(error.key, &error.found, &error.accepted);
    let of_nand = |error: wordline_nand::ConfigError| refused(&error.key, &error.found, &error.accepted);

    INDEPENDENT_PLANES.check(config).map_err(of_value)?;
    let spare = config.ftl.over_provisioning;
    if spare.is_finite() && spare > MOST_SPARE {
        let accepted = "at most 10, which is 1,000 %; 28 % is written 0.28 or \"28%\"";
        return Err(refused("ftl.over_provisioning", &spare.to_string(), accepted));
    }
    let geometry = config.array_geometry().map_err(|error| of_nand(error.into()))?;
    let page_types = PageTypes::new(&config.geometry, &geometry).map_err(of_nand)?;
    let timing = Timing::new(&config.timing, &geometry, &page_types).map_err(of_nand)?;
    config.check_modes().map_err(of_value)?;
    let (commands, switched_off) = config.commands.resolve(&geometry);
    config.commands = commands;
    for unused in switched_off {
        if merged.is_of_preset(unused.key) {
            remarks.unused_key_of_preset(unused.key);
        } else {
            remarks.say(format!(
                "{} has no effect with {}: switched off",
                unused.key, unused.with
            ));
        }
    }
    config.ftl.refresh.check().map_err(of_value)?;
    conflicts::check(config).map_err(of_value)?;
    // zones collect nothing
    let collects = config
        .ftl
        .mapping
        .row()
        .is_ok_and(|row| row.entry.reads.contains(&"ftl.gc"));
    let reserve = if collects {
        config.ftl.gc.reserve_blocks
    } else {
        u32::MAX
    };
    config.ftl.failures.check(reserve).map_err(of_value)?;
    config.check_slc_cache().map_err(of_value)?;
    config.ftl.local.check().map_err(of_value)?;
    config.zone_layout(&geometry).map_err(of_value)?;
    config.check_word_lines().map_err(of_value)?;
    config.check_recovery().map_err(of_value)?;
    let cell = config.geometry.cell_type;
    config.timing_with_modes(timing, cell).map_err(of_value)?;
    config
        .scheduler
        .check(&config.nand)
        .map_err(|(key, found, accepted)| refused(key, &found, &accepted))?;
    if config.scheduler.suspends() {
        config.suspend_rules(&timing, &page_types).map_err(of_nand)?;
    }
    config
        .restrictions
        .validate(&geometry, &config.commands)
        .map_err(of_nand)?;
    exported_pages(&input(&geometry, config)).map_err(of_value)?;
    let units = unit_geometry(&input(&geometry, config)).map_err(of_value)?;
    let is_lent = config.host.interface == InterfaceKind::Nvme;
    if uses_host_memory(&input(&geometry, config)).map_err(of_value)? && !is_lent {
        let accepted = "\"controller\" with this host.interface: memory of the host is reached over the link of \"nvme\" only";
        return Err(refused("ftl.cache_location", "\"host_memory\"", accepted));
    }
    config.run.check().map_err(of_value)?;
    config.output.check().map_err(of_value)?;
    config.age.validate().map_err(of_value)?;
    if config.tenants.is_empty() {
        config.workload.check().map_err(of_value)?;
    }
    for (name, tenant) in &config.tenants {
        let key = |inner: &str| format!("tenants.{name}.{inner}");
        tenant
            .workload
            .check()
            .map_err(|error| refused(&key(error.key), &error.found, &error.accepted))?;
        if let Some(space) = &tenant.space {
            space
                .check("space")
                .map_err(|error| refused(&key(error.key), &error.found, &error.accepted))?;
        }
    }
    if slowest(&config.timing.t_r) > fastest(&config.timing.t_prog) {
        remarks.say(format!(
            "{}: a read of the array takes longer than a program of it (timing.t_prog); is one of them misspelt?",
            place_and_key(merged, "timing.t_r")
        ));
    }
    config.firmware.check().map_err(of_value)?;
    config.host.check().map_err(of_value)?;
    let logical_page = ByteSize(u64::from(units.page_bytes));
    config.buffer.check(logical_page).map_err(of_value)?;
    config
        .check_hold_up(&geometry, &timing, &page_types)
        .map_err(of_value)?;
    config.power.check().map_err(of_value)?;
    config.check_power_limits().map_err(of_value)?;
    config.check_thermal().map_err(of_value)?;
    let odd = config
        .check_reliability(&geometry)
        .map_err(|error| match error.parts() {
            Some((key, found, accepted)) => refused(key, found, accepted),
            None => merged.error("cell.vth", error.to_string()),
        })?;
    odd.into_iter().for_each(|text| remarks.say(text));
    // paths are absolute here
    let of_chip = |problem: ChipProblem| {
        let place = match &problem {
            ChipProblem::Conflict { drive_key, .. } => merged.place(drive_key),
            ChipProblem::Refused(_) => None,
        };
        let problem = place.map_or_else(
            || problem.to_string(),
            |place| format!("{problem} (the drive's key: {place})"),
        );
        merged.error("power.chip", problem)
    };
    let by_mode = config.chip_by_mode(&page_types, Path::new("")).map_err(of_chip)?;
    if let Some(chip) = by_mode.iter().flatten().next() {
        let time = config.longest_hold_up(&geometry, &timing, &page_types);
        config
            .check_hold_up_energy(&geometry, time, chip)
            .map_err(|error| of_chip(error.into()))?
            .map_err(of_value)?;
    }
    if matches!(config.age.method, AgeMethod::Overwritten | AgeMethod::SteadyState) {
        check_filled(&input(&geometry, config), config.age.fill)
            .map_err(|error| no_room(merged, &error).unwrap_or_else(|| of_value(error)))?;
    }
    Ok(())
}

/// Keys that decide how many blocks data leave free; where several were set together, later ones are the likelier reason.
const SPACE: [&str; 4] = [
    "geometry.pages_per_block",
    "geometry.blocks_per_plane",
    "age.fill",
    "ftl.over_provisioning",
];

/// Why a key that the user did not set is refused: the key that they set last leaves it no room. `None` where they set the key itself, or none of
/// those that decide.
fn no_room(merged: &Merged, error: &RefusedValue) -> Option<ConfigError> {
    let of_user = |key: &str| merged.set_exactly(key).is_some() && !merged.is_of_preset(key);
    let blamed = SPACE
        .into_iter()
        .filter(|key| of_user(key))
        .max_by_key(|key| merged.set_exactly(key))
        .filter(|_| !of_user(error.key))?;
    let RefusedValue { key, found, accepted } = error;
    let origin = merged
        .set_exactly(key)
        .and_then(|_| merged.place(key))
        .unwrap_or_else(|| "the default".to_owned());
    let problem = format!("leaves no room for {key} = {found} ({origin}): accepted is {accepted}");
    Some(merged.error(blamed, problem))
}

fn slowest(time: &PerPageType) -> Duration {
    match time {
        PerPageType::All(time) => *time,
        PerPageType::Each(times) => times.iter().copied().max().unwrap_or_default(),
    }
}

fn fastest(time: &PerPageType) -> Duration {
    match time {
        PerPageType::All(time) => *time,
        PerPageType::Each(times) => times.iter().copied().min().unwrap_or_default(),
    }
}

fn place_and_key(merged: &Merged, key: &str) -> String {
    let subject = merged.subject(key);
    merged
        .place(key)
        .map_or_else(|| subject.clone(), |place| format!("{place}: {subject}"))
}
