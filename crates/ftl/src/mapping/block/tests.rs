//! Tests of the block-level FTL: worked merges, the rules of flash, what is saved, and what is refused.

use proptest::prelude::*;
use wordline_nand::{BlockId, Medium, Use};
use wordline_units::{Duration, Seed};

use super::{BLOCK, BlockFtl};
use crate::ageing::{AgeConfig, AgeMethod, age};
use crate::allocation::{AllocationConfig, Order};
use crate::block::BlockRole;
use crate::config::{GcMode, MappingInput};
use crate::contract::{Ftl, Inspect};
use crate::counters::{FtlCounters, MergeCounts};
use crate::error::FtlError;
use crate::exec::any_order::{AnyOrder, AnyOrderOptions};
use crate::exec::functional::{Counts, Functional, FunctionalError, FunctionalOptions};
use crate::mapping::checks::{Parts, check_continuation, check_pages_and_blocks, check_random_commands};
use crate::plan::{Cause, Lpn};
use crate::request::{Answer, PageOp, PageRequest};

const B: u64 = 64;

fn try_build(parts: &Parts) -> Result<BlockFtl, FtlError> {
    parts.try_build(BlockFtl::new)
}

fn build(parts: &Parts) -> BlockFtl {
    try_build(parts).unwrap()
}

/// A drive with so many replacement blocks.
fn with(planes: u32, blocks: u32, replacements: u32) -> Parts {
    let mut parts = Parts::new("block", planes, blocks);
    parts.ftl.keys.set("replacement_blocks", i64::from(replacements));
    parts
}

/// Checks what holds of every mapping, that pages keep their offsets and planes, and the free blocks.
fn check(ftl: &BlockFtl) {
    let geometry = *ftl.geometry();
    let b = u64::from(geometry.pages_per_block);
    let free = check_pages_and_blocks(ftl);
    for lpn in 0..ftl.user_pages() {
        let Some(page) = ftl.lookup(Lpn(lpn)) else {
            continue;
        };
        assert_eq!(page.0 % b, lpn % b, "the offset of {lpn}");
        let plane = geometry.plane_of(geometry.block_of(page));
        assert_eq!(ftl.home(Lpn(lpn)), crate::plan::Scope::Plane(plane));
    }
    for (pool, free) in free.into_iter().enumerate() {
        assert_eq!(ftl.space.pools[pool].free, free);
    }
}

