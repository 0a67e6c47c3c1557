//! A drive with a clock for some time, from a moment of a study on that has none.

use std::path::Path;

use wordline_config::{Config, ConfigError};
use wordline_ecc::EccKind;
use wordline_ftl::{JobNotice, Mapping};
use wordline_metrics::FinishedRequest;
use wordline_units::{Duration, SimTime};
use wordline_workload::WorkloadKind;

use crate::block_health::KnownWear;
use crate::error::RunError;
use crate::features::Full;
use crate::kernel::Drive;
use crate::observe::finished::Finished;
use crate::run::{build, continued};
use crate::tenants;

/// Events between two looks at whether the run goes on.
const EVENTS_BETWEEN_LOOKS: u32 = 1 << 16;

/// For how many times the length of an interval its last requests are waited for.
pub const PATIENCE: u64 = 4;

/// A drive at a time of its life.
pub struct Moment {
    /// Time of the FTL.
    pub now: SimTime,
    /// Jobs of the FTL that want to be asked.
    pub jobs: Vec<JobNotice>,
    /// The wear of its blocks, where it refreshes them.
    pub wear: Option<KnownWear>,
}

/// The requests that came in some time.
pub struct Interval {
    /// Those that were completed, in the order of their completions.
    pub requests: Vec<FinishedRequest>,
    /// How many were not completed after `PATIENCE` times as long, on a drive that is over-utilised.
    pub unfinished: u64,
}

/// Runs the workload of a configuration, as it begins, on the drive of a study for some time.
///
/// `load` brings the FTL to its state. Nothing of what happens comes back to the study. A trace that is shorter ends before.
///
/// # Errors
/// A drive or a workload that cannot be built; those of `load`; a drive with a code, since the study does not know when each page was
/// written; `RunError::Interrupted` where `goes_on` returns false.
pub fn interval<E: From<RunError>>(
    config: &Config,
    base_dir: &Path,
    moment: Moment,
    length: Duration,
    load: impl FnOnce(&mut dyn Mapping) -> Result<(), E>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Interval, E> {
    if config.ecc.kind != EccKind::None {
        let problem = "a study of years does not know when each page was written, which bit errors depend on; accepted with response \
                       times in a study is \"none\"";
        let subject = "ecc.kind".to_owned();
        return Err(RunError::from(ConfigError::key(None, subject, problem)).into());
    }
    if config.thermal.enabled {
        let problem = "each interval of a study starts at thermal.initial, whatever the load before it was; accepted with response times in a \
                       study is false";
        return Err(RunError::from(ConfigError::key(None, "thermal.enabled".to_owned(), problem)).into());
    }
    for (key, power) in [
        ("power.cap", config.power.cap),
        ("power.peak", config.power.peak),
        ("power.ps3", config.power.ps3),
    ] {
        if power.is_some() {
            let problem = "what the drive takes is not known in the intervals of a study; accepted with response times in a study is a drive without it";
            return Err(RunError::from(ConfigError::key(None, key.to_owned(), problem)).into());
        }
    }
    let mut config = config.clone();
    // a generator draws new commands until the time is over
    if config.workload.kind != WorkloadKind::Trace {
        config.workload.requests = Some(u64::MAX);
        config.workload.duration = None;
    }
    let aged = continued(&config, base_dir, moment.now, moment.wear, load)?;
    let sectors = aged.ftl.user_pages() * u64::from(aged.ftl.unit_geometry().sectors_per_page());
    let mut tenants = tenants::open(&config, sectors, base_dir, &mut |_| goes_on())?;
    for tenant in &mut tenants {
        // a command that comes at the very end is not sent any more
        tenant.client.time_limit = Some(Duration(length.ns().saturating_sub(1)));
    }
    let mut drive: Drive = build::<Full>(&config, aged, tenants)?;
    drive.control_mut().take_over(moment.jobs);
    let done = Finished::default();
    drive.add_probe(Box::new(done.clone()));
    drive.start()?;
    let mut until_look = EVENTS_BETWEEN_LOOKS;
    // refresh would go on for as long as the drive is switched on
    let last = SimTime::ZERO + length * PATIENCE;
    while drive.step()? && !drive.host().clients().finished() && drive.now() < last {
        until_look -= 1;
        if until_look == 0 {
            until_look = EVENTS_BETWEEN_LOOKS;
            if !goes_on() {
                return Err(RunError::Interrupted.into());
            }
        }
    }
    let requests = done.take();
    let counts = drive.host().counts();
    Ok(Interval {
        unfinished: counts.sent - counts.completed,
        requests,
    })
}
