//! A drive whose mapping units are not pages is built anew from what a power cut left on the flash, and goes on (FTL specification, 8.5: D1, D3 to D7). What
//! waits in page registers is gone; all that has reached the flash is found.

use proptest::prelude::*;
use wordline_ftl::{Cause, RecoveryKind};
use wordline_units::ByteSize;

use crate::common::early_cuts::run_with_units as run;
use crate::common::setup::Setup;
use crate::common::unit_flash::DoneWithUnits;
use crate::common::work::Random;

const KINDS: [RecoveryKind; 3] = [
    RecoveryKind::OobScan,
    RecoveryKind::SummaryScan,
    RecoveryKind::CheckpointJournal,
];

/// Cuts after any number of steps of six drives; what was done.
fn cut_drives(setup: fn(u64) -> Setup, kind: RecoveryKind) -> DoneWithUnits {
    let mut all = DoneWithUnits::default();
    for seed in 0..6 {
        let setup = setup(seed).with_recovery(kind);
        let mut random = Random::new(seed, "cuts");
        let cuts: Vec<u64> = (0..5).map(|_| 50 + random.below(1_000)).collect();
        let done = run(&setup, &cuts);
        all.erases += done.erases;
        all.cuts += done.cuts;
        all.older += done.older;
        all.torn += done.torn;
        all.reads += done.reads;
        all.flushes += done.flushes;
        all.shared += done.shared;
        for (cause, count) in done.programs {
            *all.programs.entry(cause).or_default() += count;
        }
    }
    let reached = [all.erases, all.older, all.torn, all.flushes, all.reads];
    assert!(reached.iter().all(|count| *count > 5), "{kind:?}: {all:?}");
    all
}

/// Units of several pages: one of which a program was cut off does not count, and the place where it was before does.
#[test]
fn large_units_are_found_where_they_are_whole() {
    cut_drives(Setup::with_large_units, RecoveryKind::OobScan);
}

/// A block that is a page short is not made of whole units.
#[test]
fn summary_pages_do_not_go_with_large_units() {
    let mut setup = Setup::with_large_units(1);
    setup.ftl.recovery.kind = RecoveryKind::SummaryScan;
    let error = setup.build_any().err().unwrap().to_string();
    let accepted = "\"none\", \"oob_scan\" with ftl.mapping = \"page\" and an ftl.mapping_unit that is larger than the page";
    assert!(
        error.contains("ftl.recovery.kind") && error.contains(accepted),
        "{error}"
    );
}

/// A summary page lists every unit of its block, or there is no room for it.
#[test]
fn summary_pages_have_room_for_the_units_of_a_block() {
    // 2 pages of 16 units of 512 B would take 10 B each of the third one, of 8 KiB; 127 pages take 20,320 B
    let mut setup = Setup::plain(40, 3, 1.0);
    setup.geometry.page_size = ByteSize(8_192);
    setup.ftl.mapping_unit = Some(ByteSize(512));
    setup.ftl.recovery.kind = RecoveryKind::SummaryScan;
    assert!(setup.build_any().is_ok());
    setup.geometry.pages_per_block = 128;
    let error = setup.build_any().err().unwrap().to_string();
    assert!(
        error.contains("a page (geometry.page_size) that lists the 2032 logical pages of a block: 10 B each"),
        "{error}"
    );
}

/// Units of parts of a page: those of several writes share one, and those that are moved out of several blocks.
#[test]
fn small_units_are_found_in_the_pages_that_they_share() {
    for kind in KINDS {
        let done = cut_drives(Setup::with_units, kind);
        assert!(done.shared > 300, "{kind:?}: {done:?}");
    }
}

/// The same with the map on flash.
#[test]
fn small_units_are_found_where_their_map_is_on_flash() {
    for kind in [RecoveryKind::OobScan, RecoveryKind::SummaryScan] {
        let done = cut_drives(Setup::with_units_on_flash, kind);
        assert!(done.programs[&Cause::Mapping] > 200, "{kind:?}: {done:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_drive_with_large_units_goes_on_after_cuts(seed: u64, cuts in prop::collection::vec(1_u64..2_000, 1..6)) {
        run(&Setup::with_large_units(seed).with_recovery(RecoveryKind::OobScan), &cuts);
    }

    #[test]
    fn any_drive_with_small_units_goes_on_after_cuts(seed: u64, kind in 0..KINDS.len(), cuts in prop::collection::vec(1_u64..2_000, 1..6)) {
        run(&Setup::with_units(seed).with_recovery(KINDS[kind]), &cuts);
    }
}
