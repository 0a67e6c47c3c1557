//! The invariants, section 13 of the specification.

use proptest::prelude::*;
use wordline_units::{Seed, SimTime};

use super::super::tunnelling::{current_density, thermal_factor};
use super::super::{
    CellKind, CellParams, Lookup, RETENTION_EV, Representative, RestAcceleration, RestHistogram,
    RetentionModel, Stress, Variation, WearState,
};
use super::{mlc, slc};
use crate::heat::arrhenius;

/// Wear or rest, evenly over the decades.
fn decades(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low..high).prop_map(|exponent| libm::pow(10.0, exponent))
}

/// One table for all cases.
fn table() -> &'static Lookup {
    static TABLE: std::sync::OnceLock<Lookup> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| Lookup::new(slc()))
}

proptest! {
    #[test]
    fn trapped_charge_rises_ever_slower(events in decades(0.0, 9.0), more in 1.01..3.0_f64) {
        let trapped = |events: f64| slc().vth_trapped(events).unwrap();
        prop_assert_eq!(trapped(0.0), 0.0);
        let (low, middle, high) = (trapped(events), trapped(events * more), trapped(events * (2.0 * more - 1.0)));
        prop_assert!(low < middle && middle < high);
        prop_assert!(middle - low > high - middle);
        let back = slc().equivalent_events_for(low).unwrap();
        prop_assert!((back / events - 1.0).abs() < 1e-10);
    }

    #[test]
    fn recovery_is_a_part_and_grows_with_rest(events in decades(0.0, 6.0), rest in decades(-1.0, 9.0), more in 1.0..100.0_f64) {
        let model = slc();
        let recovered = model.vth_recovered(events, rest).unwrap();
        prop_assert!(recovered >= 0.0 && recovered <= 0.6 * model.vth_trapped(events).unwrap());
        prop_assert!(model.vth_recovered(events, rest * more).unwrap() >= recovered);
        if rest <= 1.0 {
            prop_assert_eq!(recovered, 0.0);
            prop_assert_eq!(model.events_per_equivalent(events, rest).unwrap(), 1.0);
        }
    }

    #[test]
    fn what_is_undone_grows_with_rest_and_wear(events in decades(0.0, 6.0), rest in decades(0.0, 9.0), more in 1.0..10.0_f64) {
        let undone = |events: f64, rest: f64| slc().events_undone(events, rest).unwrap();
        let here = undone(events, rest);
        prop_assert!(here >= 0.0);
        prop_assert!(undone(events, rest * more) >= here * (1.0 - 1e-11));
        prop_assert!(undone(events * more, rest) >= here * (1.0 - 1e-11));
    }

    #[test]
    fn retention_falls_with_wear_and_rises_with_rest(
        events in decades(2.4, 6.0), rest in decades(-1.0, 7.0), more in 1.0..10.0_f64,
        celsius in -40.0..150.0_f64, heat in any::<bool>(),
    ) {
        let acceleration = if heat { RestAcceleration::On } else { RestAcceleration::Off };
        let [one, two] = [CellKind::Slc, CellKind::Mlc2]
            .map(|kind| RetentionModel::new(CellParams::default(), kind, acceleration).unwrap());
        let retention = one.retention(events, rest, celsius).unwrap();
        prop_assert!(retention >= 0.0 && retention.is_finite());
        prop_assert!(one.retention(events * more, rest, celsius).unwrap() <= retention * (1.0 + 1e-12));
        prop_assert!(one.retention(events, rest * more, celsius).unwrap() >= retention * (1.0 - 1e-12));
        prop_assert!(two.retention(events, rest, celsius).unwrap() <= retention);
    }

    #[test]
    fn temperature_is_the_arrhenius_factor(events in decades(0.0, 6.0), rest in decades(-1.0, 7.0), celsius in -40.0..150.0_f64) {
        let model = slc();
        let reference = model.retention(events, rest, 30.0).unwrap();
        let here = model.retention(events, rest, celsius).unwrap();
        let factor = 1.0 / arrhenius(RETENTION_EV, 30.0, celsius);
        prop_assert!((here - reference * factor).abs() <= 1e-12 * here);
        // at the reference temperature both modes are the same to the bit
        let heat = RetentionModel::new(CellParams::default(), CellKind::Slc, RestAcceleration::On).unwrap();
        prop_assert_eq!(heat.retention(events, rest, 30.0).unwrap(), reference);
    }

    #[test]
    fn any_partition_of_events_is_the_event_loop(rest in decades(0.0, 5.9), cut in 0.0..1.0_f64, events in 10_u32..20_000) {
        let rests = RestHistogram::from_shares(&[(rest, 1.0)]).unwrap();
        let mut course = table().course(&rests, 1.0);
        let whole = course.advance(0.0, f64::from(events));
        let first = course.advance(0.0, f64::from(events) * cut);
        let parts = course.advance(first, f64::from(events) * (1.0 - cut));
        prop_assert!((parts / whole - 1.0).abs() < 1e-6, "{parts} {whole}");
        let mut state = WearState::default();
        let step = (rest * 1e9) as u64;
        let looped = (1..=u64::from(events)).fold(0.0, |_, event| {
            let stress = if event % 2 == 1 { Stress::Program } else { Stress::Erase };
            let before = state.equivalent_events();
            state.apply(table(), stress, SimTime(event * step), 1.0).unwrap();
            let gain = state.equivalent_events() - before;
            assert!(gain > 0.0 && gain <= 1.0);
            state.equivalent_events()
        });
        // the first event of a state has no rest before it
        prop_assert!((looped - whole).abs() < 1e-3 * whole + 1.0, "{looped} {whole}");
        prop_assert_eq!(state.cycles(), events / 2);
    }

    #[test]
    fn a_distribution_lies_between_its_extremes(short in decades(0.0, 3.0), long in decades(3.0, 7.0), share in 0.01..0.99_f64, events in decades(1.0, 6.0)) {
        let wear = |shares: &[(f64, f64)]| {
            table().course(&RestHistogram::from_shares(shares).unwrap(), 1.0).advance(0.0, events)
        };
        let mixed = wear(&[(short, share), (long, 1.0 - share)]);
        prop_assert!(mixed <= wear(&[(short, 1.0)]) * (1.0 + 1e-6));
        prop_assert!(mixed >= wear(&[(long, 1.0)]) * (1.0 - 1e-6));
    }

    #[test]
    fn endurance_inverts_the_curve(years in 0.1..30.0_f64, rest in decades(-1.0, 5.0), more in 1.01..10.0_f64, celsius in 0.0..85.0_f64) {
        for model in [slc(), mlc()] {
            let seconds = years * super::super::YEAR;
            let Some(cycles) = model.cycles_to_retention(seconds, rest, celsius).unwrap() else {
                prop_assert!(model.retention(0.0, rest, celsius).unwrap() < seconds);
                continue;
            };
            let back = model.retention_curve(rest, celsius, &[cycles]).unwrap()[0];
            prop_assert!((back / seconds - 1.0).abs() < 1e-3, "{back} {seconds}");
            if let Some(stricter) = model.cycles_to_retention(seconds * more, rest, celsius).unwrap() {
                prop_assert!(stricter < cycles);
            }
            prop_assert!(model.cycles_to_retention(seconds, rest * more, celsius).unwrap().unwrap() >= cycles * (1.0 - 1e-9));
        }
    }

    #[test]
    fn stress_and_leak_rise(volts in 10.0..30.0_f64, more in 1.001..1.5_f64, events in decades(0.0, 8.0)) {
        let stress = |volts: f64| current_density(0.19, 0.42, 3.2, (volts * 0.6 - 1.0) / 7.5e-9, 303.15);
        prop_assert!(stress(volts * more) > stress(volts));
        let model = slc();
        let (factor, later) = (model.silc_factor(events).unwrap(), model.silc_factor(events * more).unwrap());
        prop_assert!(factor < later && later < model.leakage().saturated());
        prop_assert!(model.silc_current(events * more).unwrap() > model.silc_current(events).unwrap());
    }

    #[test]
    fn the_table_answers_whatever_it_is_asked(events in any::<f64>(), rest in any::<f64>()) {
        prop_assert!(table().events_per_equivalent(events, rest) >= 1.0);
        prop_assert!(table().retention(events, rest) >= 0.0);
        prop_assert!(table().vth_net(events, rest) >= 0.0);
    }

    #[test]
    fn rests_of_a_block_are_kept(erased in decades(0.1, 8.0), data in decades(0.1, 8.0)) {
        let mut state = WearState::default();
        let mut now = 0.0;
        for (stress, rest) in [(Stress::Erase, 0.0), (Stress::Program, erased), (Stress::Erase, data)] {
            now += rest;
            state.apply(table(), stress, SimTime((now * 1e9) as u64), 1.0).unwrap();
        }
        let mean = (erased * data).sqrt();
        prop_assert!((state.rest(Representative::LastCycle) / mean - 1.0).abs() < 4e-4);
        prop_assert!((state.rest(Representative::LastEvent) / data - 1.0).abs() < 4e-4);
        prop_assert!((state.rests().0 / erased - 1.0).abs() < 4e-4);
        let exact = table().model().unwrap().retention(state.equivalent_events(), mean, 30.0).unwrap();
        prop_assert!((table().retention_of(&state, Representative::LastCycle) / exact - 1.0).abs() < 1e-3);
    }
}

