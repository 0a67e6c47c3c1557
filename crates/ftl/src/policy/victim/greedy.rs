//! Greedy: fewest valid pages.

use super::{Candidates, VictimPolicy, VictimRow};
use crate::analytic::Cleaning;

/// Fewest valid pages; ties: fewest erases, then closed longest ago, then lowest index.
pub(crate) struct Greedy;

impl VictimPolicy for Greedy {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        let mut best: Option<(u32, u32)> = None;
        candidates.blocks.least_candidates(candidates.pool, |block| {
            let erases = candidates.erases(block);
            // most differ in their erases already
            let is_better = best.is_none_or(|(fewest, leader)| {
                erases < fewest || erases == fewest && candidates.tie(block) < candidates.tie(leader)
            });
            if is_better {
                best = Some((erases, block));
            }
        });
        best.map(|(_, block)| block)
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
