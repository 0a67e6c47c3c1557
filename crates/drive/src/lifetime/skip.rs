//! Wear advanced without simulating.

use wordline_cell::fence::{Lookup, WearState, normal};
use wordline_units::Seed;

use super::ledger::{GroupRate, Rates, elasticity};

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
        for (group, (states, due)) in states.chunks_mut(per_group).zip(&mut self.due).enumerate() {
            let rate = &self.rates.groups[group];
            let erases = rate.erases * length;
            // whole erases, the same for all blocks that fare alike: their order is what the mapping goes by
            *due += erases;
            let whole = due.floor();
            *due -= whole;
            let cycles: f64 = states.iter().map(|state| f64::from(state.cycles())).sum();
            let mean = cycles / states.len() as f64;
            let (left, variance) = rate.drift.after(erases);
            let mut course = self.lookup.course(&rate.rests, 1.0);
            let shorter = rests_matter(states, rate, self.lookup, erases);
            for (block, state) in (group * per_group..).zip(states) {
                let draw = index * blocks + block as u64;
                let normal = |stream| normal(self.seed, stream, draw);
                let away = f64::from(state.cycles()) - mean;
                let strayed = erases * self.rates.erases[block] - away * (1.0 - left)
                    + variance.sqrt() * normal("lifetime.erases");
                let events = 2.0 * (erases + strayed) * (1.0 + shorter * self.rates.rests[block]);
                let wear = course.advance(state.equivalent_events(), events.max(0.0));
                // without it the spread between blocks would stop growing
                let noise = (rate.wear_variance * erases).sqrt() * normal("lifetime.wear");
                // right on average
                let share = (self.seed.draw("lifetime.rounding", draw) >> 11) as f64 / (1_u64 << 53) as f64;
                let strayed = if strayed == 0.0 { 0.0 } else { (strayed + share).floor() };
                let cycles = state.cycles().saturating_add((whole + strayed).max(0.0) as u32);
                state.set(cycles, (wear + noise).max(state.equivalent_events()));
            }
        }
    }
}

/// By how much a block gains more than others whose rests are longer: at the wear in the middle of so many erases.
fn rests_matter(states: &[WearState], rate: &GroupRate, lookup: &Lookup, erases: f64) -> f64 {
    let mean = states.iter().map(WearState::equivalent_events).sum::<f64>() / states.len() as f64;
    elasticity(
        &rate.rests,
        lookup,
        lookup.course(&rate.rests, 1.0).advance(mean, erases),
    )
}

/// Equivalent events that all blocks together gain in `length` nanoseconds.
pub(super) fn predicted(states: &[WearState], rates: &Rates, lookup: &Lookup, length: f64) -> f64 {
    let per_group = rates.blocks_per_group;
    let mut gain = 0.0;
    for (group, states) in states.chunks(per_group).enumerate() {
        let rate = &rates.groups[group];
        let mut course = lookup.course(&rate.rests, 1.0);
        let erases = rate.erases * length;
        let shorter = rests_matter(states, rate, lookup, erases);
        for (block, state) in (group * per_group..).zip(states) {
            let events = 2.0 * erases * (1.0 + rates.erases[block]) * (1.0 + shorter * rates.rests[block]);
            gain += course.advance(state.equivalent_events(), events.max(0.0)) - state.equivalent_events();
        }
    }
    gain
}
