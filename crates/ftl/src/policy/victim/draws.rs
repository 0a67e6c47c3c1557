//! How policies draw candidates at random.

use rand::Rng;
use wordline_units::{Seed, Stream};

use super::Candidates;

/// Draws that hit no candidate before the candidates are counted out instead.
const BLIND_DRAWS: u32 = 64;

/// Uniform over `0..below`, which is at least 1: multiply and shift; the bias is below 2^-32.
pub(super) fn uniform(stream: &mut Stream, below: u32) -> u32 {
    ((u128::from(stream.next_u64()) * u128::from(below)) >> 64) as u32
}

/// A uniform candidate.
pub(super) fn draw(stream: &mut Stream, candidates: &Candidates<'_>) -> Option<u32> {
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

/// The random numbers of a policy.
pub(super) fn stream(seed: Seed) -> Stream {
    seed.stream("ftl.gc.victim")
}
