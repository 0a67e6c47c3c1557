//! Studies of drives that refresh their blocks (specification of the refreshing drive, section 15).

use std::path::Path;

use wordline_cell::fence::{CellParams, RestAcceleration, RetentionModel, Variation};
use wordline_config::Config;
use wordline_ftl::RefreshMode;
use wordline_units::Duration;

use super::keeping::{in_pieces, same};
use super::{CELL, DAY, MEDIAN, NINETIETH, SKIP, TENTH, options, small};
use crate::{Fidelity, LifetimeOptions, LifetimeReport, RefreshReport, lifetime};

/// A drive whose blocks keep data for five and a half days at first, and for months once they have rested.
fn worn(policy: &'static str) -> Config {
    let mut config = small();
    config.ftl.wear.static_ = "off".into();
    config.age.initial_cycles = 1_300;
    // cold pages stay where they are for longer
    config.workload.hot_requests = 0.98;
    config.ftl.refresh.policy = policy.into();
    config
}

fn asked(required: Duration) -> LifetimeOptions {
    LifetimeOptions {
        required,
        writes_per_day: Some(1.0),
        ..options(20, Fidelity::Exact)
    }
}

fn study(config: &Config, required: Duration) -> LifetimeReport {
    lifetime(config, Path::new("."), &asked(required), &mut |_| true).unwrap()
}

fn refreshed(policy: &'static str) -> RefreshReport {
    study(&worn(policy), DAY * 60).refresh.unwrap()
}

/// Refresh at the last moment is in time, and the period is longer than these blocks keep data (invariant 4).
#[test]
fn policies_keep_deadlines_or_miss_them() {
    let last = refreshed("last_moment");
    assert!(
        last.totals.blocks > 10 && last.totals.pages > last.totals.blocks,
        "{last:?}"
    );
    assert_eq!((last.totals.missed, last.first_lost), (0, None));
    let found = refreshed("periodic");
    assert!(found.totals.missed > 0, "{found:?}");
    let lost = found.first_lost.unwrap() / DAY.as_secs();
    // the data that were there when the study began
    assert!((5.0..6.0).contains(&lost), "{lost}");
}

/// One end of life for all policies: less is left of the retention of a tenth of the blocks than is required. Two days are, of the five and a half for which the blocks keep what is there at first: without refresh, and
/// with refresh at the last moment, that is after three and a half; refresh by what is left, and at a period of two days, prevents it (corrections of the specification; invariant 7).
#[test]
fn one_end_of_life_holds_for_all_policies() {
    let found = ["none", "last_moment", "remaining", "periodic", "oracle"]
        .map(|policy| study(&worn(policy), DAY * 2));
    for (policy, found) in ["none", "last_moment"].into_iter().zip(&found) {
        let life = found.life.unwrap() / DAY.as_secs();
        assert!((3.0..4.0).contains(&life), "{policy}: {life}");
        let worst = found.snapshots.iter().max_by_key(|at| at.short).unwrap();
        assert!(
            worst.short.0 >= 26 && worst.left[TENTH] < DAY.as_secs() * 2.0,
            "{worst:?}"
        );
        assert!(
            worst.retention[TENTH] > DAY.as_secs() * 2.0,
            "new data are kept long enough: {worst:?}"
        );
    }
    // data fade unnoticed without refresh, and none are left to fade by the rule of what is left
    assert!(found[0].snapshots.iter().any(|at| at.short.1 > 0));
    let totals = |at: usize| found[at].refresh.unwrap().totals;
    assert!(totals(1).left > 0 && totals(2).left == 0);
    for (policy, found) in ["remaining", "periodic", "oracle"].into_iter().zip(&found[2..]) {
        assert_eq!(found.life, None, "{policy}");
        let totals = found.refresh.unwrap().totals;
        assert_eq!(
            (totals.missed, totals.pages > 0),
            (0, policy != "oracle"),
            "{policy}: {totals:?}"
        );
        let least = found
            .snapshots
            .iter()
            .map(|at| at.left[0])
            .fold(f64::INFINITY, f64::min);
        assert!(least > DAY.as_secs() * 1.9, "{policy}: {least}");
    }
}

