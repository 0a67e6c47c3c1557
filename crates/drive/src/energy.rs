//! The energy ledger of a drive, made of its chip.

use std::path::Path;

use wordline_config::{ChipProblem, Config, Pattern};
use wordline_metrics::{BitPattern, EnergyLedger, SteadyPower};
use wordline_nand::{Geometry, PageTypes};
use wordline_units::Seed;

/// The ledger of a drive; none where the drive names no chip.
///
/// # Errors
/// As [`Config::chip_by_mode`].
pub(crate) fn ledger(
    config: &Config,
    geometry: &Geometry,
    page_types: &PageTypes,
    user_pages: u64,
    base_dir: &Path,
) -> Result<Option<Box<EnergyLedger>>, ChipProblem> {
    let Some(by_mode) = config.chip_by_mode(page_types, base_dir)? else {
        return Ok(None);
    };
    let chip = &by_mode[0];
    let power = &config.power;
    let pattern = match power.pattern {
        Pattern::Fixed => BitPattern::Fixed(power.ones.unwrap_or_else(|| chip.default_ones() / chip.cells())),
        Pattern::Sampled => BitPattern::Sampled {
            low: power.ones_min,
            high: power.ones_max,
            seed: Seed(config.seed),
            pages: user_pages,
        },
    };
    let steady = SteadyPower {
        controller: power.controller.0,
        dram: power.dram.0,
        channel_io: power.channel_io.0,
        idle: power.idle.0,
        codec: power.codec.0,
    };
    let ledger = EnergyLedger::new(&by_mode, pattern, *geometry, page_types.clone(), steady)?;
    Ok(Some(Box::new(ledger)))
}
