//! Where entries of the table are: caches that are simulated, tiers, compressed tables, no directory; and who works for them.

use proptest::prelude::*;
use wordline_fscale::{
    Backend, Design, DirectorySize, Drive, HitRate, Kind, Memory, RunSettings, Shard, Simulated, StaleCopies,
    Tier, Unit,
};
use wordline_units::ByteSize;

fn large(design: Design) -> Drive {
    let mut drive = Drive {
        design,
        capacity: ByteSize(1 << 40),
        ..Drive::default()
    };
    drive.table.cache = Some(ByteSize(64 << 20));
    drive
}

fn run(drive: &Drive, operations: u64) -> Simulated {
    let settings = RunSettings {
        operations,
        backend: Backend::Permuted,
        ..RunSettings::default()
    };
    drive.simulate(&settings).unwrap()
}

/// The simulated cache hits as often as Che's approximation says, for every law of addresses.
#[test]
fn a_simulated_cache_hits_as_often_as_its_closed_form() {
    for design in [Design::Conventional, Design::FScale] {
        for (zipf, hot, writes) in [
            (0.0, 0.0, 0.0),
            (0.0, 0.0, 0.5),
            (0.9, 0.0, 0.0),
            (1.1, 0.0, 0.5),
            (0.0, 0.05, 0.25),
        ] {
            let mut drive = large(design);
            drive.table.hit = HitRate::Lru;
            drive.workload.zipf = zipf;
            drive.workload.hot_pages = hot;
            drive.workload.hot_accesses = if hot > 0.0 { 0.8 } else { 0.0 };
            drive.workload.write_fraction = writes;
            let found = run(&drive, 60_000);
            let hits = 1.0 - found.misses as f64 / found.look_ups as f64;
            assert!(
                (hits - drive.hit_rate()).abs() < 0.015,
                "{design:?} {zipf} {hot} {writes}: {hits} {}",
                drive.hit_rate()
            );
        }
    }
}

/// Misses of a page that is being read wait for it; changed pages that leave are programmed.
#[test]
fn misses_of_the_same_page_are_joined() {
    let mut drive = large(Design::FScale);
    drive.table.hit = HitRate::Lru;
    drive.table.cache = Some(ByteSize(0));
    // all addresses in one page of the table
    drive.workload.hot_pages = 100.0 / drive.logical_pages() as f64;
    drive.workload.hot_accesses = 1.0;
    let found = run(&drive, 10_000);
    assert_eq!(found.misses, found.look_ups);
    let read = found.count(Kind::PageIn);
    assert!(read * 2 < found.misses, "{read} {}", found.misses);
    drive.workload.write_fraction = 1.0;
    let found = run(&drive, 10_000);
    let (read, programmed) = (found.count(Kind::PageIn), found.count(Kind::PageOut));
    assert!(read.abs_diff(programmed) <= 32, "{read} {programmed}");
}

#[test]
fn a_cache_that_holds_the_table_always_hits() {
    let mut drive = large(Design::Conventional);
    drive.table.hit = HitRate::Lru;
    drive.table.cache = None;
    let found = run(&drive, 5_000);
    assert_eq!(found.misses, 0);
    drive.capacity = ByteSize(1 << 50);
    drive.dram.size = ByteSize(64 << 30);
    let error = drive.simulate(&RunSettings::default()).unwrap_err().to_string();
    assert!(
        error.starts_with("table.hit = lru, with a cache of 16777216 pages"),
        "{error}"
    );
}

fn tier(memory: Memory, mib: u64) -> Tier {
    Tier {
        memory,
        size: ByteSize(mib << 20),
        access: None,
        bandwidth: None,
        concurrency: None,
        energy: None,
    }
}

/// Tiers take the share of look-ups that they hold of the table, in the closed form and in the simulation; the rest reads flash.
#[test]
fn tiers_share_the_look_ups() {
    let mut drive = large(Design::Conventional);
    // a table of 1 GiB
    drive.table.tiers = vec![
        tier(Memory::Sram, 64),
        tier(Memory::Dram, 192),
        tier(Memory::Cxl, 256),
        tier(Memory::Host, 256),
    ];
    drive.workload.queue_depth = 1;
    assert!((drive.hit_rate() - 0.75).abs() < 1e-9);
    let found = run(&drive, 20_000);
    let share = |kind| found.count(kind) as f64 / found.look_ups as f64;
    for (kind, expected) in [
        (Kind::SramLookUp, 0.0625),
        (Kind::DramLookUp, 0.1875),
        (Kind::CxlLookUp, 0.25),
        (Kind::HostMemoryLookUp, 0.25),
        (Kind::PageIn, 0.25),
    ] {
        assert!((share(kind) - expected).abs() < 0.01, "{kind:?} {}", share(kind));
    }
    let outlook = drive.outlook();
    assert!(
        (found.iops / outlook.iops_bound - 1.0).abs() < 0.01,
        "{} {}",
        found.iops,
        outlook.iops_bound
    );
    // one read at a time in each memory: what it takes longer is its access and 64 bytes, in host memory with 88 on the line
    let alone = |memory| {
        let mut one = drive.clone();
        one.table.tiers = vec![tier(memory, 2048)];
        one.outlook().latency.read
    };
    let sram = alone(Memory::Sram);
    assert!((alone(Memory::Dram) - sram - 94.0).abs() <= 2.0);
    assert!((alone(Memory::Cxl) - sram - 243.0).abs() <= 20.0);
    assert!((alone(Memory::Host) - sram - 1_029.0).abs() <= 20.0);
    // the host withdraws its memory
    drive.table.tiers[3].size = ByteSize(0);
    assert!((drive.hit_rate() - 0.5).abs() < 1e-9);
}

