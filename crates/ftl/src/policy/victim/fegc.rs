//! Collection by the age of the garbage.

use super::{Candidates, VictimPolicy, VictimRow};
use crate::blocks::Recording;

/// Most time since invalidation, summed over the invalid pages of a block.
pub(crate) struct Fegc;

impl VictimPolicy for Fegc {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        candidates.best_by(|block| candidates.blocks.staleness(block, candidates.now) as f64)
    }
}

/// `ftl.gc.victim = "fegc"`.
pub(crate) const FEGC: VictimRow = VictimRow {
    records: &|_| Recording {
        stale: true,
        ..Recording::default()
    },
    ..VictimRow::new(
        "fegc",
        "Most time since invalidation, summed over the invalid pages.",
        &|_, _| Box::new(Fegc),
    )
};