/// A drive of one plane whose logical blocks all hold data, written in sequence; what `then` does is counted.
fn counted(
    replacements: u32,
    then: impl FnOnce(&mut Functional<'_, BlockFtl, Medium>),
) -> (Counts, MergeCounts) {
    let parts = with(1, 40, replacements);
    let mut ftl = build(&parts);
    let user = ftl.user_pages();
    let mut run = Functional::observed(&mut ftl, FunctionalOptions::default(), parts.medium());
    for lpn in 0..user {
        run.write(Lpn(lpn)).unwrap();
    }
    assert_eq!(run.counts().programmed(Cause::Merge), 0);
    run.reset_counts();
    run.ftl_mut().reset_counters();
    then(&mut run);
    run.finish_jobs().unwrap();
    let counts = run.counts().clone();
    check(&ftl);
    (counts, ftl.counters().merges)
}

fn costs(counts: &Counts) -> (u64, u64, u64) {
    let at = Cause::Merge as usize;
    (counts.read[at], counts.programmed[at], counts.erased[at])
}

/// Worked: over-provisioning of 28 % leaves 31 of 40 blocks.
#[test]
fn whole_blocks_are_exported() {
    assert_eq!(build(&with(1, 40, 1)).user_pages(), 31 * B);
    assert_eq!(build(&with(2, 40, 1)).user_pages(), 62 * B);
}

/// Without replacement blocks an update of one page copies all others and erases one block: the new page goes to its
/// place among the copies.
#[test]
fn without_replacement_blocks_an_update_copies_the_block() {
    for offset in [0, 17, 63] {
        let (counts, merges) = counted(0, |run| {
            run.write(Lpn(3 * B + offset)).unwrap();
        });
        assert_eq!(costs(&counts), (B - 1, B - 1, 1), "offset {offset}");
        assert_eq!((merges.full, merges.partial, merges.switch), (1, 0, 0));
        assert_eq!(counts.programmed(Cause::Host), 1);
    }
}

/// FTL specification, section 1: a logical block written anew in sequence costs one erase and no copy.
#[test]
fn a_block_written_in_sequence_is_switched() {
    let (counts, merges) = counted(1, |run| {
        for round in 0..20 {
            for offset in 0..B {
                run.write(Lpn(round % 31 * B + offset)).unwrap();
            }
        }
    });
    assert_eq!((merges.full, merges.partial, merges.switch), (0, 0, 20));
    let (reads, programs, erases) = costs(&counts);
    assert_eq!((reads, programs), (0, 0));
    // blocks are erased when space is wanted
    assert!(erases > 10 && erases <= 20, "{erases}");
}

/// A block that holds nothing but the page that is written is as good as erased: a sequence that begins in the middle of a
/// block costs no copies either, but for the first of them.
#[test]
fn a_block_whose_last_page_is_written_gives_way() {
    let (counts, merges) = counted(1, |run| {
        run.write(Lpn(1)).unwrap();
        for _ in 0..6 {
            for offset in 0..B {
                run.write(Lpn(offset)).unwrap();
            }
        }
    });
    // the first sequence finds 1 in the replacement block: 0 goes to the gap of a merge, and the others after it
    assert_eq!((merges.full, merges.partial), (1, 0));
    assert_eq!(costs(&counts).1, B - 1);
}

/// The same of a block whose first k pages were written anew: N_c = b - k copies and one erase.
#[test]
fn a_block_written_in_part_takes_what_it_lacks() {
    let k = 48;
    let (counts, merges) = counted(1, |run| {
        for offset in 0..k {
            run.write(Lpn(5 * B + offset)).unwrap();
        }
        // the chain is full, and its first page wants to be written again
        run.write(Lpn(5 * B)).unwrap();
    });
    assert_eq!((merges.full, merges.partial, merges.switch), (0, 1, 0));
    assert_eq!(costs(&counts), (B - k, B - k, 1));
    assert_eq!(merges.pages, B - k);
}

/// The same of a block with its pages out of sequence: with the new page in its place b - 1 copies, and two erases.
#[test]
fn a_block_written_at_random_is_copied_whole() {
    let (counts, merges) = counted(1, |run| {
        run.write(Lpn(7 * B + 20)).unwrap();
        run.write(Lpn(7 * B + 40)).unwrap();
        run.write(Lpn(7 * B + 30)).unwrap();
    });
    assert_eq!((merges.full, merges.partial, merges.switch), (1, 0, 0));
    assert_eq!(costs(&counts), (B - 1, B - 1, 2));
}

/// Of a logical block that holds few pages only those are copied, and the pages between are passed over.
#[test]
fn a_merge_copies_what_there_is() {
    let parts = with(1, 40, 1);
    let mut ftl = build(&parts);
    let mut run = Functional::observed(&mut ftl, FunctionalOptions::default(), parts.medium());
    for offset in [10, 20, 20, 15] {
        run.write(Lpn(offset)).unwrap();
    }
    // the data block has 10 and the old 20, the replacement block the new 20, and 15 goes to neither
    run.finish_jobs().unwrap();
    assert_eq!(costs(run.counts()), (2, 2, 2));
    check(&ftl);
    let facts = ftl.block(ftl.geometry().block_of(ftl.lookup(Lpn(15)).unwrap()));
    assert_eq!((facts.valid, facts.skipped, facts.free), (3, 18, 43));
}

/// Pages written against their order need a replacement block each: with more of them merges come later.
#[test]
fn replacement_blocks_put_merges_off() {
    for replacements in 1..5_u64 {
        let merges = |updates: u64| {
            let (_, merges) = counted(replacements as u32, |run| {
                for offset in (0..updates).rev() {
                    run.write(Lpn(offset)).unwrap();
                }
            });
            (merges.full, merges.partial, merges.switch)
        };
        assert_eq!(merges(replacements), (0, 0, 0));
        assert_eq!(merges(replacements + 1), (1, 0, 0));
    }
}

/// A trimmed logical block costs an erase for each of its blocks and no copy.
#[test]
fn trimmed_blocks_are_erased_without_copies() {
    let (counts, merges) = counted(1, |run| {
        for logical in 0..25 {
            run.trim(Lpn(logical * B), B).unwrap();
        }
        for logical in 0..25 {
            for offset in 0..B {
                run.write(Lpn(logical * B + offset)).unwrap();
            }
        }
    });
    assert!(merges.is_empty(), "{merges:?}");
    let (reads, programs, erases) = costs(&counts);
    assert_eq!((reads, programs), (0, 0));
    assert!(erases >= 17, "{erases}");
}

/// When free blocks run short, the merge that copies the fewest pages for the block that it frees comes first: the one
/// that lacks 4 pages, before full merges of 64, whatever the order in which they could be found.
#[test]
fn the_cheapest_merge_comes_first() {
    for cheap in [0, 3, 7] {
        let mut parts = with(1, 40, 1);
        // one block is enough
        (parts.ftl.gc.hard, parts.ftl.gc.low, parts.ftl.gc.high) = (3.0, 3.0, 3.0);
        let mut ftl = build(&parts);
        let mut run = Functional::observed(&mut ftl, FunctionalOptions::default(), parts.medium());
        for lpn in (0..31 * B).chain(cheap * B..cheap * B + B - 4) {
            run.write(Lpn(lpn)).unwrap();
        }
        for logical in (0..8).filter(|logical| *logical != cheap) {
            if run.ftl().counters().merges.partial > 0 {
                break;
            }
            run.write(Lpn(logical * B + 5)).unwrap();
            run.finish_jobs().unwrap();
        }
        let merges = run.ftl().counters().merges;
        assert_eq!((merges.partial, merges.full, merges.pages), (1, 0, 4), "{cheap}");
        check(&ftl);
    }
}

/// A write for which no block is free, and none can be made free, is not tried for ever; it is served when a logical block has been trimmed.
#[test]
fn a_write_without_a_block_waits_until_there_is_one() {
    let parts = with(1, 40, 1);
    let mut ftl = build(&parts);
    let mut run = Functional::observed(&mut ftl, FunctionalOptions::default(), parts.medium());
    for lpn in 0..31 * B {
        run.write(Lpn(lpn)).unwrap();
    }
    drop(run);
    while ftl.space.pools[0].free > ftl.space.capacity.watermarks.reserve {
        let free = |block: &u32| ftl.block(BlockId(*block)).role == BlockRole::Free;
        let block = (0..40).find(free).unwrap();
        ftl.space.retire_free(block);
    }
    let options = AnyOrderOptions {
        seed: Seed(1),
        aligned: false,
        fails_one_in: 0,
        most_failures: 0,
        unreadable_one_in: 0,
        time_per_turn: Duration(1),
    };
    let mut order = AnyOrder::new(&mut ftl, options, ());
    let mut submit = |op, lpn, pages| {
        let request = PageRequest {
            op,
            lpn: Lpn(lpn),
            pages,
            bitmap: parts.geometry().full_bitmap(),
            placement: 0,
            class: 0,
            command_sectors: 4,
        };
        assert_eq!(order.submit(&request).unwrap(), Answer::Accepted);
        order.drain()
    };
    let ended = submit(PageOp::Write, 5, 1);
    assert!(
        matches!(ended, Err(FunctionalError::NoReclaimableSpace)),
        "{ended:?}"
    );
    submit(PageOp::Trim, 3 * B, B).unwrap();
    check(&ftl);
}

#[test]
fn pages_are_copied_inside_their_plane() {
    let mut parts = with(2, 40, 1);
    parts.copyback = Use::Wise;
    let mut ftl = build(&parts);
    let mut run = Functional::observed(&mut ftl, FunctionalOptions::default(), parts.medium());
    for lpn in 0..2 * B {
        run.write(Lpn(lpn)).unwrap();
    }
    for offset in [3, 2, 1] {
        run.write(Lpn(offset)).unwrap();
    }
    run.finish_jobs().unwrap();
    let copied = run.counts().copied_back;
    // 3 goes to the replacement block, 2 is put in place by the merge, 1 goes to the next replacement block
    assert_eq!(copied, B - 1);
    assert_eq!(costs(run.counts()), (B - 1, B - 1, 2));
    check(&ftl);
}

fn any_parts() -> impl Strategy<Value = Parts> {
    (Parts::any("block"), 0..4_u32).prop_map(|(mut parts, replacements)| {
        parts.ftl.keys.set("replacement_blocks", i64::from(replacements));
        parts
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn random_commands_keep_the_rules_of_flash(parts in any_parts(), seed in 1..u64::MAX) {
        check_random_commands(&mut build(&parts), &parts, seed, &check);
    }

    /// A drive that was saved in the middle of its work continues as the one that was not.
    #[test]
    fn what_was_saved_continues_to_the_bit(parts in any_parts(), seed in 1..u64::MAX) {
        check_continuation([(); 3].map(|()| build(&parts)), &parts, seed, &check);
    }
}

#[test]
fn drives_are_aged_by_writing_and_by_invalidation() {
    let parts = with(2, 40, 1);
    for (method, mapped) in [(AgeMethod::SteadyState, 62 * B), (AgeMethod::Invalidated, 0)] {
        let config = AgeConfig {
            method,
            ..AgeConfig::default()
        };
        let mut ftl = build(&parts);
        age(&mut ftl, &config, Order::default(), Seed(3)).unwrap();
        assert_eq!(ftl.mapped_pages(), mapped);
        assert_eq!(ftl.counters(), FtlCounters::default(), "ageing is not counted");
        check(&ftl);
        let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
        for lpn in 0..20 * B {
            run.write(Lpn(lpn)).unwrap();
        }
        assert_eq!(ftl.counters().unreadable_moves, 0);
        check(&ftl);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |change: fn(&mut Parts)| {
        let mut parts = with(1, 40, 1);
        change(&mut parts);
        try_build(&parts).map(|_| ()).unwrap_err().to_string()
    };
    let error = refused(|parts| parts.ftl.gc.mode = GcMode::Partial);
    assert!(error.starts_with("ftl.gc.mode = \"partial\""), "{error}");
    let error = refused(|parts| parts.ftl.over_provisioning = 0.02);
    assert!(
        error.contains("exports from 1 to 38 logical blocks; 38") || error.contains("fall to it"),
        "{error}"
    );
    let error = refused(|parts| parts.geometry.blocks_per_plane = 2);
    assert!(error.starts_with("ftl."), "{error}");
    let filled = |high: f64, fill: f64| {
        let mut parts = with(1, 40, 1);
        (parts.ftl.gc.high, parts.ftl.gc.low) = (high, 3.0);
        let (geometry, allocation) = (parts.geometry(), AllocationConfig::default());
        let input = MappingInput {
            geometry: &geometry,
            config: &parts.ftl,
            allocation: &allocation,
            strong_classes: 0,
        };
        (BLOCK.check_filled)(&input, fill)
    };
    // 31 logical blocks leave 9 blocks free
    assert!(filled(9.0, 1.0).is_ok() && filled(10.0, 0.96).is_ok());
    let error = filled(10.0, 1.0).unwrap_err().to_string();
    assert!(
        error.contains("ftl.gc.high = 10 free blocks: at most 9"),
        "{error}"
    );
}
