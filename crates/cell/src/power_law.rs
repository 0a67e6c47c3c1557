//! The bit error rate of a nominal block as a sum of powers of cycles, age, reads and programs.
//!
//! Form after B. S. Kim et al., FAST 2019; the constants of the default are chosen, see docs/explanations/cells.md.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::LIFE;
use wordline_units::Duration;

use crate::disturb::{Disturbances, ProgramDisturb, ReadDisturb};
use crate::error::{CellError, require};
use crate::power::power;

/// `epsilon + alpha N^k + beta N^m a^n + beta_e N^m_e (1 - exp(-(a / tau)^s)) + gamma N^g R^h + D`, with cycles N, age a in days, reads
/// since the erase R, and what later programs bring, D ([`ProgramDisturb`]); the last three terms only where they are given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerLaw {
    /// Errors of a fresh block.
    pub epsilon: f64,
    /// Errors by wear.
    pub alpha: f64,
    /// Power of the cycles in the errors by wear.
    pub k: f64,
    /// Errors by age, for a block of one cycle after a day.
    pub beta: f64,
    /// Power of the cycles in the errors by age.
    pub m: f64,
    /// Power of the age in days.
    pub n: f64,
    /// Errors by the fast part of charge loss.
    pub early: Option<EarlyLoss>,
    /// Errors by reads.
    pub read_disturb: Option<ReadDisturb>,
    /// Errors by programs of the block after the page's own.
    pub program_disturb: Option<ProgramDisturb>,
}

/// Errors by charge that leaves soon after the program, and of which a limited amount is there: `beta N^m (1 - exp(-(a / tau)^stretch))`.
///
/// Cells that trap charge lose some of it within hours (Y. Luo et al., "Improving 3D NAND Flash Memory Lifetime by Tolerating Early
/// Retention Loss and Process Variation", SIGMETRICS 2018, abstract); work on such cells describes each of these losses by a stretched
/// exponential ("Modeling of Lateral Migration Mechanism During the Retention Operation in 3D NAND Flash Memories", abstract). That
/// the errors follow it, and in proportion to a power of the cycles, is assumed. No constants could be read, so there are no defaults.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EarlyLoss {
    /// Errors per bit of a block of one cycle once all of this charge is gone, 0 to 1.
    pub beta: f64,
    /// Power of the cycles, 0 to 8.
    pub m: f64,
    /// Time after which 63 % of it is gone.
    #[schemars(extend("x-maximum" = LIFE))]
    pub tau: Duration,
    /// Stretch of the exponential, above 0 and up to 1: 1 is a single rate, less is a wider range of rates.
    pub stretch: f64,
}

impl EarlyLoss {
    /// The rate that it adds.
    fn rber(&self, cycles: f64, age_days: f64) -> f64 {
        let age = age_days.max(0.0) * DAY_S / self.tau.as_secs();
        let gone = -libm::expm1(-power(age, self.stretch));
        self.beta * power(cycles, self.m) * gone
    }
}

/// Seconds of a day.
const DAY_S: f64 = 86_400.0;

impl PowerLaw {
    /// Checks the constants.
    ///
    /// # Errors
    /// Rates outside 0 to 0.5, negative factors, powers outside 0 to 8.
    pub(crate) fn check(&self) -> Result<(), CellError> {
        let rate = (0.0..=0.5).contains(&self.epsilon);
        require(rate, "cell.rber.epsilon", self.epsilon, "rates from 0 to 0.5")?;
        let mut factors = vec![("cell.rber.alpha", self.alpha), ("cell.rber.beta", self.beta)];
        let mut powers = vec![
            ("cell.rber.k", self.k),
            ("cell.rber.m", self.m),
            ("cell.rber.n", self.n),
        ];
        if let Some(early) = self.early {
            factors.push(("cell.rber.early_loss.beta", early.beta));
            powers.push(("cell.rber.early_loss.m", early.m));
            let (tau, stretch) = (early.tau, early.stretch);
            require(
                tau > Duration::ZERO,
                "cell.rber.early_loss.tau",
                tau,
                "times above 0",
            )?;
            require(
                stretch > 0.0 && stretch <= 1.0,
                "cell.rber.early_loss.stretch",
                stretch,
                "numbers above 0 up to 1",
            )?;
        }
        for (key, factor) in factors {
            require((0.0..=1.0).contains(&factor), key, factor, "numbers from 0 to 1")?;
        }
        for (key, power) in powers {
            require((0.0..=8.0).contains(&power), key, power, "powers from 0 to 8")?;
        }
        self.read_disturb.map_or(Ok(()), |disturb| disturb.check())?;
        self.program_disturb.map_or(Ok(()), |disturb| disturb.check())
    }

    /// Bit error rate of a nominal block, not limited to one half.
    #[must_use]
    pub fn rber(&self, cycles: f64, age_days: f64, disturbed: Disturbances) -> f64 {
        let wear = self.epsilon + self.alpha * power(cycles, self.k);
        let aged = wear + self.beta * power(cycles, self.m) * power(age_days, self.n);
        let aged = aged + self.early.map_or(0.0, |early| early.rber(cycles, age_days));
        let read = match self.read_disturb {
            None => aged,
            Some(disturb) => aged + disturb.rber(cycles, disturbed.reads),
        };
        match self.program_disturb {
            None => read,
            Some(disturb) => read + disturb.rber(cycles, disturbed.programs),
        }
    }
}
