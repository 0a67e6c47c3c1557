//! Agreement of the back ends on a small drive (section 11.4 of the specification): if they differ, the statistical one is wrong.

use wordline_fscale::{
    Backend, Design, Drive, HitRate, RunSettings, Simulated, StaleCopies, WriteAmplification,
};
use wordline_units::ByteSize;

/// Four gigabytes on sixteen dies of 143 blocks, with 512 pages each.
fn small(design: Design, writes: f64, depth: u32) -> Drive {
    let mut drive = Drive {
        design,
        capacity: ByteSize(4 << 30),
        ..Drive::default()
    };
    drive.nand.page = ByteSize(4096);
    drive.nand.pages_per_block = 512;
    drive.nand.die = ByteSize(294 << 20);
    drive.nand.dies_per_package = 2;
    drive.channels.count = 4;
    drive.table.hit = HitRate::Given;
    drive.table.hit_rate = 0.5;
    // with other placements the dies come to hold different numbers of pages, and those that stay on their die are moved more often where there are
    // more: the root of the number of pages, which is one in 1,000 on a die of 32 GiB and 12 times as much here
    drive.local.stale = StaleCopies::Sticky;
    drive.workload.write_fraction = writes;
    drive.workload.queue_depth = depth;
    drive
}

fn simulated(drive: &Drive, backend: Backend) -> Simulated {
    let settings = RunSettings {
        backend,
        operations: 100_000,
        ..RunSettings::default()
    };
    drive.simulate(&settings).unwrap()
}

fn agree(what: &str, exact: f64, other: f64, tolerance: f64) {
    assert!(
        (other / exact - 1.0).abs() <= tolerance,
        "{what}: exact {exact}, other {other}"
    );
}

#[test]
fn back_ends_agree() {
    for design in [Design::Conventional, Design::FScale] {
        for (writes, depth) in [(0.0, 16), (0.5, 8), (1.0, 8)] {
            let mut drive = small(design, writes, depth);
            let exact = simulated(&drive, Backend::Exact);
            if writes > 0.0 {
                let mut closed = drive.clone();
                closed.workload.waf_mode = WriteAmplification::FromOp;
                // the blocks that are open or kept free are no spare area
                let usable = (143.0 - 3.0) * 512.0 * 16.0;
                closed.over_provisioning = usable / drive.logical_pages() as f64 - 1.0;
                agree("write amplification", exact.waf, closed.waf(), 0.02);
                drive.workload.waf = exact.waf;
            }
            for backend in [Backend::Statistical, Backend::Permuted] {
                let what = format!("{design:?} {writes} {backend:?}");
                let other = simulated(&drive, backend);
                agree(&format!("{what} iops"), exact.iops, other.iops, 0.03);
                agree(&format!("{what} mean"), exact.mean_us, other.mean_us, 0.05);
                agree(&format!("{what} p99"), exact.p99_us, other.p99_us, 0.10);
                for (exact, other) in exact.cycles.shares().into_iter().zip(other.cycles.shares()) {
                    assert!((exact - other).abs() < 0.01, "{what}: share {exact} {other}");
                }
            }
        }
    }
}
