//! FIFO and windowed greedy: by closing order.

use super::{Candidates, VictimPolicy};

/// Fewest valid pages among the `window` candidates closed longest ago; 1 is FIFO, all of them
/// greedy (Hu et al., SYSTOR 2009).
pub(crate) struct WindowedGreedy {
    window: usize,
}

impl WindowedGreedy {
    pub(crate) const fn new(window: u32) -> Self {
        Self {
            window: window as usize,
        }
    }
}

impl VictimPolicy for WindowedGreedy {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        candidates
            .blocks
            .candidates_by_closing(candidates.pool)
            .take(self.window)
            .min_by_key(|block| (candidates.blocks.valid(*block), candidates.tie(*block)))
    }
}
