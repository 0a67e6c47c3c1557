//! Studies of drives that refresh their blocks (specification of the refreshing drive, section 15).

use std::path::Path;

use wordline_config::Config;
use wordline_ftl::RefreshMode;
use wordline_units::Duration;

use super::keeping::{in_pieces, same};
use super::{DAY, options, small};
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

/// EDF refreshes in time, FCFS lets blocks wait behind others that are not due, and the period is longer than these blocks keep data (invariants 4 and 7).
#[test]
fn policies_keep_deadlines_or_miss_them() {
    let edf = refreshed("edf");
    assert!(
        edf.totals.blocks > 10 && edf.totals.pages > edf.totals.blocks,
        "{edf:?}"
    );
    assert_eq!((edf.totals.missed, edf.life), (0, None));
    let oracle = refreshed("oracle");
    assert!(oracle.totals.blocks >= edf.totals.blocks, "{oracle:?}");
    assert_eq!(
        (oracle.totals.missed, oracle.totals.pages, oracle.life),
        (0, 0, None)
    );
    for policy in ["fcfs", "periodic"] {
        let found = refreshed(policy);
        assert!(found.totals.missed > 0, "{policy}: {found:?}");
        let life = found.life.unwrap() / DAY.as_secs();
        // the data that were there when the study began
        assert!((5.0..6.0).contains(&life), "{policy}: {life}");
    }
}

/// Programs of the host, of collection and of refresh are all that there are, and no page is lost (invariants 2 and 6).
#[test]
fn refresh_is_a_part_of_write_amplification() {
    let plain = study(&worn("none"), DAY * 60);
    assert_eq!(plain.refresh, None);
    let found = study(&worn("edf"), DAY * 60);
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
    for policy in ["edf", "fcfs"] {
        let found = study(&worn(policy), DAY);
        same(&plain, &found);
        assert_eq!(found.refresh.unwrap().totals.blocks, 0);
    }
}

/// A weaker requirement lasts as long at least, for every policy, and at each the oracle as long as EDF, and EDF as long as periodic refresh (invariants 3 and 7).
#[test]
fn lives_are_in_the_order_of_requirements_and_policies() {
    let life = |policy, days| {
        let refresh = study(&worn(policy), DAY * days).refresh.unwrap();
        refresh.life.unwrap_or(f64::INFINITY)
    };
    let lives =
        ["oracle", "edf", "periodic", "fcfs"].map(|policy| [2, 60, 200].map(|days| life(policy, days)));
    for of_policy in &lives {
        assert!(
            of_policy.is_sorted_by(|weaker, stronger| weaker >= stronger),
            "{lives:?}"
        );
    }
    for at in 0..3 {
        assert!(
            lives[0][at] >= lives[1][at] && lives[1][at] >= lives[2][at],
            "{lives:?}"
        );
    }
}

/// In the strict mode blocks are refreshed that keep data for longer than required.
#[test]
fn the_strict_mode_refreshes_blocks_that_are_not_weak() {
    let refreshed = |mode: RefreshMode| {
        let mut config = worn("edf");
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
fn a_study_with_refresh_can_be_resumed() {
    let config = worn("edf");
    let asked = asked(DAY * 60);
    let whole = lifetime(&config, Path::new("."), &asked, &mut |_| true).unwrap();
    let (pieced, stops, _) = in_pieces(&config, Path::new("."), &asked, 12);
    assert!(stops > 0, "never stopped");
    same(&whole, &pieced);
    assert_eq!(whole.refresh, pieced.refresh);
}

#[test]
fn what_cannot_be_studied_with_refresh_is_refused() {
    let mut asked = asked(DAY * 60);
    let refused = |asked: &LifetimeOptions| {
        let error = lifetime(&worn("edf"), Path::new("."), asked, &mut |_| true).unwrap_err();
        assert!(error.is_input(), "{error}");
        error.to_string()
    };
    asked.temperature = vec![(DAY * 10, 30.0), (DAY * 10, 40.0)];
    assert!(refused(&asked).contains("one temperature"));
    asked.fidelity = Fidelity::Skip { tolerance: 0.02 };
    assert!(refused(&asked).contains("--exact"));
}