/// Programs of the host, of collection and of refresh are all that there are, and no page is lost (invariants 2 and 6).
#[test]
fn refresh_is_a_part_of_write_amplification() {
    let plain = study(&worn("none"), DAY * 60);
    assert_eq!(plain.refresh, None);
    let found = study(&worn("last_moment"), DAY * 60);
    let refresh = found.refresh.unwrap();
    let [collection, wear, refreshing] = refresh.write_amplification;
    assert!(refreshing > 0.0 && wear == 0.0, "{refresh:?}");
    assert!((1.0 + collection + refreshing - found.write_amplification).abs() < 1e-9);
    assert!(found.write_amplification > plain.write_amplification);
    let valid = |found: &LifetimeReport| found.blocks.valid_pages.iter().sum::<u32>();
    assert_eq!(valid(&found), valid(&plain));
}

/// Where every block keeps data for as long as required, refresh does nothing, and nothing differs (invariant 5).
#[test]
fn a_requirement_that_all_blocks_meet_changes_nothing() {
    let plain = study(&worn("none"), DAY);
    let found = study(&worn("last_moment"), DAY);
    same(&plain, &found);
    assert_eq!(found.refresh.unwrap().totals.blocks, 0);
}

/// A weaker requirement lasts as long at least, for every policy, and at each the oracle as long as refresh by what is left, and that as long as none (invariants 3 and 7).
#[test]
fn lives_are_in_the_order_of_requirements_and_policies() {
    let life = |policy, days| study(&worn(policy), DAY * days).life.unwrap_or(f64::INFINITY);
    let lives =
        ["oracle", "remaining", "fcfs", "none"].map(|policy| [1, 3, 5, 60].map(|days| life(policy, days)));
    for of_policy in &lives {
        assert!(
            of_policy.is_sorted_by(|weaker, stronger| weaker >= stronger),
            "{lives:?}"
        );
    }
    for at in 0..4 {
        assert!(
            lives[0][at] >= lives[1][at] && lives[1][at] >= lives[3][at],
            "{lives:?}"
        );
    }
    assert!(lives[1][1] > 1.5 * lives[3][1], "{lives:?}");
}

/// In the strict mode blocks are refreshed that keep data for longer than required.
#[test]
fn the_strict_mode_refreshes_blocks_that_are_not_weak() {
    let refreshed = |mode: RefreshMode| {
        let mut config = worn("last_moment");
        config.ftl.refresh.mode = mode;
        study(&config, DAY).refresh.unwrap().totals
    };
    let (some, all) = (
        refreshed(RefreshMode::RequirementOnly),
        refreshed(RefreshMode::Strict),
    );
    assert_eq!((some.blocks, all.missed), (0, 0));
    assert!(some.left > 0 && all.blocks > 0, "{some:?} {all:?}");
}

#[test]
fn a_skipping_study_with_refresh_can_be_resumed() {
    let config = cold("last_moment", 1);
    let asked = LifetimeOptions {
        required: DAY * 90,
        writes_per_day: Some(4.0),
        horizon: DAY * 200,
        every: DAY * 20,
        ..options(20, SKIP)
    };
    let whole = lifetime(&config, Path::new("."), &asked, &mut |_| true).unwrap();
    assert!(whole.skips.0 > 0, "{:?}", whole.skips);
    let (pieced, stops, _) = in_pieces(&config, Path::new("."), &asked, 12);
    assert!(stops > 0, "never stopped");
    same(&whole, &pieced);
    assert_eq!(whole.refresh, pieced.refresh);
}

