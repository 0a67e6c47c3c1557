//! Retention by the errors that a code corrects.

use std::path::Path;

use wordline_cell::CellConfig;
use wordline_ecc::EccKind;

use super::{DAY, MEDIAN, SKIP, TENTH, YEAR, options, small};
use crate::fleet::FleetOptions;
use crate::{Fidelity, LifetimeOptions, LifetimeReport, StudiedCells, lifetime};

/// The law of `tlc_3d`, with wear four times as fast.
fn cells() -> CellConfig {
    let mut cells = CellConfig {
        bits_per_cell: 3,
        ..CellConfig::default()
    };
    cells.process_variation.sd = 0.0;
    cells.rber.epsilon = 1.48e-3;
    (cells.rber.alpha, cells.rber.k) = (4.0 * 3.9e-10, 2.05);
    (cells.rber.beta, cells.rber.m, cells.rber.n) = (6.28e-5, 0.14, 0.54);
    cells
}

fn asked(fidelity: Fidelity) -> LifetimeOptions {
    LifetimeOptions {
        cells: StudiedCells::Errors(Box::new(cells())),
        ..options(6, fidelity)
    }
}

fn study(asked: &LifetimeOptions) -> LifetimeReport {
    lifetime(&small(), Path::new("."), asked, &mut |_| true).unwrap()
}

/// Seconds until a page after so many cycles has 0.0112 errors per bit, what the published LDPC code corrects.
fn kept(cycles: f64) -> f64 {
    let at_once = 1.48e-3 + 4.0 * 3.9e-10 * cycles.powf(2.05);
    let by_age = 6.28e-5 * cycles.powf(0.14);
    86_400.0 * ((0.0112 - at_once).max(0.0) / by_age).powf(1.0 / 0.54)
}

#[test]
fn blocks_keep_data_as_long_as_the_code_corrects_their_errors() {
    let found = study(&asked(SKIP));
    assert_eq!(found.corrected, Some(0.0112));
    let last = found.snapshots.last().unwrap();
    assert!(last.erases.0 > 1_500.0, "{last:?}");
    for snapshot in &found.snapshots[1..] {
        let right = kept(snapshot.wear[MEDIAN] / 2.0).min(500.0 * YEAR);
        let found = snapshot.retention[MEDIAN];
        assert!((found - right).abs() <= 0.01 * right, "{found} {right}");
        // wear is the programs and erases, whatever the rests
        assert!((snapshot.wear[MEDIAN] / 2.0 / snapshot.erases.0 - 1.0).abs() < 0.05);
    }
    let life = found.life.unwrap();
    let after = found.snapshots.iter().position(|at| at.time >= life).unwrap();
    assert!(found.snapshots[after].retention[TENTH] < 90.0 * 86_400.0);
    assert!(found.snapshots[after - 1].retention[TENTH] >= 90.0 * 86_400.0);
}

#[test]
fn skips_give_what_every_write_gives() {
    let (exact, skipped) = (study(&asked(Fidelity::Exact)), study(&asked(SKIP)));
    assert!(
        skipped.simulated < 0.5 && skipped.skips.0 > 0,
        "{:?}",
        skipped.skips
    );
    for (one, other) in exact.snapshots.iter().zip(&skipped.snapshots) {
        let (right, found) = (one.retention[MEDIAN], other.retention[MEDIAN]);
        if right > YEAR / 12.0 {
            assert!((found / right - 1.0).abs() < 0.05, "{found} {right}");
        }
    }
    let lives = [exact.life.unwrap(), skipped.life.unwrap()];
    assert!((lives[1] / lives[0] - 1.0).abs() < 0.02, "{lives:?}");
}

#[test]
fn heat_shortens_retention_by_its_activation_energy() {
    let mut warm = asked(SKIP);
    warm.horizon = DAY * 2;
    let cold = study(&warm);
    warm.temperature = vec![(DAY * 2, 55.0)];
    let found = study(&warm);
    let factor = cells().retention.factor(55.0);
    assert!(factor < 0.1, "{factor}");
    // where neither is cut off at 500 years; skips end where retention says, and so at other times
    for (one, other) in cold.snapshots.iter().zip(&found.snapshots).skip(2) {
        let ratio = other.retention[TENTH] / one.retention[TENTH];
        assert!((ratio / factor - 1.0).abs() < 0.01, "{ratio} {factor}");
    }
}

#[test]
fn a_drive_with_a_code_brings_its_own_cells() {
    let mut config = small();
    config.ecc.kind = EccKind::Ldpc;
    config.cell.rber = cells().rber;
    config.cell.process_variation = cells().process_variation;
    let own = LifetimeOptions {
        cells: StudiedCells::OfDrive,
        ..asked(SKIP)
    };
    let own = lifetime(&config, Path::new("."), &own, &mut |_| true).unwrap();
    let given = study(&asked(SKIP));
    assert_eq!(own.life, given.life);
}

#[test]
fn what_belongs_to_fence_is_refused() {
    let mut fleet = asked(SKIP);
    fleet.fleet = Some(FleetOptions {
        drives: 3,
        variation: wordline_cell::fence::Variation::new(0.05, 0.1, 0.01).unwrap(),
    });
    let mut healed = asked(SKIP);
    healed.rest_acceleration = wordline_cell::fence::RestAcceleration::On;
    for (asked, key) in [(fleet, "drives = 3"), (healed, "heat_heals")] {
        let error = lifetime(&small(), Path::new("."), &asked, &mut |_| true).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(key), "{error}");
    }
    let mut odd = cells();
    odd.retention.activation_energy = -1.0;
    let asked = LifetimeOptions {
        cells: StudiedCells::Errors(Box::new(odd)),
        ..asked(SKIP)
    };
    let error = lifetime(&small(), Path::new("."), &asked, &mut |_| true).unwrap_err();
    assert!(
        error.is_input() && error.to_string().contains("activation_energy"),
        "{error}"
    );
}
