//! Temperatures that change.

use std::path::Path;

use wordline_cell::fence::{CellParams, RestAcceleration, RetentionModel};
use wordline_units::Duration;

use super::{CELL, DAY, MEDIAN, SKIP, TENTH, options, small, study};
use crate::lifetime;

#[test]
fn temperature_changes_when_it_is_told_to() {
    let hot_later = |acceleration| {
        let mut asked = options(4, SKIP);
        asked.rest_acceleration = acceleration;
        asked.temperature = vec![(Duration(DAY.ns() * 5 / 4), 30.0), (DAY, 55.0), (DAY * 9, 30.0)];
        lifetime(&small(), Path::new("."), &asked, &mut |_| true).unwrap()
    };
    let constant = study(&small(), 4, SKIP);
    let found = hot_later(RestAcceleration::Off);
    let model = RetentionModel::new(CellParams::default(), CELL, RestAcceleration::Off).unwrap();
    let factor = model.retention_factor(55.0).unwrap();
    let times: Vec<f64> = found.snapshots.iter().map(|at| at.time / 86_400.0).collect();
    assert_eq!(
        times,
        [
            0.0, 0.5, 1.0, 1.25, 1.25, 1.5, 2.0, 2.25, 2.25, 2.5, 3.0, 3.5, 4.0
        ]
    );
    let tenth = |place: usize| found.snapshots[place].retention[TENTH];
    assert!((tenth(4) / tenth(3) / factor - 1.0).abs() < 1e-12);
    assert!((tenth(7) / tenth(8) / factor - 1.0).abs() < 1e-12);
    // wear does not know of it
    for (one, other) in [(2, 2), (6, 4), (12, 8)] {
        let (one, other) = (&found.snapshots[one], &constant.snapshots[other]);
        assert!((one.wear[MEDIAN] / other.wear[MEDIAN] - 1.0).abs() < 0.01);
    }
    // unless heat heals
    let healed = hot_later(RestAcceleration::On);
    assert!(healed.snapshots[12].wear[MEDIAN] < 0.98 * found.snapshots[12].wear[MEDIAN]);
    let mut asked = options(4, SKIP);
    asked.temperature = vec![(DAY * 3, 30.0)];
    let error = lifetime(&small(), Path::new("."), &asked, &mut |_| true).unwrap_err();
    assert!(
        error.is_input() && error.to_string().contains("temperature for 3 d"),
        "{error}"
    );
}
