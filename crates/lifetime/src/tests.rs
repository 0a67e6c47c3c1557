//! Skipping against simulating everything, and what is refused.

use std::path::Path;

use wordline_cell::fence::{CellKind, CellParams, RestAcceleration, RetentionModel};
use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::Phase;
use wordline_ftl::{AgeMethod, AllocationMode, Pool};
use wordline_units::{Duration, Seed};
use wordline_workload::WorkloadKind;

use crate::report::TENTH;
use crate::{Fidelity, LifetimeEvent, LifetimeOptions, LifetimeReport, StudiedCells, lifetime};

use crate::error::LifetimeError;

mod conservation;
mod errors;
mod fleet;
mod invariants;
mod keeping;
mod refresh;
mod spread;
mod temperature;
mod timed;

const DAY: Duration = Duration(86_400_000_000_000);
const YEAR: f64 = 365.0 * 86_400.0;

/// 256 blocks of 16 pages in a pool of two planes, 80 % of the writes to 20 % of the pages.
fn small() -> Config {
    let text = r#"
        [geometry]
        channels = 1
        chips_per_channel = 1
        dies_per_chip = 1
        planes_per_die = 2
        blocks_per_plane = 128
        pages_per_block = 16
        page_size = "4 KiB"
        [ftl]
        over_provisioning = 0.2
        [ftl.gc]
        pool = "die"
        [ftl.wear]
        static = "swap"
        gap = 20
        [age]
        method = "steady_state"
        [workload]
        kind = "hot_cold"
        read_fraction = 0.0
        hot_space = 0.2
        hot_requests = 0.8
    "#;
    resolve(DriveSource::Text(text), None, &[]).unwrap().config
}

/// Cells that wear out soon.
const CELL: CellKind = CellKind::Custom { level_gap: 0.3 };
const DAYS: u64 = 6;

fn options(days: u64, fidelity: Fidelity) -> LifetimeOptions {
    LifetimeOptions {
        cells: StudiedCells::Fence(CELL),
        required: DAY * 90,
        horizon: DAY * days,
        every: Duration(DAY.ns() / 2),
        writes_per_day: Some(200.0),
        fidelity,
        ..LifetimeOptions::default()
    }
}

fn study(config: &Config, days: u64, fidelity: Fidelity) -> LifetimeReport {
    study_in(config, Path::new("."), days, fidelity)
}

fn study_in(config: &Config, base_dir: &Path, days: u64, fidelity: Fidelity) -> LifetimeReport {
    lifetime(config, base_dir, &options(days, fidelity), &mut |_| true).unwrap()
}

const SKIP: Fidelity = Fidelity::Skip { tolerance: 0.02 };
/// The places of the median and of the ninetieth percentile.
const MEDIAN: usize = 4;
const NINETIETH: usize = 6;

/// Goal 2 of the specification: R_10 and the median within 2 % down to 3 months, within 5 % down to one, and crossing
/// times within 2 %. As in its prototype retention is that at 1 h of rest: the last rests of so few blocks alone differ by
/// more from run to run.
fn agree(config: &Config, base_dir: &Path, days: u64) {
    within(&differences(config, base_dir, days));
}

/// How far skipping is from simulating everything.
struct Differences {
    /// At every snapshot, of the median and of the ninetieth percentile of wear: the day, the retention in years, and the
    /// relative error of it.
    retention: Vec<(f64, f64, f64)>,
    /// Relative error of the time at which the wear of two thirds of the study is reached.
    crossing: f64,
}

fn within(found: &Differences) {
    for (day, years, error) in &found.retention {
        let bound = match years {
            years if *years >= 3.0 / 12.0 => 0.02,
            years if *years >= 1.0 / 12.0 => 0.05,
            _ => continue,
        };
        assert!(error.abs() < bound, "day {day}: {error}, {years} years");
    }
    assert!(found.crossing.abs() < 0.02, "{}", found.crossing);
}