#[test]
fn the_thermal_correction_vanishes_in_the_cold() {
    assert_eq!(thermal_factor(0.0), 1.0);
    assert!((thermal_factor(1e-4) - 1.0).abs() < 1e-8);
}

#[test]
fn without_variation_cells_are_the_mean_one() {
    let none = Variation::default();
    let spread = Variation::new(0.05, 0.10, 0.01).unwrap();
    let mut draws = Vec::new();
    for block in 0..2000 {
        let draw = none.draw(Seed(1), block, CellKind::Mlc2);
        let same = mlc().varied(&draw).unwrap();
        assert_eq!(
            same.retention(1e4, 100.0, 30.0).unwrap(),
            mlc().retention(1e4, 100.0, 30.0).unwrap()
        );
        let draw = spread.draw(Seed(1), block, CellKind::Mlc2);
        assert_eq!(draw, spread.draw(Seed(1), block, CellKind::Mlc2));
        assert_ne!(draw, spread.draw(Seed(2), block, CellKind::Mlc2));
        draws.push([
            libm::log(draw.traps) / 0.05,
            libm::log(draw.leak) / 0.10,
            (draw.level_gap - 0.65) / 0.01,
        ]);
    }
    let count = draws.len() as f64;
    for kind in 0..3 {
        let mean = draws.iter().map(|draw| draw[kind]).sum::<f64>() / count;
        let variance = draws.iter().map(|draw| draw[kind] * draw[kind]).sum::<f64>() / count;
        // four standard errors
        assert!(
            mean.abs() < 0.09 && (variance - 1.0).abs() < 0.13,
            "{mean} {variance}"
        );
    }
    // a spread as wide as the gap still leaves a gap
    let wide = Variation::new(0.0, 0.0, 5.0).unwrap();
    assert!((0..1000).all(|block| wide.draw(Seed(3), block, CellKind::Mlc2).level_gap > 0.0));
}

#[test]
fn skipped_cycles_leave_open_rests_alone() {
    let mut state = WearState::worn(500.0, 250);
    state
        .apply(table(), Stress::Program, SimTime(7_000_000_000), 1.0)
        .unwrap();
    state.set(290, 560.0);
    assert_eq!(state.last_event(), Some(SimTime(7_000_000_000)));
    assert_eq!((state.cycles(), state.equivalent_events()), (290, 560.0));
    let rest = state
        .apply(table(), Stress::Erase, SimTime(12_000_000_000), 1.0)
        .unwrap();
    assert_eq!((rest, state.cycles()), (5.0, 291));
}
