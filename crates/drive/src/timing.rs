//! Times of the flash operations of a drive, from its configuration.

use wordline_config::Config;
use wordline_nand::{Geometry, PageTypes, Timing};

use crate::error::RunError;

/// The times of the drive's operations.
pub(crate) fn timing_of(config: &Config, geometry: &Geometry, types: &PageTypes) -> Result<Timing, RunError> {
    let timing = Timing::new(&config.timing, geometry, types)?;
    let timing = config.timing_with_modes(timing, types.cell())?;
    Ok(timing.with_ssdsim_combined_bus(config.compat.ssdsim_combined_bus))
}
