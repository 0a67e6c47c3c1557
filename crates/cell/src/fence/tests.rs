//! The test vectors, anchors, invariants and refusals of the specification.

mod anchors;
mod bad_input;
mod invariants;
mod vectors;

use super::{CellKind, CellParams, RestAcceleration, RetentionModel};

fn model(kind: CellKind) -> RetentionModel {
    RetentionModel::new(CellParams::default(), kind, RestAcceleration::Off).unwrap()
}

fn slc() -> RetentionModel {
    model(CellKind::Slc)
}

fn mlc() -> RetentionModel {
    model(CellKind::Mlc2)
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found / expected - 1.0).abs() <= tolerance,
        "{found}, expected {expected}"
    );
}
