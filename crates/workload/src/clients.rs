//! The clients that a workload has.

use std::path::Path;

use crate::client::{Admission, Client};
use crate::config::{DEFAULT_QUEUE_DEPTH, Replay, WorkloadConfig, WorkloadKind};
use crate::error::WorkloadError;
use crate::fio::{self, FioDrive};
use crate::open::{open_untranslated, open_watched};
use crate::over_zones::{self, OverZones, ZonedSpace};

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
