//! What the model refuses, and equations without a solution.

use thiserror::Error;

/// Why there is no answer.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CellError {
    /// A value outside its range.
    #[error("{key} = {found}: {accepted}")]
    Refused {
        /// Dotted key, or the name of the argument.
        key: String,
        /// Its value.
        found: String,
        /// What would be accepted.
        accepted: String,
    },
    /// No deviation of the programmed states gives the bit error rate.
    #[error(
        "rber = {target:e}: with a step of {step} accepted are rates above {lowest:e} (deviation 0.001) up to \
         {highest:e} (deviation 1)"
    )]
    NoDeviation {
        /// The bit error rate that was asked for.
        target: f64,
        /// The program step.
        step: f64,
        /// Rate with the least deviation.
        lowest: f64,
        /// Rate with the largest deviation.
        highest: f64,
    },
    /// The tails alone give more errors than are allowed, however small the step.
    #[error(
        "rber = {target:e}: no step is slow enough; with a deviation of {sigma} accepted are rates from {lowest:e} \
         (step 0) to {highest:e} (step 1)"
    )]
    NoStepSlowEnough {
        /// The bit error rate that was asked for.
        target: f64,
        /// The deviation of the programmed states.
        sigma: f64,
        /// Rate with step 0.
        lowest: f64,
        /// Rate with step 1.
        highest: f64,
    },
    /// Even the coarsest step gives fewer errors than are allowed.
    #[error(
        "rber = {target:e}: every step is slow enough; with a deviation of {sigma} accepted are rates from \
         {lowest:e} (step 0) to {highest:e} (step 1)"
    )]
    EveryStepSlowEnough {
        /// The bit error rate that was asked for.
        target: f64,
        /// The deviation of the programmed states.
        sigma: f64,
        /// Rate with step 0.
        lowest: f64,
        /// Rate with step 1.
        highest: f64,
    },
    /// The densities of the erased and the first programmed state do not cross between their centres.
    #[error(
        "cell.vth.references = optimal: the densities of the erased state (deviation {sigma_erased}) and of the \
         first programmed state (step {step}, deviation {sigma}) do not cross between {low} and {high}; accepted \
         are midpoint or a list"
    )]
    NoCrossing {
        /// Deviation of the erased state.
        sigma_erased: f64,
        /// Deviation of the programmed state.
        sigma: f64,
        /// Program step.
        step: f64,
        /// Lower end of the bracket.
        low: f64,
        /// Upper end of the bracket.
        high: f64,
    },
}

impl CellError {
    pub(crate) fn refused(key: impl Into<String>, found: impl ToString, accepted: impl Into<String>) -> Self {
        Self::Refused {
            key: key.into(),
            found: found.to_string(),
            accepted: accepted.into(),
        }
    }
}

/// Checks one value.
///
/// # Errors
/// `holds` is false.
pub(crate) fn require(holds: bool, key: &str, found: impl ToString, accepted: &str) -> Result<(), CellError> {
    if holds {
        Ok(())
    } else {
        Err(CellError::refused(key, found, format!("accepted are {accepted}")))
    }
}
