//! Drives whose power failed, with an FTL that was built anew.

use std::path::Path;

use wordline_config::Config;
use wordline_ftl::{Aged, FoundFlash, Recovery};
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

/// A drive that executes the reads of recovery from what is found on the flash and nothing else, and what recovery reads and does.
pub(crate) fn scanning(
    config: &Config,
    base_dir: &Path,
    flash: &dyn FoundFlash,
) -> Result<(AgedDrive, Recovery), RunError> {
    let recovery = wordline_ftl::rebuild(&mut *fresh(config)?.ftl, SimTime::ZERO, flash)?;
    let mut parts = fresh(config)?;
    parts.ftl = wordline_ftl::with_reads(parts.ftl, flash, &recovery.reads);
    let drive = complete(config, base_dir, parts, Aged::default(), None)?;
    Ok((drive, recovery))
}
