//! What must hold of every cell: section 11 of the specification.

use proptest::prelude::*;
use wordline_cell::{
    CellConfig, CellError, CellFile, Distribution, Disturbances, Erased, Family, LaterPrograms, PageState,
    ProgramDisturb, Programmed, ReadDisturb, Reading, References, Reliability, StepTable, Variation,
    VariationConfig, Wanted, label, page_of_boundary,
};
use wordline_overlay::Source;
use wordline_units::Seed;

fn family(bits: u32, reading: Reading, references: References) -> Family {
    Family {
        bits,
        erased: Erased::new(0.1).unwrap(),
        references,
        reading,
    }
}

fn any_reading() -> impl Strategy<Value = Reading> {
    prop::sample::select(&Reading::ALL[..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Half the cells lie on either side of the centre, and tails fall without a jump.
    #[test]
    fn tails_fall(step in 0.0..1.99_f64, sigma in 1e-3..1.0_f64, place in 0.0..3.0_f64) {
        let state = Programmed::new(step, sigma).unwrap();
        prop_assert!((state.tail(0.0) - 0.5).abs() <= 4.0 * f64::EPSILON * 0.5);
        prop_assert!((state.tail(-place) + state.tail(place) - 1.0).abs() < 1e-15);
        prop_assert_eq!(state.density(place), state.density(-place));
        prop_assert!(state.tail(place) >= state.tail(place + 0.01));
        let edge = 0.5 * step;
        let jump = state.tail(edge * (1.0 - 1e-15)) - state.tail(edge * (1.0 + 1e-15));
        prop_assert!(jump.abs() <= 1e-14 * (1.0 + 1.0 / sigma), "{}", jump);
    }

    /// Without a step a state is a normal law; with hardly a deviation it is uniform.
    #[test]
    fn limits(sigma in 0.01..1.0_f64, step in 0.1..1.0_f64, place in 0.0..0.99_f64) {
        let gaussian = Programmed::new(0.0, sigma).unwrap();
        prop_assert_eq!(gaussian.tail(place), wordline_cell::gauss::upper_tail(place / sigma));
        let uniform = Programmed::new(step, 1e-12).unwrap();
        prop_assert!((uniform.tail(0.5 * step * place) - 0.5 * (1.0 - place)).abs() < 1e-10);
    }

    /// Every page's rate rises with step and deviation, up to where states reach beyond their references.
    #[test]
    fn rates_rise(
        bits in 1..=5_u32, step in 0.0..0.9_f64, sigma in 0.03..0.4_f64, more in 1e-3..0.1_f64, reading in any_reading(),
    ) {
        let family = family(bits, reading, References::Midpoint);
        let rate = family.rber(step, sigma).unwrap();
        for worse in [family.rber(step + more, sigma).unwrap(), family.rber(step, sigma + more).unwrap()] {
            // beside the errors of the erased state the smallest tails vanish
            prop_assert!(worse > rate || worse == rate && reading != Reading::ProgrammedAverage);
        }
    }

    /// The solvers undo the rates.
    #[test]
    fn solvers_invert(bits in 1..=5_u32, step in 0.05..0.9_f64, sigma in 0.05..0.5_f64, reading in any_reading(), optimal: bool) {
        let references = if optimal { References::Optimal } else { References::Midpoint };
        let family = family(bits, reading, references);
        let rate = family.rber(step, sigma).unwrap();
        let found = family.sigma_for_rber(step, rate);
        if let Err(CellError::NoDeviation { lowest, .. }) = found {
            prop_assert!(rate <= lowest);
        } else {
            prop_assert!((family.rber(step, found.unwrap()).unwrap() / rate - 1.0).abs() < 1e-9);
        }
        let found = family.step_for_rber(sigma, rate).unwrap();
        prop_assert!((family.rber(found, sigma).unwrap() / rate - 1.0).abs() < 1e-9);
    }

    /// Misreads across several boundaries do not matter at small deviations, and never make a rate larger than one.
    #[test]
    fn exact_and_neighbours(bits in 1..=5_u32, step in 0.0..0.6_f64, sigma in 0.02..0.15_f64, first in 0.35..0.6_f64) {
        let mut references: Vec<f64> = (1..1_u32 << bits).map(|state| f64::from(state) - 0.5).collect();
        references[0] = first;
        let cell = family(bits, Reading::Symbol, References::At(references)).cell(step, sigma).unwrap();
        for (exact, near) in cell.exact_rates().iter().zip(cell.rates().pages()) {
            prop_assert!((exact - near).abs() < 1e-9, "{} {}", exact, near);
        }
    }

    /// Optimal references give no more errors than midpoints.
    #[test]
    fn optimal_is_no_worse(bits in 1..=4_u32, step in 0.05..0.9_f64, sigma in 0.02..0.3_f64, erased in 0.05..0.3_f64) {
        let with = |references| {
            let cell = Family { erased: Erased::new(erased).unwrap(), ..family(bits, Reading::Symbol, references) };
            cell.rber(step, sigma)
        };
        match with(References::Optimal) {
            Ok(optimal) => prop_assert!(optimal <= with(References::Midpoint).unwrap() * (1.0 + 1e-12)),
            Err(error) => prop_assert!(matches!(error, CellError::NoCrossing { .. }), "{error}"),
        }
    }

    /// Labels of adjacent states differ in one bit, that of the page that owns the boundary.
    #[test]
    fn gray((bits, state) in (1..=5_u32).prop_flat_map(|bits| (Just(bits), 1..1_u32 << bits))) {
        let differing: Vec<u32> =
            (0..bits).filter(|page| label(bits, state, *page) != label(bits, state - 1, *page)).collect();
        prop_assert_eq!(differing, vec![page_of_boundary(bits, state)]);
        prop_assert!((0..bits).all(|page| label(bits, 0, page)));
    }

    /// The table against bisection, over every rate that a page may have.
    #[test]
    fn tables_are_exact(
        bits in 1..=4_u32, reference in 0.1..0.6_f64, step in 0.05..0.8_f64, log in -16.0..-1.0_f64, optimal: bool,
        page in 0..5_u32,
    ) {
        let references = if optimal { References::Optimal } else { References::Midpoint };
        let family = family(bits, Reading::PageAverage, references);
        let rate = log.exp();
        let average = StepTable::new(&family, reference, step, Wanted::Reading(Reading::PageAverage)).unwrap();
        let exact = family.at_step(rate, reference, step).unwrap();
        prop_assert!((average.rber(rate) / exact - 1.0).abs() < 1e-6, "{:e} {:e}", average.rber(rate), exact);
        if page < bits
            && let Ok(sigma) = family.sigma_for_rber(reference, rate)
        {
            let table = StepTable::new(&family, reference, step, Wanted::Page(page)).unwrap();
            let exact = family.cell(step, sigma).unwrap().rates().pages()[page as usize];
            prop_assert!((table.rber(rate) / exact - 1.0).abs() < 1e-6, "{:e} {:e}", table.rber(rate), exact);
        }
    }

    /// Error rates never fall with cycles, age or factor, as far as a deviation can be inferred.
    #[test]
    fn rates_of_pages_rise(
        cycles in 0..6000_u32, age in 0.0..400.0_f64, factor in 0.5..1.5_f32, k in 0.0..2.0_f64, n in 0.0..2.0_f64,
        by_page_type: bool, page in 0..2_u8, step in 0..2_u8,
    ) {
        let mut config = CellConfig::default();
        (config.rber.k, config.rber.n, config.rber.by_page_type) = (k, n, by_page_type);
        let model = Reliability::new(&config, Seed(0)).unwrap().with_steps(&[0.45]).unwrap();
        let state = PageState { factor, cycles, age_days: age, disturbed: Disturbances::NONE, redone: 0, step, page };
        let rate = model.rber(&state);
        prop_assert!((0.0..=0.5).contains(&rate));
        for worse in [
            PageState { cycles: cycles + 100, ..state },
            PageState { age_days: age + 1.0, ..state },
            PageState { factor: factor + 0.01, ..state },
        ] {
            let nominal = model.nominal(f64::from(worse.cycles), worse.age_days, Disturbances::NONE);
            if nominal * f64::from(worse.factor) < 0.2 {
                prop_assert!(model.rber(&worse) >= rate * (1.0 - 1e-9), "{:e} {:e}", rate, model.rber(&worse));
            }
        }
        let exact = model.exact(&state).unwrap();
        prop_assert!((rate - exact).abs() <= 1e-6 * exact);
    }

    /// Error rates never fall with programs of the block, whichever they are, and never with reads; without rates, or without programs,
    /// they are those of a block that nothing disturbs, to the bit.
    #[test]
    fn rates_of_disturbed_pages_rise(
        cycles in 0..6000_u32, age in 0.0..400.0_f64, rates in [0.0..1e-6_f64, 0.0..1e-6, 0.0..1e-6], g in 0.0..2.0_f64,
        h in 0.1..2.0_f64, counts in [0..2048_u32, 0..4096_u32, 0..65536_u32], reads in 0..1_000_000_u64,
    ) {
        let disturbing = |[inhibited, adjacent, pass]: [f64; 3]| {
            let mut config = CellConfig::default();
            config.rber.program_disturb = Some(ProgramDisturb { inhibited, adjacent, pass, g, h, strings: 4 });
            config.rber.read_disturb = Some(ReadDisturb { gamma: 1e-12, g, h });
            Reliability::new(&config, Seed(0)).unwrap()
        };
        let programs = |[inhibited, adjacent, pass]: [u32; 3]| LaterPrograms { inhibited, adjacent, pass };
        let state = |programs, reads| PageState {
            factor: 1.0, cycles, age_days: age, disturbed: Disturbances { reads, programs }, redone: 0, step: 0, page: 0,
        };
        let model = disturbing(rates);
        let rate = model.rber(&state(programs(counts), reads));
        for more in 0..3 {
            let mut counts = counts;
            counts[more] += 1;
            prop_assert!(model.rber(&state(programs(counts), reads)) >= rate);
        }
        prop_assert!(model.rber(&state(programs(counts), reads + 1)) >= rate);
        let quiet = disturbing([0.0; 3]);
        let alone = quiet.rber(&state(LaterPrograms::default(), reads));
        prop_assert_eq!(quiet.rber(&state(programs(counts), reads)), alone);
        prop_assert_eq!(model.rber(&state(LaterPrograms::default(), reads)), alone);
        let mut config = CellConfig::default();
        config.rber.read_disturb = Some(ReadDisturb { gamma: 1e-12, g, h });
        let without = Reliability::new(&config, Seed(0)).unwrap();
        prop_assert_eq!(without.rber(&state(programs(counts), reads)), alone);
    }

    /// Factors are inside their bounds and a matter of seed and index alone.
    #[test]
    fn factors(seed: u64, block: u64, sd in 0.0..1.8e-4_f64, bound_sd in 0.1..2.0_f64, lognormal: bool) {
        let distribution = if lognormal { Distribution::Lognormal } else { Distribution::TruncatedNormal };
        let config = VariationConfig { distribution, sd, bound_sd, ..VariationConfig::default() };
        let law = Variation::new(&config).unwrap();
        let factor = law.factor(Seed(seed), block);
        let (low, high) = law.bounds();
        prop_assert!(low as f32 <= factor && factor <= high as f32);
        prop_assert_eq!(factor, Variation::new(&config).unwrap().factor(Seed(seed), block));
        let share = law.share_below(f64::from(factor));
        if sd > 1e-9 {
            prop_assert!((law.quantile(share).unwrap() - f64::from(factor)).abs() < 1e-6);
        }
    }
}

/// Threshold voltages that shift take another step as it is; classes then have the rate of the weakest block.
#[test]
fn steps_of_voltages_that_shift() {
    let file = CellFile::load(Source::Named("mlc_vth_shift"), &[]).unwrap();
    for by_page_type in [false, true] {
        let mut config = file.cell.clone();
        config.rber.by_page_type = by_page_type;
        let model = Reliability::new(&config, Seed(0)).unwrap();
        for (cycles, age_days, page) in [(0, 0.0, 0), (3000, 30.0, 0), (3000, 30.0, 1)] {
            let (factor, redone, step) = (1.25, 0, 0);
            let state = PageState {
                factor,
                cycles,
                age_days,
                disturbed: Disturbances::NONE,
                redone,
                step,
                page,
            };
            let nominal = model.nominal(f64::from(cycles), age_days, Disturbances::NONE);
            assert_eq!(model.rber_from(nominal, &state), model.rber(&state));
        }
    }
    let model = Reliability::new(&file.cell, Seed(1)).unwrap();
    let classes = model.classes(3000, &[0.25, 0.75]).unwrap();
    assert!(classes[0].step > classes[1].step && classes[1].step > classes[2].step);
    let steps: Vec<f64> = classes.iter().map(|class| class.step).collect();
    let model = model.with_steps(&steps).unwrap();
    let page = |factor: f64, step: u8| PageState {
        factor: factor as f32,
        cycles: 3000,
        age_days: 7.0,
        disturbed: Disturbances::NONE,
        redone: 0,
        step,
        page: 0,
    };
    let weakest = model.rber(&page(classes[2].factor, 0));
    for (number, class) in classes.iter().enumerate() {
        let state = page(class.factor, number as u8 + 1);
        assert!((model.rber(&state) / weakest - 1.0).abs() < 1e-6);
        assert_eq!(model.exact(&state).unwrap(), model.rber(&state));
    }
}

/// Simpson's rule over a smooth piece.
fn integral(from: f64, to: f64, density: impl Fn(f64) -> f64) -> f64 {
    let pieces = 4000;
    let width = (to - from) / f64::from(pieces);
    (0..=pieces)
        .map(|at| {
            let weight = match at {
                0 => 1.0,
                at if at == pieces => 1.0,
                at => 2.0 + 2.0 * f64::from(at % 2),
            };
            weight * density(from + f64::from(at) * width)
        })
        .sum::<f64>()
        * width
        / 3.0
}

/// The density of every state integrates to one, and to the tail from any place on.
#[test]
fn densities_integrate() {
    for (step, sigma) in [(0.0, 0.1), (0.4, 0.1), (0.265, 0.12), (1.5, 0.01), (0.3, 0.7)] {
        let state = Programmed::new(step, sigma).unwrap();
        let (half, far) = (0.5 * step, 0.5 * step + 12.0 * sigma);
        let density = |x| state.density(x);
        let flank = integral(half, far, density);
        let whole = 2.0 * flank + integral(-half, half, density);
        assert!((whole - 1.0).abs() < 1e-9, "{step} {sigma}: {whole}");
        let place = half + sigma;
        assert!((integral(place, far, density) - state.tail(place)).abs() < 1e-9);
        let inside = 0.5 * half;
        assert!((flank + integral(inside, half, density) - state.tail(inside)).abs() < 1e-9);
        let erased = Erased::new(sigma).unwrap();
        assert!((integral(-12.0 * sigma, 12.0 * sigma, |x| erased.density(x)) - 1.0).abs() < 1e-9);
    }
}

/// A million blocks have the mean and the deviation of their law within 1 %.
#[test]
fn a_million_blocks() {
    for distribution in [Distribution::TruncatedNormal, Distribution::Lognormal] {
        let config = VariationConfig {
            distribution,
            ..VariationConfig::default()
        };
        let law = Variation::new(&config).unwrap();
        let (mut sum, mut squares) = (0.0, 0.0);
        let count = 1_000_000;
        for block in 0..count {
            let factor = f64::from(law.factor(Seed(42), block));
            sum += factor;
            squares += factor * factor;
        }
        let mean = sum / count as f64;
        let deviation = (squares / count as f64 - mean * mean).sqrt();
        let (expected_mean, expected_deviation) = law.moments();
        assert!((mean / expected_mean - 1.0).abs() < 0.01, "{mean}");
        assert!((deviation / expected_deviation - 1.0).abs() < 0.01, "{deviation}");
    }
}