/// Invariant 12: a load that comes faster leaves shorter rests, and no drive lives longer for it, in writes or in time.
#[test]
fn a_faster_load_wears_a_drive_out_sooner() {
    let wear = |rate: f64, days: u64| {
        let asked = LifetimeOptions {
            writes_per_day: Some(rate),
            ..options(days, Fidelity::Exact)
        };
        let found = lifetime(&small(), Path::new("."), &asked, &mut |_| true).unwrap();
        found.snapshots.last().unwrap().wear[MEDIAN]
    };
    // as many writes each
    let wears = [(50.0, 4), (100.0, 2), (200.0, 1)].map(|(rate, days)| wear(rate, days));
    assert!(wears.is_sorted(), "{wears:?}");
}

/// A load whose gaps vary needs their mean, which a constant rate replaces.
#[test]
fn a_constant_rate_replaces_random_arrivals() {
    let mut config = worn("none");
    config.workload.arrival = wordline_workload::ArrivalLaw::Poisson;
    config.workload.interarrival = Some(Duration::from_ms(10));
    let plain = study(&worn("none"), DAY);
    same(&plain, &study(&config, DAY));
}

#[test]
fn a_study_with_refresh_can_be_resumed() {
    for (policy, required) in [("last_moment", 60), ("remaining", 2)] {
        can_be_resumed(policy, DAY * required);
    }
}

fn can_be_resumed(policy: &'static str, required: Duration) {
    let config = worn(policy);
    let asked = LifetimeOptions {
        inside: Some(Variation::new(0.0, 0.05, 0.0).unwrap()),
        temperature: vec![(DAY * 9, 30.0), (DAY * 11, 35.0)],
        ..asked(required)
    };
    let whole = lifetime(&config, Path::new("."), &asked, &mut |_| true).unwrap();
    let (pieced, stops, _) = in_pieces(&config, Path::new("."), &asked, 12);
    assert!(stops > 0, "never stopped");
    same(&whole, &pieced);
    assert_eq!(whole.refresh, pieced.refresh);
}

/// A drive with cold data that live for years, whose blocks keep data for ever shorter times.
fn cold(policy: &'static str, seed: u64) -> Config {
    let mut config = small();
    config.seed = seed;
    config.ftl.wear.static_ = "off".into();
    config.workload.hot_requests = 0.995;
    config.age.initial_cycles = 1_000;
    config.ftl.refresh.policy = policy.into();
    config
}

/// Goal 2 of the specification, with retention at 1 h of rest as elsewhere: means over draws, since so few blocks differ from draw to draw.
#[test]
fn skipping_agrees_with_simulating_everything_where_blocks_are_refreshed() {
    const SEEDS: u64 = 3;
    let found = |seed, fidelity| {
        let asked = LifetimeOptions {
            required: DAY * 90,
            writes_per_day: Some(4.0),
            horizon: DAY * 320,
            every: DAY * 40,
            ..options(20, fidelity)
        };
        lifetime(&cold("last_moment", seed), Path::new("."), &asked, &mut |_| true).unwrap()
    };
    let model = RetentionModel::new(CellParams::default(), CELL, RestAcceleration::Off).unwrap();
    let retention = |wear: f64| model.retention(wear, 3600.0, 30.0).unwrap();
    // up to 240 days: the spare blocks last for 260
    let mut errors = [[0.0; 2]; 7];
    let (mut lives, mut blocks, mut programmed) = ([0.0; 2], [0; 2], [0; 2]);
    for seed in 1..=SEEDS {
        let both = [found(seed, Fidelity::Exact), found(seed, SKIP)];
        for (at, errors) in errors.iter_mut().enumerate() {
            for (percentile, error) in [MEDIAN, NINETIETH].into_iter().zip(errors) {
                // one that fell into a skip that was undone is left out
                let time = both[0].snapshots[at].time;
                let wear = |found: &LifetimeReport| {
                    let mut at = found.snapshots.iter().filter(|snapshot| snapshot.time == time);
                    at.next().map(|snapshot| snapshot.wear[percentile])
                };
                if let (Some(exact), Some(skipped)) = (wear(&both[0]), wear(&both[1])) {
                    *error += (retention(skipped) / retention(exact) - 1.0) / SEEDS as f64;
                }
            }
        }
        for (which, found) in both.iter().enumerate() {
            let refresh = found.refresh.unwrap();
            lives[which] += refresh.ended.unwrap() / SEEDS as f64;
            blocks[which] += refresh.totals.blocks;
        }
        let [exact, skipped] = both;
        programmed[0] += exact.programmed;
        programmed[1] += skipped.programmed;
        assert!(skipped.skips.0 > 1, "{:?}", skipped.skips);
    }
    let told = format!("{errors:?} {lives:?} {blocks:?} {programmed:?}");
    assert!(
        errors.as_flattened().iter().all(|error| error.abs() < 0.02),
        "{told}"
    );
    assert!((lives[1] / lives[0] - 1.0).abs() < 0.03, "{told}");
    let refreshed = blocks.map(|blocks: u64| blocks as f64);
    assert!((refreshed[1] / refreshed[0] - 1.0).abs() < 0.4, "{told}");
    assert!(programmed[1] < programmed[0], "{told}");
}

