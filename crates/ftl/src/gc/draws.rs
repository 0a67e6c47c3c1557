//! Policies that draw candidates at random.

use rand::Rng;
use wordline_units::Stream;

use super::{Candidates, VictimPolicy};
use crate::archive::{Archive, ArchiveError};

/// Draws that hit no candidate before the candidates are counted out instead.
const BLIND_DRAWS: u32 = 64;

/// Uniform over `0..below`, which is at least 1: multiply and shift; the bias is below 2^-32.
fn uniform(stream: &mut Stream, below: u32) -> u32 {
    ((u128::from(stream.next_u64()) * u128::from(below)) >> 64) as u32
}

/// A uniform candidate.
fn draw(stream: &mut Stream, candidates: &Candidates<'_>) -> Option<u32> {
    let blocks = candidates.blocks.of_pool(candidates.pool);
    for _ in 0..BLIND_DRAWS {
        let block = blocks.start + uniform(stream, blocks.end - blocks.start);
        if candidates.blocks.is_candidate(block) {
            return Some(block);
        }
    }
    let count = candidates.iter().count();
    if count == 0 {
        return None;
    }
    let chosen = uniform(stream, count as u32) as usize;
    candidates.iter().nth(chosen)
}

/// Fewest valid pages among d uniform draws with replacement (Van Houdt, SIGMETRICS 2013); one
/// draw is the random policy.
pub(crate) struct DChoices {
    d: u32,
    stream: Stream,
}

impl DChoices {
    pub(crate) const fn new(d: u32, stream: Stream) -> Self {
        Self { d, stream }
    }
}

impl VictimPolicy for DChoices {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        let mut best = draw(&mut self.stream, candidates)?;
        for _ in 1..self.d {
            let other = draw(&mut self.stream, candidates)?;
            if candidates.blocks.valid(other) < candidates.blocks.valid(best) {
                best = other;
            }
        }
        Some(best)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.stream(&mut self.stream)
    }
}

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
        archive.stream(&mut self.stream)
    }
}