/// Look-ups in host memory and data share the line: at so many reads a second it is full.
#[test]
fn look_ups_in_host_memory_share_the_line() {
    let mut drive = large(Design::Conventional);
    drive.table.tiers = vec![tier(Memory::Host, 2048)];
    let line = |drive: &Drive| {
        let outlook = drive.outlook();
        let limit = outlook.limits.iter().find(|limit| limit.unit == Some(Unit::Host));
        limit.unwrap().iops_bound
    };
    // 4,096 bytes of data and 88 of the look-up; services are rounded to nanoseconds
    assert!((line(&drive) / (3.2e9 / 4184.0) - 1.0).abs() < 1e-3);
    drive.table.tiers = vec![tier(Memory::Dram, 2048)];
    assert!((line(&drive) / (3.2e9 / 4096.0) - 1.0).abs() < 1e-3);
}

/// A compressed table holds more; a wrong page costs a read.
#[test]
fn learned_tables_are_smaller_and_sometimes_wrong() {
    let mut drive = large(Design::Conventional);
    let plain = drive.hit_rate();
    drive.table.compression = 2.9;
    assert!((drive.hit_rate() / plain - 2.9).abs() < 1e-6);
    drive.table.hit = HitRate::Given;
    drive.workload.queue_depth = 1;
    let right = run(&drive, 10_000).mean_us;
    drive.table.misprediction = 0.5;
    let found = run(&drive, 10_000).mean_us;
    // half of the time 75 us and a transfer and its decoding
    assert!(
        (found - right - 0.5 * (75.0 + 0.2 + 10.24 + 12.24)).abs() < 1.0,
        "{right} {found}"
    );
}

/// Where an address says the die there is no directory: nothing of the table is in memory or read.
#[test]
fn hashed_places_need_no_directory() {
    let mut drive = large(Design::FScale);
    drive.table.directory = DirectorySize::Hash;
    let error = drive.check().unwrap_err().to_string();
    assert!(
        error.starts_with("table.directory = hash: accepted with local.stale"),
        "{error}"
    );
    drive.local.stale = StaleCopies::Sticky;
    drive.workload.write_fraction = 0.5;
    let found = run(&drive, 5_000);
    assert_eq!(
        (
            found.look_ups,
            found.count(Kind::PageIn),
            drive.tables().directory
        ),
        (0, 0, 0)
    );
}

/// Cores with channels or pages of their own do as much as cores with one queue, if the load is even; more cores than channels do nothing.
#[test]
fn divided_work_is_done() {
    for (shard, cores, expected) in [
        (Shard::Channel, 4, 4.0),
        (Shard::Channel, 32, 16.0),
        (Shard::LbaHash, 4, 4.0),
        (Shard::Channel, 3, 16.0 / 6.0),
    ] {
        let mut drive = large(Design::Conventional);
        drive.capacity = ByteSize(64 << 40);
        drive.table.hit = HitRate::Given;
        drive.workload.queue_depth = 512;
        drive.processor.cores = cores;
        drive.processor.shard = shard;
        drive.processor.serial = 0.2;
        assert!(
            (drive.cores_at_work() - expected).abs() < 1e-9,
            "{shard:?} {cores}"
        );
        let limit = drive.servers(Unit::Processor) * 400e6 / 10_000.0;
        let found = run(&drive, 40_000).iops;
        let bound = drive.outlook().iops_bound;
        assert!(bound <= limit * 1.001);
        assert!(
            (0.85..1.02).contains(&(found / bound)),
            "{shard:?} {cores}: {found} {bound}"
        );
    }
}

/// The hybrid moves pages without the channels: they carry what the host asks, and commands.
#[test]
fn the_hybrid_moves_pages_inside_packages() {
    let channel = |design| {
        let mut drive = large(design);
        drive.capacity = ByteSize(64 << 40);
        drive.table.hit = HitRate::Given;
        drive.workload.write_fraction = 1.0;
        drive.local.mini_ecc.escalation = 0.0;
        wordline_fscale::Demand::of(&drive).ns(Unit::Channel)
    };
    let (data, command) = (10_240.0, 200.0);
    assert!((channel(Design::Conventional) - 9.0 * (data + command)).abs() < 30.0);
    assert!((channel(Design::Hybrid) - (data + 9.0 * command)).abs() < 30.0);
    let mut drive = large(Design::Hybrid);
    drive.capacity = ByteSize(32 << 40);
    drive.table.hit = HitRate::Given;
    drive.workload.write_fraction = 0.5;
    drive.workload.queue_depth = 64;
    let (found, outlook) = (run(&drive, 40_000), drive.outlook());
    assert!(
        (found.iops / outlook.iops_bound - 1.0).abs() < 0.01,
        "{} {}",
        found.iops,
        outlook.iops_bound
    );
    let cycles = drive.as_design(Design::Conventional).outlook().cycles;
    assert_eq!(cycles, outlook.cycles);
}