fn differences(config: &Config, base_dir: &Path, days: u64) -> Differences {
    let exact = study_in(config, base_dir, days, Fidelity::Exact);
    let skipped = study_in(config, base_dir, days, SKIP);
    assert_eq!(exact.snapshots.len(), skipped.snapshots.len());
    assert_eq!(exact.simulated, 1.0);
    assert!(
        skipped.simulated < 0.5 && skipped.programmed < exact.programmed / 2 && skipped.skips.0 > 2,
        "{} {:?}",
        skipped.simulated,
        skipped.skips
    );
    let model = RetentionModel::new(CellParams::default(), CELL, RestAcceleration::Off).unwrap();
    let retention = |wear: f64| model.retention(wear, 3600.0, 30.0).unwrap();
    let mut errors = Vec::new();
    for (one, other) in exact.snapshots.iter().zip(&skipped.snapshots) {
        for percentile in [MEDIAN, NINETIETH] {
            let (right, found) = (retention(one.wear[percentile]), retention(other.wear[percentile]));
            errors.push((one.time / 86_400.0, right / YEAR, found / right - 1.0));
        }
    }
    // when the wear of two thirds of the time is reached
    let worn = exact.snapshots[exact.snapshots.len() * 2 / 3].wear[NINETIETH];
    let crossed = |found: &LifetimeReport| {
        let after = found
            .snapshots
            .iter()
            .position(|at| at.wear[NINETIETH] >= worn)
            .unwrap();
        let (before, after) = (&found.snapshots[after - 1], &found.snapshots[after]);
        let share = (worn - before.wear[NINETIETH]) / (after.wear[NINETIETH] - before.wear[NINETIETH]);
        before.time + share * (after.time - before.time)
    };
    let (right, found) = (crossed(&exact), crossed(&skipped));
    Differences {
        retention: errors,
        crossing: found / right - 1.0,
    }
}

#[test]
fn skipping_agrees_with_simulating_everything() {
    // the spread of 256 blocks alone moves their median by up to 2 % from draw to draw: means over draws
    const SEEDS: u64 = 4;
    let draws: Vec<Differences> = (1..=SEEDS)
        .map(|seed| differences(&Config { seed, ..small() }, Path::new("."), DAYS))
        .collect();
    let mean = |of: &dyn Fn(&Differences) -> f64| draws.iter().map(of).sum::<f64>() / SEEDS as f64;
    let retention = (0..draws[0].retention.len())
        .map(|at| {
            let (day, ..) = draws[0].retention[at];
            (
                day,
                mean(&|draw| draw.retention[at].1),
                mean(&|draw| draw.retention[at].2),
            )
        })
        .collect();
    within(&Differences {
        retention,
        crossing: mean(&|draw| draw.crossing),
    });
}

/// Blocks drift apart: it takes more of them to know the ninetieth percentile.
#[test]
#[ignore = "slow: several seconds"]
fn skipping_agrees_without_wear_levelling() {
    let mut config = small();
    config.geometry.blocks_per_plane = 512;
    config.ftl.wear.static_ = "off".into();
    config.workload.hot_space = 0.1;
    config.workload.hot_requests = 0.95;
    agree(&config, Path::new("."), 3);
}

/// Every block has rests of its own, for good.
#[test]
fn skipping_agrees_for_sequential_writes() {
    let mut config = small();
    config.workload.kind = WorkloadKind::Sequential;
    agree(&config, Path::new("."), 8);
}

/// A folder with a trace of single-page writes, whose pages `page` gives by turn, and the configuration that replays it.
fn traced(mut config: Config, writes: u64, page: impl Fn(u64) -> u64) -> (tempfile::TempDir, Config) {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<String> = (0..writes)
        .map(|turn| format!("{} 0 {} 8 0", turn * 1000, page(turn) * 8))
        .collect();
    std::fs::write(folder.path().join("trace.txt"), rows.join("\n")).unwrap();
    config.workload.kind = WorkloadKind::Trace;
    config.workload.path = Some("trace.txt".into());
    config.workload.format = Some("ssdsim".to_owned());
    (folder, config)
}

const PAGES: u64 = 3400;

#[test]
fn skipping_agrees_for_two_phases() {
    // twice over the drive, then as much to a tenth of it
    let (folder, config) = traced(small(), 4 * PAGES, |turn| {
        let pages = if turn < 2 * PAGES { PAGES } else { PAGES / 10 };
        Seed(3).draw("page", turn) % pages
    });
    agree(&config, folder.path(), DAYS);
}

