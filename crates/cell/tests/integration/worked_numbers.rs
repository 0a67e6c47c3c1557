//! The worked numbers of the specification.

use wordline_cell::gauss::upper_tail;
use wordline_cell::{
    CellConfig, CellError, Disturbances, EarlyLoss, Erased, Family, Ispp, LaterPrograms, PageState,
    ProgramDisturb, Programmed, RberModel, ReadDisturb, Reading, References, Reliability,
};
use wordline_units::{Duration, Seed};

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        ((found - expected) / expected).abs() <= tolerance,
        "{found:e} is not {expected:e} within {tolerance:e}"
    );
}

fn family(bits: u32, reading: Reading) -> Family {
    Family {
        bits,
        erased: Erased::new(0.1).unwrap(),
        references: References::Midpoint,
        reading,
    }
}

/// The table of section 10.
#[test]
fn tails_and_pages() {
    close(upper_tail(5.0), 2.866515718792e-7, 1e-12);
    for (step, sigma, flanks, tail, lower, upper, average) in [
        (
            0.4,
            0.10,
            0.385242274313,
            5.200377877964e-4,
            2.600188938982e-4,
            3.901000037403e-4,
            3.250594488192e-4,
        ),
        (
            0.4,
            0.12,
            0.429219991997,
            2.665312501431e-3,
            1.332656250716e-3,
            1.999056038966e-3,
            1.665856144841e-3,
        ),
        (
            0.265,
            0.12,
            0.531632807019,
            5.834576369717e-4,
            2.917288184858e-4,
            4.376648906217e-4,
            3.646968545538e-4,
        ),
        (
            0.2,
            0.08,
            0.500661949946,
            1.435155349321e-7,
            7.175776746605e-8,
            1.792995441689e-7,
            1.255286558175e-7,
        ),
        (
            0.4,
            0.05,
            0.238575897910,
            2.353760332822e-10,
            1.176880166411e-10,
            7.183942499476e-8,
            3.597855650570e-8,
        ),
    ] {
        let state = Programmed::new(step, sigma).unwrap();
        close(state.flanks(), flanks, 1e-9);
        close(state.tail(0.5), tail, 1e-9);
        let rates = family(2, Reading::WorstPage).cell(step, sigma).unwrap().rates();
        close(rates.pages()[0], lower, 1e-9);
        close(rates.pages()[1], upper, 1e-9);
        close(rates.average(), average, 1e-9);
        close(rates.reading(Reading::WorstPage), upper, 1e-9);
        close(rates.reading(Reading::PageAverage), average, 1e-9);
        close(rates.reading(Reading::Symbol), 2.0 * average, 1e-9);
        close(rates.reading(Reading::ProgrammedAverage), 5.0 / 6.0 * tail, 1e-9);
    }
}

/// Section 3: one, two and three bits, and the general form, which a list of midpoints takes.
#[test]
fn any_number_of_bits() {
    let (step, sigma) = (0.3, 0.13);
    let u = Programmed::new(step, sigma).unwrap().tail(0.5);
    let e = upper_tail(5.0);
    let pages = |bits| family(bits, Reading::Symbol).cell(step, sigma).unwrap().rates();
    close(pages(1).average(), (u + e) / 2.0, 1e-14);
    close(pages(1).reading(Reading::ProgrammedAverage), u, 1e-14);
    for (page, rate) in [u / 4.0, u / 2.0, (7.0 * u + e) / 8.0].into_iter().enumerate() {
        close(pages(3).pages()[page], rate, 1e-14);
    }
    close(pages(3).average(), (13.0 * u + e) / 24.0, 1e-14);
    for bits in 1..=5 {
        let states = f64::from(1_u32 << bits);
        let n = f64::from(bits);
        close(
            pages(bits).average(),
            ((2.0 * states - 3.0) * u + e) / (n * states),
            1e-14,
        );
        close(
            pages(bits).reading(Reading::ProgrammedAverage),
            (2.0 * states - 3.0) * u / (n * (states - 1.0)),
            1e-14,
        );
        let listed = Family {
            references: References::At((1..1_u32 << bits).map(|state| f64::from(state) - 0.5).collect()),
            ..family(bits, Reading::Symbol)
        };
        let general = listed.cell(step, sigma).unwrap().rates();
        for (page, rate) in pages(bits).pages().iter().enumerate() {
            close(general.pages()[page], *rate, 1e-13);
        }
        for reading in Reading::ALL {
            close(general.reading(reading), pages(bits).reading(reading), 1e-13);
        }
    }
}

