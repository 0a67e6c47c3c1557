//! d-choices cleaning: the stationary point of the mean field (Van Houdt, SIGMETRICS 2013).

use super::occupancy::Occupancy;
use crate::error::FtlError;

/// The stationary point.
pub(super) struct DChoices {
    /// M_i: share of blocks with at least i valid pages, i = 0..=b.
    at_least: Vec<f64>,
    /// j*: mean valid pages of a victim.
    victim_valid: f64,
}

impl DChoices {
    /// b / (b - j*).
    pub(super) fn write_amplification(&self) -> f64 {
        let b = (self.at_least.len() - 1) as f64;
        b / (b - self.victim_valid)
    }

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
    let (surely_low, surely_high) = around(pages_per_block, d, wanted);
    // More invalidation, fewer valid pages: the sum falls in lambda.
    let is_low = |rate: f64| {
        rate <= surely_low || rate < surely_high && sum(&levels(pages_per_block, d, rate)) > wanted
    };
    let (mut low, mut high) = (0.0, 1.0);
    while is_low(high) {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if is_low(middle) {
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

/// Invalidation rates below and above the one with `wanted` valid pages, found by the secant method: so near that few
/// steps of bisection are left, and so far apart that rounding cannot hide on which side of it they are. No bounds
/// where the method fails.
fn around(pages_per_block: u32, d: u32, wanted: f64) -> (f64, f64) {
    let excess = |rate: f64| sum(&levels(pages_per_block, d, rate)) - wanted;
    let b = f64::from(pages_per_block);
    // The error of a level is some 1e-16 and that of the levels above it; the sum has b of them.
    let doubt = 2e-15 * b * b;
    // From the rates at which victims have as many valid pages as others and half as many.
    let (mut last, mut rate) = (b / wanted - 1.0, b / wanted - 0.5);
    let mut last_excess = excess(last);
    for _ in 0..30 {
        let here = excess(rate);
        let slope = (here - last_excess) / (rate - last);
        let margin = 4.0 * doubt / slope.abs();
        let next = rate - here / slope;
        if !(next > 0.0 && margin.is_finite()) {
            break;
        }
        if (next - rate).abs() < margin {
            let (low, high) = (next - margin, next + margin);
            if excess(low) > doubt && excess(high) < -doubt {
                return (low, high);
            }
            break;
        }
        (last, last_excess, rate) = (rate, here, next);
    }
    (0.0, f64::INFINITY)
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
    let (mut m, mut power) = (1.0_f64, 1.0_f64);
    for _ in 0..100 {
        let value = rate * (m - above) + power * m - 1.0;
        let next = m - value / (rate + d * power);
        if next >= m || next <= above {
            return next.clamp(above, m);
        }
        if m - next < 1e-16 {
            return next;
        }
        m = next;
        power = m.powf(d - 1.0);
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What bisection alone finds, to the last digit.
        #[test]
        fn bounds_change_nothing(
            pages_per_block in 1_u32..600,
            spare in prop_oneof![1e-6..1e-3, 1e-3..0.3, 0.3..0.99],
            d in 1_u32..40,
        ) {
            let rho = 1.0 - spare;
            let wanted = f64::from(pages_per_block) * rho;
            let (mut low, mut high) = (0.0, 1.0);
            while sum(&levels(pages_per_block, d, high)) > wanted {
                (low, high) = (high, 2.0 * high);
            }
            loop {
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
            let found = solve(pages_per_block, rho, d).unwrap();
            prop_assert_eq!(found.at_least, levels(pages_per_block, d, 0.5 * (low + high)));
        }
    }

    #[test]
    fn bounds_are_found() {
        for (pages_per_block, rho, d) in [(256, 0.87, 11), (64, 0.7, 2), (1024, 0.95, 4), (16, 0.5, 30)] {
            let (low, high) = around(pages_per_block, d, f64::from(pages_per_block) * rho);
            assert!(low > 0.0 && high - low < 1e-8 * low, "{low} to {high}");
        }
    }
}
