//! The closed forms of section 11.5 of the specification, written out and compared with the demand of the paths.

use proptest::prelude::*;
use wordline_fscale::{Demand, Design, Drive, HitRate, LookUp, StaleCopies, Unit};
use wordline_units::Frequency;

fn near(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
        "{what}: {found}, not {expected}"
    );
}

fn loaded(design: Design, writes: f64, waf: f64, hit: f64) -> Drive {
    let mut drive = Drive {
        design,
        ..Drive::default()
    };
    drive.workload.write_fraction = writes;
    drive.workload.waf = waf;
    drive.table.hit = HitRate::Given;
    drive.table.hit_rate = hit;
    drive
}

/// Anchors of section 3.2: 80 K random reads a second, about 21 K random writes.
#[test]
fn anchors_of_the_cycle_table() {
    let processor = |drive: &Drive| {
        let outlook = drive.outlook();
        outlook
            .limits
            .iter()
            .find(|limit| limit.unit == Some(Unit::Processor))
            .unwrap()
            .iops_bound
    };
    near(
        processor(&loaded(Design::Conventional, 0.0, 5.0, 1.0)),
        80_000.0,
        "reads",
    );
    let writes = processor(&loaded(Design::Conventional, 1.0, 5.0, 1.0));
    assert!((writes - 20_823.0).abs() < 2.0, "{writes}");
}

/// Section 8.2: accesses for one translation; each NAND access of a look-up occupies the die of the data.
#[test]
fn accesses_of_one_translation() {
    for (look_up, nodes) in [(LookUp::Min, 0), (LookUp::Typ, 3), (LookUp::Max, 7)] {
        let mut drive = loaded(Design::FScale, 0.0, 5.0, 1.0);
        drive.local.look_up = look_up;
        assert_eq!(drive.node_reads(), nodes);
        let reads = Demand::of(&drive).ns(Unit::Die) / 75_000.0;
        near(reads, f64::from(nodes) + 1.0, "reads of a hit");
        drive.table.hit_rate = 0.0;
        near(
            Demand::of(&drive).ns(Unit::Die) / 75_000.0,
            reads + 1.0,
            "reads of a miss",
        );
    }
}

/// Writes that wait for a look-up have its nodes, and stale copies cost what their mode says.
#[test]
fn options_of_fscale_change_the_local_cycles() {
    let base = loaded(Design::FScale, 1.0, 5.0, 1.0);
    let cycles = |drive: &Drive| Demand::of(drive).local_cycles;
    let mut looks = base.clone();
    looks.local.write_look_up = true;
    near(cycles(&looks) - cycles(&base), 3.0 * 2500.0, "look-ups of writes");
    let mut sticky = base.clone();
    sticky.local.stale = StaleCopies::Sticky;
    near(cycles(&base) - cycles(&sticky), 1000.0, "invalidation");
    let mut lazy = base.clone();
    lazy.local.stale = StaleCopies::Lazy;
    lazy.table.hit_rate = 0.5;
    near(
        Demand::of(&lazy).cycles.table,
        0.5 * (4600.0 + 4600.0 + 5.0 * 4600.0),
        "directory checks",
    );
}

/// Without the codec of the package every moved page crosses the channel twice.
#[test]
fn moves_cross_the_channel_without_the_codec_of_the_package() {
    let with = loaded(Design::FScale, 1.0, 5.0, 1.0);
    let mut without = with.clone();
    without.local.mini_ecc.present = false;
    let crossings = |drive: &Drive| Demand::of(drive).ns(Unit::Channel);
    // 200 ns and 4096 B at 400 MB/s, rounded
    let once = 200.0 + 10_240.0;
    let escalated = 1e-3 * 4.0 * (2.0 * once + 84.0 * 4.0 / 0.4);
    let difference = crossings(&without) - crossings(&with);
    assert!(
        (difference - (8.0 * once - escalated)).abs() < 10.0,
        "{difference}"
    );
}

proptest! {
    #[test]
    fn cycles_of_the_conventional_drive(w in 0.001_f64..=1.0, a in 1.0_f64..8.0, h in 0.0_f64..=1.0) {
        let demand = Demand::of(&loaded(Design::Conventional, w, a, h));
        near(demand.cycles.host, 10_000.0, "host");
        near(
            demand.cycles.collection,
            w * (a - 1.0) * (3500.0 + 3600.0) + w * a / 1024.0 * 4000.0,
            "collection",
        );
        near(
            demand.cycles.table,
            (1.0 - h) * ((1.0 + w * (a - 1.0)) * 4600.0 + w * a * 4600.0),
            "table",
        );
        near(demand.local_cycles, 0.0, "local");
    }

    #[test]
    fn cycles_of_fscale(w in 0.001_f64..=1.0, a in 1.0_f64..8.0, h in 0.0_f64..=1.0) {
        let demand = Demand::of(&loaded(Design::FScale, w, a, h));
        near(demand.cycles.host, 10_000.0, "host");
        near(demand.cycles.collection, w * a / 1024.0 * 2000.0, "collection");
        near(demand.cycles.table, (1.0 - h) * (4600.0 + w * 4600.0), "table");
        let local = (1.0 - w) * (3000.0 + 3.0 * 2500.0)
            + w * (3000.0 + 1000.0)
            + w * (a - 1.0) * 7100.0
            + w * a / 1024.0 * 4000.0;
        near(demand.local_cycles, local, "local");
    }

    /// Cores times frequency over the cycles of an operation.
    #[test]
    fn throughput_of_the_processor(w in 0.0_f64..=1.0, cores in 1_u32..64, ghz in 1_u64..6) {
        let mut drive = loaded(Design::Conventional, w, 5.0, 0.5);
        drive.processor.cores = cores;
        drive.processor.frequency = Frequency(ghz * 1_000_000_000);
        let outlook = drive.outlook();
        let limit = outlook.limits.iter().find(|limit| limit.unit == Some(Unit::Processor)).unwrap();
        let expected = f64::from(cores) * ghz as f64 * 1e9 / outlook.cycles.total();
        // service times are rounded to nanoseconds
        prop_assert!((limit.iops_bound / expected - 1.0).abs() < 2e-3);
    }
}
