//! Which drives and workloads can be sampled: those all of whose state is in the FTL between two requests.

use wordline_config::{Config, ConfigError, WarmUp};
use wordline_ftl::{GcMode, Mapping, Subject};
use wordline_units::Duration;

use super::{SamplePlan, refused};
use crate::error::RunError;
use crate::host::clients::Tenant;

/// Refuses a drive with state that nobody keeps while there is no clock.
///
/// # Errors
/// The first key that is refused, with what is accepted.
pub(super) fn check(config: &Config) -> Result<(), RunError> {
    if config.output.recovery_every > 0 {
        let accepted = "what is on flash is not kept between the windows of --sample; accepted is 0";
        return Err(refused(
            "output.recovery_every",
            config.output.recovery_every,
            accepted,
        ));
    }
    if config.buffer.is_present() {
        let accepted =
            "the pages of a write buffer are not kept between the windows of --sample; accepted is \"none\"";
        return Err(refused("buffer.policy", config.buffer.policy.name(), accepted));
    }
    if config.thermal.enabled {
        let accepted = "how warm the drive is follows from its power, which is not known between the windows of --sample; accepted is false";
        return Err(refused("thermal.enabled", true, accepted));
    }
    for (key, power) in [
        ("power.cap", config.power.cap),
        ("power.peak", config.power.peak),
        ("power.ps3", config.power.ps3),
    ] {
        if let Some(power) = power {
            let accepted = "what the drive takes is not known between the windows of --sample; accepted is a drive without it";
            return Err(refused(key, power, accepted));
        }
    }
    if config.ftl.gc.mode.waits_for_pauses() {
        let accepted = "collection in the pauses of the host depends on their lengths, which are not known between the \
                        windows of --sample; accepted are \"foreground\", \"preemptible\" and \"partial\"";
        let found = match config.ftl.gc.mode {
            GcMode::OneBlock => "one_block",
            _ => "background",
        };
        return Err(refused("ftl.gc.mode", found, accepted));
    }
    if config.ftl.refresh.is_on()? {
        let accepted = "the wear of blocks that are refreshed is not kept between the windows of --sample; accepted is \"none\"";
        return Err(refused(
            "ftl.refresh.policy",
            config.ftl.refresh.policy.name(),
            accepted,
        ));
    }
    if !config.modes.is_empty() {
        let accepted = "modes are chosen by the work that waits, of which there is none between the windows of --sample; \
                        accepted are drives with the normal mode only";
        return Err(refused("modes", config.modes.len(), accepted));
    }
    if !matches!(config.run.warm_up, None | Some(WarmUp::None)) {
        let problem = "each window of --sample has a warm-up of its own; accepted is \"none\"";
        return Err(ConfigError::key(None, "run.warm_up", problem).into());
    }
    if !config.tenants.is_empty() {
        let accepted = "how the commands of several clients follow each other is not known between the windows of --sample; \
                        accepted is one [workload]";
        return Err(refused("tenants", config.tenants.len(), accepted));
    }
    Ok(())
}

/// Refuses an FTL in whose registers parts of pages wait for company.
///
/// # Errors
/// It is one.
pub(super) fn check_ftl(config: &Config, ftl: &dyn Mapping) -> Result<(), RunError> {
    if ftl.part(Subject::Zones).is_some() {
        let problem = "the rules of zones are those of whole commands, which are not kept between the windows of --sample; accepted are \
                       mappings without zones";
        return Err(refused("ftl.mapping", "zoned", problem));
    }
    if !ftl.facts().gathers_writes {
        return Ok(());
    }
    let waiting = "writes that wait in the controller for company are not kept between the windows of --sample; accepted are";
    Err(match config.ftl.mapping_unit {
        Some(found) => refused("ftl.mapping_unit", found, &format!("{waiting} units of one page")),
        None => {
            let problem = format!("{waiting} mappings that program each write at once");
            refused("ftl.mapping", config.ftl.mapping.name(), &problem)
        }
    })
}

/// Refuses clients of which it is not known what they do while there is no clock.
///
/// # Errors
/// Several clients; one that stops by the clock.
pub(super) fn check_clients(tenants: &[Tenant]) -> Result<(), RunError> {
    let problem = match tenants {
        [tenant] => {
            let client = &tenant.client;
            let by_clock = client.time_limit.is_some()
                || client.steady_state.is_some()
                || client.delay > Duration::ZERO
                || client.ramp > Duration::ZERO;
            if !by_clock {
                return Ok(());
            }
            "a job that starts or stops at a time cannot be sampled; accepted are jobs without runtime, startdelay, \
             ramp_time and steadystate"
        }
        _ => {
            "how the commands of several jobs follow each other is not known between the windows of --sample; accepted is one job"
        }
    };
    Err(ConfigError::key(None, "workload", problem).into())
}

/// Requests of a workload.
///
/// # Errors
/// How many they are is not known.
pub(super) fn requests(tenant: &Tenant) -> Result<u64, RunError> {
    tenant.client.source.len_hint().ok_or_else(|| {
        let problem = "how many requests come is not known, so that windows cannot be placed; accepted are workloads with a \
                       number of requests (workload.requests)";
        ConfigError::key(None, "workload", problem).into()
    })
}

/// Refuses windows that have no requests, or more than the workload together.
///
/// # Errors
/// They are such.
pub(super) fn check_windows(plan: &SamplePlan, length: u64) -> Result<(), RunError> {
    if plan.windows > 0 && plan.measured == 0 {
        return Err(refused(
            "--sample",
            "windows of 0 requests",
            "accepted are 1 and more",
        ));
    }
    let needed = plan.length().saturating_mul(u64::from(plan.windows));
    if needed > length {
        let found = format!("{} windows of {} requests", plan.windows, plan.length());
        let problem = format!(
            "they are {needed} requests, and the workload has {length}; accepted are fewer or shorter windows, or a longer \
             workload"
        );
        return Err(refused("--sample", found, &problem));
    }
    Ok(())
}
