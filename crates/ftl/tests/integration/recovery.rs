//! An FTL built anew from what a power cut left on the flash shows what was promised, and goes on from there: in every way of `ftl.recovery.kind`, and
//! where power fails again while it is built anew (FTL specification, 8.5: D1, D3 to D7).

use std::collections::BTreeMap;

use proptest::prelude::*;
use wordline_ftl::{
    Cause, FoundBlock, FoundFlash, Lpn, PageOp, PageRequest, RecoveryKind, SpareArea, WhenFull,
};
use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use crate::common::cuts::{KINDS, cut_in_repair, run, run_failing};
use crate::common::setup::Setup;
use crate::common::work::Random;

#[test]
fn a_cut_after_any_step_is_recovered_from() {
    for kind in KINDS {
        let setup = Setup::plain(8, 8, 1.0).with_recovery(kind);
        let mut programs = BTreeMap::new();
        for steps in 0..400 {
            let (done, _) = run(&setup, 200, &[steps]);
            assert!(done.erases > 10, "{steps}: {done:?}");
            for (cause, count) in done.programs {
                *programs.entry(cause).or_insert(0) += count;
            }
        }
        let has_own = kind == RecoveryKind::SummaryScan || kind.has_journal();
        assert_eq!(programs.contains_key(&Cause::Metadata), has_own, "{kind:?}");
    }
}

/// Cuts after which sub-pages were lost that had been trimmed and had come back, and after which copies had used up the reserve; and cuts that lose data where
/// a page of the journal that is on flash counts for earlier ones that are not.
#[test]
fn cuts_that_lost_data_or_space_are_recovered_from() {
    let (summaries, journal) = (RecoveryKind::SummaryScan, RecoveryKind::CheckpointJournal);
    let cases: [(_, _, &[u64]); 5] = [
        (summaries, 10_245_633_454_344_283_747, &[6_172, 948]),
        (
            journal,
            7_190_335_112_476_663_178,
            &[1_477, 1_702, 1_135, 74, 323],
        ),
        (journal, 5, &[1_428, 2_897, 725, 1_365, 3_193]),
        (journal, 11, &[1_618, 2_095]),
        (
            journal,
            40,
            &[228, 285, 413, 70, 171, 433, 308, 142, 384, 301, 327, 346],
        ),
    ];
    for (kind, seed, cuts) in cases {
        let setup = Setup::random(seed).with_recovery(kind);
        run(&setup, 3 * setup.geometry().pages() as usize, cuts);
    }
}

/// A checkpoint says all, and block 0 holds nothing current. After a cut the journal goes on with a page without records, which alone says that block 0 is free now. It is filled, and the power
/// fails again, and once more while recovery repairs the flash: at every moment a page of the journal on flash names block 0.
#[test]
fn pages_of_the_journal_without_records_are_kept() {
    let mut setup = Setup::plain(40, 8, 1.0).with_recovery(RecoveryKind::Delayed);
    // one is due after a cut, and another after these 8 writes
    setup.ftl.recovery.checkpoint_interval = 8;
    let bitmap = setup.geometry().full_bitmap();
    let write = |lpn| PageRequest {
        op: PageOp::Write,
        lpn: Lpn(lpn),
        pages: 1,
        bitmap,
        placement: 0,
        class: 0,
        command_sectors: bitmap.count_ones(),
    };
    let block: Vec<PageRequest> = (0..8).map(write).collect();
    for seed in 0..3 {
        setup.seed = seed;
        for steps in 1..8 {
            let mut repairs = 0;
            while cut_in_repair(&setup, &[&block, &block, &block], steps, repairs) {
                repairs += 1;
            }
            assert!(repairs > 0, "{steps}");
        }
    }
}

