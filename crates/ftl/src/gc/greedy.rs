//! Greedy: fewest valid pages.

use super::{Candidates, VictimPolicy};

/// Fewest valid pages; ties: fewest erases, then closed longest ago, then lowest index.
pub(crate) struct Greedy;

impl VictimPolicy for Greedy {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        candidates
            .blocks
            .least_candidates(candidates.pool)
            .min_by_key(|block| candidates.tie(*block))
    }
}