/// Section 8: the deviation that each reading infers from the error rate of the long code, and the step at that of the
/// short one. The rates themselves are those of section 7.2; the crate `ecc` derives them.
#[test]
fn from_error_rates_to_steps() {
    const LONG: f64 = 1.317393913e-3;
    const SHORT: f64 = 2.307928980e-4;
    let ispp = Ispp::new(0.4, None).unwrap();
    for (reading, sigma, step, write) in [
        (Reading::WorstPage, 0.113889, 0.26105, 766.1),
        (Reading::PageAverage, 0.116455, 0.25516, 783.8),
        (Reading::ProgrammedAverage, 0.112476, 0.26427, 756.8),
        (Reading::Symbol, 0.107449, 0.27539, 726.2),
    ] {
        let family = family(2, reading);
        let found = family.sigma_for_rber(0.4, LONG).unwrap();
        close(found, sigma, 5e-6);
        let found = family.step_for_rber(found, SHORT).unwrap();
        close(found, step, 2e-5);
        close(500.0 * ispp.slowdown(found).unwrap(), write, 1e-4);
    }
}

/// Section 4: where there is no solution.
#[test]
fn equations_without_solution() {
    let average = family(2, Reading::PageAverage);
    let floor = average.rber(0.4, 1e-3).unwrap();
    close(floor, 3.583e-8, 1e-4);
    assert!(matches!(
        average.sigma_for_rber(0.4, floor),
        Err(CellError::NoDeviation { .. })
    ));
    assert!(average.sigma_for_rber(0.4, floor * 1.001).is_ok());
    let highest = average.rber(0.4, 1.0).unwrap();
    assert!(average.sigma_for_rber(0.4, highest).is_ok());
    assert!(matches!(
        average.sigma_for_rber(0.4, highest * 1.001),
        Err(CellError::NoDeviation { .. })
    ));
    assert!(matches!(
        average.step_for_rber(0.2, 1e-6),
        Err(CellError::NoStepSlowEnough { .. })
    ));
    assert!(matches!(
        average.step_for_rber(0.1, 0.4),
        Err(CellError::EveryStepSlowEnough { .. })
    ));
}

/// Section 5: a step of 66.25 % takes 50.9 % longer; whole pulses.
#[test]
fn program_times() {
    let ispp = Ispp::new(0.4, None).unwrap();
    close(ispp.slowdown(0.4 * 0.6625).unwrap(), 1.509, 5e-4);
    assert_eq!(ispp.pulses(0.3).unwrap(), None);
    let whole = Ispp::new(0.4, Some(15)).unwrap();
    for (step, pulses) in [
        (0.4, 15),
        (0.4 * 15.0 / 16.0, 16),
        (0.39, 16),
        (0.41, 15),
        (0.2, 30),
        (1.9, 4),
    ] {
        assert_eq!(whole.pulses(step).unwrap(), Some(pulses), "{step}");
        close(whole.slowdown(step).unwrap(), pulses as f64 / 15.0, 1e-15);
    }
    assert_eq!(
        Ispp::new(0.3163, Some(15)).unwrap().pulses(0.3163).unwrap(),
        Some(15)
    );
}

fn late_life(change: impl FnOnce(&mut CellConfig)) -> Reliability {
    let mut config = CellConfig::default();
    config.vth.step = 0.3163;
    change(&mut config);
    Reliability::new(&config, Seed(1)).unwrap()
}

fn page(factor: f32, cycles: u32, age_days: f64) -> PageState {
    PageState {
        factor,
        cycles,
        age_days,
        disturbed: Disturbances::NONE,
        redone: 0,
        step: 0,
        page: 0,
    }
}

/// Section 6.1.
#[test]
fn late_life_by_age() {
    let model = late_life(|_| ());
    for (days, rate) in [
        (0.0, 0.0020),
        (0.5, 0.002989),
        (1.0, 0.003553),
        (2.0, 0.004436),
        (3.0, 0.005171),
        (5.0, 0.006420),
        (7.0, 0.0075),
        (14.0, 0.010630),
    ] {
        close(model.nominal(3000.0, days, Disturbances::NONE), rate, 1.5e-4);
        close(model.rber(&page(1.0, 3000, days)), rate, 1.5e-4);
    }
    close(model.rber(&page(1.4865, 3000, 7.0)), 0.01115, 5e-4);
    assert_eq!(model.rber(&page(1.0, 0, 7.0)), 0.0);
    assert_eq!(model.rber(&page(1.4865, u32::MAX, 1e6)), 0.5);
    // where the range of seven sensing levels is left before seven days: 3013.8 and 4480 cycles
    assert!(model.rber(&page(1.486_486_5, 3013, 7.0)) <= 0.0112);
    assert!(model.rber(&page(1.486_486_5, 3015, 7.0)) > 0.0112);
    assert!(model.rber(&page(1.0, 4479, 7.0)) <= 0.0112 && model.rber(&page(1.0, 4481, 7.0)) > 0.0112);
}

