//! Drives whose cells vary from block to block.

use std::path::Path;

use wordline_cell::fence::Variation;

use super::{DAY, SKIP, TENTH, options, small, study};
use crate::{Fidelity, FleetOptions, LifetimeReport, lifetime};

fn fleet(days: u64, fidelity: Fidelity, drives: u32, sigmas: [f64; 3]) -> LifetimeReport {
    let [traps, leak, gap] = sigmas;
    let mut asked = options(days, fidelity);
    asked.fleet = Some(FleetOptions {
        drives,
        variation: Variation::new(traps, leak, gap).unwrap(),
    });
    lifetime(&small(), Path::new("."), &asked, &mut |_| true).unwrap()
}

/// What is suggested for studies.
const SIGMAS: [f64; 3] = [0.05, 0.10, 0.01];

#[test]
fn cells_that_do_not_vary_are_the_mean_ones() {
    let exact = fleet(1, Fidelity::Exact, 2, [0.0; 3]);
    for snapshot in &exact.snapshots {
        assert_eq!(snapshot.fleet, [snapshot.retention[TENTH]; 2]);
    }
    let skipped = fleet(5, SKIP, 2, [0.0; 3]);
    for snapshot in &skipped.snapshots {
        for found in &snapshot.fleet {
            let right = snapshot.retention[TENTH];
            assert!((found - right).abs() <= 1e-6 * right, "{found} {right}");
        }
    }
    assert_eq!(skipped.fleet.len(), 2);
    let (one, other) = (skipped.fleet[0].unwrap(), skipped.life.unwrap());
    assert!((one / other - 1.0).abs() < 1e-6);
}

#[test]
fn a_fleet_has_no_influence_on_the_mean_drive() {
    let (with, without) = (fleet(4, SKIP, 3, SIGMAS), study(&small(), 4, SKIP));
    for (one, other) in with.snapshots.iter().zip(&without.snapshots) {
        assert_eq!(
            (one.retention, one.wear, one.erases),
            (other.retention, other.wear, other.erases)
        );
    }
}

#[test]
#[ignore = "slow: several seconds"]
fn skipping_agrees_for_every_drive_of_a_fleet() {
    let (exact, skipped) = (fleet(5, Fidelity::Exact, 5, SIGMAS), fleet(5, SKIP, 5, SIGMAS));
    for (one, other) in exact.snapshots.iter().zip(&skipped.snapshots) {
        for (right, found) in one.fleet.iter().zip(&other.fleet) {
            // the last rests of so few blocks differ from run to run, the more the steeper retention falls
            if *right > (DAY * 365).as_secs() {
                assert!(
                    (found / right - 1.0).abs() < 0.05,
                    "day {}: {found} {right}",
                    one.time / 86_400.0
                );
            }
        }
    }
    let lives: Vec<f64> = skipped.fleet.iter().map(|life| life.unwrap()).collect();
    let right: Vec<f64> = exact.fleet.iter().map(|life| life.unwrap()).collect();
    for (right, found) in right.iter().zip(&lives) {
        assert!((found / right - 1.0).abs() < 0.06, "{found} {right}");
    }
    assert!((lives.iter().sum::<f64>() / right.iter().sum::<f64>() - 1.0).abs() < 0.03);
    // blocks that vary make the weakest tenth weaker
    let mean = skipped.life.unwrap();
    assert!(
        lives.iter().all(|life| *life < mean && *life > 0.5 * mean),
        "{lives:?} {mean}"
    );
    assert!(lives.windows(2).any(|pair| pair[0] != pair[1]));
}

#[test]
fn fleets_out_of_range_are_refused() {
    for (drives, traps, word) in [
        (0, 0.05, "drives"),
        (20_000, 0.05, "drives"),
        (2, 0.6, "sigma_traps"),
    ] {
        let mut asked = options(1, SKIP);
        asked.fleet = Some(FleetOptions {
            drives,
            variation: Variation::new(traps, 0.1, 0.01).unwrap(),
        });
        let error = lifetime(&small(), Path::new("."), &asked, &mut |_| true).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(word), "{error}");
    }
}
