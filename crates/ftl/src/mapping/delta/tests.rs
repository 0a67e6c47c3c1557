//! Tests of the delta mapping: worked cases, real bytes in any order, what is saved, and what is refused.

mod bytes;
mod content;
mod harness;
mod invariants;
mod order;

use proptest::prelude::*;
use wordline_nand::Medium;
use wordline_units::SimTime;

use super::DeltaFtl;
use super::row::DELTA;
use crate::contract::{Ftl, Inspect};
use crate::counters::DeltaCounters;
use crate::error::FtlError;
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::mapping::checks::{Parts, check_continuation, check_pages_and_blocks};
use crate::plan::{Cause, Lpn, Plan, Unit, Work};
use crate::request::{PageOp, PageRequest};

/// One plane of so many blocks of 64 pages of 2 KiB, with these keys, as TOML.
fn parts(blocks: u32, keys: &str) -> Parts {
    let mut parts = Parts::new("delta", 1, blocks);
    set(&mut parts, keys);
    parts
}

/// Sets keys of `[ftl.delta]`, and what the mapping asks of collection.
fn set(parts: &mut Parts, keys: &str) {
    let keys: toml::Table = toml::from_str(keys).unwrap();
    parts.ftl.keys.set("delta", keys);
    let gc = &mut parts.ftl.gc;
    gc.reserve_blocks = 2;
    (gc.hard, gc.low, gc.high) = (3.0, 3.0, 4.0);
    parts.ftl.over_provisioning = parts.ftl.over_provisioning.max(0.6);
}

fn try_build(parts: &Parts) -> Result<DeltaFtl, FtlError> {
    parts.try_build(DeltaFtl::new)
}

type Run<'a> = Functional<'a, DeltaFtl, Medium>;

fn run<'a>(ftl: &'a mut DeltaFtl, parts: &Parts) -> Run<'a> {
    Functional::observed(ftl, FunctionalOptions::default(), parts.medium())
}

fn counters(run: &Run<'_>) -> DeltaCounters {
    run.ftl().counters().delta
}

fn check(ftl: &DeltaFtl) {
    ftl.log.check();
    check_pages_and_blocks(ftl);
    for lpn in 0..ftl.user_pages() {
        let has_base = ftl.data.map.is_mapped(lpn) || ftl.log.get(lpn).is_none();
        assert!(has_base, "K3: {lpn} has a delta and no base");
    }
}

/// Pages programmed for the host, and for deltas.
fn programs(run: &Run<'_>) -> (u64, u64) {
    let programmed = &run.counts().programmed;
    (
        programmed[Cause::Host as usize],
        programmed[Cause::Delta as usize],
    )
}

/// Deltas of 819 B of 2044 that a page has: two, with their entries, in each (specification, 5.3, with half the page).
#[test]
fn the_second_write_of_a_page_is_a_delta() {
    let parts = parts(20, "ratio = 0.4\nsigma = 0.0");
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for lpn in 0..4 {
        run.write(Lpn(lpn)).unwrap();
    }
    assert_eq!((programs(&run), counters(&run).deltas), ((4, 0), 0));
    for lpn in 0..4 {
        run.write(Lpn(lpn)).unwrap();
    }
    // the third delta has the first page of deltas programmed
    assert_eq!((programs(&run), counters(&run).deltas), ((4, 1), 4));
    run.flush().unwrap();
    assert_eq!(programs(&run), (4, 2));
    // a further delta of a page replaces its delta, whose base stays
    let base = run.ftl().lookup(Lpn(0));
    for _ in 0..3 {
        run.write(Lpn(0)).unwrap();
    }
    let found = counters(&run);
    assert_eq!((found.deltas, found.superseded, found.kept), (7, 3, 4));
    assert_eq!(run.ftl().lookup(Lpn(0)), base);
    drop(run);
    check(&ftl);
}

