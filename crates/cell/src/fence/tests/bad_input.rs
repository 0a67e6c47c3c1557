//! What is refused, section 14 of the specification.

use wordline_units::SimTime;

use super::super::{
    Barrier, CellKind, CellParams, Lookup, ParamError, RestAcceleration, RestHistogram, RetentionModel,
    Stress, Variation, WearState,
};
use super::slc;

fn refused(field: &str, value: f64) {
    let mut params = CellParams::default();
    params.set(field, value).unwrap();
    let error = RetentionModel::new(params, CellKind::Slc, RestAcceleration::Off).unwrap_err();
    assert_eq!(error.field, field, "{error}");
    assert!(error.accepted.contains("accepted"), "{error}");
}

#[test]
fn constants_outside_their_range() {
    for (field, value) in [
        ("oxide", 0.0),
        ("oxide", 1e-12),
        ("feature", 1.0),
        ("permittivity", 0.5),
        ("flat_band", f64::NAN),
        ("barrier_height", 1e6),
        ("silicon_mass", 0.0),
        ("injected", f64::INFINITY),
        ("program_voltage", 1e4),
        ("trap_a", 1e9),
        ("oxide", 13e-9),
        ("gcr", 0.0),
        ("gcr", 1.0),
        ("recoverable", 1.0),
        ("recoverable", -0.1),
        ("kappa", 0.0),
        ("silc_alpha", 0.0),
        ("silc_beta", 1.0),
        ("program_voltage", 1.6),
        // x of the thermal correction
        ("program_voltage", 5.0),
        ("new_events", 0.5),
        ("trap_b", -1.0),
        ("detrapping", f64::NAN),
        ("permittivity", f64::INFINITY),
        ("events_per_cycle", 0.0),
        ("silc_c", 5e-324),
    ] {
        refused(field, value);
    }
    let mut params = CellParams::default();
    let error = params.set("oxyde", 7e-9).unwrap_err();
    assert!(error.accepted.contains("did you mean `oxide`"), "{error}");
    params.set("oxide", 15e-9).unwrap();
    params.set("program_voltage", 25.0).unwrap();
    params.allow_thick_oxide = true;
    assert!(RetentionModel::new(params, CellKind::Slc, RestAcceleration::Off).is_ok());
    for level_gap in [0.0, -1.0, 10.1, f64::NAN] {
        let kind = CellKind::Custom { level_gap };
        assert!(RetentionModel::new(CellParams::default(), kind, RestAcceleration::Off).is_err());
    }
}

#[test]
fn barriers() {
    for knots in [
        vec![],
        vec![(100.0, 1.2)],
        vec![(100.0, 0.7)],
        vec![(-1.0, 1.0)],
        vec![(100.0, 1.0), (100.0, 0.9)],
        vec![(100.0, 1.0), (200.0, 1.05)],
        vec![(f64::NAN, 1.0)],
    ] {
        assert_eq!(Barrier::new(knots).unwrap_err().field, "barrier_knots");
    }
    let flat = Barrier::new(vec![(100.0, 0.9)]).unwrap();
    assert_eq!((flat.height(0.0), flat.height(1e9)), (0.9, 0.9));
}

#[test]
fn arguments() {
    let model = slc();
    let field = |found: Result<f64, ParamError>| found.unwrap_err().field;
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert_eq!(field(model.vth_trapped(bad)), "events");
        assert_eq!(field(model.silc_current(bad)), "events");
        assert_eq!(field(model.equivalent_events_for(bad)), "vth");
        assert_eq!(field(model.vth_recovered(1.0, bad)), "rest");
        assert_eq!(field(model.retention(1.0, bad, 30.0)), "rest");
        assert_eq!(
            model.retention_curve(1.0, 30.0, &[1.0, bad]).unwrap_err().field,
            "cycles"
        );
    }
    for celsius in [-40.1, 150.1, -300.0, f64::NAN] {
        assert_eq!(field(model.retention(1.0, 1.0, celsius)), "temperature");
    }
    for threshold in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(
            model.cycles_to_retention(threshold, 1.0, 30.0).unwrap_err().field,
            "threshold"
        );
    }
    assert_eq!(Variation::new(-0.1, 0.0, 0.0).unwrap_err().field, "sigma_traps");
}

#[test]
fn rests() {
    for (shares, field) in [
        (vec![(1.0, 0.5), (2.0, 0.4)], "shares"),
        (vec![(1.0, 1.5), (2.0, -0.5)], "share"),
        (vec![(-1.0, 1.0)], "rest"),
        (vec![], "shares"),
    ] {
        assert_eq!(RestHistogram::from_shares(&shares).unwrap_err().field, field);
    }
}

#[test]
fn time_that_runs_back() {
    let lookup = Lookup::new(slc());
    let mut state = WearState::default();
    state
        .apply(&lookup, Stress::Program, SimTime(2_000), 1.0)
        .unwrap();
    let before = state;
    let error = state
        .apply(&lookup, Stress::Erase, SimTime(1_999), 1.0)
        .unwrap_err();
    assert_eq!((error.event, error.last), (SimTime(1_999), SimTime(2_000)));
    assert_eq!(state, before);
    // at the same time is not back
    state.apply(&lookup, Stress::Erase, SimTime(2_000), 1.0).unwrap();
}