/// Section 10: the day at which each sensing level stops sufficing.
#[test]
fn days_of_each_level() {
    let model = late_life(|_| ());
    let thresholds = [0.0044, 0.0076, 0.0095, 0.0104, 0.0108];
    for (factor, days) in [
        (1.0, &[1.954, 7.197, 11.28, 13.43][..]),
        (1.4, &[0.624, 3.383, 5.651, 6.861, 7.424]),
        (0.7, &[4.769, 14.57]),
    ] {
        for (day, threshold) in days.iter().zip(thresholds) {
            let step = 5e-4 * day;
            assert!(model.rber(&page(factor, 3000, day - step)) < threshold);
            assert!(model.rber(&page(factor, 3000, day + step)) > threshold);
        }
    }
}

#[test]
fn read_disturb_is_added() {
    let quiet = late_life(|_| ());
    let disturbed = late_life(|config| {
        config.rber.read_disturb = Some(ReadDisturb {
            gamma: 1e-12,
            g: 1.0,
            h: 1.5,
        });
    });
    assert_eq!(
        disturbed.nominal(3000.0, 1.0, Disturbances::NONE),
        quiet.nominal(3000.0, 1.0, Disturbances::NONE)
    );
    let read = Disturbances::by_reads(10_000);
    let more = disturbed.nominal(3000.0, 1.0, read) - quiet.nominal(3000.0, 1.0, read);
    close(more, 1e-12 * 3000.0 * 1e6, 1e-9);
}

/// After 3,000 cycles with `g = 1` and `h = 1`: 2e-10 x 3,000 x 11 + 1e-10 x 3,000 x 12 + 1e-12 x 3,000 x 264 errors a bit for the first page
/// of a block with three bits per cell and 24 layers of four strings that is full; `h = 0.5` takes the roots of the counts.
#[test]
fn program_disturb_is_added() {
    let quiet = late_life(|_| ());
    let later = LaterPrograms {
        inhibited: 11,
        adjacent: 12,
        pass: 264,
    };
    let disturbed = Disturbances {
        reads: 0,
        programs: later,
    };
    for (h, worked) in [
        (1.0, 6.6e-6 + 3.6e-6 + 7.92e-7),
        (0.5, 1.989_975e-6 + 1.039_230e-6 + 4.874_423e-8),
    ] {
        let model = late_life(|config| {
            config.rber.program_disturb = Some(ProgramDisturb {
                inhibited: 2e-10,
                adjacent: 1e-10,
                pass: 1e-12,
                g: 1.0,
                h,
                strings: 4,
            });
        });
        let base = quiet.nominal(3000.0, 1.0, disturbed);
        assert_eq!(model.nominal(3000.0, 1.0, Disturbances::by_reads(9)), base);
        close(model.nominal(3000.0, 1.0, disturbed) - base, worked, 1e-6);
    }
}

/// 63.2 % of the fast loss after `tau` whatever the stretch, all of it in the long run, and nothing at once; after a hundredth of `tau` 1 % with a
/// single rate and 9.5 % with a stretch of a half.
#[test]
fn early_loss_is_added() {
    let quiet = late_life(|_| ());
    for (stretch, early_share) in [(1.0, 0.009_950_166), (0.5, 0.095_162_58)] {
        let losing = late_life(|config| {
            config.rber.early_loss = Some(EarlyLoss {
                beta: 2e-10,
                m: 2.0,
                tau: Duration::from_us(4 * 3_600 * 1_000_000),
                stretch,
            });
        });
        let all = 2e-10 * 1000.0 * 1000.0;
        let more = |days: f64| {
            losing.nominal(1000.0, days, Disturbances::NONE) - quiet.nominal(1000.0, days, Disturbances::NONE)
        };
        assert_eq!(more(0.0), 0.0);
        close(more(4.0 / 24.0), all * 0.632_120_559, 1e-6);
        close(more(0.04 / 24.0), all * early_share, 1e-6);
        close(more(1000.0), all, 1e-6);
    }
}

#[test]
fn phases_done_again_count_where_they_are_given_a_weight() {
    let state = PageState {
        redone: 3,
        ..page(0.8, 3000, 1.0)
    };
    let quiet = late_life(|_| ());
    assert_eq!(quiet.rber(&state), quiet.rber(&page(0.8, 3000, 1.0)));
    for by_page_type in [false, true] {
        let model = late_life(|config| {
            config.rber.redone_phase = Some(0.05);
            config.rber.by_page_type = by_page_type;
        });
        // as the page of a block with so many more errors
        let worse = page(0.8 * 1.15, 3000, 1.0);
        close(model.rber(&state), model.rber(&worse), 1e-6);
        close(model.exact(&state).unwrap(), model.exact(&worse).unwrap(), 1e-6);
    }
}