#[test]
fn skipping_agrees_where_a_pool_is_twice_as_hot() {
    let mut config = small();
    config.allocation.mode = AllocationMode::Static;
    config.ftl.gc.pool = Pool::Plane;
    // even pages live in one plane, odd ones in the other
    let (folder, config) = traced(config, 4 * PAGES, |turn| {
        let draw = Seed(5).draw("page", turn) % (PAGES / 2);
        2 * draw + u64::from(turn % 3 == 0)
    });
    let found = study_in(&config, folder.path(), 2, SKIP);
    let erases = |pool: u32| {
        let blocks = found.blocks.pool.iter().zip(&found.blocks.erase_count);
        blocks
            .filter(|(of, _)| **of == pool)
            .map(|(_, count)| f64::from(*count))
            .sum::<f64>()
    };
    assert!(
        (erases(0) / erases(1) - 2.0).abs() < 0.05,
        "{}",
        erases(0) / erases(1)
    );
    agree(&config, folder.path(), DAYS);
}

#[test]
#[ignore = "slow: several seconds"]
fn what_must_hold_of_every_study() {
    let mut config = small();
    config.age.initial_cycles = 100;
    for fidelity in [Fidelity::Exact, SKIP] {
        let found = study(&config, 5, fidelity);
        let again = study(&config, 5, fidelity);
        let times: Vec<f64> = found
            .snapshots
            .iter()
            .map(|snapshot| snapshot.time / 86_400.0)
            .collect();
        assert_eq!(
            times,
            (0..=10).map(|place| f64::from(place) * 0.5).collect::<Vec<_>>()
        );
        for (one, two) in found.snapshots.iter().zip(&again.snapshots) {
            assert_eq!((one.retention, one.erases), (two.retention, two.erases));
        }
        for pair in found.snapshots.windows(2) {
            assert!(pair[1].retention[TENTH] <= pair[0].retention[TENTH] * 1.001);
            assert!(pair[1].erases.0 >= pair[0].erases.0 && pair[1].erases.2 >= pair[0].erases.2);
        }
        assert!(found.write_amplification >= 1.0);
        let blocks = &found.blocks;
        assert_eq!(blocks.pool.len(), 256);
        assert!(blocks.erase_count.iter().all(|count| *count >= 100));
        let last = found.snapshots.last().unwrap();
        let mean = blocks
            .erase_count
            .iter()
            .map(|count| f64::from(*count))
            .sum::<f64>()
            / 256.0;
        assert!((mean - last.erases.0).abs() < 1e-9);
        assert!(blocks.valid_pages.iter().all(|pages| *pages <= 16));
        assert!(blocks.equivalent_events.iter().all(|wear| *wear >= 200.0));
    }
}

#[test]
fn a_stricter_requirement_ends_life_earlier() {
    let mut lives = Vec::new();
    for days in [90, 365, 1000, 2000] {
        let asked = LifetimeOptions {
            required: DAY * days,
            ..options(DAYS, SKIP)
        };
        let found = lifetime(&small(), Path::new("."), &asked, &mut |_| true).unwrap();
        lives.push(found.life.unwrap_or(f64::INFINITY));
    }
    assert!(
        lives.is_sorted_by(|one, two| one >= two) && lives[3] < lives[0],
        "{lives:?}"
    );
}