#[test]
fn refusals_of_tables_name_key_value_and_what_is_accepted() {
    let refused = |change: fn(&mut Drive)| {
        let mut drive = large(Design::Conventional);
        change(&mut drive);
        drive.check().unwrap_err().to_string()
    };
    for (said, change) in [
        (
            "table.tiers.memory = dram: accepted is each memory once",
            (|drive: &mut Drive| drive.table.tiers = vec![tier(Memory::Dram, 1), tier(Memory::Dram, 2)])
                as fn(&mut Drive),
        ),
        ("table.hit = lru: accepted with table.tiers", |drive| {
            drive.table.tiers = vec![tier(Memory::Dram, 1)];
            drive.table.hit = HitRate::Lru;
        }),
        ("table.tiers.concurrency = 0: accepted are 1 to 65536", |drive| {
            drive.table.tiers = vec![tier(Memory::Dram, 1)];
            drive.table.tiers[0].concurrency = Some(0);
        }),
        ("table.compression = 0.5: accepted are 1 to 1000", |drive| {
            drive.table.compression = 0.5
        }),
        ("table.misprediction = 2: accepted is a share", |drive| {
            drive.table.misprediction = 2.0
        }),
        (
            "workload.coalesce_window = 5: accepted is 0 without host.ack",
            |drive| {
                drive.workload.coalesce_window = 5;
            },
        ),
        (
            "host.buffer = 64 MiB: accepted with workload.coalesce_window",
            |drive| {
                drive.workload.coalesce_window = 1 << 20;
            },
        ),
        (
            "host.buffer = 1 TiB: accepted is room for at most 4194304 requests",
            |drive| {
                drive.host.ack = wordline_fscale::Acknowledge::Buffer;
                drive.host.buffer = ByteSize(1 << 40);
            },
        ),
        ("host.buffer = 1 B: accepted are a request", |drive| {
            drive.host.buffer = ByteSize(1)
        }),
        ("workload.hot_package = -1: accepted is a share", |drive| {
            drive.workload.hot_package = -1.0
        }),
        ("area.core = 0: accepted are", |drive| drive.area.core = 0.0),
        ("nand.endurance = 0: accepted are 1", |drive| {
            drive.nand.endurance = 0
        }),
    ] {
        let found = refused(change);
        assert!(found.starts_with(said), "{found} instead of {said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Everything at once: what is sent is answered, and the same seed gives the same result.
    #[test]
    fn any_drive_answers_what_it_is_asked(
        design in 0_usize..3, writes in 0.0_f64..=1.0, zipf in 0.0_f64..1.3, hot_package in 0.0_f64..0.9, lru: bool, ack: bool,
        part: bool, window in 0_u32..500, shard in 0_usize..3, depth in 1_u32..80, backend in 0_usize..2, seed: u64,
    ) {
        let mut drive = large([Design::Conventional, Design::FScale, Design::Hybrid][design]);
        drive.table.cache = Some(ByteSize(4 << 20));
        drive.table.hit = if lru { HitRate::Lru } else { HitRate::Che };
        drive.logical_page = ByteSize(16 << 10);
        drive.workload.host_bytes = part.then_some(ByteSize(4096));
        drive.workload.write_fraction = writes;
        drive.workload.zipf = zipf;
        drive.workload.hot_package = hot_package;
        drive.workload.queue_depth = depth;
        drive.processor.shard = [Shard::None, Shard::Channel, Shard::LbaHash][shard];
        if ack {
            drive.host.ack = wordline_fscale::Acknowledge::Buffer;
            drive.workload.coalesce_window = window;
        }
        let settings = RunSettings {
            operations: 1_500,
            warm_up: 0.0,
            seed,
            backend: [Backend::Statistical, Backend::Permuted][backend],
            ..RunSettings::default()
        };
        let found = drive.simulate(&settings).unwrap();
        prop_assert_eq!(&found, &drive.simulate(&settings).unwrap());
        let requests: u64 = found.latencies.iter().map(|class| class.requests).sum();
        prop_assert_eq!(requests, 1_500);
        // no more than the queue depth is outstanding
        prop_assert!(found.iops * found.mean_us / 1e6 <= f64::from(depth) * 1.001);
        for unit in &found.units {
            prop_assert!(unit.utilization <= 1.0 + 1e-9, "{:?}", unit);
        }
        let bound = drive.outlook();
        prop_assert!(bound.iops_bound.is_finite() && bound.iops_bound > 0.0);
    }
}
