//! What the host asks, and when it is answered: skewed addresses, a hot package, the write buffer, parts of pages, traces.

use wordline_fscale::{
    Acknowledge, Arrivals, Backend, Design, Drive, HitRate, Kind, ReplayError, RunSettings, Simulated,
    StaleCopies, Unit,
};
use wordline_units::{ByteSize, SimTime};
use wordline_workload::{HostCommand, HostOp, Source, SourceError};

/// 128 dies in 8 packages.
fn small(design: Design) -> Drive {
    let mut drive = Drive {
        design,
        capacity: ByteSize(112 << 30),
        ..Drive::default()
    };
    drive.nand.die = ByteSize(1 << 30);
    drive.table.hit = HitRate::Given;
    drive.table.hit_rate = 1.0;
    drive
}

fn settings(backend: Backend, operations: u64) -> RunSettings {
    RunSettings {
        backend,
        operations,
        ..RunSettings::default()
    }
}

fn run(drive: &Drive, backend: Backend) -> Simulated {
    drive.simulate(&settings(backend, 20_000)).unwrap()
}

/// How much busier than the mean the busiest die is.
fn imbalance(found: &Simulated) -> f64 {
    let dies = found.unit(Unit::Die).unwrap();
    dies.greatest / dies.utilization
}

/// Skewed addresses make dies unequal where a page is where its number says; back ends agree on by how much.
#[test]
fn skewed_addresses_reach_dies() {
    for backend in [Backend::Statistical, Backend::Permuted] {
        let mut drive = small(Design::Conventional);
        let even = imbalance(&run(&drive, backend));
        // 28 of 29 million pages take a tenth of the accesses, ten pages the rest
        drive.workload.hot_pages = 10.0 / drive.logical_pages() as f64;
        drive.workload.hot_accesses = 0.9;
        let found = run(&drive, backend);
        let hot = imbalance(&found);
        assert!(even < 1.6, "{backend:?} {even}");
        // 0.9 of all accesses on at most ten dies of 128
        assert!(hot > 0.09 * 128.0, "{backend:?} {hot}");
        drive.workload.hot_pages = 0.0;
        drive.workload.zipf = 1.2;
        let zipf = imbalance(&run(&drive, backend));
        assert!(zipf > 5.0, "{backend:?} {zipf}");
    }
}

/// Under a law of Zipf one page on one die is asked for most: its share of the accesses of the die is that of the law.
#[test]
fn the_most_popular_page_takes_its_share() {
    let mut drive = small(Design::Conventional);
    drive.workload.zipf = 1.2;
    drive.workload.queue_depth = 4;
    let found = run(&drive, Backend::Permuted);
    // the sum of rank^-1.2, of which the first 1,000 ranks by hand and the rest as an integral
    let pages = drive.logical_pages() as f64;
    let head: f64 = (1..=1000).map(|rank| f64::from(rank).powf(-1.2)).sum();
    let sum = head + (1000.5_f64.powf(-0.2) - pages.powf(-0.2)) / 0.2;
    let dies = found.unit(Unit::Die).unwrap();
    let share = dies.greatest / (dies.utilization * 128.0);
    // others share its die
    assert!(
        (share - 1.0 / sum) > -0.01 && share < 1.0 / sum + 0.15,
        "{share} {}",
        1.0 / sum
    );
}

/// A hot package answers its own requests late; most others do not wait for it.
#[test]
fn a_hot_package_is_slow() {
    for backend in [Backend::Statistical, Backend::Permuted, Backend::Exact] {
        let mut drive = small(Design::FScale);
        if backend == Backend::Exact {
            drive.capacity = ByteSize(4 << 30);
            drive.nand.page = ByteSize(4096);
            drive.nand.pages_per_block = 256;
            drive.nand.die = ByteSize(147 << 20);
            drive.nand.dies_per_package = 4;
        }
        drive.workload.hot_package = 0.5;
        drive.workload.queue_depth = 64;
        let found = run(&drive, backend);
        let class = |hot| {
            found
                .latencies
                .iter()
                .find(|class| class.hot_package == hot)
                .unwrap()
        };
        assert!(
            class(true).p50_us > 1.5 * class(false).p50_us,
            "{backend:?}: {:?} {:?}",
            class(true),
            class(false)
        );
        let share = class(true).requests as f64 / 16_000.0;
        assert!((share - 0.5).abs() < 0.02, "{backend:?} {share}");
        let local = found.unit(Unit::Local).unwrap();
        assert!(local.greatest > 3.0 * local.utilization, "{backend:?} {local:?}");
    }
}

/// Pages that never leave their die keep a skewed load of writes where it is; other placements spread it.
#[test]
fn writes_spread_unless_pages_stay() {
    let mut drive = small(Design::FScale);
    drive.workload.write_fraction = 1.0;
    drive.workload.hot_package = 0.5;
    let spread = imbalance(&run(&drive, Backend::Permuted));
    drive.local.stale = StaleCopies::Sticky;
    let stays = imbalance(&run(&drive, Backend::Permuted));
    assert!(stays > 3.0 && stays > 2.0 * spread, "{stays} {spread}");
}

