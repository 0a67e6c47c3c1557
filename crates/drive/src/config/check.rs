//! What a section cannot check alone: sizes that must fit together, commands that the geometry
//! has no use for, spare space that garbage collection can never reach.

use std::path::Path;

use wordline_ftl::{AgeMethod, MappingInput, check_filled, exported_pages};
use wordline_nand::{Geometry, PageTypes, PerPageType, Timing, Use};
use wordline_units::Duration;

use super::Config;
use super::error::ConfigError;
use super::merged::Merged;
use super::remarks::Remarks;
use super::scheduler::ProgramSuspend;
use crate::energy::{ChipProblem, chip_of};
use crate::reliability;
use crate::run::geometry_of;
use crate::suspension::rules_of;

/// Cores of a controller: far more than any drive has.
const MOST_CORES: u32 = 1024;

/// What a mapping is checked with.
const fn input<'a>(geometry: &'a Geometry, config: &'a Config) -> MappingInput<'a> {
    MappingInput {
        geometry,
        config: &config.ftl,
        allocation: &config.allocation,
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
    let of_nand = |error: wordline_nand::ConfigError| refused(&error.key, &error.found, &error.accepted);

    check_independent_planes(config).map_err(|(key, found)| {
        refused(
            key,
            found,
            "off where nand.independent_planes = true: planes are not joined then",
        )
    })?;
    let geometry = geometry_of(config).map_err(|error| of_nand(error.into()))?;
    let page_types = PageTypes::new(&config.geometry, &geometry).map_err(of_nand)?;
    let timing = Timing::new(&config.timing, &geometry, &page_types).map_err(of_nand)?;
    config
        .scheduler
        .check(&config.nand)
        .map_err(|(key, found, accepted)| refused(key, &found, &accepted))?;
    if config.scheduler.suspends() {
        rules_of(config, &timing, &page_types).map_err(of_nand)?;
        if config.commands.cache_program
            && config.scheduler.suspension.program_suspend != ProgramSuspend::None
        {
            let accepted = "false where programs are suspended: a cached one is half of a pair";
            return Err(refused("commands.cache_program", "true", accepted));
        }
    }
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
    config
        .restrictions
        .validate(&geometry, &config.commands)
        .map_err(of_nand)?;
    exported_pages(&input(&geometry, config))
        .map_err(|error| refused(error.key, &error.found, &error.accepted))?;
    config
        .run
        .check()
        .map_err(|(key, found, accepted)| refused(key, &found, accepted))?;
    config
        .output
        .check()
        .map_err(|error| refused(&format!("output.{}", error.key), &error.found, error.accepted))?;
    config
        .age
        .validate()
        .map_err(|error| refused(error.key, &error.found, &error.accepted))?;
    if config.tenants.is_empty() {
        config
            .workload
            .check()
            .map_err(|error| refused(error.key, &error.found, &error.accepted))?;
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
    if !(1..=MOST_CORES).contains(&config.firmware.cores) {
        let found = config.firmware.cores.to_string();
        return Err(refused("firmware.cores", &found, "from 1 to 1024 cores"));
    }
    if config.firmware.clock.0 == 0 {
        return Err(refused("firmware.clock", "0 Hz", "a clock above 0 Hz"));
    }
    let per_byte = config.firmware.merge_per_byte;
    if !(0.0..=1e6).contains(&per_byte) {
        return Err(refused(
            "firmware.merge_per_byte",
            &per_byte.to_string(),
            "from 0 to 1000000 cycles",
        ));
    }
    config
        .host
        .check()
        .map_err(|(key, found, accepted)| refused(key, &found, &accepted))?;
    config
        .buffer
        .check(config.geometry.page_size)
        .map_err(|error| refused(error.key, &error.found, &error.accepted))?;
    config
        .power
        .check()
        .map_err(|(key, found, accepted)| refused(key, &found, accepted))?;
    let odd = reliability::check(config, &geometry).map_err(|error| match error.parts() {
        Some((key, found, accepted)) => refused(key, found, accepted),
        None => merged.error("cell.vth", error.to_string()),
    })?;
    odd.into_iter().for_each(|text| remarks.say(text));
    // paths are absolute here
    chip_of(config, &page_types, Path::new("")).map_err(|problem| {
        let place = match &problem {
            ChipProblem::Conflict { drive_key, .. } => merged.place(drive_key),
            ChipProblem::Refused(_) => None,
        };
        let problem = place.map_or_else(
            || problem.to_string(),
            |place| format!("{problem} (the drive's key: {place})"),
        );
        merged.error("power.chip", problem)
    })?;
    if matches!(config.age.method, AgeMethod::Overwritten | AgeMethod::SteadyState) {
        check_filled(&input(&geometry, config), config.age.fill)
            .map_err(|error| refused(error.key, &error.found, &error.accepted))?;
    }
    Ok(())
}

/// The first command of several planes that is asked of planes without anything in common.
fn check_independent_planes(config: &Config) -> Result<(), (&'static str, &'static str)> {
    let commands = &config.commands;
    let asked = [
        (
            "commands.multi_plane_write",
            commands.multi_plane_write != Use::Off,
            "not \"off\"",
        ),
        ("commands.multi_plane_read", commands.multi_plane_read, "true"),
        ("commands.multi_plane_erase", commands.multi_plane_erase, "true"),
    ];
    match asked
        .into_iter()
        .find(|(_, on, _)| *on && config.nand.independent_planes)
    {
        Some((key, _, found)) => Err((key, found)),
        None => Ok(()),
    }
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
