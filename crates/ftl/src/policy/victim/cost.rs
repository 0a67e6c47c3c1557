//! Policies that weigh the cost of copying against the age of the data.

use super::{Candidates, VictimPolicy};

/// Valid share u of a block, and its age in nanoseconds, at least 1.
fn share_and_age(candidates: &Candidates<'_>, block: u32) -> (f64, f64) {
    let u = f64::from(candidates.blocks.valid(block)) / f64::from(candidates.pages_per_block);
    let since = candidates.blocks.since[block as usize];
    (u, candidates.now.saturating_sub(since).max(1) as f64)
}

/// Most (1-u) * age / 2u (Kawaguchi et al., USENIX 1995).
pub(crate) struct CostBenefit;

impl VictimPolicy for CostBenefit {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        candidates.best_by(|block| {
            let (u, age) = share_and_age(candidates, block);
            if u == 0.0 {
                f64::INFINITY
            } else {
                (1.0 - u) * age / (2.0 * u)
            }
        })
    }
}

/// Most (1-u) * age / (1+u), the benefit-to-cost ratio of log-structured file systems.
pub(crate) struct CostBenefitLfs;

impl VictimPolicy for CostBenefitLfs {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        candidates.best_by(|block| {
            let (u, age) = share_and_age(candidates, block);
            (1.0 - u) * age / (1.0 + u)
        })
    }
}

/// Least u/(1-u) * 1/age * (1 + erases): cost-age-times.
pub(crate) struct Cat;

impl VictimPolicy for Cat {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        candidates.best_by(|block| {
            let (u, age) = share_and_age(candidates, block);
            let erases = f64::from(candidates.blocks.erases[block as usize]);
            if u == 1.0 {
                f64::NEG_INFINITY
            } else {
                -(u / (1.0 - u) / age * (1.0 + erases))
            }
        })
    }
}