/// A page that is in the controller's page of deltas takes one flash read, one on flash two; both are decoded.
#[test]
fn a_page_with_a_delta_is_read_with_it() {
    let parts = parts(20, "ratio = 0.2\nsigma = 0.0\nread_hot_threshold = 100");
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for _ in 0..2 {
        run.write(Lpn(5)).unwrap();
    }
    let full = run.ftl().geometry().full_bitmap();
    let mut planned = || {
        let mut plan = Plan::new();
        let request = PageRequest {
            op: PageOp::Read,
            lpn: Lpn(5),
            pages: 1,
            bitmap: full,
            placement: 0,
            class: 0,
            command_sectors: 4,
        };
        run.ftl_mut().submit(SimTime::ZERO, &request, &mut plan);
        let kinds = plan.iter().map(|step| match step.work {
            Work::Read { .. } => 'r',
            Work::Compute {
                unit: Unit::Codec { sectors, .. },
                amount,
            } => {
                // 6737 cycles for 4 KiB at 619 MHz, half of it for 2 KiB
                assert_eq!((sectors, amount, step.acknowledges), (4, 5442, true));
                'd'
            }
            _ => '?',
        });
        let kinds: String = kinds.collect();
        (kinds, plan.last().map(|step| step.after))
    };
    assert_eq!(planned(), ("rd".to_owned(), Some(0b1)));
    run.flush().unwrap();
    let mut planned = || {
        let mut plan = Plan::new();
        let request = PageRequest {
            op: PageOp::Read,
            lpn: Lpn(5),
            pages: 1,
            bitmap: full,
            placement: 0,
            class: 0,
            command_sectors: 4,
        };
        run.ftl_mut().submit(SimTime::ZERO, &request, &mut plan);
        plan.len()
    };
    assert_eq!(planned(), 3);
}

/// Two reads make a page read-hot: it is merged, and not encoded again.
#[test]
fn read_hot_pages_are_merged() {
    let parts = parts(20, "ratio = 0.2\nsigma = 0.0");
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for _ in 0..2 {
        run.write(Lpn(5)).unwrap();
    }
    run.read(Lpn(5)).unwrap();
    assert_eq!(counters(&run).kept, 1);
    run.read(Lpn(5)).unwrap();
    let found = counters(&run);
    assert_eq!((found.kept, found.merged_reads), (0, 1));
    assert_eq!(run.counts().programmed[Cause::Merge as usize], 1);
    run.write(Lpn(5)).unwrap();
    assert_eq!(counters(&run).encoded, 1);
    drop(run);
    check(&ftl);
}

/// A page that gets no write between two looks is no longer write-hot.
#[test]
fn pages_that_are_no_longer_written_are_merged() {
    let parts = parts(
        20,
        "ratio = 0.2\nsigma = 0.0\nscan_interval_writes = 10\ncounted_pages = 100",
    );
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for lpn in [5, 5, 5, 1, 2, 3, 4, 6, 7, 8] {
        run.write(Lpn(lpn)).unwrap();
    }
    run.finish_jobs().unwrap();
    assert_eq!(counters(&run).kept, 1, "three writes in the first interval");
    for lpn in 11..21 {
        run.write(Lpn(lpn)).unwrap();
    }
    run.finish_jobs().unwrap();
    let found = counters(&run);
    assert_eq!((found.kept, found.merged_cold), (0, 1));
}

/// Content that does not compress closes the gate after the first write of a page that is encoded; then every further candidate is written as a
/// page, but for a probe.
#[test]
fn content_that_does_not_compress_closes_the_gate() {
    let parts = parts(20, "ratio = 1.0\nsigma = 0.0\nprobe_period = 10");
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    for _ in 0..101 {
        run.write(Lpn(3)).unwrap();
    }
    let found = counters(&run);
    assert_eq!((found.candidates, found.encoded, found.deltas), (100, 10, 0));
    assert_eq!((found.turned_away, found.too_large), (90, 10));
    assert_eq!(programs(&run), (101, 0));
}