/// Programs and erases fail between the cuts: what failed is passed over, and bad blocks stay so.
#[test]
fn failures_and_cuts_lose_nothing() {
    type Build = fn(u64) -> Setup;
    let setups: [(&str, Build); 5] = [
        ("page", Setup::random),
        ("dftl", Setup::with_map_on_flash),
        ("block", Setup::of_blocks_to_recover),
        ("striped", Setup::striped_without_parity),
        ("parity", Setup::with_parity_to_recover),
    ];
    for (name, setup) in setups {
        for kind in KINDS
            .into_iter()
            .skip(1)
            .filter(|kind| name != "dftl" || !kind.has_journal())
        {
            let (mut count, mut failed) = (0, 0);
            for seed in 0..4 {
                let setup = setup(seed).with_spare_blocks(16).with_recovery(kind);
                let commands = 2 * setup.geometry().pages();
                let mut random = Random::new(seed, "cuts");
                let cuts: Vec<u64> = (0..8).map(|_| random.below(commands / 4)).collect();
                let (done, cuts) = run_failing(&setup, commands as usize, &cuts, 2);
                count += cuts;
                failed += done.failed;
            }
            assert!(
                count > 24 && failed > 0,
                "{name}, {kind:?}: {count} cuts, {failed} failures"
            );
        }
    }
}

/// Programs and erases of journal, checkpoints and root fail too, more of them than recovery has heard of: their pages are written again, and after every cut all that was promised is found.
#[test]
fn blocks_of_journal_and_checkpoints_fail() {
    for kind in [RecoveryKind::CheckpointJournal, RecoveryKind::Delayed] {
        let (mut count, mut failed) = (0, 0);
        for seed in 0..24 {
            let mut setup = Setup::random(seed).with_spare_blocks(24).with_recovery(kind);
            // checkpoints follow each other closely
            setup.ftl.recovery.checkpoint_interval = 16 + 8 * (seed as u32 % 4);
            let commands = 2 * setup.geometry().pages();
            let mut random = Random::new(seed, "cuts");
            let cuts: Vec<u64> = (0..8).map(|_| random.below(commands / 4)).collect();
            let (done, cuts) = run_failing(&setup, commands as usize, &cuts, 4);
            count += cuts;
            failed += done.failed_metadata;
        }
        assert!(
            count > 150 && failed > 40,
            "{kind:?}: {count} cuts, {failed} failures"
        );
    }
}

/// Nothing is on the flash.
struct Erased;

impl FoundFlash for Erased {
    fn block(&self, _block: BlockId) -> FoundBlock {
        FoundBlock {
            passed: 0,
            erases: 0,
            sequence: 0,
            bad: false,
        }
    }

    fn spare_area(&self, _page: Ppn) -> Option<SpareArea> {
        None
    }
}

/// Zones say that they cannot be built anew, and what can.
#[test]
fn what_cannot_be_built_anew_is_refused_by_name() {
    let mut setup = Setup::plain(8, 8, 1.0);
    setup.ftl.mapping = "zoned".into();
    let mut built = setup.build_any().unwrap();
    let error = wordline_ftl::rebuild(&mut *built, SimTime::ZERO, &Erased)
        .unwrap_err()
        .to_string();
    let said = "a drive with ftl.mapping = \"zoned\" and its ftl.mapping_unit cannot be built anew from its spare areas; \
                accepted are all mappings but \"zoned\", with the page as unit but for \"page\" and \"dftl\"";
    assert_eq!(error, said);
}

/// Cuts the power of 60 random drives ten times each: how often, while recovery repaired the flash too, how many erases there were, and programs for a cause.
fn cut_random_drives(kind: RecoveryKind, setup: fn(u64) -> Setup, cause: Cause) -> (u64, u64, u64) {
    let (mut count, mut erases, mut programs) = (0, 0, 0);
    for seed in 0..60 {
        let setup = setup(seed).with_recovery(kind);
        let commands = 2 * setup.geometry().pages();
        let mut random = Random::new(seed, "cuts");
        let cuts: Vec<u64> = (0..10).map(|_| random.below(commands / 4)).collect();
        let (done, cuts) = run(&setup, commands as usize, &cuts);
        count += cuts;
        erases += done.erases;
        programs += done.programs.get(&cause).copied().unwrap_or(0);
    }
    (count, erases, programs)
}

/// Maps on flash: entries that only the cache had are found in the spare areas of the data, and translation pages are written anew.
#[test]
fn maps_on_flash_are_built_anew() {
    for kind in [
        RecoveryKind::None,
        RecoveryKind::OobScan,
        RecoveryKind::SummaryScan,
    ] {
        let found = cut_random_drives(kind, Setup::with_map_on_flash, Cause::Mapping);
        let (count, erases, of_map) = found;
        assert!(
            count > 600 && erases > 1_000 && of_map > 1_000,
            "{kind:?}: {found:?}"
        );
    }
}

