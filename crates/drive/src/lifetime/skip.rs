//! Wear advanced without simulating.

use wordline_cell::fence::{Lookup, WearState, normal};
use wordline_units::Seed;

use super::measure::Rates;

/// Advances the wear of all blocks by `length` nanoseconds at measured rates. `index` numbers the skips of a run: the
/// draws of a block belong to it and to the block.
pub(super) fn advance(
    states: &mut [WearState],
    rates: &Rates,
    lookup: &Lookup,
    length: f64,
    seed: Seed,
    index: u64,
) {
    let blocks = states.len() as u64;
    let mut courses: Vec<_> = rates
        .pools
        .iter()
        .map(|pool| lookup.course(&pool.rests, 1.0))
        .collect();
    let per_pool = states.len() / courses.len().max(1);
    for (block, state) in states.iter_mut().enumerate() {
        let erases = rates.erases[block] * length;
        let events = 2.0 * erases;
        let Some(course) = courses.get_mut(block / per_pool) else {
            continue;
        };
        let wear = course.advance(state.equivalent_events(), events);
        let draw = index * blocks + block as u64;
        // without it the spread between blocks would stop growing
        let noise = (rates.pool(block).variance * events).sqrt() * normal(seed, "lifetime.wear", draw);
        // whole erases, right on average
        let share = (seed.draw("lifetime.erases", draw) >> 11) as f64 / (1_u64 << 53) as f64;
        let cycles = state.cycles().saturating_add((erases + share) as u32);
        state.set(cycles, (wear + noise).max(state.equivalent_events()));
    }
}

/// Equivalent events that all blocks together gain in `length` nanoseconds, and the standard error of that.
pub(super) fn predicted(states: &[WearState], rates: &Rates, lookup: &Lookup, length: f64) -> (f64, f64) {
    let mut courses: Vec<_> = rates
        .pools
        .iter()
        .map(|pool| lookup.course(&pool.rests, 1.0))
        .collect();
    let per_pool = states.len() / courses.len().max(1);
    let (mut gain, mut variance) = (0.0, 0.0);
    for (block, state) in states.iter().enumerate() {
        let events = 2.0 * rates.erases[block] * length;
        let Some(course) = courses.get_mut(block / per_pool) else {
            continue;
        };
        gain += course.advance(state.equivalent_events(), events) - state.equivalent_events();
        variance += rates.pool(block).variance * events;
    }
    (gain, variance.sqrt())
}
