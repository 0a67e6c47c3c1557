//! Greedy cleaning: the mean-field limit of many choices (equivalent to Desnoyers, SYSTOR 2012).

use super::occupancy::Occupancy;

/// The stationary point: victims have `j0` or `j0 + 1` valid pages.
pub(super) struct Greedy {
    pages_per_block: u32,
    rho: f64,
    j0: u32,
    /// Share of victims with `j0 + 1` valid pages.
    q: f64,
}

impl Greedy {
    /// j*: mean valid pages of a victim.
    pub(super) fn victim_valid(&self) -> f64 {
        f64::from(self.j0) + self.q
    }

    /// Shares m_i = 1/(lambda i) above j0 + 1, and (1-q)/(lambda (j0+1)) there, with lambda =
    /// (b - j*)/(b rho); what is left are blocks without valid pages (low utilisation only).
    pub(super) fn occupancy(&self) -> Occupancy {
        let b = f64::from(self.pages_per_block);
        let lambda = (b - self.victim_valid()) / (b * self.rho);
        let mut shares = vec![0.0; self.pages_per_block as usize + 1];
        for i in self.j0 + 1..=self.pages_per_block {
            let part = if i == self.j0 + 1 { 1.0 - self.q } else { 1.0 };
            shares[i as usize] = part / (lambda * f64::from(i));
        }
        shares[0] += (1.0 - shares.iter().sum::<f64>()).max(0.0);
        Occupancy::from_shares(shares)
    }
}

/// Finds j0 and q of sum_{i=j0+2..b} 1/i + (1-q)/(j0+1) = (b - j0 - q)/(b rho).
///
/// Left minus right is convex and piecewise linear in j0 + q, above zero at 0 unless
/// rho <= 1/H_b, zero at b and below zero just before: it has one root before b.
pub(super) fn solve(pages_per_block: u32, rho: f64) -> Greedy {
    let b = f64::from(pages_per_block);
    // Left minus right at q = 0.
    let mut tail: f64 = (1..=pages_per_block).rev().map(|i| 1.0 / f64::from(i)).sum();
    let mut excess = tail - 1.0 / rho;
    let mut point = Greedy {
        pages_per_block,
        rho,
        j0: 0,
        q: 0.0,
    };
    for j0 in 0..pages_per_block {
        if excess <= 0.0 {
            break;
        }
        tail -= 1.0 / f64::from(j0 + 1);
        let next = tail - (b - f64::from(j0) - 1.0) / (b * rho);
        point.j0 = j0;
        point.q = if next < 0.0 { excess / (excess - next) } else { 1.0 };
        excess = next;
    }
    point
}
