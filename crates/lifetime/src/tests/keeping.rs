//! Studies that are stopped and resumed, and what they leave behind.

use std::collections::BTreeMap;
use std::path::Path;

use wordline_cell::fence::Variation;
use wordline_config::Config;
use wordline_ftl::AgeMethod;
use wordline_units::Seed;

use super::{DAY, PAGES, SKIP, TENTH, options, small, traced};
use crate::error::LifetimeError;
use crate::{
    BlockSnapshot, Fidelity, FleetOptions, LifetimeEvent, LifetimeOptions, LifetimeReport, lifetime,
};

/// Stops a study after every so many calls of its watcher, and resumes it, until it is done.
pub(super) fn in_pieces(
    config: &Config,
    base_dir: &Path,
    asked: &LifetimeOptions,
    calls: u64,
) -> (LifetimeReport, u32, Vec<BlockSnapshot>) {
    let folder = tempfile::tempdir().unwrap();
    let mut asked = asked.clone();
    asked.keep.state = Some(folder.path().join("state"));
    asked.keep.resume = true;
    let mut blocks = BTreeMap::new();
    let mut more = calls;
    for stops in 0.. {
        let mut left = more;
        // the state is saved the less often the longer that takes
        more += calls;
        let found = lifetime(config, base_dir, &asked, &mut |event| {
            if let LifetimeEvent::Blocks(snapshot) = event {
                blocks.insert(snapshot.number, snapshot.clone());
            }
            left -= 1;
            left > 0
        });
        match found {
            Ok(found) => return (found, stops, blocks.into_values().collect()),
            Err(error) => assert!(matches!(error, LifetimeError::Interrupted), "{error}"),
        }
    }
    unreachable!()
}

pub(super) fn same(one: &LifetimeReport, other: &LifetimeReport) {
    assert_eq!(one.snapshots.len(), other.snapshots.len());
    for (one, other) in one.snapshots.iter().zip(&other.snapshots) {
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
    }
    assert_eq!(format!("{:?}", one.blocks), format!("{:?}", other.blocks));
    let facts = |found: &LifetimeReport| {
        (
            found.life,
            found.error,
            found.life_error,
            found.programmed,
            found.simulated,
            found.skips,
        )
    };
    assert_eq!(facts(one), facts(other));
}

#[test]
#[ignore = "slow: several seconds"]
fn what_is_resumed_ends_as_what_was_never_stopped() {
    let (folder, mut traced) = traced(small(), 4 * PAGES, |turn| Seed(3).draw("page", turn) % PAGES);
    // its jobs have given notice when the study begins
    traced.age.method = AgeMethod::Invalidated;
    let mut levelled = small();
    levelled.ftl.gc.victim = "d_choices".into();
    levelled.ftl.wear.static_ = "dual_pool".into();
    for config in [levelled, traced] {
        for (days, fidelity, calls) in [(1, Fidelity::Exact, 40), (4, SKIP, 60)] {
            let mut asked = options(days, fidelity);
            asked.keep.blocks_every = Some(2);
            asked.fleet = Some(FleetOptions {
                drives: 2,
                variation: Variation::new(0.0, 0.1, 0.01).unwrap(),
            });
            let mut told = Vec::new();
            let whole = lifetime(&config, folder.path(), &asked, &mut |event| {
                if let LifetimeEvent::Blocks(snapshot) = event {
                    told.push(snapshot.clone());
                }
                true
            })
            .unwrap();
            let (pieced, stops, blocks) = in_pieces(&config, folder.path(), &asked, calls);
            assert!(stops > 0, "never stopped");
            same(&whole, &pieced);
            assert_eq!(format!("{told:?}"), format!("{blocks:?}"));
        }
    }
}

#[test]
fn snapshots_of_all_blocks_belong_to_those_of_percentiles() {
    let mut asked = options(5, SKIP);
    asked.keep.blocks_every = Some(3);
    let mut told = Vec::new();
    let found = lifetime(&small(), Path::new("."), &asked, &mut |event| {
        if let LifetimeEvent::Blocks(snapshot) = event {
            told.push(snapshot.clone());
        }
        true
    })
    .unwrap();
    assert_eq!(told.iter().map(|at| at.number).collect::<Vec<_>>(), [0, 3, 6, 9]);
    for at in told {
        assert_eq!((&at.identity, at.seed), (&found.identity, small().seed));
        let regular = &found.snapshots[at.number as usize];
        assert_eq!(at.time, regular.time);
        let mut retention = at.blocks.retention.clone();
        retention.sort_by(f64::total_cmp);
        assert_eq!(retention[25], regular.retention[TENTH]);
        let erases: f64 = at.blocks.erase_count.iter().map(|count| f64::from(*count)).sum();
        assert!((erases / 256.0 - regular.erases.0).abs() < 1e-9);
        for block in 0..256 {
            let closed = at.blocks.last_program[block];
            assert!(closed.is_nan() || closed <= at.time, "{closed}");
            let is_free = at.blocks.role[block] == wordline_ftl::BlockRole::Free;
            assert!(!is_free || at.blocks.valid_pages[block] == 0 && closed.is_nan());
        }
    }
}

#[test]
fn states_of_other_studies_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut asked = options(1, SKIP);
    asked.keep.state = Some(folder.path().join("state"));
    let stopped = lifetime(&small(), Path::new("."), &asked, &mut |_| false).unwrap_err();
    assert!(matches!(stopped, LifetimeError::Interrupted));
    let mut left = 20;
    lifetime(&small(), Path::new("."), &asked, &mut |_| {
        left -= 1;
        left > 0
    })
    .unwrap_err();
    asked.keep.resume = true;
    let refused = |config: &Config, asked: &LifetimeOptions| {
        let error = lifetime(config, Path::new("."), asked, &mut |_| true).unwrap_err();
        assert!(error.is_input(), "{error}");
        error.to_string()
    };
    let mut other = asked.clone();
    other.horizon = DAY * 2;
    assert!(refused(&small(), &other).contains("another study"));
    let mut config = small();
    config.seed += 1;
    assert!(refused(&config, &asked).contains("another study"));
    let path = asked.keep.state.clone().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert!(refused(&small(), &asked).contains("damaged"));
    std::fs::write(&path, b"not at all").unwrap();
    assert!(refused(&small(), &asked).contains("is not the state"));
    asked.keep.state = None;
    assert!(refused(&small(), &asked).contains("resume"));
}
