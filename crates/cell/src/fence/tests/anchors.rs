//! The calibration anchors, section 7 of the specification.

use super::super::constants::YEAR;
use super::super::{CellKind, DETRAPPING_EV, RETENTION_EV};
use super::{close, mlc, slc};

fn years(model: &super::RetentionModel, cycles: f64, rest: f64, celsius: f64) -> f64 {
    model.retention_curve(rest, celsius, &[cycles]).unwrap()[0] / YEAR
}

fn cycles_at(model: &super::RetentionModel, years: f64, rest: f64) -> f64 {
    model
        .cycles_to_retention(years * YEAR, rest, 30.0)
        .unwrap()
        .unwrap()
}

/// Cycles without rest at which all charge is lost.
fn exhausted(model: &super::RetentionModel) -> f64 {
    model.equivalent_events_for(model.kind().level_gap()).unwrap() / 2.0
}

#[test]
fn t1_a_new_slc_keeps_data_65_years() {
    close(years(&slc(), 0.0, 0.0, 30.0), 65.6, 1e-3);
    assert_eq!(years(&slc(), 0.0, 0.0, 30.0), years(&slc(), 100.0, 0.0, 30.0));
}

#[test]
fn t2_it_falls_to_20_years_in_hundreds_of_cycles() {
    let cycles = cycles_at(&slc(), 20.0, 0.0);
    assert!((300.0..=1000.0).contains(&cycles), "{cycles}");
    close(cycles, 677.0, 2e-3);
}

#[test]
fn t3_and_t4_without_rest_charge_is_exhausted_where_data_sheets_say() {
    close(exhausted(&slc()), 107_464.0, 1e-4);
    close(exhausted(&mlc()), 10_632.0, 1e-4);
    assert!((85e3..=125e3).contains(&exhausted(&slc())) && (8e3..=12.5e3).contains(&exhausted(&mlc())));
    for model in [slc(), mlc()] {
        let cycles = exhausted(&model);
        assert!(years(&model, cycles * 0.999, 0.0, 30.0) > 0.0);
        assert_eq!(years(&model, cycles * 1.001, 0.0, 30.0), 0.0);
    }
}

#[test]
fn t5_endurance_grows_with_rest() {
    let model = slc();
    for (rest, cycles) in [
        (0.0, 3041.0),
        (10.0, 3722.0),
        (100.0, 15_891.0),
        (1e3, 61_885.0),
        (1e4, 150_561.0),
        (1e5, 289_575.0),
    ] {
        close(cycles_at(&model, 10.0, rest), cycles, 2e-3);
    }
    for years in [1.0, 2.0, 5.0, 10.0, 20.0] {
        let found: Vec<f64> = [0.0, 10.0, 100.0, 1e3, 1e4, 1e5]
            .map(|rest| cycles_at(&model, years, rest))
            .to_vec();
        assert!(found.is_sorted_by(|a, b| a < b), "{found:?}");
        assert!(
            found[2] >= 3.0 * found[1] && found[3] >= 3.0 * found[2],
            "{found:?}"
        );
    }
}

#[test]
fn t6_relaxed_retention_multiplies_cycles() {
    for rest in [0.0, 10.0, 100.0, 1e3, 1e4, 1e5] {
        let ratio = cycles_at(&slc(), 5.0, rest) / cycles_at(&slc(), 10.0, rest);
        assert!((3.0..4.75).contains(&ratio), "{rest}: {ratio}");
    }
}

#[test]
fn t7_the_slope_changes_at_the_knots() {
    let model = slc();
    let slope = |events: f64, factor: f64| {
        let (here, there) = (
            model.silc_current(events).unwrap(),
            model.silc_current(events * factor).unwrap(),
        );
        libm::log(there / here) / libm::log(factor)
    };
    for knot in [1e3, 1e5] {
        let (before, after) = (slope(knot, 0.99), slope(knot, 1.01));
        assert!(before > after + 0.1, "{knot}: {before} {after}");
    }
}

#[test]
fn t8_and_t9_stated_values() {
    close(
        CellKind::Slc.level_gap() / CellKind::Mlc2.level_gap(),
        2.6,
        0.05 / 2.6,
    );
    assert_eq!((RETENTION_EV, DETRAPPING_EV), (0.3, 1.1));
}

#[test]
fn t10_heat_shortens_retention() {
    for cycles in [100.0, 1e3, 1e4, 5e4] {
        let found: Vec<f64> = [30.0, 35.0, 40.0, 45.0, 50.0, 55.0]
            .map(|celsius| years(&slc(), cycles, 100.0, celsius))
            .to_vec();
        assert!(found.is_sorted_by(|a, b| a > b), "{found:?}");
    }
}
