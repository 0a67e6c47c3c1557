//! LDPC with soft sensing: published numbers, worked reads, and what must hold of every table.

use proptest::prelude::*;
use wordline_ecc::{Ldpc, Level, Read, Retry, SensingTimes, Start, Thresholds, information};

fn level(number: u32) -> Level {
    Level::new(number).unwrap()
}

fn from(number: u32) -> Start {
    Start::At(level(number))
}

fn close(found: f64, expected: f64, absolute: f64) {
    assert!((found - expected).abs() <= absolute, "{found} is not {expected}");
}

#[test]
fn attempts_cost_what_the_table_says() {
    let times = SensingTimes::default();
    let expected = [
        14_524.0, 29_048.0, 41_905.0, 56_429.0, 69_286.0, 82_143.0, 95_000.0,
    ];
    for (level, ns) in Level::all().zip(expected) {
        close(times.attempt_ns(level, true), ns, 0.5);
        close(times.attempt_ns(level, false), ns, 0.5);
    }
    // 37.5 us per level and no transfer: the read times of DLV's table I
    let dlv = SensingTimes::new(7.0 * 37_500.0, 0.0, 0.0, Retry::Full).unwrap();
    for (references, ns) in [(1, 37_500.0), (2, 75_000.0), (4, 150_000.0)] {
        close(dlv.attempt_ns(level(references), true), ns, 1e-6);
    }
}

#[test]
fn worked_reads() {
    // first level, a rate that needs the second, nanoseconds of full and of incremental attempts
    let cases = [
        (1, 3, 85_476.0, 46_905.0),
        (2, 3, 70_952.0, 45_238.0),
        (3, 3, 41_905.0, 41_905.0),
        (1, 7, 388_333.0, 118_333.0),
    ];
    let full = Ldpc::default();
    let incremental = Ldpc {
        times: SensingTimes::new(90_000.0, 5_000.0, 0.0, Retry::Incremental).unwrap(),
        ..full
    };
    for (first, last, ns, less) in cases {
        let rate = full.thresholds.of(level(last));
        let read = full.read(from(first), |_| rate);
        assert_eq!(
            read,
            Read {
                first: level(first),
                last: level(last),
                is_corrected: true
            }
        );
        close(full.read_ns(read), ns, 0.5);
        close(incremental.read_ns(read), less, 0.5);
    }
    // from 2 to 6: 278.810 us
    let outlier = full.read(from(2), |_| 0.011);
    close(full.read_ns(outlier), 278_810.0, 0.5);
}

#[test]
fn starts() {
    let ldpc = Ldpc::default();
    // a start above the need costs one attempt, at that level
    let high = ldpc.read(from(5), |_| 1e-4);
    assert_eq!((high.first, high.last, high.attempts()), (level(5), level(5), 1));
    let known = ldpc.read(Start::Needed, |_| 0.009);
    assert_eq!(
        (known.first, known.attempts(), known.is_corrected),
        (level(3), 1, true)
    );
    // nothing reads it: every level from the start on was tried
    let lost = ldpc.read(from(3), |_| 0.012);
    assert_eq!((lost.attempts(), lost.is_corrected), (5, false));
    let lost = ldpc.read(Start::Needed, |_| 0.012);
    assert_eq!(
        (lost.first, lost.attempts(), lost.is_corrected),
        (Level::HIGHEST, 1, false)
    );
    // references that are shifted for the second attempt
    let shifted = ldpc.read(from(1), |attempt| if attempt == 0 { 0.012 } else { 0.001 });
    assert_eq!((shifted.last, shifted.is_corrected), (level(2), true));
}

/// The mutual-information column of the specification, to its 1 %.
#[test]
fn thresholds_from_information() {
    close(information(Level::HARD, 0.0044).unwrap(), 0.959_222, 5e-7);
    let expected = [
        0.004400, 0.007226, 0.008532, 0.009134, 0.009477, 0.009687, 0.009826,
    ];
    let found = Thresholds::from_information().table();
    for (found, expected) in found.into_iter().zip(expected) {
        close(found, expected, 0.01 * expected);
    }
    // near the published anchors without any fitting
    close(found[1], 0.0076, 0.05 * 0.0076);
    close(found[3], 0.0104, 0.13 * 0.0104);
    assert!(Thresholds::new(found).is_ok());
}

#[test]
fn information_rises_with_references_and_falls_with_noise() {
    for rate in [1e-4, 0.002, 0.01, 0.1, 0.4] {
        let all: Vec<f64> = Level::all()
            .map(|level| information(level, rate).unwrap())
            .collect();
        assert!(all.is_sorted_by(|low, high| low < high), "{all:?}");
        assert!(all[0] > 0.0 && all[6] < 1.0);
        // a hard decision is a binary symmetric channel: 1 - H(rate)
        let entropy = -rate * f64::log2(rate) - (1.0 - rate) * f64::log2(1.0 - rate);
        close(all[0], 1.0 - entropy, 1e-12);
    }
    for bad in [0.0, 0.5, -0.1, f64::NAN] {
        assert!(information(Level::HARD, bad).is_err());
    }
}

#[test]
fn success_that_is_not_certain() {
    let table = Thresholds::default();
    close(table.success(level(2), 0.0076, 60.0).unwrap(), 0.5, 1e-12);
    assert!(table.success(level(2), 0.0070, 60.0).unwrap() > 0.99);
    assert!(table.success(level(2), 0.0082, 60.0).unwrap() < 0.02);
    assert!(table.success(level(2), 1.5, 60.0).is_err());
    assert!(table.success(level(2), 0.1, 0.0).is_err());
}

#[test]
fn bad_input_is_refused() {
    assert!(Level::new(0).is_err());
    assert!(Level::new(8).unwrap_err().to_string().contains("1 to 7"));
    let rising = [0.1, 0.2, 0.3, 0.4, 0.41, 0.42, 0.43];
    assert!(Thresholds::new(rising).is_ok());
    for (place, value) in [(0, 0.0), (0, -0.1), (3, 0.3), (3, f64::NAN), (6, 0.6)] {
        let mut table = rising;
        table[place] = value;
        assert!(Thresholds::new(table).is_err(), "{table:?}");
    }
    assert!(SensingTimes::new(-1.0, 0.0, 0.0, Retry::Full).is_err());
    assert!(SensingTimes::new(1.0, f64::NAN, 0.0, Retry::Full).is_err());
    assert!(SensingTimes::new(1.0, 0.0, f64::INFINITY, Retry::Full).is_err());
}

proptest! {
    #[test]
    fn attempts_skip_no_level(rate in 0.0_f64..0.02, start in 1_u32..=7) {
        let ldpc = Ldpc::default();
        let read = ldpc.read(from(start), |_| rate);
        let levels: Vec<u32> = read.levels().map(|level| u32::from(level.get())).collect();
        let last = u32::from(read.last.get());
        prop_assert_eq!(levels, (start..=last).collect::<Vec<_>>());
        match ldpc.thresholds.required(rate) {
            Some(need) => {
                prop_assert!(read.is_corrected);
                prop_assert_eq!(read.last, need.max(read.first));
            }
            None => prop_assert!(!read.is_corrected && read.last == Level::HIGHEST),
        }
    }

    #[test]
    fn more_references_take_longer(sense in 1.0_f64..1e6, transfer in 0.0_f64..1e5, decode in 0.0_f64..1e5) {
        let times = SensingTimes::new(sense, transfer, decode, Retry::Full).unwrap();
        let all: Vec<f64> = Level::all().map(|level| times.attempt_ns(level, true)).collect();
        prop_assert!(all.is_sorted_by(|low, high| low < high));
    }
}
