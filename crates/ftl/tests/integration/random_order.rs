//! Random drives under random commands, executed in random order: read-your-writes, the rules of
//! the medium, conservation and determinism, against the slow reference.

use crate::common::contents::Done;
use crate::common::host::{Host, Options, Watched};
use crate::common::setup::Setup;
use crate::common::work::{Commands, HANDLES, Random, handle_of};
use proptest::prelude::*;
use std::collections::BTreeSet;
use wordline_ftl::{
    ActiveBlock, Ageable, AllocationMode, Cause, DynamicWear, Ftl, GcMode, HandleCounters, Inspect, PageFtl,
    Scope, StaticOrder, Subjects,
};
use wordline_nand::{BlockId, Use};

/// Fills a random drive about three times over and returns what was done.
fn run(setup: &Setup, failures: u32) -> (PageFtl, Done) {
    let mut ftl = setup.build().unwrap();
    let done = run_on(&mut ftl, setup, failures);
    (ftl, done)
}

fn run_on(ftl: &mut dyn Inspect, setup: &Setup, failures: u32) -> Done {
    run_with(ftl, setup, failures, 0)
}

fn run_with(ftl: &mut dyn Inspect, setup: &Setup, failures: u32, unreadable: u32) -> Done {
    let mut random = Random::new(setup.seed, "options");
    let options = Options {
        depth: random.pick(&[1, 4, 16]),
        failures,
        unreadable,
        // mappings of whole blocks align nothing
        multi_plane: setup.commands.multi_plane_write != Use::Off
            && matches!(setup.ftl.mapping.name(), "page" | "dftl"),
        trims: setup.ftl.trim.enabled,
    };
    let (user_pages, full) = (ftl.user_pages(), setup.geometry().full_bitmap());
    let count = 300 + 4 * setup.geometry().pages() as usize;
    let commands = Commands::new(setup.seed, user_pages, full).take(count);
    let mut watched = Watched(ftl, 0, 0);
    Host::new(&mut watched, &setup.restrictions, setup.seed, options).run(commands)
}

fn programs(done: &Done, cause: Cause) -> u64 {
    done.programs.get(&cause).copied().unwrap_or(0)
}

/// What must be true of the counts of a run without failures.
fn check_counts(setup: &Setup, ftl: &PageFtl, done: &Done) {
    let facts = ftl.counters();
    let all: u64 = done.programs.values().sum();
    let by_cause = [Cause::Host, Cause::Gc, Cause::Wear].map(|cause| programs(done, cause));
    assert_eq!(
        all,
        by_cause.iter().sum::<u64>(),
        "a program of another cause: {done:?}"
    );
    // Every host write is programmed once; J7 without a buffer.
    assert_eq!(by_cause[0], done.host_writes);
    assert_eq!(
        facts.first_writes + facts.covered_writes + facts.uncovered_writes,
        done.host_writes
    );
    assert_eq!(by_cause[1], facts.gc_moves);
    assert_eq!(by_cause[2], facts.wear_moves);
    assert_eq!(done.erases, facts.erases);
    // Conservation over the whole life: what was programmed or given up was erased or is there.
    let census = ftl.census();
    let geometry = setup.geometry();
    let there = census.valid + census.invalid + census.skipped;
    let passed = all + facts.skipped_copy_back + facts.skipped_multi_plane;
    let erased = done.erases * u64::from(geometry.pages_per_block);
    if setup.closes_early() {
        assert!(passed - there <= erased, "{passed} {there} {erased}");
    } else {
        assert_eq!(passed - there, erased);
    }
    assert!(
        done.most_skipped_to_copy <= 1,
        "I8: a copy-back gives up one page at most"
    );
    if setup.commands.copyback != Use::Blind && setup.commands.multi_plane_write != Use::Blind {
        assert_eq!(census.skipped + done.skipped, 0, "I8: wise modes give up no page");
    }
    if setup.commands.multi_plane_write != Use::Blind {
        assert!(facts.skipped_copy_back <= done.copy_backs, "I8: {facts:?}");
    }
}

/// I10: every page of a statically allocated drive lies in its plane.
fn check_planes(setup: &Setup, ftl: &PageFtl) {
    if setup.allocation.mode != AllocationMode::Static {
        return;
    }
    let geometry = setup.geometry();
    let order = StaticOrder::new(&geometry, setup.allocation.order);
    for lpn in (0..ftl.user_pages()).map(wordline_ftl::Lpn) {
        if let Some(page) = ftl.lookup(lpn) {
            assert_eq!(geometry.plane_of(geometry.block_of(page)), order.plane(lpn));
            assert_eq!(ftl.home(lpn), Scope::Plane(order.plane(lpn)));
        }
    }
}