#[test]
fn classes_of_requests_have_their_latencies() {
    let mut drive = small(Design::Conventional);
    drive.workload.write_fraction = 0.5;
    let found = run(&drive, Backend::Statistical);
    assert_eq!(found.latencies.len(), 2);
    let (read, write) = (&found.latencies[0], &found.latencies[1]);
    assert!(!read.writes && write.writes && read.requests + write.requests == 16_000);
    assert!(read.mean_us < write.mean_us);
    for class in &found.latencies {
        assert!(class.p50_us <= class.p99_us && class.p99_us <= class.p999_us);
        assert!(class.p50_us < 1.5 * class.mean_us && class.p999_us > class.mean_us);
    }
    // a write takes at least as long as its program
    assert!(write.p50_us > 900.0 && read.p50_us > 75.0);
    assert!(found.p50_us >= read.p50_us && found.p50_us <= write.p50_us);
    let mean = (read.mean_us * read.requests as f64 + write.mean_us * write.requests as f64) / 16_000.0;
    assert!((mean / found.mean_us - 1.0).abs() < 1e-9);
}

/// With a buffer one write at a time takes the time until it is in the buffer; many take as long as flash needs.
#[test]
fn a_write_is_answered_from_the_buffer() {
    for design in [Design::Conventional, Design::FScale, Design::Hybrid] {
        let mut drive = small(design);
        drive.workload.write_fraction = 1.0;
        drive.workload.queue_depth = 1;
        drive.workload.waf = 1.0;
        let media = run(&drive, Backend::Statistical);
        drive.host.ack = Acknowledge::Buffer;
        let outlook = drive.outlook();
        let buffer = run(&drive, Backend::Statistical);
        assert!(media.mean_us > 900.0 && buffer.mean_us < 100.0, "{design:?}");
        // the processor works for writes that were answered, too
        assert!(outlook.latency.write / 1e3 <= buffer.mean_us, "{design:?}");
        assert!(outlook.latency.write / 1e3 > 0.3 * buffer.mean_us, "{design:?}");
        // a buffer of one write is as slow as flash
        drive.host.buffer = ByteSize(4096);
        let one = drive.outlook();
        let small = run(&drive, Backend::Statistical);
        assert_eq!(one.limited_by, Some(Unit::Buffer), "{design:?}");
        assert!(
            (small.iops / one.iops_bound - 1.0).abs() < 0.03,
            "{design:?} {} {}",
            small.iops,
            one.iops_bound
        );
        assert!(small.unit(Unit::Buffer).unwrap().utilization > 0.99);
    }
}

/// With a buffer throughput is the same where the processor limits it.
#[test]
fn a_buffer_changes_no_limit_of_the_processor() {
    let mut drive = small(Design::Conventional);
    drive.workload.write_fraction = 0.5;
    drive.workload.queue_depth = 64;
    drive.host.ack = Acknowledge::Buffer;
    let (found, outlook) = (run(&drive, Backend::Statistical), drive.outlook());
    assert_eq!(outlook.limited_by, Some(Unit::Processor));
    assert!(
        (found.iops / outlook.iops_bound - 1.0).abs() < 0.015,
        "{} {}",
        found.iops,
        outlook.iops_bound
    );
}

/// Parts of pages that gather are programmed together: as many merge as a cache of so many pages hits.
#[test]
fn parts_of_pages_gather() {
    let mut drive = small(Design::Conventional);
    drive.logical_page = ByteSize(16 << 10);
    drive.workload.host_bytes = Some(ByteSize(4096));
    drive.workload.write_fraction = 1.0;
    drive.workload.waf = 1.0;
    let alone = run(&drive, Backend::Statistical);
    assert_eq!(alone.count(Kind::PartialWrite), 16_000);
    drive.host.ack = Acknowledge::Buffer;
    drive.workload.coalesce_window = 1000;
    drive.workload.hot_pages = 2000.0 / drive.logical_pages() as f64;
    drive.workload.hot_accesses = 0.9;
    let found = run(&drive, Backend::Statistical);
    let merged = found.count(Kind::MergedWrite) as f64 / 16_000.0;
    assert!(
        (merged - drive.merged_share()).abs() < 0.02,
        "{merged} {}",
        drive.merged_share()
    );
    assert!(merged > 0.2);
    // some pages are complete before they leave, and are not read
    assert!(found.count(Kind::HostWrite) + found.count(Kind::PartialWrite) > 0);
}

/// Commands in a list.
struct List {
    commands: Vec<HostCommand>,
    at: usize,
}

impl Source for List {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        self.at += 1;
        Ok(self.commands.get(self.at - 1).copied())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.commands.len() as u64)
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

fn commands(all: &[(HostOp, u64, u32)]) -> Box<List> {
    let commands = all
        .iter()
        .enumerate()
        .map(|(number, (op, sector, sectors))| HostCommand {
            arrival: SimTime(number as u64 * 10_000_000),
            op: *op,
            fua: false,
            sector: *sector,
            sectors: *sectors,
            queue: 0,
            placement: 0,
        });
    Box::new(List {
        commands: commands.collect(),
        at: 0,
    })
}

