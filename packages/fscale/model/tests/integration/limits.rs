//! Limits that closed forms and simulation share: moves of a package, the interconnect, cores that wait for a look-up; and placement, which spreads the load.

use proptest::prelude::*;
use wordline_fscale::{
    Backend, Demand, Design, Drive, HitRate, Kind, LookUpWait, Memory, Placement, RunSettings, Simulated,
    Tier, Unit, cores_to_match, cores_to_reach, named,
};
use wordline_units::{ByteSize, Duration, Frequency};

/// 18 packages of 16 dies, and a processor that is no limit.
fn fast(design: Design, writes: f64, depth: u32) -> Drive {
    let mut drive = Drive {
        design,
        ..Drive::default()
    };
    drive.processor.cores = 64;
    drive.processor.frequency = Frequency(4_000_000_000);
    drive.table.hit = HitRate::Given;
    drive.table.hit_rate = 1.0;
    drive.workload.write_fraction = writes;
    drive.workload.queue_depth = depth;
    drive
}

fn run(drive: &Drive) -> Simulated {
    let settings = RunSettings {
        operations: 30_000,
        ..RunSettings::default()
    };
    drive.simulate(&settings).unwrap()
}

fn limit(drive: &Drive, unit: Unit) -> f64 {
    let limits = drive.outlook().limits;
    limits
        .iter()
        .find(|limit| limit.unit == Some(unit))
        .unwrap()
        .iops_bound
}

/// With one move of a package at a time, 4 moves for each write: packages over 4 times the time of a move. The simulation says the same limit and stays below it.
#[test]
fn one_move_of_a_package_at_a_time() {
    let mut drive = fast(Design::FScale, 1.0, 1024);
    drive.max_moves = 1;
    drive.local.mini_ecc.escalation = 0.0;
    // 71 us of the local controller, read, codec, two ways over the bus, program
    let bus = 4096.0 / 0.4;
    let one = 71_000.0 + 75_000.0 + 2.0 * bus + (2_000.0 + bus) + 900_000.0;
    // the last package has 15 dies of 287 in 18
    let packages = 287.0 / 16.0;
    let expected = packages * 1e9 / (4.0 * one);
    let outlook = drive.outlook();
    assert!(
        (outlook.iops_bound / expected - 1.0).abs() < 1e-4,
        "{} {expected}",
        outlook.iops_bound
    );
    assert_eq!(outlook.limited_by, Some(Unit::Moves));
    let found = run(&drive);
    assert_eq!(found.limited_by, Some(Unit::Moves));
    assert!(
        (0.85..=1.0).contains(&(found.iops / expected)),
        "{} {expected}",
        found.iops
    );
    // twice as many are nearly twice as fast, until dies are the limit
    drive.max_moves = 2;
    assert!(run(&drive).iops > 1.7 * found.iops);
    drive.max_moves = 64;
    assert_eq!(drive.outlook().limited_by, Some(Unit::Local));
}

/// The limit is one of packages: a drive with twice as many has twice the limit.
#[test]
fn the_limit_of_moves_grows_with_the_packages() {
    let of = |name: &str| {
        let mut drive = named(name).unwrap();
        drive.workload.write_fraction = 1.0;
        limit(&drive, Unit::Moves)
    };
    assert!((of("fscale-64tb") / of("fscale-8tb") - 8.0).abs() < 0.01);
}

/// A core that waits for the memory is busy while it does, in closed form and simulation; the cycles are the same.
#[test]
fn a_core_that_waits_for_its_look_up_is_busy() {
    for tiers in [false, true] {
        let mut drive = Drive::default();
        drive.workload.queue_depth = 128;
        drive.dram.access = Duration(1_000);
        drive.dram.look_up = ByteSize(0);
        if tiers {
            drive.table.tiers = vec![Tier {
                memory: Memory::Sram,
                size: ByteSize(1 << 40),
                access: Some(Duration(1_000)),
                bandwidth: None,
                concurrency: None,
                energy: None,
            }];
        }
        let switches = drive.outlook();
        drive.processor.look_up_wait = LookUpWait::Spin;
        let spins = drive.outlook();
        assert_eq!(switches.cycles, spins.cycles);
        // 25 us of work and 1 us of waiting
        let ratio = limit(&drive, Unit::Processor) * 26e-6 / 2.0;
        assert!((ratio - 1.0).abs() < 1e-3, "{ratio}");
        let found = run(&drive);
        let ratio = found.iops / limit(&drive, Unit::Processor);
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
        assert!(found.unit(Unit::Processor).unwrap().utilization > 0.99);
    }
}

/// A page of the table that is read from flash frees the core: with misses only nobody spins for longer than the memory takes.
#[test]
fn a_core_does_not_wait_for_flash() {
    let mut drive = Drive::default();
    drive.table.hit = HitRate::Given;
    drive.table.hit_rate = 0.0;
    drive.workload.queue_depth = 64;
    drive.workload.write_fraction = 0.3;
    drive.processor.look_up_wait = LookUpWait::Spin;
    let (found, outlook) = (run(&drive), drive.outlook());
    assert!(
        (found.iops / outlook.iops_bound - 1.0).abs() < 0.01,
        "{} {}",
        found.iops,
        outlook.iops_bound
    );
}