/// Each write changes half of its page: deltas of a half, three quarters, and then one that is above the limit, so that the page becomes the base of the next.
/// Without a limit for a new base the third is kept, which is 0.875 of the page, and with one of 0.7 the second is not.
#[test]
fn a_delta_that_has_grown_too_large_makes_a_new_base() {
    for (keys, most, expected) in [
        ("max_ratio = 0.8", 0.8, 2),
        ("max_ratio = 0.9", 0.9, 3),
        ("max_ratio = 0.9\nrebase_ratio = 0.7", 0.7, 1),
    ] {
        let parts = parts(
            20,
            &format!(
                "ratio = 0.5\nsigma = 0.0\ngate = \"open\"\ndrift = \"independent\"\npacking = \"fractional\"\n{keys}"
            ),
        );
        let mut ftl = try_build(&parts).unwrap();
        let mut run = run(&mut ftl, &parts);
        run.write(Lpn(3)).unwrap();
        let base = run.ftl().lookup(Lpn(3));
        for write in 1..=expected {
            run.write(Lpn(3)).unwrap();
            let delta = run.ftl().log.get(3).unwrap();
            assert_eq!(delta.writes, write, "{most}");
            let share = f64::from(delta.bytes) / 2048.0;
            assert!(
                (share - (1.0 - 0.5_f64.powi(write as i32))).abs() < 0.001,
                "{share}"
            );
        }
        run.write(Lpn(3)).unwrap();
        assert!(
            run.ftl().log.get(3).is_none() && run.ftl().lookup(Lpn(3)) != base,
            "{most}"
        );
        assert_eq!(counters(&run).too_large, 1);
        // and on from there
        run.write(Lpn(3)).unwrap();
        assert_eq!(run.ftl().log.get(3).unwrap().writes, 1);
        drop(run);
        check(&ftl);
    }
}

/// Measured ratios take the place of the law.
#[test]
fn deltas_have_measured_ratios() {
    let parts = parts(
        20,
        "measured_ratios = [0.25, 0.5]\nratio = 0.9\nsigma = 0.0\ngate = \"open\"",
    );
    let mut ftl = try_build(&parts).unwrap();
    let mut run = run(&mut ftl, &parts);
    run.write(Lpn(3)).unwrap();
    let mut found = [0; 2];
    for _ in 0..40 {
        run.write(Lpn(3)).unwrap();
        match run.ftl().log.get(3).unwrap().bytes {
            512 => found[0] += 1,
            1024 => found[1] += 1,
            other => panic!("{other} B"),
        }
    }
    assert!(found[0] > 8 && found[1] > 8, "{found:?}");
}

/// With the gate closed the flash sees what it would see of a page mapping (G8).
#[test]
fn a_closed_gate_is_page_mapping() {
    let own = parts(24, "gate = \"closed\"");
    let mut ftl = try_build(&own).unwrap();
    let mut one = run(&mut ftl, &own);
    let mut other = own.clone();
    other.ftl.mapping = "page".into();
    let mut page = other
        .try_build(crate::mapping::page::PageFtl::from_input)
        .unwrap();
    let mut two = Functional::observed(&mut page, FunctionalOptions::default(), other.medium());
    assert_eq!(one.ftl().user_pages(), two.ftl().user_pages());
    let mut state = 7_u64;
    for _ in 0..6000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let lpn = Lpn((state >> 33) % one.ftl().user_pages());
        if state >> 20 & 7 == 0 {
            one.read(lpn).unwrap();
            two.read(lpn).unwrap();
        } else {
            one.write(lpn).unwrap();
            two.write(lpn).unwrap();
        }
    }
    assert_eq!(one.counts(), two.counts());
    for lpn in (0..one.ftl().user_pages()).map(Lpn) {
        assert_eq!(one.ftl().lookup(lpn), two.ftl().lookup(lpn));
    }
}

