//! Greedy: fewest valid pages.

use super::{Candidates, VictimPolicy};

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
