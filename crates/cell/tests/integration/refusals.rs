//! Bad input is refused with key, value found and what is accepted: section 12 of the specification.

use wordline_cell::{
    CellConfig, CellError, CellFile, Disturbances, Erased, Family, LIBRARY, PageState, Reading, References,
    Reliability, age_hook,
};
use wordline_overlay::Source;
use wordline_units::{Seed, Temperature};

fn load(name: &str, overrides: &[(&str, &str)]) -> Result<CellFile, String> {
    let overrides: Vec<(String, String)> = overrides
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    CellFile::load(Source::Named(name), &overrides).map_err(|error| error.to_string())
}

#[test]
fn programs_beyond_those_of_a_block() {
    let disturb = "{ inhibited = 0.0, adjacent = 0.0, pass = 0.0, g = 1.0, h = 1.0 }";
    for key in [
        "block.inhibited_programs",
        "block.adjacent_programs",
        "block.pass_programs",
    ] {
        let with = |value| {
            load(
                "mlc_late_life",
                &[("cell.rber.program_disturb", disturb), (key, value)],
            )
        };
        assert!(with("262144").is_ok());
        let error = with("262145").unwrap_err();
        assert!(error.contains(key) && error.contains("0 to 262144"), "{error}");
    }
}

#[test]
fn values_and_combinations() {
    for (name, key, value, words) in [
        ("mlc_late_life", "cell.bits_per_cell", "0", "1 to 5"),
        ("mlc_late_life", "cell.bits_per_cell", "6", "1 to 5"),
        ("mlc_late_life", "cell.bits_per_cell", "-2", "whole number"),
        ("mlc_late_life", "cell.ber_reading", "best_page", "worst_page"),
        ("mlc_late_life", "cell.design_age", "7", "7"),
        ("mlc_late_life", "cell.vth.step", "-0.1", "from 0 up to"),
        ("mlc_late_life", "cell.vth.step", "2.0", "from 0 up to"),
        (
            "mlc_wu2013",
            "cell.vth.step",
            "0.0",
            "cell.vth.step = 0: accepted are numbers above 0",
        ),
        ("mlc_late_life", "cell.vth.step", "nan", "from 0 up to"),
        ("mlc_late_life", "cell.vth.stepp", "0.3", "did you mean `step`"),
        ("mlc_late_life", "cell.vth.sigma_erased", "0.0", "above 0"),
        ("mlc_late_life", "cell.vth.sigma_erased", "inf", "above 0"),
        ("mlc_wu2013", "cell.vth.sigma_programmed", "0.0", "above 0"),
        (
            "mlc_late_life",
            "cell.vth.sigma_programmed",
            "0.1",
            "follows from the error rate",
        ),
        ("mlc_late_life", "cell.vth.sigma_erased", "11.0", "up to 10"),
        ("mlc_late_life", "cell.design_age", "501 y", "up to 500 years"),
        ("mlc_late_life", "cell.program.t_prog", "1.1 s", "up to 1 s"),
        ("mlc_late_life", "block.cycles", "100000001", "0 to 100000000"),
        (
            "mlc_late_life",
            "block.reads",
            "1000000000001",
            "0 to 1000000000000",
        ),
        ("mlc_wu2013", "cell.vth.sigma_programmed", "nan", "above 0"),
        ("mlc_late_life", "cell.vth.gap", "0 V", "above 0 V"),
        ("mlc_late_life", "cell.vth.gap", "11 V", "up to 10 V"),
        ("mlc_late_life", "cell.vth.references", "best", "midpoint"),
        ("mlc_late_life", "cell.vth.references", "[0.5, 1.5]", "3 numbers"),
        (
            "mlc_late_life",
            "cell.vth.references",
            "[0.5, 1.5, 1.5]",
            "strictly increasing",
        ),
        (
            "mlc_late_life",
            "cell.vth.references",
            "[0.0, 1.5, 2.5]",
            "between 0 and 3",
        ),
        (
            "mlc_late_life",
            "cell.vth.references",
            "[0.5, 1.5, 3.0]",
            "between 0 and 3",
        ),
        (
            "mlc_late_life",
            "cell.vth.references",
            "[0.5, nan, 2.5]",
            "strictly increasing",
        ),
        ("mlc_late_life", "cell.rber.model", "guess", "power_law"),
        ("mlc_late_life", "cell.rber.epsilon", "0.6", "0 to 0.5"),
        ("mlc_late_life", "cell.rber.alpha", "-1e-9", "0 to 1"),
        ("mlc_late_life", "cell.rber.beta", "nan", "0 to 1"),
        ("mlc_late_life", "cell.rber.k", "-1.0", "0 to 8"),
        ("mlc_late_life", "cell.rber.redone_phase", "-0.1", "0 to 10"),
        ("mlc_late_life", "cell.rber.redone_phase", "inf", "0 to 10"),
        ("mlc_late_life", "cell.rber.n", "9.0", "0 to 8"),
        ("mlc_late_life", "cell.rber.rate", "0.001", "fixed"),
        ("mlc_late_life", "cell.rber.vth_shift.k_mean", "1e-4", "vth_shift"),
        (
            "mlc_late_life",
            "cell.rber.early_loss",
            "{ beta = 1e-9, m = 1.0, tau = \"4 h\" }",
            "required",
        ),
        (
            "mlc_late_life",
            "cell.rber.early_loss",
            "{ beta = -1e-9, m = 1.0, tau = \"4 h\", stretch = 0.5 }",
            "cell.rber.early_loss.beta",
        ),
        (
            "mlc_late_life",
            "cell.rber.early_loss",
            "{ beta = 1e-9, m = 9.0, tau = \"4 h\", stretch = 0.5 }",
            "cell.rber.early_loss.m",
        ),
        (
            "mlc_late_life",
            "cell.rber.early_loss",
            "{ beta = 1e-9, m = 1.0, tau = \"0 s\", stretch = 0.5 }",
            "cell.rber.early_loss.tau",
        ),
        (
            "mlc_late_life",
            "cell.rber.early_loss",
            "{ beta = 1e-9, m = 1.0, tau = \"4 h\", stretch = 0.0 }",
            "cell.rber.early_loss.stretch",
        ),
        (
            "mlc_late_life",
            "cell.rber.read_disturb",
            "{ gamma = 1e-9, g = 1.0 }",
            "required",
        ),
        (
            "mlc_late_life",
            "cell.rber.read_disturb",
            "{ gamma = -1e-9, g = 1.0, h = 1.0 }",
            "gamma",
        ),
        (
            "mlc_late_life",
            "cell.rber.program_disturb",
            "{ inhibited = 1e-9, adjacent = 1e-9, pass = 1e-9, g = 1.0 }",
            "required",
        ),
        (
            "mlc_late_life",
            "cell.rber.program_disturb",
            "{ inhibited = -1e-9, adjacent = 0.0, pass = 0.0, g = 1.0, h = 1.0 }",
            "cell.rber.program_disturb.inhibited",
        ),
        (
            "mlc_late_life",
            "cell.rber.program_disturb",
            "{ inhibited = 0.0, adjacent = 1.5, pass = 0.0, g = 1.0, h = 1.0 }",
            "cell.rber.program_disturb.adjacent",
        ),
        (
            "mlc_late_life",
            "cell.rber.program_disturb",
            "{ inhibited = 0.0, adjacent = 0.0, pass = nan, g = 1.0, h = 1.0 }",
            "cell.rber.program_disturb.pass",
        ),
        (
            "mlc_late_life",
            "cell.rber.program_disturb",
            "{ inhibited = 0.0, adjacent = 0.0, pass = 0.0, g = 9.0, h = 1.0 }",
            "cell.rber.program_disturb.g",
        ),
        (
            "mlc_late_life",
            "cell.rber.program_disturb",
            "{ inhibited = 0.0, adjacent = 0.0, pass = 0.0, g = 1.0, h = 0.0 }",
            "powers above 0 up to 8",
        ),
        (
            "mlc_late_life",
            "cell.rber.program_disturb",
            "{ inhibited = 0.0, adjacent = 0.0, pass = 0.0, g = 1.0, h = 1.0, strings = 0 }",
            "1 to 64",
        ),
        (
            "mlc_late_life",
            "cell.rber.program_disturb",
            "{ inhibited = 0.0, adjacent = 0.0, pass = 0.0, g = 1.0, h = 1.0, strings = 65 }",
            "cell.rber.program_disturb.strings",
        ),
        (
            "mlc_late_life",
            "block.inhibited_programs",
            "5",
            "cell.rber.program_disturb",
        ),
        (
            "mlc_late_life",
            "block.adjacent_programs",
            "5",
            "cell.rber.program_disturb",
        ),
        (
            "mlc_late_life",
            "block.pass_programs",
            "5",
            "cell.rber.program_disturb",
        ),
        (
            "mlc_vth_shift",
            "cell.rber.program_disturb",
            "{ inhibited = 0.0, adjacent = 0.0, pass = 0.0, g = 1.0, h = 1.0 }",
            "power_law",
        ),
        (
            "mlc_late_life",
            "cell.process_variation.distribution",
            "uniform",
            "lognormal",
        ),
        ("mlc_late_life", "cell.process_variation.mean", "0.0", "above 0"),
        ("mlc_late_life", "cell.process_variation.sd", "-1e-5", "from 0"),
        (
            "mlc_late_life",
            "cell.process_variation.bound_sd",
            "0.0",
            "below mean / sd",
        ),
        (
            "mlc_late_life",
            "cell.process_variation.bound_sd",
            "4.2",
            "below mean / sd",
        ),
        ("mlc_late_life", "cell.program.t_prog", "0 us", "above 0"),
        ("mlc_late_life", "cell.program.step", "0.0", "above 0"),
        ("mlc_late_life", "cell.program.pulses", "0", "1 to 10000"),
        ("mlc_late_life", "block.cycles", "-1", "whole number"),
        ("mlc_late_life", "block.wear", "1", "cycles"),
        ("mlc_wu2013", "cell.rber.alpha", "1e-7", "power_law"),
        ("mlc_wu2013", "cell.rber.rate", "0.7", "from 0 to 0.5"),
        ("mlc_wu2013", "cell.process_variation.bound_sd", "2.0", "alike"),
        ("mlc_vth_shift", "cell.rber.vth_shift.k_mean", "-1.0", "0 to 8"),
        ("mlc_vth_shift", "cell.rber.vth_shift.t_0", "0 h", "above 0"),
        (
            "mlc_vth_shift",
            "cell.rber.vth_shift.first_verify",
            "1.3 V",
            "above cell.rber.vth_shift.v_erased",
        ),
        (
            "mlc_vth_shift",
            "cell.rber.vth_shift.first_verify",
            "1.41 V",
            "do not cross",
        ),
    ] {
        let said = load(name, &[(key, value)]).unwrap_err();
        let section = key.rsplit_once('.').map_or(key, |(section, _)| section);
        assert!(said.contains(words), "{key} = {value}: {said}");
        if words != "do not cross" {
            assert!(
                said.contains(section) && said.contains("override"),
                "{key} = {value}: {said}"
            );
        }
    }
    assert!(load("mlc_late_lfe", &[]).unwrap_err().contains("mlc_late_life"));
}

