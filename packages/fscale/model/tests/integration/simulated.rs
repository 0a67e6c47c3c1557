//! The simulation against the closed forms of section 11.5, and the invariants of section 12.

use proptest::prelude::*;
use wordline_fscale::{
    Arrivals, Backend, Design, Drive, HitRate, Kind, RunSettings, Scheduling, Simulated, StaleCopies, Unit,
    named,
};
use wordline_units::ByteSize;

fn loaded(design: Design, writes: f64, depth: u32, hit: f64) -> Drive {
    let mut drive = Drive {
        design,
        capacity: ByteSize(32 << 40),
        ..Drive::default()
    };
    drive.workload.write_fraction = writes;
    drive.workload.queue_depth = depth;
    drive.table.hit = HitRate::Given;
    drive.table.hit_rate = hit;
    drive
}

fn run(drive: &Drive, operations: u64) -> Simulated {
    let settings = RunSettings {
        operations,
        ..RunSettings::default()
    };
    drive.simulate(&settings).unwrap()
}

/// When the processor is busy, throughput is its limit within 1 % and the shares of its cycles are those of the demand within 0.5 point.
#[test]
fn a_busy_processor_does_what_its_cycles_allow() {
    for (writes, hit) in [
        (0.0, 1.0),
        (0.0, 0.25),
        (0.25, 0.25),
        (0.5, 0.5),
        (1.0, 1.0),
        (1.0, 0.1),
    ] {
        for scheduling in [Scheduling::Fifo, Scheduling::Priority] {
            let mut drive = loaded(Design::Conventional, writes, 64, hit);
            // so few that what is under way at the beginning and at the end does not count
            drive.max_moves = 4;
            let settings = RunSettings {
                operations: 60_000,
                scheduling,
                ..RunSettings::default()
            };
            let (found, outlook) = (drive.simulate(&settings).unwrap(), drive.outlook());
            assert!(
                found.unit(Unit::Processor).unwrap().utilization > 0.95,
                "{writes} {hit}"
            );
            let ratio = found.iops / outlook.iops_bound;
            assert!(
                (ratio - 1.0).abs() < 0.01,
                "{writes} {hit} {scheduling:?}: {ratio}"
            );
            for (found, expected) in found.cycles.shares().into_iter().zip(outlook.cycles.shares()) {
                assert!(
                    (found - expected).abs() < 0.005,
                    "{writes} {hit}: {found} {expected}"
                );
            }
        }
    }
}

/// One request at a time takes the time of an idle drive.
#[test]
fn one_request_at_a_time_takes_the_latency_of_an_idle_drive() {
    for design in [Design::Conventional, Design::FScale] {
        for hit in [0.0, 1.0] {
            let mut drive = loaded(design, 0.0, 1, hit);
            drive.local.mini_ecc.escalation = 0.0;
            let (found, latency) = (run(&drive, 2_000), drive.outlook().latency.mean);
            let ratio = found.iops * latency / 1e9;
            assert!((ratio - 1.0).abs() < 1e-3, "{design:?} {hit}: {ratio}");
            // all requests take the same time, so that it is every percentile
            for found in [found.mean_us, found.p50_us, found.p99_us, found.p999_us] {
                assert!(
                    (found * 1e3 / latency - 1.0).abs() < 2e-3,
                    "{design:?} {hit}: {found} {latency}"
                );
            }
        }
    }
    let mut drive = loaded(Design::Conventional, 1.0, 1, 1.0);
    drive.workload.waf = 1.0;
    drive.nand.pages_per_block = 1 << 20;
    let found = run(&drive, 2_000).iops * drive.outlook().latency.mean / 1e9;
    assert!((found - 1.0).abs() < 1e-3, "writes: {found}");
}

/// The simulation never beats a limit, and reaches the one that binds when requests are many.
#[test]
fn queues_come_close_to_the_limit_that_binds() {
    for writes in [0.0, 0.5, 1.0] {
        let mut drive = loaded(Design::FScale, writes, 512, 0.5);
        let settings = RunSettings {
            operations: 60_000,
            ..RunSettings::default()
        };
        drive.workload.waf = 3.0;
        let (found, outlook) = (drive.simulate(&settings).unwrap(), drive.outlook());
        let ratio = found.iops / outlook.iops_bound;
        assert!((0.9..1.02).contains(&ratio), "{writes}: {ratio}");
    }
}

/// Open arrivals below the limit are all answered at their rate; the mean number of requests follows from the latency (Little).
#[test]
fn open_arrivals_are_answered_at_their_rate() {
    let drive = loaded(Design::Conventional, 0.5, 1, 0.5);
    let rate = 0.5 * drive.outlook().limits[1].iops_bound.min(20_000.0);
    let settings = RunSettings {
        operations: 60_000,
        arrivals: Arrivals::Open(rate),
        ..RunSettings::default()
    };
    let found = drive.simulate(&settings).unwrap();
    assert!((found.iops / rate - 1.0).abs() < 0.02, "{} {rate}", found.iops);
    assert!(found.mean_us * 1e3 > drive.outlook().latency.mean);
}

