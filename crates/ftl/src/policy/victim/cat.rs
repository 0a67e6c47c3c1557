//! Cost-age-times: cost-benefit that counts erases too.

use super::cost_benefit::{share_and_age, weighs_age};
use super::{Candidates, VictimPolicy, VictimRow};

/// Least u/(1-u) * 1/age * (1 + erases): cost-age-times.
pub(crate) struct Cat;

impl VictimPolicy for Cat {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        candidates.best_by(|block| {
            let (u, age) = share_and_age(candidates, block);
            let erases = f64::from(candidates.erases(block));
            if u == 1.0 {
                f64::NEG_INFINITY
            } else {
                -(u / (1.0 - u) / age * (1.0 + erases))
            }
        })
    }
}

/// `ftl.gc.victim = "cat"`.
pub(crate) const CAT: VictimRow = weighs_age(VictimRow::new(
    "cat",
    "Least u/(1-u) * 1/age * (1 + erases): cost-age-times.",
    &|_, _| Box::new(Cat),
));
