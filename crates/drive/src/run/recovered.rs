//! Drives whose power failed, with an FTL that was built anew.

use std::path::Path;

use wordline_config::Config;
use wordline_ftl::{Aged, FoundFlash, ReadsOver, Recovery};
use wordline_units::SimTime;

use super::aged_drive::{AgedDrive, complete, fresh};
use crate::error::RunError;

/// The drive whose power failed, with an FTL that was built anew from what is found on the flash; what was read for that, and what must be
/// done to the flash before it works.
pub(crate) fn recovered(
    config: &Config,
    base_dir: &Path,
    flash: &dyn FoundFlash,
) -> Result<(AgedDrive, Recovery), RunError> {
    let mut parts = fresh(config)?;
    let recovery = wordline_ftl::rebuild(&mut *parts.ftl, SimTime::ZERO, flash)?;
    let drive = complete(config, base_dir, parts, Aged::default(), None)?;
    Ok((drive, recovery))
}

/// A drive that executes what recovery does to what is found on the flash and nothing else, what that is, and when its reads are over.
pub(crate) fn scanning(
    config: &Config,
    base_dir: &Path,
    flash: &dyn FoundFlash,
) -> Result<(AgedDrive, Recovery, ReadsOver), RunError> {
    let recovery = wordline_ftl::rebuild(&mut *fresh(config)?.ftl, SimTime::ZERO, flash)?;
    let mut parts = fresh(config)?;
    let (ftl, reads_over) = wordline_ftl::with_recovery(parts.ftl, flash, &recovery);
    parts.ftl = ftl;
    let drive = complete(config, base_dir, parts, Aged::default(), None)?;
    Ok((drive, recovery, reads_over))
}