/// The same for refresh by what is left of retention, and without any: the life that they have in common.
#[test]
#[ignore = "slow: a minute"]
fn skipping_agrees_on_the_life_of_drives_with_old_data() {
    const SEEDS: u64 = 3;
    for policy in ["none", "remaining"] {
        let (mut lives, mut blocks) = ([0.0; 2], [0; 2]);
        for seed in 1..=SEEDS {
            for (which, fidelity) in [Fidelity::Exact, SKIP].into_iter().enumerate() {
                let asked = LifetimeOptions {
                    required: DAY * 60,
                    writes_per_day: Some(4.0),
                    horizon: DAY * 320,
                    every: DAY * 10,
                    ..options(20, fidelity)
                };
                let found = lifetime(&cold(policy, seed), Path::new("."), &asked, &mut |_| true).unwrap();
                lives[which] += found.life.unwrap_or(DAY.as_secs() * 320.0) / SEEDS as f64;
                blocks[which] += found.refresh.map_or(0, |refresh| refresh.totals.blocks);
            }
        }
        let told = format!("{policy}: {lives:?} {blocks:?}");
        assert!((lives[1] / lives[0] - 1.0).abs() < 0.03, "{told}");
        let refreshed = blocks.map(|blocks: u64| blocks as f64);
        assert!(
            policy == "none" || (refreshed[1] / refreshed[0] - 1.0).abs() < 0.4,
            "{told}"
        );
    }
}

/// Heat uses up the life of data: a drive that was at 30 degC and comes to 55 has them as far through it as before, so that what is due comes sooner, and none are lost. A profile of one temperature is that temperature.
#[test]
fn refresh_follows_a_profile_of_temperatures() {
    let found = |temperature: Vec<(Duration, f64)>, policy| {
        let asked = LifetimeOptions {
            temperature,
            ..asked(DAY)
        };
        lifetime(&worn(policy), Path::new("."), &asked, &mut |_| true).unwrap()
    };
    let profile = |second| vec![(DAY * 2, 30.0), (DAY * 18, second)];
    let (cool, split) = (
        found(vec![(DAY * 20, 30.0)], "remaining"),
        found(profile(30.0), "remaining"),
    );
    assert_eq!(cool.refresh, split.refresh);
    let (hot, unserved) = (found(profile(55.0), "remaining"), found(profile(55.0), "none"));
    let totals = |found: &LifetimeReport| found.refresh.unwrap().totals;
    assert!(
        totals(&hot).blocks > totals(&cool).blocks,
        "{:?} {:?}",
        totals(&hot),
        totals(&cool)
    );
    assert_eq!((totals(&hot).missed, hot.life), (0, None));
    // without refresh: five and a half days at 30 degC, of which two are used up, and the rest 2.4 times as fast, but for the day that is required
    let life = unserved.life.unwrap() / DAY.as_secs();
    assert!((2.0..3.5).contains(&life), "{life}");
    // at 30 degC the data that are as old are overwritten before a tenth of the blocks is left with them
    assert_eq!(found(vec![(DAY * 20, 30.0)], "none").life, None);
}

