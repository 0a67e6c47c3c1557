//! Wear that is computed ahead instead of simulated.

use wordline_cell::fence::{Advance, Lookup, VariedCells, WearState, normal};
use wordline_units::Seed;

use crate::epoch_ledger::{GroupRate, WearRates, elasticity};

/// A skip under way.
pub(crate) struct Skip<'a> {
    rates: &'a WearRates,
    lookup: &'a Lookup,
    seed: Seed,
    /// For each group the fraction of an erase that is due and not counted yet, below 1.
    due: Vec<f64>,
    kept: Option<&'a KeptData>,
}

/// Blocks whose data stay where they are through a skip, in drives that refresh blocks. They are not erased, so that the others are erased more often.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptData {
    /// By block.
    pub(crate) stays: Vec<bool>,
    /// By group: erases in a nanosecond, of each block whose data do not stay, by refreshes beyond the first of a block, which the FTL does after the skip.
    pub(crate) refreshes: Vec<f64>,
}

impl<'a> Skip<'a> {
    pub(crate) fn new(rates: &'a WearRates, lookup: &'a Lookup, seed: Seed) -> Self {
        Self {
            rates,
            lookup,
            seed,
            due: vec![0.5; rates.groups.len()],
            kept: None,
        }
    }

    /// A skip through which data stay in blocks.
    pub(crate) fn keeping(self, kept: Option<&'a KeptData>) -> Self {
        Self { kept, ..self }
    }

    fn stays(&self, block: usize) -> bool {
        self.kept.is_some_and(|kept| kept.stays[block])
    }

    /// Erases in a nanosecond of a mean block of a group that takes part.
    fn group_rate(&self, group: usize) -> f64 {
        let per_group = self.rates.blocks_per_group;
        let erases = self.rates.groups[group].erases;
        let Some(kept) = self.kept else { return erases };
        let blocks = group * per_group..(group + 1) * per_group;
        let shares: f64 = blocks
            .filter(|block| !kept.stays[*block])
            .map(|block| 1.0 + self.rates.erases[block])
            .sum();
        if shares > 0.0 {
            erases * per_group as f64 / shares + kept.refreshes[group]
        } else {
            0.0
        }
    }

