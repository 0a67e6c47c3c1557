//! Drives that are erased often, and how the erase counts of their blocks drift apart.

use std::path::Path;

use wordline_config::Config;
use wordline_units::Duration;
use wordline_workload::WorkloadKind;

use super::keeping::{in_pieces, same};
use super::{DAY, DAYS, MEDIAN, NINETIETH, SKIP, TENTH, options, small, study};
use crate::{Fidelity, LifetimeOptions, lifetime};

/// A drive of 1024 blocks with little spare space, on which windows of one overwrite are enough: wear is that of simulating everything within 1 %, and a study that stops and goes on
/// finds the same.
#[test]
#[ignore = "slow: several seconds"]
fn skipping_agrees_where_an_overwrite_erases_often() {
    let mut config = small();
    config.geometry.blocks_per_plane = 512;
    config.ftl.over_provisioning = 0.03;
    config.workload.kind = WorkloadKind::Random;
    let asked = |fidelity| LifetimeOptions {
        horizon: Duration(DAY.ns() / 2),
        every: Duration(DAY.ns() / 10),
        ..options(1, fidelity)
    };
    let study = |fidelity| lifetime(&config, Path::new("."), &asked(fidelity), &mut |_| true).unwrap();
    let (exact, skipped) = (study(Fidelity::Exact), study(SKIP));
    assert!(exact.write_amplification > 8.5, "{}", exact.write_amplification);
    assert!(
        skipped.skips.0 > 1 && skipped.simulated < 0.6,
        "{:?} {}",
        skipped.skips,
        skipped.simulated
    );
    for (one, other) in exact.snapshots.iter().zip(&skipped.snapshots).skip(1) {
        for percentile in [TENTH, MEDIAN, NINETIETH] {
            let change = other.wear[percentile] / one.wear[percentile] - 1.0;
            assert!(change.abs() < 0.01, "{} s: {change}", one.time);
        }
    }
    let (pieced, stops, _) = in_pieces(&config, Path::new("."), &asked(SKIP), 40);
    assert!(stops > 0);
    same(&skipped, &pieced);
}

/// The spread of erase counts over blocks keeps growing in time that is skipped (specification of the refreshing drive, 10.6): means over draws.
#[test]
fn the_spread_of_erases_is_that_of_simulating_everything() {
    let mut config = small();
    config.workload.kind = WorkloadKind::Random;
    let spread = |fidelity| {
        let of = |seed| {
            let config = Config {
                seed,
                ..config.clone()
            };
            let snapshots = study(&config, DAYS, fidelity).snapshots;
            let half = snapshots.len() / 2;
            let late = &snapshots[half..];
            late.iter().map(|at| at.erases.1).sum::<f64>() / late.len() as f64
        };
        (1..=4).map(of).sum::<f64>() / 4.0
    };
    let (exact, skipped) = (spread(Fidelity::Exact), spread(SKIP));
    assert!((skipped / exact - 1.0).abs() < 0.25, "{exact} {skipped}");
}
