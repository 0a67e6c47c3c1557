//! Closed invariants of section 12, and monotony of section 11.5.

use proptest::prelude::*;
use wordline_fscale::{Demand, Design, Drive, HitRate, Kind, Step, Unit, cores_to_match, named, names};
use wordline_units::{ByteSize, Frequency};

prop_compose! {
    fn drives()(
        fscale in any::<bool>(), tib in 1_u64..1024, writes in 0.0_f64..=1.0, waf in 1.0_f64..8.0, hit in 0.0_f64..=1.0,
        cores in 1_u32..32, mhz in 100_u64..5000, depth in 1_u32..512, channels in 1_u32..64,
    ) -> Drive {
        let mut drive = Drive {
            design: if fscale { Design::FScale } else { Design::Conventional },
            capacity: ByteSize(tib << 40),
            ..Drive::default()
        };
        drive.workload.write_fraction = writes;
        drive.workload.waf = waf;
        drive.workload.queue_depth = depth;
        drive.table.hit = HitRate::Given;
        drive.table.hit_rate = hit;
        drive.processor.cores = cores;
        drive.processor.frequency = Frequency(mhz * 1_000_000);
        drive.channels.count = channels;
        drive
    }
}

proptest! {
    /// Throughput does not fall when cores, frequency, queue depth, hit rate or channels rise.
    #[test]
    fn more_of_anything_is_not_slower(drive in drives()) {
        prop_assert!(drive.check().is_ok());
        let before = drive.outlook().iops_bound;
        let change: [fn(&mut Drive); 5] = [
            |drive| drive.processor.cores += 1,
            |drive| drive.processor.frequency.0 += 50_000_000,
            |drive| drive.workload.queue_depth += 1,
            |drive| drive.table.hit_rate = drive.table.hit_rate.midpoint(1.0),
            |drive| drive.channels.count += 1,
        ];
        for (place, change) in change.into_iter().enumerate() {
            let mut more = drive.clone();
            change(&mut more);
            let after = more.outlook().iops_bound;
            prop_assert!(after >= before * 0.995, "{place}: {before} {after}");
        }
    }

    /// Moves are waf - 1 times the writes; a block is erased for as many programs as it has pages.
    #[test]
    fn collection_keeps_its_ratios(drive in drives()) {
        let rates = Demand::of(&drive).rates;
        let writes = rates.of(Kind::HostWrite);
        prop_assert!((rates.of(Kind::Move) - (drive.waf() - 1.0) * writes).abs() < 1e-9);
        prop_assert!((rates.of(Kind::Erase) * 1024.0 - writes * drive.waf()).abs() < 1e-9);
        prop_assert!((rates.of(Kind::HostRead) + writes - 1.0).abs() < 1e-12);
        prop_assert!(rates.of(Kind::PageOut) <= rates.of(Kind::PageIn) + 1e-12);
    }

    /// Collection of FScale needs no entry of the directory and stays on its die.
    #[test]
    fn local_collection_leaves_the_directory_alone(drive in drives()) {
        let paths = drive.as_design(Design::FScale).paths();
        for step in paths.of(Kind::Move) {
            let is_local = !matches!(step, Step::Entry { .. } | Step::OtherDie);
            let is_central = matches!(step, Step::Visit { unit: Unit::Processor, .. });
            prop_assert!(is_local && !is_central);
        }
    }

    /// The limit of the queue depth is that of an idle drive, and no unit is used for more than its time.
    #[test]
    fn throughput_is_the_least_limit(drive in drives()) {
        let (outlook, demand) = (drive.outlook(), Demand::of(&drive));
        for unit in Unit::ALL {
            prop_assert!(outlook.iops_bound * demand.ns(unit) <= drive.servers(unit) * 1e9 * (1.0 + 1e-9));
        }
        prop_assert!(outlook.iops_bound * outlook.latency.mean <= f64::from(drive.workload.queue_depth) * 1e9 * (1.0 + 1e-9));
        let shares: f64 = outlook.cycles.shares().iter().sum();
        prop_assert!((shares - 1.0).abs() < 1e-9);
    }

    /// The break-even number of cores is the first that suffices.
    #[test]
    fn the_break_even_is_the_first_that_suffices(drive in drives()) {
        let even = cores_to_match(&drive, Design::Conventional, 128);
        let with = |cores| {
            let mut rival = drive.as_design(Design::Conventional);
            rival.processor.cores = cores;
            rival.outlook().iops_bound
        };
        match even.cores {
            Some(cores) => {
                prop_assert!(with(cores) >= even.fscale_iops_bound);
                prop_assert!(cores == 1 || with(cores - 1) < even.fscale_iops_bound);
            }
            None => prop_assert!(with(128) < even.fscale_iops_bound),
        }
    }
}

/// Same configuration, same answer; every named drive has one.
#[test]
fn named_drives_are_answered() {
    for name in names() {
        let drive = named(&name).unwrap();
        let outlook = drive.outlook();
        assert!(
            outlook.iops_bound.is_finite() && outlook.iops_bound > 0.0,
            "{name}"
        );
        assert_eq!(outlook, drive.outlook());
        let text = serde_json::to_string(&drive).unwrap();
        assert_eq!(serde_json::from_str::<Drive>(&text).unwrap(), drive);
        serde_json::to_string(&outlook).unwrap();
    }
}