/// A preset's own keys may lose their effect by an override; a user's may not.
#[test]
fn keys_of_a_preset_may_idle() {
    let fixed = [("cell.rber.model", "fixed"), ("cell.rber.rate", "1e-3")];
    let file = load("mlc_late_life", &fixed).unwrap();
    // what is written can be read again
    let text = file.to_toml().unwrap();
    assert!(!text.contains("alpha"), "{text}");
    assert_eq!(
        CellFile::load(Source::Text(&text), &[]).unwrap().cell.rber.rate,
        Some(1e-3)
    );
    let text = "base = 'mlc_late_life'\n[cell.rber]\nmodel = 'fixed'\nrate = 1e-3\nalpha = 1e-9\n";
    let said = CellFile::load(Source::Text(text), &[]).unwrap_err().to_string();
    assert!(said.starts_with("text, line 5: cell.rber.alpha"), "{said}");
}

#[test]
fn presets_load_and_write_themselves() {
    for preset in LIBRARY.built_in {
        let file = load(preset.name, &[]).unwrap();
        let text = file.to_toml().unwrap();
        let again = CellFile::load(Source::Text(&text), &[]).unwrap();
        assert_eq!(again.to_toml().unwrap(), text, "{}", preset.name);
        assert!(!preset.title().is_empty());
    }
    // the defaults are those of the first preset, but for the step and the time of a program
    let mut default = CellConfig::default();
    default.vth.step = 0.3163;
    default.program.t_prog = Some("600 us".parse().unwrap());
    assert_eq!(load("mlc_late_life", &[]).unwrap().cell, default);
}

