//! Against values computed elsewhere with 50 digits: `reference.txt` says how.

use wordline_cell::{
    CellConfig, CellFile, Distribution, Disturbances, Erased, Family, LIBRARY, PowerLaw, Programmed,
    RberModel, ReadDisturb, Reading, References, Reliability, StepTable, Variation, VariationConfig,
    VthShift, Wanted, crossing, gauss,
};
use wordline_overlay::Source;
use wordline_units::Seed;

const VALUES: &str = include_str!("reference.txt");
/// Of closed forms: some roundings of a tail far out.
const CLOSED: f64 = 1e-12;

/// The rows of a kind, split into words.
fn rows(kind: &str) -> Vec<Vec<&'static str>> {
    let found: Vec<Vec<&str>> = VALUES
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').collect::<Vec<_>>())
        .filter(|words| words[0] == kind)
        .map(|words| words[1..].to_vec())
        .collect();
    assert!(!found.is_empty(), "{kind}");
    found
}

fn numbers<const N: usize>(words: &[&str]) -> [f64; N] {
    assert_eq!(words.len(), N, "{words:?}");
    std::array::from_fn(|index| words[index].parse().unwrap())
}

fn close(found: f64, expected: f64, tolerance: f64, row: &[&str]) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs(),
        "{row:?}: {found:e} is not {expected:e} within {tolerance:e}"
    );
}

fn family(bits: u32, sigma_erased: f64, references: References, reading: Reading) -> Family {
    Family {
        bits,
        erased: Erased::new(sigma_erased).unwrap(),
        references,
        reading,
    }
}

fn reading(name: &str) -> Reading {
    Reading::ALL
        .into_iter()
        .find(|reading| reading.name() == name)
        .unwrap()
}

#[test]
fn densities_tails_and_quantiles() {
    for row in rows("tail") {
        let [step, sigma, distance, tail] = numbers(&row);
        close(
            Programmed::new(step, sigma).unwrap().tail(distance),
            tail,
            CLOSED,
            &row,
        );
    }
    for row in rows("density") {
        let [step, sigma, offset, density] = numbers(&row);
        close(
            Programmed::new(step, sigma).unwrap().density(offset),
            density,
            CLOSED,
            &row,
        );
    }
    for row in rows("quantile") {
        let [probability, z] = numbers(&row);
        assert!(
            (gauss::quantile(probability) - z).abs() <= 1e-13 * z.abs().max(1.0),
            "{row:?}"
        );
    }
}

#[test]
fn pages() {
    for row in rows("page") {
        let [bits, step, sigma, sigma_erased] = numbers(&row[..4]);
        let [page, near, exact] = numbers(&row[5..]);
        let references = match row[4] {
            "midpoint" => References::Midpoint,
            list => References::At(list.split(',').map(|at| at.parse().unwrap()).collect()),
        };
        let cell = family(bits as u32, sigma_erased, references, Reading::Symbol)
            .cell(step, sigma)
            .unwrap();
        close(cell.rates().pages()[page as usize], near, CLOSED, &row);
        close(cell.exact_rates()[page as usize], exact, CLOSED, &row);
    }
    for row in rows("optimal") {
        let [step, sigma, sigma_erased, place] = numbers(&row);
        let found = crossing(
            &Erased::new(sigma_erased).unwrap(),
            &Programmed::new(step, sigma).unwrap(),
            1.0,
        );
        assert!((found.unwrap() - place).abs() < 1e-12, "{row:?}");
    }
}

#[test]
fn equations() {
    for row in rows("sigma") {
        let [step, rate, sigma] = numbers(&row[1..]);
        let found = family(2, 0.1, References::Midpoint, reading(row[0])).sigma_for_rber(step, rate);
        assert!((found.unwrap() - sigma).abs() < 2e-12, "{row:?}");
    }
    for row in rows("step") {
        let [sigma, rate, step] = numbers(&row[1..]);
        let found = family(2, 0.1, References::Midpoint, reading(row[0])).step_for_rber(sigma, rate);
        assert!((found.unwrap() - step).abs() < 2e-12, "{row:?}");
    }
    for row in rows("at_step") {
        let [rate, reference, step, average, lower, upper] = numbers(&row);
        let family = family(2, 0.1, References::Midpoint, Reading::PageAverage);
        close(
            family.at_step(rate, reference, step).unwrap(),
            average,
            1e-9,
            &row,
        );
        for (wanted, expected) in [
            (Wanted::Reading(Reading::PageAverage), average),
            (Wanted::Page(0), lower),
            (Wanted::Page(1), upper),
        ] {
            let table = StepTable::new(&family, reference, step, wanted).unwrap();
            close(table.rber(rate), expected, 1e-6, &row);
        }
    }
}

#[test]
fn wear_age_and_reads() {
    let law = PowerLaw {
        epsilon: 1e-6,
        alpha: 6.666_667e-7,
        k: 1.25,
        beta: 5.175_207e-7,
        m: 1.1,
        n: 0.65,
        early: None,
        program_disturb: None,
        read_disturb: Some(ReadDisturb {
            gamma: 3e-12,
            g: 0.9,
            h: 1.2,
        }),
    };
    for row in rows("power") {
        let [cycles, days, reads, rate] = numbers(&row);
        let disturbed = Disturbances::by_reads(reads as u64);
        close(law.rber(cycles, days, disturbed), rate, CLOSED, &row);
    }
}

#[test]
fn laws_of_blocks() {
    let law = |name: &str| {
        let distribution = match name {
            "lognormal" => Distribution::Lognormal,
            _ => Distribution::TruncatedNormal,
        };
        Variation::new(&VariationConfig {
            distribution,
            ..VariationConfig::default()
        })
        .unwrap()
    };
    for row in rows("law") {
        let [share, factor] = numbers(&row[1..]);
        close(law(row[0]).quantile(share).unwrap(), factor, CLOSED, &row);
        assert!((law(row[0]).share_below(factor) - share).abs() < 1e-12, "{row:?}");
    }
    for row in rows("moments") {
        let [mean, deviation] = numbers(&row[1..]);
        let (found_mean, found_deviation) = law(row[0]).moments();
        close(found_mean, mean, CLOSED, &row);
        // a difference of two moments
        close(found_deviation, deviation, 1e-11, &row);
    }
}

#[test]
fn voltages_that_shift() {
    let file = CellFile::load(Source::Named(LIBRARY.built_in[2].name), &[]).unwrap();
    let CellConfig { vth, rber, .. } = &file.cell;
    assert_eq!(rber.model, RberModel::VthShift);
    let model = VthShift::new(
        rber.vth_shift,
        2,
        Erased::new(vth.sigma_erased).unwrap(),
        Programmed::new(vth.step, vth.sigma_programmed.unwrap()).unwrap(),
        vth.gap,
        &vth.references,
    )
    .unwrap();
    let whole = Reliability::new(&file.cell, Seed(1)).unwrap();
    for row in rows("shift") {
        let [cycles, days, lower, upper] = numbers(&row);
        // the reference is found to 1e-12 of the voltage
        close(model.rates(cycles, days).pages()[0], lower, CLOSED, &row);
        close(model.rates(cycles, days).pages()[1], upper, 1e-11, &row);
        close(
            whole.nominal(cycles, days, Disturbances::NONE),
            0.5 * (lower + upper),
            1e-11,
            &row,
        );
    }
}
