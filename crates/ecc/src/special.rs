//! Logarithms of binomial probabilities, to almost all digits of a double.
//!
//! After C. Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000): the errors of
//! Stirling's formula and a deviance are small numbers that are known well, where differences of
//! logarithms of factorials are differences of large ones.

use std::f64::consts::PI;

/// The logarithm of n! less Stirling's `n ln n - n + ln(2 pi n) / 2`.
fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        // factorials up to 15 are exact in a double
        let factorial: f64 = (2..=n as u32).map(f64::from).product();
        return libm::log(factorial) - (n + 0.5) * libm::log(n) + n - 0.5 * libm::log(2.0 * PI);
    }
    let square = n * n;
    let terms = [1.0 / 12.0, 1.0 / 360.0, 1.0 / 1260.0, 1.0 / 1680.0, 1.0 / 1188.0];
    terms.iter().rev().fold(0.0, |rest, term| term - rest / square) / n
}

/// The deviance `x ln(x / mean) + mean - x`, without loss where `x` is near `mean`.
fn deviance(x: f64, mean: f64) -> f64 {
    let difference = x - mean;
    if difference.abs() < 0.1 * (x + mean) {
        let v = difference / (x + mean);
        let mut sum = difference * v;
        let mut term = 2.0 * x * v;
        for odd in (3..).step_by(2) {
            term *= v * v;
            let next = sum + term / f64::from(odd);
            if next == sum {
                break;
            }
            sum = next;
        }
        return sum;
    }
    let ratio = x / mean;
    let log = if ratio.is_finite() {
        libm::log(ratio)
    } else {
        libm::log(x) - libm::log(mean)
    };
    x * log + mean - x
}

/// The logarithm of the probability of exactly `x` errors in `n` bits of which each is wrong with
/// probability `p`, which is neither 0 nor 1.
pub(crate) fn ln_binomial(n: u32, x: u32, p: f64) -> f64 {
    let (bits, right) = (f64::from(n), f64::from(n - x));
    if x == 0 {
        return bits * libm::log1p(-p);
    }
    let errors = f64::from(x);
    if x == n {
        return bits * libm::log(p);
    }
    stirling_error(bits)
        - stirling_error(errors)
        - stirling_error(right)
        - deviance(errors, bits * p)
        - deviance(right, bits * (1.0 - p))
        - 0.5 * (libm::log(2.0 * PI * errors) + libm::log1p(-errors / bits))
}

/// Upper tail of the normal distribution.
pub(crate) fn normal_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
}

/// The logarithm of the sum of numbers that are given by their logarithms, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct LogSum {
    largest: f64,
    /// The sum in units of the largest.
    scaled: f64,
}

impl LogSum {
    pub(crate) const EMPTY: Self = Self {
        largest: f64::NEG_INFINITY,
        scaled: 0.0,
    };

    pub(crate) fn add(&mut self, ln: f64) {
        if ln > self.largest {
            self.scaled = self.scaled * libm::exp(self.largest - ln) + 1.0;
            self.largest = ln;
        } else if ln > f64::NEG_INFINITY {
            self.scaled += libm::exp(ln - self.largest);
        }
    }

    pub(crate) fn ln(self) -> f64 {
        self.largest + libm::log(self.scaled)
    }
}