    /// By how many erases each pool of a group deviates from their mean, of a `variance` over pools: whole numbers, since wear is levelled by the order of erase counts. Their draws are keyed from
    /// `first` on.
    fn pool_deviations(&self, pools: usize, variance: f64, first: u64) -> Vec<f64> {
        if pools < 2 || variance <= 0.0 {
            return vec![0.0; pools];
        }
        // less their mean, which the variance over pools is about
        let spread = (variance / (1.0 - 1.0 / pools as f64)).sqrt();
        let drawn: Vec<f64> = (0..pools as u64)
            .map(|pool| spread * normal(self.seed, "lifetime.pools", first + pool))
            .collect();
        let mean = drawn.iter().sum::<f64>() / pools as f64;
        let share = |pool: u64| {
            (self.seed.draw("lifetime.pool_rounding", first + pool) >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..)
            .zip(drawn)
            .map(|(pool, drawn)| (drawn - mean + share(pool)).floor())
            .collect()
    }

    /// Advances the wear of all blocks by `length` nanoseconds. The random draws of a block are keyed by its number and by
    /// `index`, the number of this part of a skip.
    pub(crate) fn advance(
        &mut self,
        states: &mut [WearState],
        cells: &mut [&mut VariedCells],
        length: f64,
        index: u64,
    ) {
        let blocks = states.len() as u64;
        let per_group = self.rates.blocks_per_group;
        for (group, states) in states.chunks_mut(per_group).enumerate() {
            let rate = &self.rates.groups[group];
            let erases = self.group_rate(group) * length;
            let due = &mut self.due[group];
            // whole erases, the same for all blocks of the group, which keeps their order, by which the mapping levels wear
            *due += erases;
            let whole = due.floor();
            *due -= whole;
            let per_pool = rate.blocks_per_pool.max(1);
            let means: Vec<f64> = states
                .chunks(per_pool)
                .map(|pool| {
                    pool.iter().map(|state| f64::from(state.cycles())).sum::<f64>() / pool.len() as f64
                })
                .collect();
            let pools = self.pool_deviations(
                means.len(),
                rate.pool_variance * erases,
                index * blocks + group as u64 * per_group as u64,
            );
            let (left, variance) = rate.drift.after(erases);
            let mut course = self.lookup.course(&rate.rests, 1.0);
            let elasticity = gain_elasticity(states, rate, self.lookup, erases);
            let mut advances = Vec::new();
            for (block, state) in (group * per_group..).zip(states) {
                if self.stays(block) {
                    if !cells.is_empty() {
                        advances.push(Advance {
                            events: 0.0,
                            noise: 0.0,
                        });
                    }
                    continue;
                }
                let draw = index * blocks + block as u64;
                let normal = |stream| normal(self.seed, stream, draw);
                let pool = (block - group * per_group) / per_pool;
                let away = f64::from(state.cycles()) - means[pool];
                // rounded up or down at random, so that the mean is right
                let share = (self.seed.draw("lifetime.rounding", draw) >> 11) as f64 / (1_u64 << 53) as f64;
                let drawn = (normal("lifetime.erases"), share);
                let deviation = drawn_deviation(
                    erases * self.rates.erases[block] - away * (1.0 - left),
                    variance,
                    drawn,
                );
                let of_pool = pools[pool];
                let events =
                    2.0 * (erases + of_pool + deviation) * (1.0 + elasticity * self.rates.rests[block]);
                let wear = course.advance(state.equivalent_events(), events.max(0.0));
                // without noise the spread between blocks would stop growing
                let noise = (rate.wear_variance * erases).sqrt() * normal("lifetime.wear");
                let deviation = if deviation == 0.0 {
                    0.0
                } else {
                    (deviation + share).floor()
                };
                let cycles = state
                    .cycles()
                    .saturating_add((whole + of_pool + deviation).max(0.0) as u32);
                if !cells.is_empty() {
                    advances.push(Advance {
                        events: events.max(0.0),
                        noise,
                    });
                }
                state.set(cycles, (wear + noise).max(state.equivalent_events()));
            }
            for cells in cells.iter_mut() {
                cells.advance(group * per_group, &advances, &rate.rests);
            }
        }
    }
}

/// By how many erases a block deviates, of a mean and a variance, by a normal number and a `share` that are drawn. Without a mean the deviation is whole, so that rounding adds nothing to
/// the variance: a step up or down, or a rounded normal number (whose rounding has a variance of a twelfth).
fn drawn_deviation(mean: f64, variance: f64, (normal, share): (f64, f64)) -> f64 {
    if mean != 0.0 {
        return mean + variance.sqrt() * normal;
    }
    if variance >= 1.0 {
        return ((variance - 1.0 / 12.0).sqrt() * normal).round();
    }
    let half = 0.5 * variance;
    f64::from(u8::from(share >= 1.0 - half)) - f64::from(u8::from(share < half))
}

/// Elasticity of the gain with the length of rests, at the wear after half of so many cycles, which is as many events.
fn gain_elasticity(states: &[WearState], rate: &GroupRate, lookup: &Lookup, erases: f64) -> f64 {
    let mean = states.iter().map(WearState::equivalent_events).sum::<f64>() / states.len() as f64;
    elasticity(
        &rate.rests,
        lookup,
        lookup.course(&rate.rests, 1.0).advance(mean, erases),
    )
}

/// Wear of one block after `length` nanoseconds, without random deviations.
pub(crate) fn worn(block: usize, state: &WearState, rates: &WearRates, lookup: &Lookup, length: f64) -> f64 {
    let rate = &rates.groups[block / rates.blocks_per_group];
    let erases = rate.erases * length;
    let elasticity = gain_elasticity(std::slice::from_ref(state), rate, lookup, erases);
    let events = 2.0 * erases * (1.0 + rates.erases[block]) * (1.0 + elasticity * rates.rests[block]);
    lookup
        .course(&rate.rests, 1.0)
        .advance(state.equivalent_events(), events.max(0.0))
}

/// Equivalent events that all blocks together gain in `length` nanoseconds.
pub(crate) fn predicted(states: &[WearState], rates: &WearRates, lookup: &Lookup, length: f64) -> f64 {
    let per_group = rates.blocks_per_group;
    let mut gain = 0.0;
    for (group, states) in states.chunks(per_group).enumerate() {
        let rate = &rates.groups[group];
        let mut course = lookup.course(&rate.rests, 1.0);
        let erases = rate.erases * length;
        let elasticity = gain_elasticity(states, rate, lookup, erases);
        for (block, state) in (group * per_group..).zip(states) {
            let events = 2.0 * erases * (1.0 + rates.erases[block]) * (1.0 + elasticity * rates.rests[block]);
            gain += course.advance(state.equivalent_events(), events.max(0.0)) - state.equivalent_events();
        }
    }
    gain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wordline_cell::fence::{CellKind, CellParams, RestAcceleration, RestHistogram, RetentionModel};

    use super::*;
    use crate::drift::Drift;

    const HOUR: f64 = 3600e9;

    fn lookup() -> Lookup {
        let model = RetentionModel::new(CellParams::nand_80nm(), CellKind::Mlc2, RestAcceleration::Off);
        Lookup::new(model.unwrap())
    }

    /// Two groups of four blocks, of 2 and 3 erases an hour, that differ for good and do not drift.
    fn rates() -> WearRates {
        let group = |erases: f64, rest: f64| GroupRate {
            rests: RestHistogram::from_shares(&[(rest, 0.5), (10.0 * rest, 0.5)]).unwrap(),
            erases: erases / HOUR,
            drift: Drift::default(),
            pool_variance: 0.0,
            blocks_per_pool: 4,
            wear_variance: 0.0,
        };
        WearRates {
            groups: vec![group(2.0, 100.0), group(3.0, 50.0)],
            blocks_per_group: 4,
            erases: vec![0.0; 8],
            rests: vec![0.0, 0.1, -0.1, 0.0, 0.0, 0.05, 0.0, -0.05],
            standard_error: 0.0,
        }
    }

    fn states() -> Vec<WearState> {
        (0..8)
            .map(|block| WearState::worn(100.0 + 10.0 * f64::from(block), 60 + block))
            .collect()
    }

    fn advanced(lengths: &[f64]) -> Vec<WearState> {
        let (rates, lookup, mut states) = (rates(), lookup(), states());
        let mut skip = Skip::new(&rates, &lookup, Seed(1));
        for (length, index) in lengths.iter().zip(0..) {
            skip.advance(&mut states, &mut [], *length, index);
        }
        states
    }

    #[test]
    fn a_skip_of_no_length_changes_nothing() {
        assert_eq!(advanced(&[0.0]), states());
    }

    #[test]
    fn two_half_skips_are_one() {
        let rates = WearRates {
            rests: vec![0.0; 8],
            ..rates()
        };
        let lookup = lookup();
        let (mut one, mut two) = (states(), states());
        Skip::new(&rates, &lookup, Seed(1)).advance(&mut one, &mut [], 40.0 * HOUR, 0);
        let mut skip = Skip::new(&rates, &lookup, Seed(1));
        for index in 0..2 {
            skip.advance(&mut two, &mut [], 20.0 * HOUR, index);
        }
        for (one, two) in one.iter().zip(&two) {
            assert_eq!(one.cycles(), two.cycles());
            assert!((one.equivalent_events() / two.equivalent_events() - 1.0).abs() < 1e-6);
        }
    }

    /// Rates without differences between blocks that are drawn, and blocks at a group's wear.
    fn any_skip() -> impl Strategy<Value = (WearRates, Vec<WearState>)> {
        let group = (0.1..20.0_f64, 1.5..1e5_f64);
        let block = (-0.2..0.2_f64, 50.0..5_000.0_f64, 30_u32..2_000);
        (
            proptest::collection::vec(group, 1..4),
            proptest::collection::vec(block, 12),
        )
            .prop_map(|(groups, blocks)| {
                let per_group = 4;
                let blocks = &blocks[..per_group * groups.len()];
                let groups = groups.iter().map(|(erases, rest)| GroupRate {
                    rests: RestHistogram::from_shares(&[(*rest, 0.5), (10.0 * rest, 0.5)]).unwrap(),
                    erases: erases / HOUR,
                    drift: Drift::default(),
                    pool_variance: 0.0,
                    blocks_per_pool: 4,
                    wear_variance: 0.0,
                });
                let rates = WearRates {
                    groups: groups.collect(),
                    blocks_per_group: per_group,
                    erases: vec![0.0; blocks.len()],
                    rests: blocks.iter().map(|(rest, ..)| *rest).collect(),
                    standard_error: 0.0,
                };
                let states = blocks
                    .iter()
                    .map(|(_, wear, cycles)| WearState::worn(*wear, *cycles));
                (rates, states.collect())
            })
    }

    fn skipped(rates: &WearRates, states: &[WearState], lengths: &[f64]) -> Vec<WearState> {
        let (lookup, mut states) = (lookup(), states.to_vec());
        let mut skip = Skip::new(rates, &lookup, Seed(1));
        for (length, index) in lengths.iter().zip(0..) {
            skip.advance(&mut states, &mut [], *length, index);
        }
        states
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        /// A skip of no length is none, and parts of a skip are the whole, where rates are constant (invariant 8).
        #[test]
        fn parts_of_a_skip_are_the_whole(
            (rates, states) in any_skip(),
            hours in 1.0..300.0_f64,
            cuts in proptest::collection::vec(0.05..1.0_f64, 1..4),
        ) {
            let rates = WearRates { rests: vec![0.0; states.len()], ..rates };
            for (none, state) in skipped(&rates, &states, &[0.0]).iter().zip(&states) {
                prop_assert_eq!(none.cycles(), state.cycles());
                prop_assert!((none.equivalent_events() / state.equivalent_events() - 1.0).abs() < 1e-12);
            }
            let all: f64 = cuts.iter().sum();
            let parts: Vec<f64> = cuts.iter().map(|cut| cut / all * hours * HOUR).collect();
            let (one, more) = (skipped(&rates, &states, &[hours * HOUR]), skipped(&rates, &states, &parts));
            for (one, more) in one.iter().zip(&more) {
                prop_assert!(one.cycles().abs_diff(more.cycles()) <= 1);
                prop_assert!((one.equivalent_events() / more.equivalent_events() - 1.0).abs() < 1e-6);
            }
        }

        /// The numbers of blocks in a pool mean nothing (invariant 10).
        #[test]
        fn blocks_in_another_order_wear_alike(
            (rates, states) in any_skip(),
            hours in 1.0..300.0_f64,
            order in Just([0, 1, 2, 3]).prop_shuffle(),
        ) {
            let from = |at: usize| at / 4 * 4 + order[at % 4];
            let other = WearRates {
                rests: (0..states.len()).map(|at| rates.rests[from(at)]).collect(),
                ..rates.clone()
            };
            let moved: Vec<WearState> = (0..states.len()).map(|at| states[from(at)]).collect();
            let (one, other) =
                (skipped(&rates, &states, &[hours * HOUR]), skipped(&other, &moved, &[hours * HOUR]));
            for (at, other) in other.iter().enumerate() {
                prop_assert_eq!(one[from(at)].cycles(), other.cycles());
                let (one, other) = (one[from(at)].equivalent_events(), other.equivalent_events());
                prop_assert!((one / other - 1.0).abs() < 1e-6, "{} {}", one, other);
            }
        }
    }

    #[test]
    fn erases_and_wear_follow_the_rates() {
        let (before, after) = (states(), advanced(&[40.0 * HOUR]));
        let erases: Vec<u32> = before
            .iter()
            .zip(&after)
            .map(|(old, new)| new.cycles() - old.cycles())
            .collect();
        assert_eq!(erases, [80, 80, 80, 80, 120, 120, 120, 120]);
        let gain = |block: usize| after[block].equivalent_events() - before[block].equivalent_events();
        // shorter rests wear more
        assert!(gain(1) > gain(0) && gain(2) < gain(0));
        let expected = predicted(&before, &rates(), &lookup(), 40.0 * HOUR);
        let found: f64 = (0..8).map(gain).sum();
        assert!((found / expected - 1.0).abs() < 1e-9);
    }

    #[test]
    fn whole_deviations_have_the_variance_that_is_asked_for() {
        for variance in [0.0, 0.1, 0.9, 1.0, 4.0] {
            let drawn = |at: u64| {
                let share = (Seed(3).draw("share", at) >> 11) as f64 / (1_u64 << 53) as f64;
                drawn_deviation(0.0, variance, (normal(Seed(3), "normal", at), share))
            };
            let squares = (0..20_000).map(|at| drawn(at) * drawn(at)).sum::<f64>() / 20_000.0;
            assert!(
                (squares - variance).abs() <= 0.04 * variance,
                "{variance}: {squares}"
            );
            assert!((0..100).all(|at| drawn(at).fract() == 0.0));
        }
        assert_eq!(drawn_deviation(1.5, 4.0, (0.5, 0.0)), 2.5);
    }

    #[test]
    fn blocks_deviate_and_are_restored_to_the_mean() {
        let drift = Drift::new(4.0, 0.0, 1e9, 1e3);
        assert_eq!(drift.after(100.0), (1.0, 400.0));
        // no faster than in their life
        assert_eq!(Drift::new(4.0, 0.0, 100.0, 1e3).after(100.0), (1.0, 10.0));
        let (left, brought) = Drift::new(4.0, 0.01, 200.0, 1e3).after(1e6);
        assert!(
            left < 1e-9 && (brought - 200.0).abs() < 1e-6,
            "the variance at rest is 4 / 0.02"
        );
    }
}
