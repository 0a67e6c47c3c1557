//! Cost-benefit: the cost of copying against the age of the data, in two forms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Candidates, VictimPolicy, VictimRow};
use crate::blocks::Recording;
use wordline_keys::{Keys, Parameters};

/// The event from which the age of a block is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AgeBasis {
    /// The last write to the block.
    #[default]
    LastWrite,
    /// The last invalidation of a page in it.
    LastInvalidation,
}

/// Keys of the policies that weigh age.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Ages {
    /// The event from which the age of a block is counted (`cost_benefit`, `cost_benefit_lfs`,
    /// `cat`).
    age_basis: AgeBasis,
}

fn records(keys: &Parameters<VictimRow>) -> Recording {
    let basis = keys.read::<Ages>().age_basis;
    Recording {
        last_write: basis == AgeBasis::LastWrite,
        last_invalidation: basis == AgeBasis::LastInvalidation,
        ..Recording::default()
    }
}

/// A row with these keys.
pub(super) const fn weighs_age(mut row: VictimRow) -> VictimRow {
    row.entry.keys = Keys::of::<Ages>();
    row.records = &records;
    row
}

/// `ftl.gc.victim = "cost_benefit"`.
pub(crate) const COST_BENEFIT: VictimRow = weighs_age(VictimRow::new(
    "cost_benefit",
    "Most (1-u) * age / 2u, u the valid share (Kawaguchi 1995).",
    &|_, _| Box::new(CostBenefit),
));

/// `ftl.gc.victim = "cost_benefit_lfs"`.
pub(crate) const COST_BENEFIT_LFS: VictimRow = weighs_age(VictimRow::new(
    "cost_benefit_lfs",
    "Most (1-u) * age / (1+u), the form of log-structured file systems.",
    &|_, _| Box::new(CostBenefitLfs),
));

/// Valid share u of a block, and its age in nanoseconds, at least 1.
pub(super) fn share_and_age(candidates: &Candidates<'_>, block: u32) -> (f64, f64) {
    let u = f64::from(candidates.valid(block)) / f64::from(candidates.pages_per_block());
    (u, candidates.age(block).max(1) as f64)
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
