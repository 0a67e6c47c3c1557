//! Wear advanced without simulating.

use wordline_cell::fence::{Lookup, WearState, normal};
use wordline_units::Seed;

use super::ledger::Rates;

/// A skip under way.
pub(super) struct Skip<'a> {
    rates: &'a Rates,
    lookup: &'a Lookup,
    seed: Seed,
    /// Erases of each group that are due and not counted yet, less than one.
    due: Vec<f64>,
}

impl<'a> Skip<'a> {
    pub(super) fn new(rates: &'a Rates, lookup: &'a Lookup, seed: Seed) -> Self {
        Self {
            rates,
            lookup,
            seed,
            due: vec![0.5; rates.groups.len()],
        }
    }

    /// Advances the wear of all blocks by `length` nanoseconds. `index` numbers such parts: the draws of a block belong to
    /// it and to the block.
    pub(super) fn advance(&mut self, states: &mut [WearState], length: f64, index: u64) {
        let blocks = states.len() as u64;
        let per_group = self.rates.blocks_per_group;
        for ((group, states), due) in (0..).zip(states.chunks_mut(per_group)).zip(&mut self.due) {
            let rate = &self.rates.groups[group];
            let erases = rate.erases * length;
            // whole erases, the same for all blocks that fare alike: their order is what the mapping goes by
            *due += erases;
            let whole = due.floor();
            *due -= whole;
            let mut course = self.lookup.course(&rate.rests, 1.0);
            for (block, state) in (group * per_group..).zip(states) {
                let (own, gain) = (self.rates.erases[block], self.rates.gains[block]);
                let draw = index * blocks + block as u64;
                let normal = normal(self.seed, "lifetime.wear", draw);
                let wear = course.advance(state.equivalent_events(), 2.0 * erases * own * gain);
                // without it the spread between blocks would stop growing
                let noise = (rate.variance * erases).sqrt() * normal;
                let strayed = erases * (own - 1.0) + (rate.erase_variance * erases).sqrt() * normal;
                // right on average
                let share = (self.seed.draw("lifetime.erases", draw) >> 11) as f64 / (1_u64 << 53) as f64;
                let strayed = if strayed == 0.0 { 0.0 } else { (strayed + share).floor() };
                let cycles = state.cycles().saturating_add((whole + strayed).max(0.0) as u32);
                state.set(cycles, (wear + noise).max(state.equivalent_events()));
            }
        }
    }
}

/// Equivalent events that all blocks together gain in `length` nanoseconds.
pub(super) fn predicted(states: &[WearState], rates: &Rates, lookup: &Lookup, length: f64) -> f64 {
    let per_group = rates.blocks_per_group;
    let mut gain = 0.0;
    for (group, states) in states.chunks(per_group).enumerate() {
        let rate = &rates.groups[group];
        let mut course = lookup.course(&rate.rests, 1.0);
        for (block, state) in (group * per_group..).zip(states) {
            let events = 2.0 * rate.erases * length * rates.erases[block] * rates.gains[block];
            gain += course.advance(state.equivalent_events(), events) - state.equivalent_events();
        }
    }
    gain
}
