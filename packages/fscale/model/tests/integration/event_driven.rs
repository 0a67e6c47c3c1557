//! The event-driven drive with controllers in its packages against the model of very large drives (`wordline_fscale`) on a small drive (section 11.4 of the
//! specification of FScale): the fourth back end, whose map, collection and queues are those of the whole simulator.

use wordline_config::Config;
use wordline_fscale::{
    Backend, Design, Drive, HitRate, LookUp, RunSettings, Scheduling, Simulated, StaleCopies,
    WriteAmplification,
};
use wordline_units::{ByteSize, Duration};
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::audited::{command, drive, number, run};

/// Blocks of a die, pages of a block, dies.
const BLOCKS: u64 = 143;
const PAGES: u64 = 128;
const DIES: u64 = 16;
/// Logical pages: 1 GiB, to which 11.7 % of spare space is added.
const LOGICAL: u64 = 1 << 18;
const REQUESTS: u64 = 80_000;

/// The drive of both models: conventional or FScale, of 4 channels with 2 packages of 2 dies, pages of 4 KiB; reads of 75 µs, programs of 900 µs, erases of 3.5 ms; 400 MB/s; two
/// cores of 400 MHz and 10,000 cycles a request; the table in memory.
fn exact(design: Design, writes: f64) -> Config {
    let spare = (BLOCKS * PAGES * DIES) as f64 / LOGICAL as f64 - 1.0;
    let local = match design {
        Design::FScale => "[ftl.local]\nenabled = true\nescalation = 0\n",
        _ => "",
    };
    let collection = match design {
        // read and program of a move 3,500 and 3,600 cycles, erase 4,000: what is not in flash_command
        Design::Conventional => "gc_per_page = 100\ngc_victim = 500\n",
        _ => "",
    };
    let flash_command = if design == Design::Conventional {
        3_500
    } else {
        3_000
    };
    // a drive in its steady state ends the collection that it is caught in also where nothing is written
    let age = match writes {
        0.0 => "method = \"overwritten\"\nrandom_factor = 0.0",
        _ => "method = \"steady_state\"",
    };
    let fetch = 10_000 - 5_000 - flash_command;
    drive(&format!(
        "[geometry]\nchannels = 4\nchips_per_channel = 2\ndies_per_chip = 2\nplanes_per_die = 1\nblocks_per_plane = {BLOCKS}\npages_per_block = {PAGES}\n\
         page_size = \"4 KiB\"\n[timing]\nt_r = \"75 us\"\nt_prog = \"900 us\"\nt_bers = \"3500 us\"\ntransfer_rate = \"4000 MT/s\"\nt_cad = \"0 ns\"\n\
         [commands]\ninterleave = true\n[allocation]\nmode = \"static\"\n[ftl]\nover_provisioning = {spare}\n[ftl.gc]\nmode = \"partial\"\nhard = 2.0\nlow = 3.0\nhigh = 3.0\nfrontier = \"separate\"\n\
         [firmware]\nenabled = true\ncores = 2\nclock = \"400 MHz\"\nfetch_and_split = {fetch}\nmap_lookup = 2500\nallocation = 0\nflash_command = {flash_command}\n\
         completion = 2500\nmerge = 0\nbuffer = 0\n{collection}[age]\n{age}\n[run]\nwarm_up = \"20000 requests\"\n[buffer]\naccess = \"0 ns\"\n{local}"
    ))
}

