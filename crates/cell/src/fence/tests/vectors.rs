//! Section 8 of the specification.

use super::super::constants::YEAR;
use super::super::tunnelling;
use super::super::{BatchRecurrence, CellParams, Lookup};
use super::{close, mlc, slc};
use crate::heat::kelvin;

#[test]
fn derived_constants() {
    let params = CellParams::default();
    close(params.oxide_capacitance(), 5.3125e-3, 1e-4);
    close(params.gate_capacitance(), 3.1875e-3, 1e-4);
    close(params.stress_field(), 1.14667e9, 1e-5);
    let x = tunnelling::thermal_argument(0.42, 3.2, params.stress_field(), kelvin(30.0));
    close(x, 0.850, 1e-3);
    let stress = tunnelling::current_density(0.19, 0.42, 3.2, params.stress_field(), kelvin(30.0));
    close(stress, 81.836, 1e-4);
    // the factor of the leak in the simulator's milliamperes
    close(params.silc_c, 4.61e-22 * libm::pow(1000.0, 0.3) / 1000.0, 1e-5);
}

#[test]
fn wear_leak_and_retention_without_rest() {
    for (events, trapped, barrier, current, years) in [
        (1.0, 0.023938, 1.10000, 4.21411e-14, 4020.03),
        (10.0, 0.048583, 1.10000, 6.29647e-13, 265.097),
        (100.0, 0.100351, 1.10000, 1.84770e-12, 87.5062),
        (200.0, 0.125549, 1.09444, 2.42612e-12, 65.5935),
        (1e3, 0.214464, 1.05000, 6.90872e-12, 21.7335),
        (1e4, 0.487269, 1.00000, 1.95450e-11, 6.27152),
        (1e5, 1.219668, 0.95000, 4.88371e-11, 0.994114),
        (2e5, 1.646685, 0.94444, 5.41753e-11, 0.0994710),
    ] {
        let model = slc();
        close(model.vth_trapped(events).unwrap(), trapped, 1e-4);
        close(model.params().barrier.height(events), barrier, 1e-5);
        close(model.silc_current(events).unwrap(), current, 1e-4);
        // a vector of the unfloored law
        let seconds = model.seconds_with(events, 0.0, 0.0);
        close(seconds / YEAR, years, 1e-4);
    }
}

#[test]
fn events_undone_and_slowing() {
    let table = Lookup::new(slc());
    for (events, rest, undone, slowing) in [
        (200.0, 10.0, 0.09053, 1.10864),
        (200.0, 100.0, 1.38891, 2.66669),
        (200.0, 1e4, 18.53369, 23.24043),
        (1e3, 30.0, 0.64285, 1.77142),
        (1e3, 1e3, 11.39665, 14.67598),
        (1e4, 100.0, 5.27987, 7.33584),
        (1e4, 1e5, 97.95221, 118.54266),
        (1e5, 10.0, 0.48067, 1.57681),
        (1e5, 1e6, 266.49857, 320.79829),
    ] {
        let tolerance = if undone < 1.0 { 1e-3 } else { 1e-4 };
        close(slc().events_undone(events, rest).unwrap(), undone, tolerance);
        close(slc().events_per_equivalent(events, rest).unwrap(), slowing, 1e-4);
        close(table.events_per_equivalent(events, rest), slowing, 5e-3);
    }
}

/// The table against the exact law between its nodes, over the whole grid.
#[test]
fn the_table_is_as_exact_as_it_says() {
    let table = Lookup::new(slc());
    let (mut sum, mut worst, mut count) = (0.0, 0.0_f64, 0);
    for i in 0..400 {
        for j in 0..300 {
            let events = libm::exp((f64::from(i) + 0.37) / 400.0 * 13.8155);
            let rest = libm::exp((f64::from(j) + 0.61) / 300.0 * 20.7233);
            let exact = table
                .model()
                .unwrap()
                .events_per_equivalent(events, rest)
                .unwrap();
            let error = (table.events_per_equivalent(events, rest) / exact - 1.0).abs();
            sum += error;
            worst = worst.max(error);
            count += 1;
        }
    }
    let mean = sum / f64::from(count);
    assert!(mean < 2.5e-4 && worst < 0.013, "mean {mean}, worst {worst}");
}

/// The rate law against the discrete recurrence of section 4.1, over the grid stated there: cycles to a retention.
/// The specification states 8 % low and, for long rests, 4.5 %; it is 8.1 % at 100 s and 1 year, and 4.7 % at 10^3 s.
#[test]
#[ignore = "slow: several seconds"]
fn the_rate_law_follows_the_recurrence() {
    for model in [slc(), mlc()] {
        for rest in [0.0, 10.0, 30.0, 100.0, 1e3, 1e4, 1e5] {
            let bounds = if rest >= 1e3 { -0.05..0.065 } else { -0.085..0.125 };
            let mut batches = BatchRecurrence::new(&model);
            let mut events = 0.0;
            for years in [20.0, 10.0, 5.0, 1.0, 0.5, 0.25] {
                let Some(worn) = model.worn_to(years * YEAR, libm::log(rest)) else {
                    continue;
                };
                while batches.equivalent_events() < worn {
                    batches.apply(rest).unwrap();
                    events += 1.0;
                }
                let cycles = model
                    .cycles_to_retention(years * YEAR, rest, 30.0)
                    .unwrap()
                    .unwrap();
                let error = cycles / (events / 2.0) - 1.0;
                let kind = model.kind();
                assert!(bounds.contains(&error), "{kind:?}, {rest} s, {years} y: {error}");
            }
        }
    }
}
