//! The bit error rate of a nominal block as a sum of powers of cycles, age and reads.
//!
//! Form after B. S. Kim et al., FAST 2019; the constants of the default are chosen, see docs/explanations/cells.md.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{CellError, require};

/// `epsilon + alpha N^k + beta N^m a^n + gamma N^g R^h`, with cycles N, age a in days, reads since the erase R.
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
    /// Errors by reads.
    pub disturb: Option<ReadDisturb>,
}

/// Errors that reads of the block since its erase bring: `gamma N^g R^h`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadDisturb {
    /// Errors per bit of a block of one cycle after one read.
    pub gamma: f64,
    /// Power of the cycles, 0 to 8.
    pub g: f64,
    /// Power of the reads, 0 to 8.
    pub h: f64,
}

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
        if let Some(disturb) = self.disturb {
            factors.push(("cell.rber.read_disturb.gamma", disturb.gamma));
            powers.push(("cell.rber.read_disturb.g", disturb.g));
            powers.push(("cell.rber.read_disturb.h", disturb.h));
        }
        for (key, factor) in factors {
            require((0.0..=1.0).contains(&factor), key, factor, "numbers from 0 to 1")?;
        }
        for (key, power) in powers {
            require((0.0..=8.0).contains(&power), key, power, "powers from 0 to 8")?;
        }
        Ok(())
    }

    /// Bit error rate of a nominal block, not limited to one half.
    #[must_use]
    pub fn rber(&self, cycles: f64, age_days: f64, reads: f64) -> f64 {
        let wear = self.epsilon + self.alpha * power(cycles, self.k);
        let aged = wear + self.beta * power(cycles, self.m) * power(age_days, self.n);
        match self.disturb {
            None => aged,
            Some(disturb) => aged + disturb.gamma * power(cycles, disturb.g) * power(reads, disturb.h),
        }
    }
}

/// A power; the first one, which is common, costs nothing.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 1.0 {
        base
    } else {
        libm::pow(base, exponent)
    }
}