#[test]
fn ages_and_temperatures() {
    let twice = |days: f64, temperature: Temperature| days * temperature.0 / 300.0;
    assert_eq!(age_hook(&twice, 2.0, Temperature(600.0)), Ok(4.0));
    for (days, kelvin) in [
        (2.0, 0.0),
        (2.0, -3.0),
        (2.0, f64::NAN),
        (-1.0, 300.0),
        (f64::INFINITY, 300.0),
    ] {
        assert!(matches!(
            age_hook(&twice, days, Temperature(kelvin)),
            Err(CellError::Refused { .. })
        ));
    }
    let negative = |_: f64, _: Temperature| -1.0;
    assert!(age_hook(&negative, 2.0, Temperature(300.0)).is_err());

    let model = || Reliability::new(&CellConfig::default(), Seed(1)).unwrap();
    assert!(model().with_age_hook(twice, Temperature(0.0)).is_err());
    let hot = model().with_age_hook(twice, Temperature(600.0)).unwrap();
    assert_eq!(
        hot.nominal(3000.0, 1.0, Disturbances::NONE),
        model().nominal(3000.0, 2.0, Disturbances::NONE)
    );
}

#[test]
fn arguments() {
    let family: Family = CellConfig::default().family().unwrap();
    for target in [-1e-3, 1.5, f64::NAN] {
        assert!(matches!(
            family.sigma_for_rber(0.4, target),
            Err(CellError::Refused { .. })
        ));
        assert!(matches!(
            family.step_for_rber(0.1, target),
            Err(CellError::Refused { .. })
        ));
    }
    assert!(family.at_step(1e-3, 0.4, 2.0).is_err());
    let model = Reliability::new(&CellConfig::default(), Seed(1)).unwrap();
    for quantiles in [&[0.5, 0.5][..], &[0.5, 0.25], &[0.0], &[1.0], &[f64::NAN]] {
        assert!(model.classes(3000, quantiles).is_err(), "{quantiles:?}");
    }
    // a block without errors needs no class, one without data has none
    assert!(model.classes(0, &[0.5]).is_err());
    assert!(model.classes(1_000_000, &[0.5]).is_err());
    assert!(model.variation().quantile(1.1).is_err());
    assert!(model.ispp().slowdown(0.0).is_err());
    let page = PageState {
        factor: 1.0,
        cycles: 1,
        age_days: 1.0,
        disturbed: Disturbances::NONE,
        redone: 0,
        step: 1,
        page: 0,
    };
    assert!(model.exact(&page).is_err());
    assert!(
        model
            .exact(&PageState {
                step: 0,
                age_days: -1.0,
                ..page
            })
            .is_err()
    );
    assert!(
        Reliability::new(&CellConfig::default(), Seed(1))
            .unwrap()
            .with_steps(&[0.3; 256])
            .is_err()
    );
    // a family that cannot have optimal references says so, in any equation
    let crossed = Family {
        erased: Erased::new(1.0).unwrap(),
        references: References::Optimal,
        reading: Reading::Symbol,
        ..family
    };
    assert!(matches!(
        crossed.rber(0.4, 10.0),
        Err(CellError::NoCrossing { .. })
    ));
}
