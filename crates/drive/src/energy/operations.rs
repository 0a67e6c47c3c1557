//! What the ledger charges for each operation, before anything runs.

use std::path::Path;

use wordline_config::Config;
use wordline_nand::PageTypes;

use super::charged::{OperationEnergy, rows};
use super::ledger;
use crate::error::RunError;
use crate::timing::timing_of;

/// Reads and programs by mode and page type, and the erase; none where the drive has neither `power.chip` nor `power.supply`.
/// A relative path of the chip starts at `base_dir`.
///
/// # Errors
/// A drive that cannot be built, or a chip that does not fit it.
pub fn operation_energies(config: &Config, base_dir: &Path) -> Result<Vec<OperationEnergy>, RunError> {
    let geometry = config.array_geometry()?;
    let page_types = PageTypes::new(&config.geometry, &geometry)?;
    let timing = timing_of(config, &geometry, &page_types)?;
    let ledger = ledger(config, &geometry, &page_types, &timing, 0, base_dir)?;
    Ok(ledger.map_or_else(Vec::new, |ledger| {
        rows(config, &ledger, (&geometry, &page_types, &timing))
    }))
}
