//! Greedy: fewest valid pages.

use super::{Candidates, VictimPolicy, VictimRow};
use crate::analytic::Cleaning;

/// Fewest valid pages; ties: fewest erases, then closed longest ago, then lowest index.
pub(crate) struct Greedy;

impl VictimPolicy for Greedy {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        let mut best = None;
        candidates.blocks.least_candidates(candidates.pool, |block| {
            let tie = candidates.tie(block);
            if best.is_none_or(|best| tie < best) {
                best = Some(tie);
            }
        });
        best.map(|(_, _, block)| block)
    }
}

/// `ftl.gc.victim = "greedy"`.
pub(crate) const GREEDY: VictimRow = VictimRow {
    closed_form: |_, _| (Cleaning::Greedy, true),
    ..VictimRow::new(
        "greedy",
        "Fewest valid pages; ties: fewest erases, then closed longest ago, then lowest index.",
        &|_, _| Box::new(Greedy),
    )
};

/// `ftl.gc.victim = "wear_greedy"`.
pub(crate) const WEAR_GREEDY: VictimRow = {
    let mut row = VictimRow {
        limits_wear: true,
        ..VictimRow::new(
            "wear_greedy",
            "Greedy, but blocks near the end of their life are passed over with a probability (Agrawal et al. 2008); the \
             thresholds are those of `ftl.wear`.",
            &|_, _| Box::new(Greedy),
        )
    };
    row.entry.reads = &["ftl.wear.age_variance", "ftl.wear.erase_limit"];
    row
};
