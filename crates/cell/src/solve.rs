//! The equations solved backwards: which deviation, which program step gives a bit error rate.

use crate::cell::{Cell, References};
use crate::error::{CellError, require};
use crate::pages::Reading;
use crate::vth::{Erased, Programmed, check_step};

/// Least and largest deviation that is looked for.
pub const SIGMA_BRACKET: (f64, f64) = (1e-3, 1.0);
/// Least and largest step that is looked for.
pub const STEP_BRACKET: (f64, f64) = (0.0, 1.0);

/// Checks that a step can have the bit error rate `target`: the rates of the least and the largest step lie on both sides of
/// it. `sigma` is that of the message.
///
/// # Errors
/// They do not.
pub(crate) fn check_step_bracket(
    target: f64,
    sigma: f64,
    [lowest, highest]: [f64; 2],
) -> Result<(), CellError> {
    if lowest > target {
        return Err(CellError::NoStepSlowEnough {
            target,
            sigma,
            lowest,
            highest,
        });
    }
    if highest < target {
        return Err(CellError::EveryStepSlowEnough {
            target,
            sigma,
            lowest,
            highest,
        });
    }
    Ok(())
}

/// What stays the same while an equation is solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Bits of a cell.
    pub bits: u32,
    /// The erased state.
    pub erased: Erased,
    /// Read references.
    pub references: References,
    /// Which bit error rate is meant.
    pub reading: Reading,
}

impl Family {
    /// The same family with another reading.
    #[must_use]
    pub fn read_as(&self, reading: Reading) -> Self {
        Self {
            reading,
            ..self.clone()
        }
    }

    /// The cell of the family with this step and deviation.
    ///
    /// # Errors
    /// What `Programmed` and `Cell` refuse.
    pub fn cell(&self, step: f64, sigma: f64) -> Result<Cell, CellError> {
        Cell::new(
            self.bits,
            self.erased,
            Programmed::new(step, sigma)?,
            &self.references,
        )
    }

    /// Bit error rate with this step and deviation; it rises with both.
    ///
    /// # Errors
    /// What `Programmed` and `Cell` refuse.
    pub fn rber(&self, step: f64, sigma: f64) -> Result<f64, CellError> {
        Ok(self.cell(step, sigma)?.rber(self.reading))
    }

    /// The deviation between 0.001 and 1 with which a program step gives the bit error rate `target`.
    ///
    /// # Errors
    /// A rate at or below the errors of the erased state alone, or above that of deviation 1.
    pub fn sigma_for_rber(&self, step: f64, target: f64) -> Result<f64, CellError> {
        check_probability("rber", target)?;
        let (low, high) = SIGMA_BRACKET;
        let (lowest, highest) = (self.rber(step, low)?, self.rber(step, high)?);
        if !(lowest < target && target <= highest) {
            return Err(CellError::NoDeviation {
                target,
                step,
                lowest,
                highest,
            });
        }
        let mut failed = None;
        let sigma = bisect(low, high, |sigma| self.reaches(step, sigma, target, &mut failed));
        failed.map_or(Ok(sigma), Err)
    }

    /// The program step between 0 and 1 with which a deviation gives the bit error rate `target`.
    ///
    /// # Errors
    /// The tails alone give more than `target`, or the step of 1 gives less.
    pub fn step_for_rber(&self, sigma: f64, target: f64) -> Result<f64, CellError> {
        check_probability("rber", target)?;
        let (low, high) = STEP_BRACKET;
        let (lowest, highest) = (self.rber(low, sigma)?, self.rber(high, sigma)?);
        check_step_bracket(target, sigma, [lowest, highest])?;
        let mut failed = None;
        let step = bisect(low, high, |step| self.reaches(step, sigma, target, &mut failed));
        failed.map_or(Ok(step), Err)
    }

    /// The bit error rate of data whose rate is `rber` when programmed with `reference`, were they programmed with
    /// `step`: the deviation is inferred and kept. Rates that no deviation gives stay as they are.
    ///
    /// # Errors
    /// Steps outside 0 to 2, `rber` outside 0 to 1.
    pub fn at_step(&self, rber: f64, reference: f64, step: f64) -> Result<f64, CellError> {
        check_step("step", step)?;
        match self.sigma_for_rber(reference, rber) {
            Ok(sigma) => self.rber(step, sigma),
            Err(CellError::NoDeviation { .. }) => Ok(rber),
            Err(error) => Err(error),
        }
    }

    /// Whether the rate is above `target`; notes an error for later.
    fn reaches(&self, step: f64, sigma: f64, target: f64, failed: &mut Option<CellError>) -> bool {
        match self.rber(step, sigma) {
            Ok(rber) => rber > target,
            Err(error) => {
                *failed = Some(error);
                true
            }
        }
    }
}

/// The point between `low` and `high` at which `above` becomes true: 80 halvings, or an interval below 1e-12.
pub(crate) fn bisect(mut low: f64, mut high: f64, mut above: impl FnMut(f64) -> bool) -> f64 {
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if high - low < 1e-12 {
            return middle;
        }
        if above(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}

/// Checks a probability.
pub(crate) fn check_probability(key: &str, value: f64) -> Result<(), CellError> {
    require(
        (0.0..=1.0).contains(&value),
        key,
        value,
        "probabilities from 0 to 1",
    )
}