#[test]
fn bad_input_is_refused() {
    type Change = fn(&mut Config, &mut LifetimeOptions);
    let cases: [(&str, Change); 11] = [
        ("ftl.mapping", |config, _| config.ftl.mapping = "zoned".into()),
        ("horizon", |_, options| options.horizon = Duration::ZERO),
        ("required", |_, options| options.required = Duration::ZERO),
        ("every", |_, options| options.every = DAY * 1000),
        ("every", |_, options| options.every = Duration(1)),
        ("tolerance", |_, options| {
            options.fidelity = Fidelity::Skip { tolerance: 0.3 }
        }),
        ("writes_per_day", |_, options| options.writes_per_day = Some(0.0)),
        ("writes_per_day", |_, options| options.writes_per_day = None),
        ("temperature", |_, options| {
            options.temperature = vec![(Duration(u64::MAX), 200.0)]
        }),
        ("workload", |config, _| config.workload.read_fraction = 1.0),
        ("blocks_every", |config, options| {
            config.geometry.blocks_per_plane = 1024;
            options.every = Duration(options.horizon.ns() / 50_000);
            options.keep.blocks_every = Some(1);
        }),
    ];
    for (word, change) in cases {
        let (mut config, mut options) = (small(), options(DAYS, SKIP));
        change(&mut config, &mut options);
        let error = lifetime(&config, Path::new("."), &options, &mut |_| true).unwrap_err();
        assert!(error.is_input(), "{error}");
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
}

#[test]
fn a_study_can_be_stopped() {
    let mut config = small();
    config.age.method = AgeMethod::Fresh;
    let stopped = lifetime(&config, Path::new("."), &options(DAYS, SKIP), &mut |_| false).unwrap_err();
    assert!(matches!(stopped, LifetimeError::Interrupted));
}

/// Reading a trace for its totals takes long: the study can be stopped in it.
#[test]
fn a_study_can_be_stopped_while_its_trace_is_read() {
    let (folder, config) = traced(small(), 70_000, |turn| turn % PAGES);
    let mut seen = Vec::new();
    let stopped = lifetime(
        &config,
        folder.path(),
        &options(DAYS, SKIP),
        &mut |event| match event {
            LifetimeEvent::Before(phase, _) => {
                seen.push(phase);
                phase != Phase::ReadingTrace
            }
            _ => true,
        },
    );
    assert!(matches!(stopped, Err(LifetimeError::Interrupted)));
    assert_eq!(seen.last(), Some(&Phase::ReadingTrace));
}

#[test]
fn some_skips_are_repeated_in_halves() {
    let mut halved = 0;
    for seed in 0..3 {
        let mut config = small();
        config.seed = seed;
        let found = study(&config, DAYS, SKIP);
        halved += found.halved;
        assert!(found.halved <= found.skips.0);
    }
    assert!(halved > 0);
}

/// Skips that must be taken back again and again: the study goes on, in the order of time, to its horizon.
#[test]
fn wrong_skips_are_taken_back() {
    let mut asked = options(3, Fidelity::Skip { tolerance: 2e-5 });
    asked.every = Duration(DAY.ns() / 20);
    let found = lifetime(&small(), Path::new("."), &asked, &mut |_| true).unwrap();
    assert!(found.skips.1 > 0, "{:?}", found.skips);
    let times: Vec<f64> = found.snapshots.iter().map(|snapshot| snapshot.time).collect();
    assert!(times.is_sorted_by(|one, other| one < other), "{times:?}");
    assert_eq!(times.last(), Some(&asked.horizon.as_secs()));
    let wear = found.snapshots.iter().map(|snapshot| snapshot.wear[MEDIAN]);
    assert!(wear.is_sorted(), "wear never falls");
}

/// Cycles behind a drive leave no rests of nothing.
#[test]
fn a_drive_with_cycles_behind_it_is_skipped_as_well() {
    let mut config = small();
    config.age.initial_cycles = 200;
    agree(&config, Path::new("."), DAYS);
}

#[test]
fn a_trace_that_takes_no_time_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("still.ascii"), "0 0 0 8 0\n").unwrap();
    let mut config = small();
    config.workload.kind = WorkloadKind::Trace;
    config.workload.path = Some("still.ascii".into());
    config.workload.format = Some("ssdsim".into());
    let mut asked = options(1, SKIP);
    asked.writes_per_day = None;
    let error = lifetime(&config, folder.path(), &asked, &mut |_| true).unwrap_err();
    assert!(error.to_string().contains("takes no time"), "{error}");
}

/// Rests are half as long at twice the rate.
#[test]
fn more_writes_never_make_a_drive_live_longer() {
    let lives = [150.0, 300.0].map(|rate| {
        let mut asked = options(DAYS, SKIP);
        asked.writes_per_day = Some(rate);
        let found = lifetime(&small(), Path::new("."), &asked, &mut |_| true).unwrap();
        found.life.unwrap_or(f64::INFINITY)
    });
    assert!(lives[1] < 0.5 * lives[0], "{lives:?}");
}