/// Aligned programs of two planes leave open blocks behind in both, here of the hot pages. When the others need a block, nothing else
/// has superseded pages: the open blocks are closed and collected.
#[test]
fn open_blocks_of_another_temperature_are_collected() {
    let mut setup = Setup::plain(11, 8, 1.24);
    setup.seed = 14_729_521_195_499_861_866;
    setup.geometry.planes_per_die = 4;
    setup.commands.multi_plane_write = Use::Wise;
    setup.allocation.mode = AllocationMode::Static;
    setup.allocation.active_block = ActiveBlock::LowestEraseCount;
    let gc = &mut setup.ftl.gc;
    gc.victim = "fifo".into();
    gc.reserve_blocks = 2;
    (gc.hard, gc.low, gc.high) = (3.0, 3.0, 4.0);
    gc.mode = GcMode::Preemptible;
    setup.ftl.hot.classifier = "two_level_lru".into();
    let wear = &mut setup.ftl.wear;
    wear.dynamic = DynamicWear::ByTemperature;
    wear.static_ = "hot_cold_swap".into();
    wear.check_erases = 1;
    let (ftl, done) = run(&setup, 0);
    check_counts(&setup, &ftl, &done);
}

/// The current pages of a block were all written with one handle, and each handle's writes are counted as its own.
fn check_handles(ftl: &PageFtl) {
    let geometry = *ftl.geometry();
    for block in (0..geometry.blocks()).map(BlockId) {
        let pages = (0..geometry.pages_per_block).map(|page| geometry.page(block, page));
        let handles: BTreeSet<u16> = pages
            .filter_map(|page| ftl.owner(page).map(|lpn| handle_of(lpn.0)))
            .collect();
        assert!(handles.len() <= 1, "{block} holds pages of handles {handles:?}");
    }
    let (counters, handles) = (
        ftl.counters(),
        ftl.placed_writes()
            .map_or_else(Vec::new, |placed| placed.handles()),
    );
    let sum =
        |count: fn(&HandleCounters) -> u64| handles.iter().map(|(_, counted)| count(counted)).sum::<u64>();
    let writes = counters.first_writes + counters.covered_writes + counters.uncovered_writes;
    assert_eq!(sum(|handle| handle.host_pages), writes);
    assert_eq!(sum(|handle| handle.moved_pages), counters.gc_moves);
    let placement = counters.placement;
    assert!(placement.opened <= HANDLES, "{placement:?}");
    assert_eq!(
        (placement.evicted, placement.defaulted, placement.blocks_closed),
        (0, 0, 0)
    );
}

/// Runs a drive whose programs and erases fail, with more blocks in each plane and more of them in reserve: everything is written, and what is retired is bad.
fn check_failures(mut setup: Setup, more_blocks: u32) -> Result<(), TestCaseError> {
    setup.ftl.over_provisioning = setup.ftl.over_provisioning.max(1.0);
    setup.geometry.blocks_per_plane += more_blocks;
    let gc = &mut setup.ftl.gc;
    gc.reserve_blocks = gc.reserve_blocks.max(4);
    (gc.hard, gc.low, gc.high) = (gc.hard + 4.0, gc.low + 4.0, gc.high + 4.0);
    let mut ftl = setup.build_any().unwrap();
    let done = run_on(&mut *ftl, &setup, 3);
    prop_assert!(done.programs[&Cause::Host] >= done.host_writes);
    let is_bad = |block: &u32| ftl.block(BlockId(*block)).role == wordline_ftl::BlockRole::Bad;
    let bad = (0..setup.geometry().blocks()).filter(is_bad).count() as u64;
    prop_assert_eq!(bad, ftl.counters().retired_blocks);
    Ok(())
}