/// A narrow interconnect is the limit of both: what crosses a channel crosses it.
#[test]
fn the_interconnect_has_a_queue() {
    let mut drive = fast(Design::Conventional, 0.5, 512);
    drive.interconnect.bandwidth = Some(100e6);
    let outlook = drive.outlook();
    assert_eq!(outlook.limited_by, Some(Unit::Interconnect));
    // a read crosses once; a write once, and twice for each of its four moves; an erase sends no data
    let bytes = 4096.0 * (0.5 + 0.5 * 9.0);
    assert!(
        (outlook.iops_bound * bytes / 100e6 - 1.0).abs() < 1e-3,
        "{}",
        outlook.iops_bound
    );
    let found = run(&drive);
    assert_eq!(found.limited_by, Some(Unit::Interconnect));
    assert!(
        (0.97..1.02).contains(&(found.iops / outlook.iops_bound)),
        "{}",
        found.iops
    );
    // FScale moves inside its packages
    let fscale = drive.as_design(Design::FScale);
    assert!(limit(&fscale, Unit::Interconnect) > 4.0 * outlook.iops_bound);
}

/// The directory that knows how much each die has to do spreads writes more evenly than chance, and answers sooner.
#[test]
fn the_directory_chooses_a_die_with_little_to_do() {
    let mut drive = fast(Design::FScale, 1.0, 256);
    let with = |drive: &mut Drive, placement| {
        drive.placement = placement;
        run(drive)
    };
    let uniform = with(&mut drive, Placement::Uniform);
    let directory = with(&mut drive, Placement::LeastLoaded);
    assert!(
        directory.iops > 1.05 * uniform.iops,
        "{} {}",
        directory.iops,
        uniform.iops
    );
    assert!(directory.p99_us < uniform.p99_us);
    assert!(directory.iops <= drive.outlook().iops_bound);
    let spread =
        |found: &Simulated| found.unit(Unit::Die).unwrap().greatest - found.unit(Unit::Die).unwrap().least;
    assert!(spread(&directory) < spread(&uniform));
}

/// A number of cores that is enough for a throughput is enough for less.
#[test]
fn cores_for_a_throughput() {
    let mut drive = named("fscale-128tb").unwrap();
    drive.workload.write_fraction = 1.0;
    drive.workload.queue_depth = 256;
    let even = cores_to_match(&drive, Design::Conventional, 64);
    assert_eq!(
        even,
        cores_to_reach(&drive, Design::Conventional, even.fscale_iops_bound, 64)
    );
    let half = cores_to_reach(&drive, Design::Conventional, even.fscale_iops_bound / 2.0, 64);
    assert!(half.cores.unwrap() < even.cores.unwrap());
    assert_eq!(cores_to_reach(&drive, Design::Conventional, 1e12, 64).cores, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is set, no unit is busy for more than all of the time, no drive passes its bound by more than what was not yet paid for, and what is asked
    /// for is answered.
    #[test]
    fn no_share_is_above_one(
        design in prop::sample::select(vec![Design::Conventional, Design::FScale, Design::Hybrid]),
        placement in prop::sample::select(vec![Placement::Uniform, Placement::RoundRobin, Placement::LeastLoaded]),
        writes in 0.0_f64..=1.0, depth in 1_u32..600, max_moves in 1_u32..40, spins: bool, buffered: bool, permuted: bool, today: bool, seed: u64,
    ) {
        let mut drive = if today { named("fscale-15.36tb-today").unwrap() } else { Drive::default() };
        drive.design = design;
        drive.placement = placement;
        drive.max_moves = max_moves;
        drive.workload.write_fraction = writes;
        drive.workload.queue_depth = depth;
        if spins {
            drive.processor.look_up_wait = LookUpWait::Spin;
        }
        if buffered {
            drive.host.ack = wordline_fscale::Acknowledge::Buffer;
            drive.host.buffer = ByteSize(64 << 10);
        }
        let settings = RunSettings {
            backend: if permuted { Backend::Permuted } else { Backend::Statistical },
            operations: 3_000,
            seed,
            ..RunSettings::default()
        };
        let found = drive.simulate(&settings).unwrap();
        prop_assert_eq!(&found, &drive.simulate(&settings).unwrap());
        for unit in &found.units {
            prop_assert!(unit.utilization <= 1.0 + 1e-9 && unit.greatest <= 1.0 + 1e-9, "{unit:?}");
        }
        let requests: u64 = found.latencies.iter().map(|class| class.requests).sum();
        prop_assert_eq!(requests, 2_400);
        let demand = Demand::of(&drive);
        for unit in Unit::ALL {
            prop_assert!(drive.outlook().iops_bound * demand.ns(unit) <= drive.servers(unit) * 1e9 * (1.0 + 1e-9));
        }
        prop_assert!(found.count(Kind::Move) == 0 || writes > 0.0);
    }
}
