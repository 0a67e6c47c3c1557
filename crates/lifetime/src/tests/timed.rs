//! Samples with a clock within a study.

use std::path::Path;

use wordline_config::Config;
use wordline_ecc::EccKind;
use wordline_units::Duration;

use super::keeping::{in_pieces, same};
use super::{DAY, SKIP, options, small};
use crate::report::TENTH;
use crate::{Fidelity, LifetimeOptions, LifetimeReport, RATIO_AT_END, TimedOptions, lifetime};

const MINUTE: Duration = Duration(60_000_000_000);

/// A small drive with reads and writes 4 ms apart.
fn loaded() -> Config {
    let mut config = small();
    config.workload.read_fraction = 0.5;
    config.workload.interarrival = Some(Duration::from_ms(4));
    config
}

fn sampled(days: u64, fidelity: Fidelity) -> LifetimeOptions {
    LifetimeOptions {
        timed: Some(TimedOptions {
            every: 4,
            length: MINUTE,
            end_ratio: 3.0,
        }),
        ..options(days, fidelity)
    }
}

fn studied(config: &Config, asked: &LifetimeOptions) -> LifetimeReport {
    lifetime(config, Path::new("."), asked, &mut |_| true).unwrap()
}

/// A sample works on a copy: nothing of the study differs, and it is resumed as any other.
#[test]
fn a_study_does_not_notice_its_samples() {
    for (days, fidelity) in [(3, Fidelity::Exact), (6, SKIP)] {
        let plain = studied(&loaded(), &options(days, fidelity));
        let asked = sampled(days, fidelity);
        let found = studied(&loaded(), &asked);
        same(&plain, &found);
        let timed = found.timed.as_ref().unwrap();
        assert!(timed.samples.len() >= 2, "{timed:?}");
        assert_eq!((timed.samples[0].time, timed.ratios[0]), (0.0, 1.0));
        let (pieced, stops, _) = in_pieces(&loaded(), Path::new("."), &asked, 12);
        assert!(stops > 0, "never stopped");
        same(&found, &pieced);
        assert_eq!(found.timed, pieced.timed);
    }
}

/// Every sample has the requests of its time, and an idle drive whose blocks wear answers as at first.
#[test]
fn retention_alone_slows_nothing() {
    let found = studied(&loaded(), &sampled(4, Fidelity::Exact)).timed.unwrap();
    for (sample, ratio) in found.samples.iter().zip(&found.ratios) {
        assert_eq!(sample.requests, 60_000 / 4);
        assert!(
            sample.p80 <= sample.p99 && sample.mean <= sample.p99,
            "{sample:?}"
        );
        assert!(sample.without_weak || (0.8..1.25).contains(ratio), "{found:?}");
    }
    assert_eq!(found.life, None);
}

/// Where all data are about to fade, their refresh keeps the dies from the host.
#[test]
fn refresh_slows_the_host() {
    let begun = |policy: &'static str, storage: Duration| {
        let mut config = loaded();
        // blocks keep data for hours
        config.age.initial_cycles = 1_316;
        config.age.storage = storage;
        config.ftl.refresh.policy = policy.into();
        config.ftl.refresh.retire_below = Duration::ZERO;
        config.ftl.refresh.interval = Duration::from_ms(1_000);
        let asked = LifetimeOptions {
            horizon: MINUTE,
            every: MINUTE,
            writes_per_day: Some(1.0),
            ..sampled(1, Fidelity::Exact)
        };
        let found = studied(&config, &asked);
        let retention = Duration((found.snapshots[0].retention[TENTH] * 1e9) as u64);
        (retention, found.timed.unwrap().samples[0])
    };
    let (retention, plain) = begun("none", Duration::ZERO);
    assert!(retention > MINUTE * 60, "{retention}");
    let (_, unhurried) = begun("last_moment", Duration::ZERO);
    let (_, hurried) = begun("last_moment", Duration(retention.ns() / 1000 * 995));
    assert_eq!(plain, unhurried);
    assert!(
        hurried.mean > 1.1 * plain.mean && hurried.p99 > plain.p99,
        "{plain:?} {hurried:?}"
    );
}

/// At the end of the life of a drive without refresh, a tenth of its blocks out of service slow it down.
#[test]
fn the_drive_without_its_weak_blocks_says_where_a_life_with_refresh_ends() {
    let mut config = loaded();
    // a tenth of the blocks are half of the spare ones
    config.workload.interarrival = Some(Duration::from_ms(2));
    let asked = LifetimeOptions {
        required: Duration(DAY.ns() * 365),
        horizon: DAY * 20,
        ..sampled(20, SKIP)
    };
    let found = studied(&config, &asked);
    assert!(found.life.is_some());
    let timed = found.timed.unwrap();
    let (least, most) = RATIO_AT_END;
    let ratio = timed.ratio_at_end.unwrap();
    assert!((least..=most).contains(&ratio), "{timed:?}");
    let out: Vec<_> = timed
        .samples
        .iter()
        .filter(|sample| sample.without_weak)
        .collect();
    assert_eq!(out.len(), 1);
    assert!(out[0].blocks < 256, "{out:?}");
    // jobs that want to be asked come with the copy: without them the host would wait without end
    assert!(out[0].p99 < 60.0, "{out:?}");
    assert!(out[0].time >= found.life.unwrap() - 1.0, "{out:?}");
}

#[test]
fn samples_that_cannot_be_taken_are_refused() {
    let refused = |config: &Config, change: fn(&mut TimedOptions)| {
        let mut asked = sampled(1, Fidelity::Exact);
        if let Some(timed) = &mut asked.timed {
            change(timed);
        }
        let error = lifetime(config, Path::new("."), &asked, &mut |_| true).unwrap_err();
        assert!(error.is_input(), "{error}");
        error.to_string()
    };
    assert!(refused(&loaded(), |timed| timed.every = 0).contains("1 or more"));
    assert!(refused(&loaded(), |timed| timed.length = Duration::ZERO).contains("up to a day"));
    assert!(refused(&loaded(), |timed| timed.length = DAY * 2).contains("up to a day"));
    assert!(refused(&loaded(), |timed| timed.end_ratio = 1.0).contains("above 1"));
    assert!(refused(&loaded(), |timed| timed.end_ratio = f64::NAN).contains("above 1"));
    let mut coded = loaded();
    coded.ecc.kind = EccKind::Bch;
    assert!(refused(&coded, |_| {}).contains("ecc.kind"));
}
