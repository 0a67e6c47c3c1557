//! How long a program takes with a smaller or larger step: incremental step pulse programming sweeps a fixed range.

use crate::error::{CellError, require};
use crate::vth::STEP_LIMIT;

/// A program of `pulses` pulses at the step `reference`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ispp {
    reference: f64,
    pulses: Option<f64>,
}

impl Ispp {
    /// Programs whose time is known at the step `reference`; with `pulses`, they take that many whole pulses there.
    ///
    /// # Errors
    /// A step outside (0, 2), no pulse or more than 10,000.
    pub fn new(reference: f64, pulses: Option<u32>) -> Result<Self, CellError> {
        check_programmed("cell.program.step", reference)?;
        if let Some(pulses) = pulses {
            require(
                (1..=10_000).contains(&pulses),
                "cell.program.pulses",
                pulses,
                "1 to 10000",
            )?;
        }
        Ok(Self {
            reference,
            pulses: pulses.map(f64::from),
        })
    }

    /// Time of a program with `step`, by its time at the reference.
    ///
    /// # Errors
    /// A step outside (0, 2): with none at all a program would never end.
    pub fn slowdown(&self, step: f64) -> Result<f64, CellError> {
        Ok(match self.pulses {
            None => {
                check_programmed("step", step)?;
                self.reference / step
            }
            Some(pulses) => self.pulse_count(step)? / pulses,
        })
    }

    /// Pulses of a program with `step`; not whole unless pulses are counted.
    ///
    /// # Errors
    /// A step outside (0, 2).
    fn pulse_count(&self, step: f64) -> Result<f64, CellError> {
        check_programmed("step", step)?;
        let pulses = self.pulses.unwrap_or(1.0) * self.reference / step;
        // the reference itself must not gain a pulse by rounding
        Ok(libm::ceil(pulses - 1e-9))
    }

    /// Whole pulses of a program with `step`, where pulses are counted.
    ///
    /// # Errors
    /// A step outside (0, 2).
    pub fn pulses(&self, step: f64) -> Result<Option<u64>, CellError> {
        match self.pulses {
            None => Ok(None),
            Some(_) => Ok(Some(self.pulse_count(step)? as u64)),
        }
    }
}

/// Checks a step that programs something.
pub(crate) fn check_programmed(key: &str, step: f64) -> Result<(), CellError> {
    let holds = step > 0.0 && step < STEP_LIMIT;
    require(holds, key, step, "numbers above 0 and below 2")
}