/// Two superblocks that waited for one spare block, of which the second got it: the first was used again with a block that had not been erased. And parity that was programmed when its superblock
/// had gone on without its block.
#[test]
fn failures_of_members_that_lost_something_once() {
    for seed in [11_977_371_428_199_228_365, 15_558_339_901_086_100_644] {
        check_failures(Setup::with_bad_members(seed), 4).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_drive_keeps_its_promises(seed: u64) {
        let setup = Setup::random(seed);
        let (ftl, done) = run(&setup, 0);
        check_counts(&setup, &ftl, &done);
        check_planes(&setup, &ftl);
    }

    /// J12: with a stream for each handle, no block ever holds pages of two of them.
    #[test]
    fn streams_do_not_share_blocks(seed: u64) {
        let mut setup = Setup::random(seed);
        setup.ftl.placement.directive = "streams".into();
        setup.ftl.placement.keys.set("max_streams", HANDLES as i64);
        setup.ftl.wear.static_ = "off".into();
        // each stream has an open block, or two, beside the others
        while !setup.build().is_ok_and(|ftl| ftl.check_filled(ftl.user_pages()).is_ok()) {
            setup.geometry.blocks_per_plane += 10;
        }
        let (ftl, done) = run(&setup, 0);
        check_counts(&setup, &ftl, &done);
        check_handles(&ftl);
    }

    /// Programs and erases fail now and then: no data is lost, and what failed is not used again.
    #[test]
    fn failures_lose_nothing(seed: u64) {
        let mut setup = Setup::random(seed);
        // Room for the blocks that are retired.
        setup.ftl.over_provisioning = setup.ftl.over_provisioning.max(1.0);
        setup.geometry.blocks_per_plane += 20;
        // A block that fails under collection takes its free pages with it: the reserve is for
        // more than one.
        let gc = &mut setup.ftl.gc;
        gc.reserve_blocks = gc.reserve_blocks.max(4);
        (gc.hard, gc.low, gc.high) = (gc.hard + 4.0, gc.low + 4.0, gc.high + 4.0);
        let (ftl, done) = run(&setup, 3);
        let facts = ftl.counters();
        prop_assert!(done.programs[&Cause::Host] >= done.host_writes);
        let bad = (0..setup.geometry().blocks())
            .filter(|block| ftl.block(BlockId(*block)).role == wordline_ftl::BlockRole::Bad)
            .count() as u64;
        prop_assert_eq!(bad, facts.retired_blocks);
    }

    /// The same of drives whose mapping is one of whole logical blocks.
    #[test]
    fn any_drive_of_blocks_keeps_its_promises(seed: u64) {
        let setup = Setup::of_blocks(seed);
        let mut ftl = setup.build_any().unwrap();
        let done = run_on(&mut *ftl, &setup, 0);
        let (facts, census) = (ftl.counters(), ftl.census());
        let host = programs(&done, Cause::Host);
        let (merge, gc) = (programs(&done, Cause::Merge), programs(&done, Cause::Gc));
        let copies = merge + gc;
        prop_assert_eq!(done.programs.values().sum::<u64>(), host + copies);
        prop_assert_eq!(host, done.host_writes);
        prop_assert_eq!((merge, gc), (facts.merges.pages, facts.gc_moves));
        prop_assert_eq!(done.erases, facts.erases);
        let there = census.valid + census.invalid + census.skipped;
        let pages_per_block = u64::from(setup.geometry().pages_per_block);
        // a page that was passed over is told with the one that was programmed after it; those behind are free
        prop_assert!(host + copies + done.skipped >= there);
        prop_assert!((host + copies + done.skipped - there) <= done.erases * pages_per_block);
        for lpn in (0..ftl.user_pages()).map(wordline_ftl::Lpn) {
            if let Some(page) = ftl.lookup(lpn) {
                // with log blocks a page may stand anywhere in one
                let is_in_place = page.0 % pages_per_block == lpn.0 % pages_per_block;
                prop_assert!(is_in_place || setup.ftl.mapping.name() != "block");
                let plane = setup.geometry().plane_of(setup.geometry().block_of(page));
                prop_assert_eq!(ftl.home(lpn), Scope::Plane(plane));
            }
        }
    }

    /// The same of drives with their map on flash.
    #[test]
    fn any_drive_with_its_map_on_flash_keeps_its_promises(seed: u64) {
        let setup = Setup::with_map_on_flash(seed);
        let mut ftl = setup.build_any().unwrap();
        let done = run_on(&mut *ftl, &setup, 0);
        let facts = ftl.counters();
        let by_cause = [Cause::Host, Cause::Gc, Cause::Wear, Cause::Mapping].map(|cause| programs(&done, cause));
        prop_assert_eq!(done.programs.values().sum::<u64>(), by_cause.iter().sum::<u64>());
        prop_assert_eq!(by_cause[0], done.host_writes);
        prop_assert_eq!(by_cause[1], facts.gc_moves);
        prop_assert_eq!(by_cause[2], facts.wear_moves);
        prop_assert_eq!(done.erases, facts.erases);
        let table = facts.table;
        prop_assert!(table.hits + table.fetched_pages <= table.lookups);
        let updates = table.evicted_dirty + table.collection_updates + table.late_updates;
        // TRIM writes translation pages too, and collection of their blocks moves them
        prop_assert!(by_cause[3] >= updates);
    }

    #[test]
    fn failures_of_a_drive_with_its_map_on_flash_lose_nothing(seed: u64) {
        let mut setup = Setup::with_map_on_flash(seed);
        setup.ftl.keys.set("entry_bytes", 16);
        setup.ftl.keys.set("cached_entries", 1000);
        setup.ftl.keys.set("table_spare", 4.0);
        check_failures(setup, 40)?;
    }

    #[test]
    fn failures_of_blocks_lose_nothing(seed: u64) {
        let mut setup = Setup::of_blocks(seed);
        setup.geometry.blocks_per_plane = 2 * setup.geometry.blocks_per_plane + 30;
        setup.ftl.over_provisioning = 1.0;
        let gc = &mut setup.ftl.gc;
        gc.reserve_blocks = gc.reserve_blocks.max(4);
        (gc.hard, gc.low, gc.high) = (gc.hard + 4.0, gc.low + 4.0, gc.high + 4.0);
        let mut ftl = setup.build_any().unwrap();
        let done = run_on(&mut *ftl, &setup, 3);
        let is_bad = |block: &u32| ftl.block(BlockId(*block)).role == wordline_ftl::BlockRole::Bad;
        let bad = (0..setup.geometry().blocks()).filter(is_bad).count() as u64;
        prop_assert!(done.programs[&Cause::Host] >= done.host_writes);
        prop_assert_eq!(bad, ftl.counters().retired_blocks);
    }

    /// J16: the same seed does the same things in the same order.
    #[test]
    fn same_seed_same_run(seed: u64) {
        let setup = Setup::random(seed);
        prop_assert_eq!(run(&setup, 0).1, run(&setup, 0).1);
    }

    /// The same of the other mappings.
    #[test]
    fn same_seed_same_run_of_other_mappings(seed: u64) {
        for setup in [Setup::of_blocks(seed), Setup::with_map_on_flash(seed), Setup::striped(seed)] {
            let once = || run_on(&mut *setup.build_any().unwrap(), &setup, 0);
            prop_assert_eq!(once(), once());
        }
    }
}

/// A read of the host that could not be corrected is read again where its page is then, by which it may be newer; where that cannot be corrected either, so may what is computed for it.
#[test]
fn what_is_computed_for_a_page_that_was_read_again_may_be_newer() {
    let setup = Setup::with_bad_members(12_799_381_915_161_937_112);
    let done = run_with(&mut *setup.build_any().unwrap(), &setup, 0, 28);
    assert!(done.recovered > 0);
}

proptest! {
    // what is known of a block is counted page by page
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// The same of drives with superblocks over several planes.
    #[test]
    fn any_drive_of_superblocks_over_planes_keeps_its_promises(seed: u64) {
        let setup = Setup::striped(seed);
        let mut ftl = setup.build_any().unwrap();
        let done = run_on(&mut *ftl, &setup, 0);
        let facts = ftl.counters();
        let by_cause = [Cause::Host, Cause::Gc, Cause::Wear, Cause::Parity].map(|cause| programs(&done, cause));
        prop_assert_eq!(done.programs.values().sum::<u64>(), by_cause.iter().sum::<u64>());
        prop_assert_eq!(by_cause[0], done.host_writes);
        prop_assert_eq!((by_cause[1], by_cause[2]), (facts.gc_moves, facts.wear_moves));
        prop_assert_eq!(done.erases, facts.erases);
        prop_assert_eq!(done.skipped, 0);
    }

    /// J14: of drives with parity, in which one read in so many cannot be corrected, of the host, of collection and of updates in part: the data of each are computed
    /// from what the other pages of the superpage hold, or the controller.
    #[test]
    fn parity_brings_back_what_cannot_be_read(seed: u64, one_in in 2_u32..40) {
        let setup = Setup::with_parity(seed);
        let mut ftl = setup.build_any().unwrap();
        let done = run_with(&mut *ftl, &setup, 0, one_in);
        let facts = ftl.counters();
        prop_assert_eq!(facts.parity.unrecovered, 0);
        prop_assert_eq!(facts.unreadable_moves, 0);
        prop_assert_eq!(facts.parity.recovered, done.recovered);
        prop_assert_eq!(programs(&done, Cause::Gc), facts.gc_moves);
        let of_parity = done.reads.get(&Cause::Parity).copied().unwrap_or(0);
        prop_assert!(of_parity <= done.recovered * u64::from(setup.geometry().planes() - 1));
    }

    /// The same where blocks are not read any more after a few reads that failed, and their superblocks are emptied, go on without them or get spare blocks for them; and where
    /// what the host has read is programmed anew.
    #[test]
    fn bad_members_lose_nothing(seed: u64, one_in in 20_u32..400) {
        let setup = Setup::with_bad_members(seed);
        let mut ftl = setup.build_any().unwrap();
        let done = run_with(&mut *ftl, &setup, 0, one_in);
        let parity = ftl.counters().parity;
        prop_assert_eq!(ftl.counters().unreadable_moves, 0);
        prop_assert!(parity.recovered > 0 || done.recovered == 0);
        prop_assert!(programs(&done, Cause::Repair) >= parity.rewritten);
    }

    /// The same where programs and erases of members fail.
    #[test]
    fn failures_of_members_lose_nothing(seed: u64) {
        check_failures(Setup::with_bad_members(seed), 4)?;
    }

    #[test]
    fn failures_of_superblocks_over_planes_lose_nothing(seed: u64) {
        check_failures(Setup::striped(seed), 20)?;
    }
}
