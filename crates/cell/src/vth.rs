//! Threshold voltages of one state: Wu, dissertation (VCU 2013), section 2.2.1.
//!
//! Voltages are normalised: the centres of adjacent states are 1 apart, the erased state is centred on 0.

use crate::error::{CellError, require};
use crate::gauss::{self, SQRT_TAU};

/// Deviations beyond this one, in gaps, leave no states to tell apart.
const SIGMA_LIMIT: f64 = 10.0;

/// Steps of 2 and more make states overlap entirely.
pub(crate) const STEP_LIMIT: f64 = 2.0;

/// The erased state: a normal law around 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Erased {
    sigma: f64,
}

impl Erased {
    /// The erased state of deviation `sigma`, in gaps between states.
    ///
    /// # Errors
    /// A deviation outside 0 to 10, or 0.
    pub fn new(sigma: f64) -> Result<Self, CellError> {
        check_sigma("cell.vth.sigma_erased", sigma)?;
        Ok(Self::unchecked(sigma))
    }

    pub(crate) const fn unchecked(sigma: f64) -> Self {
        Self { sigma }
    }

    /// Deviation.
    #[must_use]
    pub const fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Probability density at `x`.
    #[must_use]
    pub fn density(&self, x: f64) -> f64 {
        gauss::density(x / self.sigma) / self.sigma
    }

    /// Share of the cells above `x`.
    #[must_use]
    pub fn tail(&self, x: f64) -> f64 {
        gauss::upper_tail(x / self.sigma)
    }

    /// Logarithm of the density at `x`, without the constant that all normal laws share.
    fn log_density(&self, x: f64) -> f64 {
        -0.5 * (x / self.sigma) * (x / self.sigma) - libm::log(self.sigma)
    }
}

/// A programmed state around its centre: flat over the program step, with Gaussian flanks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Programmed {
    step: f64,
    sigma: f64,
    /// Share of the cells in the two flanks.
    flanks: f64,
}

impl Programmed {
    /// A state programmed with pulses of `step`, its flanks of deviation `sigma`, both in gaps between states.
    ///
    /// # Errors
    /// A step outside 0 to 2, a deviation outside 0 to 10, or 0.
    pub fn new(step: f64, sigma: f64) -> Result<Self, CellError> {
        check_step("cell.vth.step", step)?;
        check_sigma("cell.vth.sigma_programmed", sigma)?;
        Ok(Self::unchecked(step, sigma))
    }

    pub(crate) fn unchecked(step: f64, sigma: f64) -> Self {
        Self {
            step,
            sigma,
            flanks: 1.0 / (1.0 + step / (sigma * SQRT_TAU)),
        }
    }

    /// The program step.
    #[must_use]
    pub const fn step(&self) -> f64 {
        self.step
    }

    /// Deviation of the flanks.
    #[must_use]
    pub const fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Share of the cells in the two flanks: c of the source.
    #[must_use]
    pub const fn flanks(&self) -> f64 {
        self.flanks
    }

    /// Probability density at `offset` from the centre.
    #[must_use]
    pub fn density(&self, offset: f64) -> f64 {
        let beyond = (offset.abs() - 0.5 * self.step).max(0.0);
        self.flanks * gauss::density(beyond / self.sigma) / self.sigma
    }

    /// Share of the cells further than `distance` from the centre, on one side: T of the source. Below the centre,
    /// that is for negative distances, more than half.
    #[must_use]
    pub fn tail(&self, distance: f64) -> f64 {
        let half = 0.5 * self.step;
        if distance >= half {
            self.flanks * gauss::upper_tail((distance - half) / self.sigma)
        } else if distance >= 0.0 {
            self.flanks * (0.5 + (half - distance) / (self.sigma * SQRT_TAU))
        } else {
            1.0 - self.tail(-distance)
        }
    }

    /// Logarithm of the density at `offset`, without the constant that all normal laws share.
    fn log_density(&self, offset: f64) -> f64 {
        let beyond = (offset.abs() - 0.5 * self.step).max(0.0) / self.sigma;
        libm::log(self.flanks / self.sigma) - 0.5 * beyond * beyond
    }
}

/// Where the densities of the erased state and of the first programmed one, centred on `centre`, cross: the best
/// place of the first read reference.
///
/// # Errors
/// They do not cross between 0 and the flat part of the programmed state.
pub fn crossing(erased: &Erased, programmed: &Programmed, centre: f64) -> Result<f64, CellError> {
    let high = centre - 0.5 * programmed.step;
    let excess = |x: f64| erased.log_density(x) - programmed.log_density(x - centre);
    if !(high > 0.0 && excess(0.0) > 0.0 && excess(high) < 0.0) {
        return Err(CellError::NoCrossing {
            sigma_erased: erased.sigma,
            sigma: programmed.sigma,
            step: programmed.step,
            low: 0.0,
            high,
        });
    }
    Ok(crate::solve::bisect(0.0, high, |x| excess(x) < 0.0))
}

/// Checks a deviation.
fn check_sigma(key: &str, sigma: f64) -> Result<(), CellError> {
    let holds = sigma > 0.0 && sigma <= SIGMA_LIMIT;
    require(holds, key, sigma, "numbers above 0 up to 10")
}

/// Checks a program step.
pub(crate) fn check_step(key: &str, step: f64) -> Result<(), CellError> {
    let holds = (0.0..STEP_LIMIT).contains(&step);
    require(holds, key, step, "numbers from 0 up to, but not including, 2")
}
