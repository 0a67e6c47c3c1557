//! The normal law: upper tail, density and quantile, the same bits on every machine.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use statrs::function::erf::erfc_inv;

/// Square root of 2 pi.
pub(crate) const SQRT_TAU: f64 = 2.506_628_274_631_000_5;

/// Upper tail Q(z) of the standard normal law; precise to the smallest numbers, as it never forms 1 - erf.
#[must_use]
pub fn upper_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z * FRAC_1_SQRT_2)
}

/// Density of the standard normal law.
#[must_use]
pub fn density(z: f64) -> f64 {
    libm::exp(-0.5 * z * z) / SQRT_TAU
}

/// The z whose lower tail is `probability`; infinite at 0 and 1.
#[must_use]
pub fn quantile(probability: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * probability)
}
