//! The law of the number of wrong bits in a codeword.

use crate::error::{EccError, probability, require, target};
use crate::special::{LogSum, ln_binomial};

/// How the errors of a codeword are distributed, given their mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ErrorCounts {
    /// Every bit is wrong independently: binomial.
    Independent,
    /// Beta-binomial: the codewords differ in their error rate. Correlation of two bits of a codeword,
    /// between 0 and 1. V. Taranalli et al., arXiv 1602.07743.
    Correlated(f64),
}

impl ErrorCounts {
    /// The law of a correlation of two bits of a codeword; zero is [`Self::Independent`].
    ///
    /// # Errors
    /// The correlation is below 0, or 1 or more.
    pub fn of_correlation(correlation: f64) -> Result<Self, EccError> {
        require(
            (0.0..1.0).contains(&correlation),
            "correlation",
            correlation,
            || "accepted is 0 (independent bits) or more, below 1".to_owned(),
        )?;
        Ok(if correlation == 0.0 {
            Self::Independent
        } else {
            Self::Correlated(correlation)
        })
    }

    /// The logarithm of the probability of more than `t` errors in `n` bits at raw bit error rate `p`.
    ///
    /// # Errors
    /// `p` is not a probability; `t` is not below `n`.
    pub fn ln_tail(self, n: u32, t: u32, p: f64) -> Result<f64, EccError> {
        probability("rber", p)?;
        require(t < n, "t", t, || format!("accepted is less than n = {n}"))?;
        Ok(self.tail(n, t, p))
    }

    /// [`Self::ln_tail`] of arguments that were checked.
    pub(crate) fn tail(self, n: u32, t: u32, p: f64) -> f64 {
        if p <= 0.0 {
            f64::NEG_INFINITY
        } else if p >= 1.0 {
            0.0
        } else {
            match self {
                Self::Independent => binomial_tail(n, t, p),
                Self::Correlated(correlation) => beta_binomial_tail(n, t, p, correlation),
            }
        }
    }

    /// The highest raw bit error rate at which more than `t` of `n` bits are wrong with probability `goal` at most.
    ///
    /// # Errors
    /// `goal` is not between 0 and 1; `t` is not below `n`.
    pub fn p_max(self, n: u32, t: u32, goal: f64) -> Result<f64, EccError> {
        target("target", goal)?;
        require(t < n, "t", t, || format!("accepted is less than n = {n}"))?;
        if t == 0 && self == Self::Independent {
            return Ok(-libm::expm1(libm::log1p(-goal) / f64::from(n)));
        }
        let goal = libm::log(goal);
        let (mut low, mut high) = (LN_LEAST, 0.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if self.tail(n, t, libm::exp(middle)) <= goal {
                low = middle;
            } else {
                high = middle;
            }
            if high - low < 1e-13 {
                break;
            }
        }
        Ok(libm::exp(0.5 * (low + high)))
    }
}

/// Below this logarithm no rate is looked for.
const LN_LEAST: f64 = -690.0;

/// Terms below this share of the sum do not change it.
const NEGLIGIBLE: f64 = 1e-17;

fn binomial_tail(n: u32, t: u32, p: f64) -> f64 {
    let odds = p / (1.0 - p);
    let (mut sum, mut term) = (1.0, 1.0);
    if f64::from(t) + 1.0 > f64::from(n) * p {
        for i in t + 1..n {
            term *= f64::from(n - i) / (f64::from(i) + 1.0) * odds;
            sum += term;
            if term < NEGLIGIBLE * sum {
                break;
            }
        }
        // rounding must not make a probability of more than one
        (ln_binomial(n, t + 1, p) + libm::log(sum)).min(0.0)
    } else {
        for i in (1..=t).rev() {
            term *= f64::from(i) / (f64::from(n - i) + 1.0) / odds;
            sum += term;
            if term < NEGLIGIBLE * sum {
                break;
            }
        }
        complement(ln_binomial(n, t, p) + libm::log(sum))
    }
}

fn beta_binomial_tail(n: u32, t: u32, p: f64, correlation: f64) -> f64 {
    let strength = (1.0 - correlation) / correlation;
    let (a, b) = (p * strength, (1.0 - p) * strength);
    let bits = f64::from(n);
    // differences of logarithms of gamma functions would lose the digits where the correlation is small
    let mut ln: f64 = (0..n).map(|j| libm::log1p(-a / (a + b + f64::from(j)))).sum();
    let (mut head, mut tail) = (LogSum::EMPTY, LogSum::EMPTY);
    for errors in 0..=n {
        if errors <= t {
            head.add(ln);
        } else {
            tail.add(ln);
        }
        let i = f64::from(errors);
        if errors < n {
            ln += libm::log((bits - i) / (i + 1.0) * (a + i) / (b + bits - i - 1.0));
        }
    }
    if f64::from(t) + 1.0 > bits * p {
        tail.ln().min(0.0)
    } else {
        complement(head.ln())
    }
}

/// The logarithm of one less a probability that is given by its logarithm.
fn complement(ln: f64) -> f64 {
    libm::log1p(-libm::exp(ln).min(1.0))
}
