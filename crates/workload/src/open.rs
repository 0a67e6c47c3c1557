//! From a configuration to a stream of commands.

use std::path::Path;

use wordline_keys::RefusedValue;
use wordline_units::SECTOR_BYTES;

use crate::config::Translation;
use crate::profile::{Profile, builtin};
use crate::rounded::Rounded;
use crate::synthetic::Surrogate;
use crate::trace::replay::TraceReplay;
use crate::{Source, WorkloadConfig, WorkloadError, WorkloadKind, synthetic};

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
    open_watched(config, capacity_sectors, base_dir, &mut |_| true)
}

/// As [`open`]. While a trace is read for its totals `watch` is told the share read now and then; it stops that by
/// returning false.
///
/// # Errors
/// As [`open`]; `WorkloadError::Interrupted`.
pub fn open_watched(
    config: &WorkloadConfig,
    capacity_sectors: u64,
    base_dir: &Path,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Box<dyn Source>, WorkloadError> {
    if config.translation != Translation::None {
        let accepted = "\"none\" where a workload stands by itself: the host that translates it knows the zones of a drive";
        return Err(RefusedValue::new("workload.translation", "\"zones\"", accepted).into());
    }
    config.check()?;
    open_untranslated(config, capacity_sectors, base_dir, watch)
}

/// As [`open_watched`], of a workload that was checked, before its translation.
///
/// # Errors
/// As [`open_watched`].
pub(crate) fn open_untranslated(
    config: &WorkloadConfig,
    capacity_sectors: u64,
    base_dir: &Path,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Box<dyn Source>, WorkloadError> {
    let source = open_as_it_is(config, capacity_sectors, base_dir, watch)?;
    Ok(match config.round_to {
        Some(size) => {
            let unit = size.bytes() / u64::from(SECTOR_BYTES);
            Box::new(Rounded::new(source, unit, capacity_sectors))
        }
        None => source,
    })
}

/// The same with its requests as they are.
fn open_as_it_is(
    config: &WorkloadConfig,
    capacity_sectors: u64,
    base_dir: &Path,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Box<dyn Source>, WorkloadError> {
    match config.kind {
        WorkloadKind::Trace => Ok(Box::new(TraceReplay::open(
            config,
            capacity_sectors,
            base_dir,
            watch,
        )?)),
        WorkloadKind::Fio => {
            let accepted = "a workload of one stream of commands: a job file has several clients";
            Err(RefusedValue::new("workload.kind", "fio", accepted).into())
        }
        WorkloadKind::Profile => {
            let profile = match (&config.profile_file, &config.profile) {
                (Some(file), _) => Profile::read(&base_dir.join(file))?,
                (None, name) => builtin::by_name(name.as_deref().unwrap_or_default()).ok_or_else(|| {
                    RefusedValue::new("workload.profile", "unset", "the trace to stand in for")
                })?,
            };
            Ok(Box::new(Surrogate::new(&profile, config, capacity_sectors)?))
        }
        _ => Ok(synthetic::open(config, capacity_sectors)?),
    }
}
