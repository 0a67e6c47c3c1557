//! d-choices cleaning: the stationary point of the mean field (Van Houdt, SIGMETRICS 2013).

use super::occupancy::Occupancy;
use crate::error::FtlError;

/// The stationary point.
pub(super) struct DChoices {
    /// M_i: share of blocks with at least i valid pages, i = 0..=b.
    at_least: Vec<f64>,
    /// j*: mean valid pages of a victim.
    pub(super) victim_valid: f64,
}

impl DChoices {
    /// Shares m_i = M_i - M_{i+1}.
    pub(super) fn occupancy(&self) -> Occupancy {
        let next = self.at_least[1..].iter().copied().chain([0.0]);
        Occupancy::from_shares(self.at_least.iter().zip(next).map(|(m, n)| m - n).collect())
    }
}

/// Balance of level i, lambda i (M_i - M_{i+1}) = 1 - M_i^d, solved from i = b down for a given
/// invalidation rate lambda; lambda by bisection so that the M_i sum to b rho.
pub(super) fn solve(pages_per_block: u32, rho: f64, d: u32) -> Result<DChoices, FtlError> {
    if d == 0 {
        return Err(FtlError::new("d", d, "at least 1 draw"));
    }
    let wanted = f64::from(pages_per_block) * rho;
    // More invalidation, fewer valid pages: the sum falls in lambda.
    let (mut low, mut high) = (0.0, 1.0);
    while sum(&levels(pages_per_block, d, high)) > wanted {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if sum(&levels(pages_per_block, d, middle)) > wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    let at_least = levels(pages_per_block, d, 0.5 * (low + high));
    let victim_valid = at_least[1..].iter().map(|m| m.powf(f64::from(d))).sum();
    Ok(DChoices {
        at_least,
        victim_valid,
    })
}

fn sum(at_least: &[f64]) -> f64 {
    at_least[1..].iter().sum()
}

/// M_0 .. M_b for invalidation rate `lambda`.
fn levels(pages_per_block: u32, d: u32, lambda: f64) -> Vec<f64> {
    let mut at_least = vec![1.0; pages_per_block as usize + 1];
    let mut above = 0.0;
    for i in (1..=pages_per_block).rev() {
        above = root(lambda * f64::from(i), above, f64::from(d));
        at_least[i as usize] = above;
    }
    at_least
}

/// The root in [above, 1] of rate (m - above) + m^d - 1, which rises and is convex in m: Newton's
/// method from the right end comes down to it without passing it.
fn root(rate: f64, above: f64, d: f64) -> f64 {
    let mut m = 1.0_f64;
    for _ in 0..100 {
        let power = m.powf(d - 1.0);
        let value = rate * (m - above) + power * m - 1.0;
        let next = m - value / (rate + d * power);
        if next >= m || next <= above {
            return next.clamp(above, m);
        }
        if m - next < 1e-16 {
            return next;
        }
        m = next;
    }
    m
}