/// Section 6.3: bounds, deviation, share of weak blocks.
#[test]
fn law_of_the_blocks() {
    let model = late_life(|_| ());
    let law = model.variation();
    let (low, high) = law.bounds();
    close(low, 0.5135, 1e-4);
    close(high, 1.4865, 1e-4);
    let (mean, deviation) = law.moments();
    assert_eq!(mean, 1.0);
    close(deviation, 0.213963, 2e-6);
    close(1.0 - law.share_below(1.393), 0.032, 0.02);
}

/// Section 6.5: classes by quantile and their times; single factors; the price.
#[test]
fn strong_blocks() {
    let model = late_life(|_| ());
    let classes = model.classes(3000, &[0.25, 0.5, 0.75]).unwrap();
    for (class, (factor, step, write)) in classes.iter().zip([
        (0.8445, 0.4130, 459.5),
        (1.0000, 0.3874, 489.9),
        (1.1555, 0.3635, 522.1),
        (1.4865, 0.3163, 600.0),
    ]) {
        close(class.factor, factor, 1e-4);
        close(class.step, step, 2e-4);
        close(600.0 * class.slowdown, write, 2e-4);
    }
    let family = family(2, Reading::PageAverage);
    for (factor, write) in [
        (0.6, 414.3),
        (0.7, 432.6),
        (0.8, 451.1),
        (0.9, 470.2),
        (1.2, 531.8),
    ] {
        let sigma = family.sigma_for_rber(0.3163, factor * 0.0075).unwrap();
        let step = family.step_for_rber(sigma, 0.0075 * 1.486_486_5).unwrap();
        close(600.0 * 0.3163 / step, write, 2e-4);
    }
    let model = late_life(|_| ()).with_steps(&[classes[0].step]).unwrap();
    for (days, fast, normal) in [
        (0.0, 0.00392, 0.00169),
        (1.0, 0.00616, 0.00300),
        (7.0, 0.01115, 0.00633),
    ] {
        let normal_page = page(0.8445, 3000, days);
        close(model.rber(&normal_page), normal, 2e-3);
        close(
            model.rber(&PageState {
                step: 1,
                ..normal_page
            }),
            fast,
            2e-3,
        );
    }
}

/// Section 6.2: by page type about 0.8 and 1.2 of the mean.
#[test]
fn pages_of_their_own() {
    let model = late_life(|config| config.rber.by_page_type = true);
    let both = [0, 1].map(|kind| {
        model.rber(&PageState {
            page: kind,
            ..page(1.0, 3000, 1.0)
        })
    });
    close(both[0] / 0.003553, 0.8, 1e-3);
    close(both[1] / 0.003553, 1.2, 1e-3);
    // nearly fresh: no deviation gives that few errors
    let fresh = late_life(|config| {
        config.rber.by_page_type = true;
        config.rber.beta = 0.0;
        config.rber.alpha = 1e-9;
    });
    assert_eq!(fresh.rber(&page(1.0, 1, 1.0)), 1e-9);
}

/// Section 9.3: no single deviation gives the three cases of DLV's table I with a step of 0.4, one does with 0.146.
#[test]
fn cases_of_the_table() {
    let average = family(2, Reading::PageAverage);
    let sigma = average.sigma_for_rber(0.146, 0.0076).unwrap();
    close(sigma, 0.198489, 1e-5);
    let step = |write: f64, middle: f64| middle * 1300.0 / write;
    close(average.rber(step(867.0, 0.146), sigma).unwrap(), 0.010659, 1e-4);
    close(average.rber(step(5000.0, 0.146), sigma).unwrap(), 0.004464, 1e-4);
    close(0.3 * 600.0 / 1300.0 / 0.146, 0.9484, 1e-4);
    let sigma = average.sigma_for_rber(0.4, 0.0076).unwrap();
    close(average.rber(step(867.0, 0.4), sigma).unwrap(), 0.0232, 5e-3);
    close(average.rber(step(5000.0, 0.4), sigma).unwrap(), 0.00083, 5e-3);
}

/// The fixed model: a rate, or what the threshold voltages give by the reading.
#[test]
fn fixed_rates() {
    let model = late_life(|config| {
        config.rber.model = RberModel::Fixed;
        config.rber.rate = Some(1e-3);
    });
    close(model.rber(&page(1.2, 7, 100.0)), 1.2e-3, 1e-6);
    let model = late_life(|config| {
        config.rber.model = RberModel::Fixed;
        config.vth.step = 0.4;
        config.vth.sigma_programmed = Some(0.12);
    });
    close(model.rber(&page(1.0, 7, 100.0)), 1.999056038966e-3, 1e-9);
}
