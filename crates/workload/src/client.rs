//! Who sends commands to the drive, and when they may enter it.

use std::path::Path;

use wordline_units::Duration;

use crate::conduct::Conduct;
use crate::config::{DEFAULT_QUEUE_DEPTH, Replay};
use crate::open::{open_untranslated, open_watched};
use crate::over_zones::{self, OverZones, ZonedSpace};
use crate::steady_state::SteadyState;
use crate::{FioDrive, Source, WorkloadConfig, WorkloadError, WorkloadKind, fio};

/// How the commands of a client enter the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// A fixed number outstanding; arrivals of the source are ignored.
    ClosedLoop {
        /// Commands outstanding, at least 1.
        depth: u32,
    },
    /// A number outstanding, as in a closed loop, but no command is sent before its arrival, counted
    /// from the start of the client; a command that finds no room then is sent when one completes.
    Paced {
        /// Commands outstanding at most, at least 1.
        depth: u32,
        /// When the client pauses.
        think: Option<Think>,
    },
    /// At their arrival.
    OpenLoop {
        /// Commands inside the drive at once; later ones wait outside. `None`: no limit.
        limit: Option<u32>,
    },
}

/// A pause of a paced client: after every `commands` commands it waits until all of them are
/// completed, and then for `time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Think {
    /// Commands between two pauses, at least 1.
    pub commands: u32,
    /// Length of the pause.
    pub time: Duration,
}

/// A sender of commands with a queue of its own: a tenant, a job.
pub struct Client {
    /// Its name in results.
    pub name: String,
    /// Its commands.
    pub source: Box<dyn Source>,
    /// How they enter the drive.
    pub admission: Admission,
    /// It starts when every client of a lower group has had its last command completed.
    pub group: u32,
    /// It starts this long after its group.
    pub delay: Duration,
    /// It sends nothing later than this after its start.
    pub time_limit: Option<Duration>,
    /// It sends nothing more once it is in a steady state.
    pub steady_state: Option<SteadyState>,
    /// What it does for so long after its start is not to be measured.
    pub ramp: Duration,
    /// What it does beside sending its commands.
    pub conduct: Conduct,
}

impl Client {
    /// A client that has the drive to itself.
    #[must_use]
    pub fn alone(source: Box<dyn Source>, admission: Admission) -> Self {
        Self {
            name: "workload".to_owned(),
            source,
            admission,
            group: 0,
            delay: Duration::ZERO,
            time_limit: None,
            steady_state: None,
            ramp: Duration::ZERO,
            conduct: Conduct::default(),
        }
    }
}

/// The clients of a workload, at least one, for a drive of `capacity_sectors` sectors of 512 bytes.
/// A relative path of a trace starts at `base_dir`; `queue_limit` bounds an open loop.
///
/// # Errors
/// A key that cannot be used; a file that cannot be read, is malformed, or does not fit the drive.
pub fn clients(
    config: &WorkloadConfig,
    capacity_sectors: u64,
    base_dir: &Path,
    queue_limit: Option<u32>,
) -> Result<Vec<Client>, WorkloadError> {
    clients_watched(config, capacity_sectors, base_dir, queue_limit, &mut |_| true)
}

/// As [`clients`]. While a trace is read for its totals `watch` is told the share read now and then; it stops that by
/// returning false.
///
/// # Errors
/// As [`clients`]; `WorkloadError::Interrupted`.
pub fn clients_watched(
    config: &WorkloadConfig,
    capacity_sectors: u64,
    base_dir: &Path,
    queue_limit: Option<u32>,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Vec<Client>, WorkloadError> {
    if config.kind == WorkloadKind::Fio {
        return fio::fio_job_file(config, FioDrive::plain(capacity_sectors), base_dir);
    }
    let source = open_watched(config, capacity_sectors, base_dir, watch)?;
    Ok(vec![Client::alone(source, admission(config, queue_limit))])
}

/// The clients of a workload, one, whose addresses the host translates to those of zones (`workload.translation = "zones"`).
///
/// # Errors
/// As [`clients_watched`]; zones with too little spare space.
pub fn clients_over_zones(
    config: &WorkloadConfig,
    space: &ZonedSpace,
    base_dir: &Path,
    queue_limit: Option<u32>,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Vec<Client>, WorkloadError> {
    config.check()?;
    let pages = over_zones::logical_pages(&config.zones, space)?;
    let sectors = pages * u64::from(space.page_sectors);
    let inner = open_untranslated(config, sectors, base_dir, watch)?;
    let source = OverZones::new(inner, &config.zones, space.clone(), pages);
    Ok(vec![Client::alone(
        Box::new(source),
        admission(config, queue_limit),
    )])
}

/// How the commands of a workload enter the drive; `queue_limit` bounds an open loop.
#[must_use]
pub fn admission(config: &WorkloadConfig, queue_limit: Option<u32>) -> Admission {
    let closed = match config.kind {
        WorkloadKind::Trace => config.replay == Replay::ClosedLoop,
        WorkloadKind::Profile => config.queue_depth.is_some(),
        _ => config.interarrival.is_none(),
    };
    if closed {
        Admission::ClosedLoop {
            depth: config.queue_depth.unwrap_or(DEFAULT_QUEUE_DEPTH),
        }
    } else {
        Admission::OpenLoop { limit: queue_limit }
    }
}
