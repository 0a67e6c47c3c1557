//! A drive with deltas is built anew from what a power cut left on the flash, and goes on (Delta-FTL specification, section 8 and invariant G9; FTL specification,
//! 8.5: D1, D3 to D7). Deltas that wait in the controller are gone; all that has reached the flash is found.

use proptest::prelude::*;
use wordline_ftl::{Cause, RecoveryKind};

use crate::common::deltas::DoneWithDeltas;
use crate::common::early_cuts::{run_failing_with_deltas, run_with_deltas as run};
use crate::common::setup::Setup;
use crate::common::work::Random;

const KINDS: [RecoveryKind; 4] = [
    RecoveryKind::OobScan,
    RecoveryKind::SummaryScan,
    RecoveryKind::CheckpointJournal,
    RecoveryKind::Delayed,
];

/// Cuts after any number of steps: deltas in the controller, in pages under way and on flash, merges and collection under way.
#[test]
fn a_drive_with_deltas_is_built_anew() {
    for kind in KINDS {
        let mut all = DoneWithDeltas::default();
        for seed in 0..30 {
            let setup = Setup::with_deltas(seed).with_recovery(kind);
            let mut random = Random::new(seed, "cuts");
            let cuts: Vec<u64> = (0..8).map(|_| 100 + random.below(1_500)).collect();
            let done = run(&setup, &cuts);
            all.erases += done.erases;
            all.cuts += done.cuts;
            all.found_deltas += done.found_deltas;
            all.older += done.older;
            all.torn += done.torn;
            all.reads += done.reads;
            all.flushes += done.flushes;
            all.packed += done.packed;
            for (cause, count) in done.programs {
                *all.programs.entry(cause).or_default() += count;
            }
        }
        let reached = [all.erases, all.found_deltas, all.older, all.torn, all.flushes];
        assert!(reached.iter().all(|count| *count > 100), "{kind:?}: {all:?}");
        assert!(all.packed > 20, "{kind:?}: {all:?}");
        assert!(all.programs[&Cause::Merge] > 100, "{kind:?}: {all:?}");
    }
}

/// Programs and erases fail between the cuts, of pages of deltas too.
#[test]
fn failures_and_cuts_lose_no_delta() {
    for kind in KINDS {
        let (mut cuts, mut failed) = (0, 0);
        for seed in 0..5 {
            let setup = Setup::with_deltas(seed).with_spare_blocks(20).with_recovery(kind);
            let mut random = Random::new(seed, "cuts");
            let each: Vec<u64> = (0..8).map(|_| 100 + random.below(1_500)).collect();
            let done = run_failing_with_deltas(&setup, &each, 2);
            (cuts, failed) = (cuts + done.cuts, failed + done.failed);
        }
        assert!(cuts > 40 && failed > 30, "{kind:?}: {cuts} cuts, {failed} failed");
    }
}

/// Collection of a pool of four planes emptied a block of deltas: its merges opened both blocks of the reserve, in two planes, and no block was left for deltas.
#[test]
fn merges_leave_a_block_for_deltas() {
    let setup = Setup::with_deltas(7_202_215_939_882_503_559).with_recovery(KINDS[0]);
    run(&setup, &[1_223, 507, 1_695, 980, 1_448]);
}

/// The journal went on with two pages, in which pages of deltas had new numbers. The power failed between them: the first one had given the number of a page of deltas to another, and nothing
/// led to the former any more.
#[test]
fn pages_of_deltas_with_new_numbers_are_found_between_two_pages_of_the_journal() {
    let setup = Setup::with_deltas(14_568_194_058_256_333_963).with_recovery(RecoveryKind::Delayed);
    run(&setup, &[922, 1_071]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    /// G9: any drive, cut at any moments.
    #[test]
    fn any_drive_with_deltas_goes_on_after_cuts(seed: u64, kind in 0..KINDS.len(), cuts in prop::collection::vec(1_u64..2_000, 1..6)) {
        run(&Setup::with_deltas(seed).with_recovery(KINDS[kind]), &cuts);
    }
}