/// Requests of a trace are pages: whole ones, and parts, which are read first.
#[test]
fn a_trace_is_replayed_page_by_page() {
    let drive = small(Design::Conventional);
    let all = [
        (HostOp::Write, 0, 8),
        (HostOp::Write, 8, 16),
        (HostOp::Write, 4, 8),
        (HostOp::Trim, 0, 8),
        (HostOp::Read, 0, 64),
        (HostOp::Write, 81, 1),
    ];
    for backend in [Backend::Statistical, Backend::Permuted] {
        for arrivals in [Arrivals::Closed, Arrivals::Recorded] {
            let settings = RunSettings {
                arrivals,
                warm_up: 0.0,
                ..settings(backend, 1000)
            };
            let found = drive.replay(&settings, commands(&all)).unwrap();
            // 1 + 2 whole pages; two halves and a sector
            assert_eq!(found.count(Kind::HostWrite), 3);
            assert_eq!(found.count(Kind::PartialWrite), 3);
            assert_eq!(found.count(Kind::HostRead), 8);
            assert_eq!(found.skipped, 1);
            let requests: u64 = found.latencies.iter().map(|class| class.requests).sum();
            assert_eq!(requests, 5);
            if arrivals == Arrivals::Recorded {
                // the last one comes after 50 ms
                assert!(found.seconds > 0.05 && found.seconds < 0.06, "{}", found.seconds);
            }
            assert_eq!(found, drive.replay(&settings, commands(&all)).unwrap());
        }
    }
}

/// A page is read where it was written: on the permuted back end a second read goes to the die of the write.
#[test]
fn a_trace_reads_what_it_wrote() {
    let mut drive = small(Design::FScale);
    drive.local.stale = StaleCopies::Sticky;
    drive.workload.queue_depth = 1;
    drive.workload.waf = 1.0;
    let mut all = vec![(HostOp::Write, 800, 8); 50];
    all.extend(vec![(HostOp::Read, 800, 8); 150]);
    let settings = RunSettings {
        warm_up: 0.0,
        ..settings(Backend::Permuted, 1000)
    };
    let found = drive.replay(&settings, commands(&all)).unwrap();
    // one die has nearly all of the work; updates of trees are elsewhere
    assert!(imbalance(&found) > 0.9 * 128.0, "{}", imbalance(&found));
}

#[test]
fn traces_that_cannot_be_replayed_are_refused() {
    let drive = small(Design::Conventional);
    let end = (112_u64 << 30) / 512;
    let beyond = [(HostOp::Read, 0, 8), (HostOp::Write, end - 4, 8)];
    let error = drive
        .replay(&settings(Backend::Permuted, 1000), commands(&beyond))
        .unwrap_err();
    assert!(matches!(error, ReplayError::Source(_)));
    assert!(
        error.to_string().contains("accepted are requests within the"),
        "{error}"
    );
    let huge = [(HostOp::Read, 0, u32::MAX / 64)];
    let error = drive
        .replay(&settings(Backend::Permuted, 1000), commands(&huge))
        .unwrap_err();
    assert!(error.to_string().contains("65536 logical pages"), "{error}");
    let open = RunSettings {
        arrivals: Arrivals::Open(10.0),
        ..RunSettings::default()
    };
    let error = drive.replay(&open, commands(&beyond)).unwrap_err().to_string();
    assert!(error.starts_with("arrivals = open"), "{error}");
    let mut skewed = drive.clone();
    skewed.workload.zipf = 1.0;
    let error = skewed
        .replay(&RunSettings::default(), commands(&beyond))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("workload.zipf = set"), "{error}");
    let recorded = RunSettings {
        arrivals: Arrivals::Recorded,
        ..RunSettings::default()
    };
    let error = drive.simulate(&recorded).unwrap_err().to_string();
    assert!(error.starts_with("arrivals = recorded"), "{error}");
    // requests that come faster than they are answered end the run before they fill the memory
    let flood = RunSettings {
        operations: 100_000_000,
        arrivals: Arrivals::Open(1e9),
        ..RunSettings::default()
    };
    let error = drive.simulate(&flood).unwrap_err().to_string();
    assert!(
        error.starts_with("arrivals.open = so many requests that more than 1048576 pages"),
        "{error}"
    );
    let mut deep = drive.clone();
    deep.workload.queue_depth = 65_536;
    let many: Vec<_> = (0..100).map(|at| (HostOp::Read, at, 8 * 65_535)).collect();
    let error = deep
        .replay(&settings(Backend::Permuted, 1000), commands(&many))
        .unwrap_err();
    assert!(error.to_string().starts_with("so many requests"), "{error}");
    // an empty trace is answered
    let none = drive.replay(&RunSettings::default(), commands(&[])).unwrap();
    assert_eq!((none.iops, none.simulated), (0.0, 0));
}
