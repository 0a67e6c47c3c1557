//! Draws until a block has fewer valid pages than the average.

use wordline_units::Stream;

use super::draws::{draw, stream};
use super::{Candidates, VictimPolicy, VictimRow};
use crate::analytic::Cleaning;
use crate::state::archive::{Archive, ArchiveError};

/// Draws until a block has fewer valid pages than the average candidate (Van Houdt, Performance
/// Evaluation 2013). The average is counted afresh for every victim: O(blocks of the pool).
pub(crate) struct RandomPp {
    stream: Stream,
}

impl RandomPp {
    pub(crate) const fn new(stream: Stream) -> Self {
        Self { stream }
    }
}

impl VictimPolicy for RandomPp {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        let (mut count, mut valid) = (0_u64, 0_u64);
        for block in candidates.iter() {
            count += 1;
            valid += u64::from(candidates.blocks.valid(block));
        }
        let below_average = |block: u32| u64::from(candidates.blocks.valid(block)) * count < valid;
        // Where all are equal none lies below the average, and any will do.
        let any_below = candidates.iter().any(below_average);
        loop {
            let block = draw(&mut self.stream, candidates)?;
            if !any_below || below_average(block) {
                return Some(block);
            }
        }
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.stream)
    }
}

/// `ftl.gc.victim = "random_pp"`, which amplifies as four choices do, within 3 % (FTL specification, 9.1).
pub(crate) const RANDOM_PP: VictimRow = VictimRow {
    closed_form: |_, _| (Cleaning::DChoices(4), false),
    ..VictimRow::new(
        "random_pp",
        "Uniform draws until one has fewer valid pages than the average (Van Houdt's Random++).",
        &|_, seed| Box::new(RandomPp::new(stream(seed))),
    )
};