/// Blocks whose cells differ are refreshed by what each of them keeps: without a difference as mean ones, to the bit; with one some sooner than others, and the weakest tenth ends the drive sooner.
#[test]
fn blocks_whose_cells_differ_are_refreshed_by_their_own_retention() {
    let found = |sigmas: Option<[f64; 3]>, policy, days| {
        let inside = sigmas.map(|[traps, leak, gap]| Variation::new(traps, leak, gap).unwrap());
        let asked = LifetimeOptions {
            inside,
            ..asked(DAY * days)
        };
        lifetime(&worn(policy), Path::new("."), &asked, &mut |_| true).unwrap()
    };
    let (mean, none) = (found(None, "remaining", 2), found(Some([0.0; 3]), "remaining", 2));
    same(&mean, &none);
    assert_eq!(mean.refresh, none.refresh);
    let varied = found(Some([0.0, 0.2, 0.0]), "remaining", 2);
    let spread = |found: &LifetimeReport| found.snapshots[0].retention[7] / found.snapshots[0].retention[0];
    assert!(
        spread(&varied) > 2.0 && spread(&mean) < 1.001,
        "{} {}",
        spread(&varied),
        spread(&mean)
    );
    assert_eq!((varied.refresh.unwrap().totals.missed, varied.life), (0, None));
    let lives = [None, Some([0.0, 0.2, 0.0])].map(|sigmas| found(sigmas, "none", 5).life.unwrap());
    // a tenth keep data for 4.2 days, where mean ones do for 5.6
    assert!(lives[1] == 0.0 && lives[0] > 0.4 * DAY.as_secs(), "{lives:?}");
}

/// Blocks that are read too often are refreshed in a study too, which then simulates reads: nine reads for each write reach the limit, collection alone does not. The study can be interrupted and goes
/// on to the bit.
#[test]
fn blocks_that_are_read_too_often_are_refreshed() {
    let with = |limit, reads| {
        let mut config = worn("last_moment");
        config.age.initial_cycles = 10;
        config.ftl.refresh.read_limit = limit;
        config.workload.read_fraction = reads;
        config
    };
    let asked = LifetimeOptions {
        horizon: DAY * 4,
        ..asked(DAY * 60)
    };
    let study = |config: &Config| lifetime(config, Path::new("."), &asked, &mut |_| true).unwrap();
    let totals = |config: &Config| study(config).refresh.unwrap().totals;
    assert_eq!(totals(&with(Some(60), 0.0)).disturbed, Some(0));
    assert_eq!(totals(&with(None, 0.9)).disturbed, None);
    let config = with(Some(60), 0.9);
    let whole = study(&config);
    let found = whole.refresh.unwrap().totals;
    assert!(
        found.blocks > 10 && found.disturbed == Some(found.blocks),
        "{found:?}"
    );
    let (pieces, stops, _) = in_pieces(&config, Path::new("."), &asked, 20);
    assert!(stops > 0);
    same(&whole, &pieces);
    assert_eq!(whole.refresh, pieces.refresh);
}

#[test]
fn what_cannot_be_studied_with_refresh_is_refused() {
    let mut asked = asked(DAY * 60);
    let refused = |policy, asked: &LifetimeOptions| {
        let error = lifetime(&worn(policy), Path::new("."), asked, &mut |_| true).unwrap_err();
        assert!(error.is_input(), "{error}");
        error.to_string()
    };
    asked.fidelity = Fidelity::Skip { tolerance: 0.02 };
    assert!(refused("fcfs", &asked).contains("--exact"));
    let mut config = worn("last_moment");
    config.ftl.refresh.read_limit = Some(1000);
    let error = lifetime(&config, Path::new("."), &asked, &mut |_| true)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("ftl.refresh.read_limit = 1000") && error.contains("--exact"),
        "{error}"
    );
}
