//! Cells that deviate from the mean one: an extension, off unless asked for.

use std::f64::consts::TAU;

use wordline_units::Seed;

use super::error::{ParamError, require};
use super::params::CellKind;

/// Draws of a block until its gap is positive; beyond, it gets the mean one.
const TRIES: u64 = 64;

/// Spread of cells from block to block (section 11 of the specification). The dissertation gives none; 0.05, 0.10 and
/// 10 mV are suggested for studies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Variation {
    traps: f64,
    leak: f64,
    gap: f64,
}

/// The cells of one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellDraw {
    /// Factor on the trap counts.
    pub traps: f64,
    /// Factor on the leak.
    pub leak: f64,
    /// Threshold gap that stores one level, in volts.
    pub level_gap: f64,
}

impl Variation {
    /// Standard deviations of the logarithm of the traps, of the logarithm of the leak, and of the gap in volts.
    ///
    /// # Errors
    /// A negative or non-finite one.
    pub fn new(traps: f64, leak: f64, gap: f64) -> Result<Self, ParamError> {
        for (field, sigma) in [("sigma_traps", traps), ("sigma_leak", leak), ("sigma_gap", gap)] {
            require(
                (0.0..=10.0).contains(&sigma),
                field,
                sigma,
                "accepted are numbers from 0 to 10",
            )?;
        }
        Ok(Self { traps, leak, gap })
    }

    /// Standard deviation of the logarithm of the traps.
    pub(super) fn traps(&self) -> f64 {
        self.traps
    }

    /// The cells of a block: the same for the same seed and block, in whatever order blocks are asked for.
    #[must_use]
    pub fn draw(&self, seed: Seed, block: u64, kind: CellKind) -> CellDraw {
        let mean = kind.level_gap();
        let level_gap = (0..TRIES)
            .map(|attempt| {
                mean + self.gap * normal(seed, "cell.gap", block.wrapping_mul(TRIES).wrapping_add(attempt))
            })
            .find(|gap| *gap > 0.0)
            .unwrap_or(mean);
        CellDraw {
            traps: libm::exp(self.traps * normal(seed, "cell.traps", block)),
            leak: libm::exp(self.leak * normal(seed, "cell.leak", block)),
            level_gap,
        }
    }
}

/// A standard normal draw that belongs to an index (Box and Muller).
#[must_use]
pub fn normal(seed: Seed, name: &str, index: u64) -> f64 {
    let uniform = |draw: u64| ((draw >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let (first, second) = (index.wrapping_mul(2), index.wrapping_mul(2).wrapping_add(1));
    let radius = (-2.0 * libm::log(uniform(seed.draw(name, first)))).sqrt();
    radius * libm::cos(TAU * uniform(seed.draw(name, second)))
}