/// Every key that is refused (specification, 16).
#[test]
fn values_without_sense_are_refused() {
    let refused = |keys: &str| try_build(&parts(20, keys)).err().map(|error| error.to_string());
    assert_eq!(refused(""), None);
    for (keys, key) in [
        ("ratio = 0.0", "ftl.delta.ratio"),
        ("ratio = 1.5", "ftl.delta.ratio"),
        ("sigma = -0.1", "ftl.delta.sigma"),
        ("ratio = 1.0", "ftl.delta.sigma"),
        ("hot_threshold = 0", "ftl.delta.hot_threshold"),
        ("read_hot_threshold = 0", "ftl.delta.read_hot_threshold"),
        ("temp_buffers = 0", "ftl.delta.temp_buffers"),
        ("probe_period = 0", "ftl.delta.probe_period"),
        ("cpu_mhz = 0", "ftl.delta.cpu_mhz"),
        ("codecs = 0", "ftl.delta.codecs"),
        ("scan_interval_writes = 0", "ftl.delta.scan_interval_writes"),
        ("counted_pages = 1", "ftl.delta.counted_pages"),
        ("max_ratio = 0.0", "ftl.delta.max_ratio"),
        ("log_share = 0.0", "ftl.delta.log_share"),
        ("program_time = \"0 ns\"", "ftl.delta.program_time"),
        ("encodable = -0.1", "ftl.delta.encodable"),
        ("encodable = 1.1", "ftl.delta.encodable"),
        ("rebase_ratio = 0.0", "ftl.delta.rebase_ratio"),
        ("rebase_ratio = 1.1", "ftl.delta.rebase_ratio"),
        ("measured_ratios = [0.5, 0.0]", "ftl.delta.measured_ratios"),
        ("temp_max_age = \"0 ns\"", "ftl.delta.temp_max_age"),
    ] {
        let error = refused(keys).unwrap_or_default();
        assert!(error.starts_with(&format!("{key} = ")), "{keys}: {error}");
    }
    let refused = |change: fn(&mut Parts)| {
        let mut parts = parts(20, "");
        change(&mut parts);
        try_build(&parts).err().unwrap().to_string()
    };
    assert!(refused(|parts| parts.ftl.gc.victim = "fifo".into()).starts_with("ftl.gc.victim"));
    assert!(refused(|parts| parts.ftl.gc.reserve_blocks = 1).starts_with("ftl.gc.reserve_blocks"));
    assert!(refused(|parts| parts.ftl.over_provisioning = 0.01).starts_with("ftl.over_provisioning"));
    assert!(
        refused(|parts| parts.ftl.placement.directive = "streams".into())
            .starts_with("ftl.placement.directive")
    );
    assert!(refused(|parts| parts.copyback = wordline_nand::Use::Wise).starts_with("commands.copyback"));
    assert_eq!(DELTA.entry.name, "delta");
}

/// A drive whose writes are mostly kept as deltas.
fn any_drive(packings: &'static [&'static str]) -> impl Strategy<Value = Parts> {
    let keys = (
        prop::sample::select(packings),
        1..4_u32,
        prop::sample::select(&[0.1, 0.3, 0.5][..]),
        prop::sample::select(&["packed", "bytes", "whole_pages"][..]),
        prop::sample::select(&["merge", "copy"][..]),
        any::<bool>(),
        prop::sample::select(&[2_u32, 20, 1000][..]),
        prop::sample::select(&["", "temp_max_age = \"20 us\"\n"][..]),
    );
    (Parts::any("delta"), keys, any::<bool>()).prop_map(
        |(mut parts, (packing, buffers, ratio, gain, uncached, on_evict, counted, age), separate)| {
            // blocks of 4 to 32 pages
            parts.geometry.blocks_per_plane += 20;
            parts.copyback = wordline_nand::Use::Off;
            if separate {
                parts.ftl.gc.frontier = crate::config::GcFrontier::Separate;
            }
            set(
                &mut parts,
                &format!(
                    "packing = \"{packing}\"\ntemp_buffers = {buffers}\nratio = {ratio}\nlog_gain = \"{gain}\"\n\
                     gc_uncached = \"{uncached}\"\nmerge_on_evict = {on_evict}\ncounted_pages = {counted}\n\
                     {age}scan_interval_writes = 50\nscan_budget = 5\nread_hot_threshold = 3"
                ),
            );
            parts
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// A drive that is loaded with everything goes on as the one that was saved; one with the content holds the same pages.
    #[test]
    fn a_saved_drive_goes_on(parts in any_drive(&["no_split", "fractional"]), seed in 1_u64..u64::MAX) {
        let build = || try_build(&parts).unwrap();
        check_continuation([build(), build(), build()], &parts, seed, &check);
    }
}