fn statistical(design: Design, writes: f64, depth: u32, waf: f64) -> Drive {
    let mut drive = Drive {
        design,
        capacity: ByteSize(LOGICAL * 4096),
        ..Drive::default()
    };
    drive.over_provisioning = (BLOCKS * PAGES * DIES) as f64 / LOGICAL as f64 - 1.0;
    drive.nand.page = ByteSize(4096);
    drive.nand.pages_per_block = PAGES as u32;
    drive.nand.die = ByteSize(BLOCKS * PAGES * 4096);
    drive.nand.dies_per_package = 2;
    drive.channels.count = 4;
    drive.channels.command = Duration::ZERO;
    drive.channels.rate = 4e9;
    drive.table.hit = HitRate::Given;
    drive.table.hit_rate = 1.0;
    // what the other model has no unit for takes no time
    drive.dram.access = Duration::ZERO;
    drive.dram.bandwidth = 1e15;
    drive.ecc.codec = Duration::ZERO;
    drive.ecc.bandwidth = Some(1e15);
    drive.interconnect.bandwidth = Some(1e15);
    drive.host.rate = 1e15;
    drive.local.look_up = LookUp::Typ;
    drive.local.stale = StaleCopies::Sticky;
    drive.local.mini_ecc.escalation = 0.0;
    // the other model has no such bound: its packages collect at the pace of their writes
    drive.max_moves = 256;
    drive.workload.write_fraction = writes;
    drive.workload.queue_depth = depth;
    drive.workload.waf = waf;
    drive
}

/// Requests of random pages.
fn commands(writes: f64) -> Vec<HostCommand> {
    let mut state = 7_u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let requests = (0..REQUESTS).map(|_| {
        let page = draw() % LOGICAL;
        let is_write = (draw() as f64) < writes * (1_u64 << 31) as f64;
        let op = if is_write { HostOp::Write } else { HostOp::Read };
        command(0, op, page * 8, 8)
    });
    requests.collect()
}

struct Measured {
    iops: f64,
    mean_us: f64,
    p99_us: f64,
    waf: f64,
}

fn measured(config: &Config, writes: f64, depth: u32) -> Measured {
    let output = run(config, commands(writes), Admission::ClosedLoop { depth });
    Measured {
        iops: number(&output, "host.iops"),
        mean_us: number(&output, "host.all.latency.mean_us"),
        p99_us: number(&output, "host.all.latency.p99_us"),
        waf: output.summary.number("ftl.write_amplification").unwrap_or(1.0),
    }
}

fn simulated(drive: &Drive) -> Simulated {
    let settings = RunSettings {
        backend: Backend::Statistical,
        operations: 100_000,
        scheduling: Scheduling::Priority,
        ..RunSettings::default()
    };
    drive.simulate(&settings).unwrap()
}

/// Write amplification of greedy collection where so many blocks of each die, those that are open or kept free, are no spare space.
fn closed_form(kept: u64) -> f64 {
    let mut drive = statistical(Design::FScale, 1.0, 1, 1.0);
    drive.workload.waf_mode = WriteAmplification::FromOp;
    drive.over_provisioning = ((BLOCKS - kept) * PAGES * DIES) as f64 / LOGICAL as f64 - 1.0;
    drive.waf()
}

fn agree(what: &str, found: f64, other: f64, tolerance: f64) {
    assert!(
        (other / found - 1.0).abs() <= tolerance,
        "{what}: event-driven {found}, statistical {other}"
    );
}

/// Reads agree to 1 %. Where pages are written, the event-driven drive collects a block at a time, and the other one spreads the moves evenly: throughput and mean agree to
/// 5 % where half of the requests are writes and 10 % where all are, tails do not (the event-driven drive has the longer one).
#[test]
fn the_event_driven_drive_agrees() {
    for design in [Design::FScale, Design::Conventional] {
        for (writes, depth, tolerance) in [(0.0, 16, 0.01), (0.5, 8, 0.05), (1.0, 8, 0.1)] {
            let config = exact(design, writes);
            let what = format!("{design:?} {writes}");
            let found = measured(&config, writes, depth);
            let other = simulated(&statistical(design, writes, depth, found.waf));
            if writes > 0.0 {
                // two blocks are open, half full on average, and one or two are free
                let (few, many) = (closed_form(2) * 0.98, closed_form(3) * 1.02);
                let waf = found.waf;
                assert!((few..=many).contains(&waf), "{what}: write amplification {waf}");
            } else {
                agree(&format!("{what} p99"), found.p99_us, other.p99_us, 0.02);
            }
            agree(&format!("{what} iops"), found.iops, other.iops, tolerance);
            agree(&format!("{what} mean"), found.mean_us, other.mean_us, tolerance);
        }
    }
}
