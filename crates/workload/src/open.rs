//! From a configuration to a stream of commands.

use std::path::Path;

use crate::trace::replay::TraceReplay;
use crate::{KeyError, Source, WorkloadConfig, WorkloadError, WorkloadKind, synthetic};

/// Opens the workload of `config`, which is one stream of commands, for a drive of `capacity_sectors` sectors of 512 bytes.
/// A relative path of a trace starts at `base_dir`.
///
/// # Errors
/// A key that cannot be used; a job file, which has several streams ([`crate::clients`]); a trace that cannot be read, is malformed, or does not fit the
/// drive.
pub fn open(
    config: &WorkloadConfig,
    capacity_sectors: u64,
    base_dir: &Path,
) -> Result<Box<dyn Source>, WorkloadError> {
    config.check()?;
    match config.kind {
        WorkloadKind::Trace => Ok(Box::new(TraceReplay::open(config, capacity_sectors, base_dir)?)),
        WorkloadKind::Fio => {
            let accepted = "a workload of one stream of commands: a job file has several clients";
            Err(KeyError::new("workload.kind", "fio", accepted).into())
        }
        _ => Ok(synthetic::open(config, capacity_sectors)?),
    }
}