/// Logical blocks with replacement blocks or log blocks, of which merges are cut off, and superblocks of adjacent ones.
#[test]
fn whole_blocks_are_built_anew() {
    for kind in KINDS.into_iter().skip(1) {
        let found = cut_random_drives(kind, Setup::of_whole_blocks_to_recover, Cause::Merge);
        let (count, erases, merged) = found;
        assert!(
            count > 600 && erases > 1_000 && merged > 1_000,
            "{kind:?}: {found:?}"
        );
    }
}

/// The power fails again and again after few steps, while logical blocks are merged, around host writes or before them: a merge that is cut off may keep its block, and one must be left.
/// On the last drive a block of a superblock was opened for a copy that was superseded: it must be given up where no other is free.
#[test]
fn merges_that_are_cut_off_again_and_again_leave_a_free_block() {
    for seed in (0..60).chain([219]) {
        let mut setup = Setup::of_whole_blocks_to_recover(seed);
        let replacements = (seed / 3 % 3) as i64;
        setup.ftl.keys.set("replacement_blocks", replacements);
        let gc = &mut setup.ftl.gc;
        (gc.reserve_blocks, gc.hard, gc.low, gc.high) = (2, 2.0, 2.0, 2.0);
        let setup = setup.with_recovery(KINDS[1 + seed as usize % (KINDS.len() - 1)]);
        let mut random = Random::new(seed, "cuts");
        let cuts: Vec<u64> = (0..100).map(|_| 5 + random.below(30)).collect();
        run(&setup, 2_000, &cuts);
    }
}

/// Superblocks over several planes, of which a cut may leave some blocks erased and others not.
#[test]
fn superblocks_are_built_anew() {
    for kind in KINDS.into_iter().skip(1) {
        let found = cut_random_drives(kind, Setup::striped_without_parity, Cause::Host);
        let (count, erases, written) = found;
        assert!(
            count > 600 && erases > 1_000 && written > 1_000,
            "{kind:?}: {found:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_drive_goes_on_after_cuts(seed: u64, kind in 0..4_usize, cuts in prop::collection::vec(0.0..0.5, 1..6)) {
        let setup = Setup::random(seed).with_recovery(KINDS[kind]);
        let commands = 3 * setup.geometry().pages();
        let cuts: Vec<u64> = cuts.iter().map(|share| (share * commands as f64) as u64).collect();
        run(&setup, commands as usize, &cuts);
    }

    /// Anything fails before each cut, blocks of journal and checkpoints too.
    #[test]
    fn any_drive_with_failures_goes_on_after_cuts(seed: u64, kind in 1..KINDS.len(), interval in 8_u32..200, failures in 1_u32..8, cuts in prop::collection::vec(0.0..0.5, 1..6)) {
        let mut setup = Setup::random(seed).with_spare_blocks(24).with_recovery(KINDS[kind]);
        setup.ftl.recovery.checkpoint_interval = interval;
        let commands = 2 * setup.geometry().pages();
        let cuts: Vec<u64> = cuts.iter().map(|share| (share * commands as f64) as u64).collect();
        run_failing(&setup, commands as usize, &cuts, failures);
    }

    /// The mode of a block is in the spare areas of its pages.
    #[test]
    fn any_drive_with_an_slc_cache_goes_on_after_cuts(seed: u64, folds: bool, kind in 1..KINDS.len(), cuts in prop::collection::vec(0.0..0.5, 1..6)) {
        let when_full = if folds { WhenFull::Fold } else { WhenFull::Direct };
        let mut setup = Setup::random(seed);
        setup.geometry.pages_per_block = setup.geometry.pages_per_block.max(6);
        let setup = setup.with_cache(when_full).with_recovery(KINDS[kind]);
        let commands = 3 * setup.geometry().pages() as usize;
        let cuts: Vec<u64> = cuts.iter().map(|share| (share * 4.0 * commands as f64) as u64).collect();
        run(&setup, commands, &cuts);
    }
}
