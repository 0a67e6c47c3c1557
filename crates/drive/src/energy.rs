//! The energy ledger of a drive, made of its chip or of the supply currents of its dies.

pub(crate) mod charged;
mod operations;

use std::path::Path;

use wordline_config::{ChipProblem, Config, Pattern, PowerConfig};
use wordline_metrics::{BitPattern, EnergyLedger, IDLE_STATES, SteadyPower, SuppliedEnergy};
use wordline_nand::{Geometry, Mode, PageType, PageTypes, Select, Timing};
use wordline_units::{Current, Duration, Seed, Voltage};

pub use charged::OperationEnergy;
pub use operations::operation_energies;

/// The ledger of a drive; none where the drive names neither a chip nor a supply voltage.
///
/// # Errors
/// As [`Config::chip_by_mode`].
pub(crate) fn ledger(
    config: &Config,
    geometry: &Geometry,
    page_types: &PageTypes,
    timing: &Timing,
    user_pages: u64,
    base_dir: &Path,
) -> Result<Option<Box<EnergyLedger>>, ChipProblem> {
    let power = &config.power;
    let steady = SteadyPower {
        controller: power.controller.0,
        dram: power.dram_watts(),
        dram_byte: power.dram_joules_per_byte(),
        dram_io: power.dram_joules_per_byte() * bus_rate(timing),
        channel_io: power.channel_io.0,
        idle: power.idle.0,
        codec: power.codec.0,
        states: idle_powers(power),
    };
    if let Some(supply) = power.supply {
        let by_mode: Vec<_> = (0..=config.modes.len())
            .map(|mode| supplied(config, supply, timing, Mode(mode as u8)))
            .collect();
        let ledger = EnergyLedger::supplied(&by_mode, *geometry, page_types.clone(), steady);
        return Ok(Some(Box::new(ledger)));
    }
    let Some(by_mode) = config.chip_by_mode(page_types, base_dir)? else {
        return Ok(None);
    };
    let chip = &by_mode[0];
    let pattern = match power.pattern {
        Pattern::Fixed => BitPattern::Fixed(power.ones.unwrap_or_else(|| chip.default_ones() / chip.cells())),
        Pattern::Sampled => BitPattern::Sampled {
            low: power.ones_min,
            high: power.ones_max,
            seed: Seed(config.seed),
            pages: user_pages,
        },
    };
    let ledger = EnergyLedger::new(&by_mode, pattern, *geometry, page_types.clone(), steady)?;
    Ok(Some(Box::new(ledger)))
}

/// Bytes that a channel moves in a second, of commands without end.
fn bus_rate(timing: &Timing) -> f64 {
    const MANY: u64 = 1 << 20;
    MANY as f64 / timing.data_out(MANY, Select::default()).as_secs()
}

/// What the drive takes in each of its idle states, W.
fn idle_powers(power: &PowerConfig) -> [f64; IDLE_STATES] {
    let mut powers = [0.0; IDLE_STATES];
    for (of_state, state) in powers.iter_mut().zip(power.idle_states()) {
        *of_state = state.power.0;
    }
    powers
}

/// What operations in a mode take from the supply: voltage times current times the time of the array.
fn supplied(config: &Config, supply: Voltage, timing: &Timing, mode: Mode) -> SuppliedEnergy {
    let power = &config.power;
    let joules = |current: Current, time: Duration| supply.0 * current.0 * time.as_secs();
    let kind = |place: usize| PageType(place as u8);
    SuppliedEnergy {
        read: std::array::from_fn(|place| joules(power.i_read, timing.read_array(mode, kind(place)))),
        program: std::array::from_fn(|place| {
            joules(power.i_program, timing.program_array(mode, kind(place)))
        }),
        erase: joules(power.i_erase, timing.erase_array()),
    }
}