#[test]
fn modes_of_stale_copies_send_what_they_say() {
    let mut drive = loaded(Design::FScale, 1.0, 32, 1.0);
    let with = |drive: &Drive| run(drive, 20_000);
    let eager = with(&drive);
    assert!(
        eager
            .count(Kind::Invalidate)
            .abs_diff(eager.count(Kind::HostWrite))
            <= 32
    );
    drive.local.stale = StaleCopies::Lazy;
    let lazy = with(&drive);
    let asked = lazy.count(Kind::DirectoryCheck) as f64 / lazy.count(Kind::HostWrite) as f64;
    assert!((asked - 5.0).abs() < 0.05, "{asked}");
    drive.local.stale = StaleCopies::Sticky;
    let sticky = with(&drive);
    assert_eq!(
        sticky.count(Kind::Invalidate) + sticky.count(Kind::DirectoryCheck),
        0
    );
}

/// A petabyte takes less than 200 MB.
#[test]
fn a_petabyte_is_simulated_in_little_memory() {
    for name in ["fscale-1pb", "conventional-1pb"] {
        let mut drive = named(name).unwrap();
        drive.workload.write_fraction = 0.5;
        for backend in [Backend::Statistical, Backend::Permuted] {
            let settings = RunSettings {
                backend,
                operations: 20_000,
                ..RunSettings::default()
            };
            let found = drive.simulate(&settings).unwrap();
            assert!(
                found.resident_bytes < 200_000_000,
                "{name}: {}",
                found.resident_bytes
            );
        }
    }
}

#[test]
fn refusals_name_key_value_and_what_is_accepted() {
    let drive = Drive::default();
    let exact = RunSettings {
        backend: Backend::Exact,
        ..RunSettings::default()
    };
    let error = drive.simulate(&exact).unwrap_err().to_string();
    assert!(
        error.starts_with("backend = exact, which takes 21474836480 bytes"),
        "{error}"
    );
    let few = RunSettings {
        operations: 3,
        ..RunSettings::default()
    };
    let error = drive.simulate(&few).unwrap_err().to_string();
    assert!(error.starts_with("operations = 3: accepted are"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn invariants_of_every_run(
        fscale: bool, writes in 0.0_f64..=1.0, waf in 1.0_f64..6.0, hit in 0.0_f64..=1.0, depth in 1_u32..100,
        priority: bool, seed: u64, permuted: bool,
    ) {
        let mut drive = loaded(if fscale { Design::FScale } else { Design::Conventional }, writes, depth, hit);
        drive.workload.waf = waf;
        drive.max_moves = 2;
        let settings = RunSettings {
            backend: if permuted { Backend::Permuted } else { Backend::Statistical },
            operations: 4_000,
            seed,
            warm_up: 0.0,
            scheduling: if priority { Scheduling::Priority } else { Scheduling::Fifo },
            ..RunSettings::default()
        };
        let found = drive.simulate(&settings).unwrap();
        prop_assert_eq!(&found, &drive.simulate(&settings).unwrap());
        prop_assert_eq!(found.count(Kind::HostRead) + found.count(Kind::HostWrite), 4_000);
        // what is still under way at the end
        // moves of a write may wait for those of their package
        let under_way = 2.0 * drive.packages() as f64 + 10.0 * f64::from(depth) + 10.0;
        let expected = (drive.waf() - 1.0) * found.count(Kind::HostWrite) as f64;
        prop_assert!((found.count(Kind::Move) as f64 - expected).abs() <= under_way);
        let programs = drive.waf() * found.count(Kind::HostWrite) as f64;
        let erases = found.count(Kind::Erase) as f64;
        // each die is somewhere in its block at first
        prop_assert!((erases - programs / 1024.0).abs() <= 6.0 * (programs / 1024.0).sqrt() + under_way / 100.0 + 1.0);
        // no more than the queue depth is outstanding
        prop_assert!(found.iops * found.mean_us / 1e6 <= f64::from(depth) * 1.001);
        for unit in &found.units {
            prop_assert!(unit.utilization <= 1.0 + 1e-9 && unit.greatest <= 1.0 + 1e-9, "{unit:?}");
        }
        // an operation of the processor takes all of its cycles; some are under way
        let cycles = &drive.processor.cycles;
        for row in &found.operations {
            let each = match row.kind {
                Kind::HostRead => cycles.host_read.total(),
                Kind::HostWrite => cycles.host_write.total(),
                Kind::PageIn => cycles.page_in.total(),
                Kind::PageOut => cycles.page_out.total(),
                Kind::Move if !fscale => cycles.gc_read.total() + cycles.gc_write.total(),
                Kind::Erase => if fscale { cycles.collect } else { cycles.gc_erase.total() },
                _ => 0,
            };
            let counted = row.count * u64::from(each);
            prop_assert!(row.cycles >= counted, "{row:?}");
            prop_assert!(row.cycles <= counted + (under_way as u64 * 10 + 20) * u64::from(each), "{row:?}");
        }
        prop_assert!(found.misses <= found.look_ups);
        // what was answered had its entry: found in memory, or read from flash before
        let with_entry = found.count(Kind::HostRead) + found.count(Kind::HostWrite)
            + if fscale { 0 } else { found.count(Kind::Move) };
        prop_assert!(found.look_ups - found.misses + found.count(Kind::PageIn) >= with_entry);
        let ratio = found.iops / drive.outlook().iops_bound;
        // what is under way at the end was not paid for
        prop_assert!(ratio < 1.0 + under_way / 2_000.0, "{ratio}");
    }
}
