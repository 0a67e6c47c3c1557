//! Tests of superblocks: the limits of what they own, what is read of their maps, where pages go, and what is saved.

use proptest::prelude::*;
use wordline_nand::Medium;
use wordline_units::Seed;

use super::keys::Limits;
use super::*;
use crate::ageing::{AgeConfig, AgeMethod, age};
use crate::allocation::Order;
use crate::block::BlockRole;
use crate::contract::Inspect;
use crate::counters::FtlCounters;
use crate::exec::functional::{Counts, Functional, FunctionalOptions, Observer};
use crate::mapping::checks::{Parts, check_continuation, check_pages_and_blocks, check_random_commands};
use crate::mapping::superblock::owned::Part;
use crate::plan::Cause;

const B: u64 = 64;

fn try_build(parts: &Parts) -> Result<SuperblockFtl, FtlError> {
    let limits = Limits::of(&parts.ftl)?;
    parts.try_build(|input, rules| SuperblockFtl::new(limits, input, rules))
}

fn build(parts: &Parts) -> SuperblockFtl {
    try_build(parts).unwrap()
}

/// Checks what holds of every mapping, and the limits of what superblocks own (FTL specification, 2.7).
fn check(ftl: &SuperblockFtl) {
    let geometry = *ftl.geometry();
    let free = check_pages_and_blocks(ftl);
    for (pool, free) in free.into_iter().enumerate() {
        assert_eq!(ftl.space.pools[pool].free, free);
    }
    for (number, superblock) in (0..).zip(&ftl.superblocks) {
        // the block that is being emptied does not count, nor does the one that was when the state was saved
        let most = ftl.limits.originals + ftl.limits.updates;
        assert!(superblock.blocks.len() as u32 <= most + 1);
        assert!(superblock.valid(&ftl.space.blocks) <= ftl.limits.originals * geometry.pages_per_block);
        for part in [Part::Original, Part::Update] {
            let open = superblock.blocks.iter().filter(|owned| {
                owned.part == part && ftl.space.blocks.role[owned.block as usize] == BlockRole::Open
            });
            assert!(open.count() <= 1);
        }
        for owned in &superblock.blocks {
            for page in ftl.space.passed(owned.block) {
                let owner = ftl.owner(Ppn(page));
                assert!(owner.is_none_or(|lpn| ftl.place_of(lpn.0).superblock == number));
            }
        }
    }
    for lpn in 0..ftl.user_pages() {
        assert_eq!(ftl.lpn_at(ftl.place_of(lpn)), lpn);
        if let Some(page) = ftl.lookup(Lpn(lpn)) {
            let plane = geometry.plane_of(geometry.block_of(page));
            assert_eq!(ftl.home(Lpn(lpn)), Scope::Plane(plane));
        }
    }
}

/// The same of a drive that is emptying no block.
fn check_at_rest(ftl: &SuperblockFtl) {
    check(ftl);
    assert!(ftl.planes.iter().all(|plane| plane.victim.is_none()));
    for superblock in &ftl.superblocks {
        assert!(superblock.count(Part::Original, None) <= ftl.limits.originals);
        assert!(superblock.count(Part::Update, None) <= ftl.limits.updates);
    }
}

/// A drive of one plane whose 31 logical blocks, four to a superblock, all hold data, written in sequence; what `then` does is counted.
fn counted(
    keys: &[(&str, i64)],
    then: impl FnOnce(&mut Functional<'_, SuperblockFtl, Medium>),
) -> (Counts, SuperblockFtl) {
    let mut parts = Parts::new("superblock", 1, 40);
    parts.ftl.keys.set("superblock_blocks", 4);
    for (key, value) in keys {
        parts.ftl.keys.set(key, *value);
    }
    let gc = &mut parts.ftl.gc;
    (gc.hard, gc.low, gc.high) = (2.0, 2.0, 2.0);
    let mut ftl = build(&parts);
    let mut run = Functional::observed(&mut ftl, FunctionalOptions::default(), parts.medium());
    for lpn in 0..run.ftl().user_pages() {
        run.write(Lpn(lpn)).unwrap();
    }
    assert_eq!(run.counts().programmed(Cause::Gc), 0);
    run.reset_counts();
    run.ftl_mut().reset_counters();
    then(&mut run);
    run.finish_jobs().unwrap();
    let counts = run.counts().clone();
    drop(run);
    check_at_rest(&ftl);
    (counts, ftl)
}

fn write<O: Observer>(run: &mut Functional<'_, SuperblockFtl, O>, pages: impl IntoIterator<Item = u64>) {
    for lpn in pages {
        run.write(Lpn(lpn)).unwrap();
    }
}

fn costs(counts: &Counts, cause: Cause) -> (u64, u64, u64) {
    let at = cause as usize;
    (counts.read[at], counts.programmed[at], counts.erased[at])
}

fn any_parts() -> impl Strategy<Value = Parts> {
    let limits = (1..5_u32, 1..5_u32, 0..100_u32);
    let table = (2..9_u32, 1..4_u32);
    (Parts::any("superblock"), limits, table).prop_map(|(mut parts, limits, table)| {
        let keys = &mut parts.ftl.keys;
        keys.set("superblock_blocks", limits.0);
        keys.set("update_blocks", limits.1);
        keys.set("update_window", limits.2);
        keys.set("leaf_entries", table.0);
        keys.set("cached_maps", table.1);
        parts
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn random_commands_keep_the_rules_of_flash(parts in any_parts(), seed in 1..u64::MAX) {
        check_random_commands(&mut build(&parts), &parts, seed, &check_at_rest);
    }

    /// A drive that was saved in the middle of its work continues as the one that was not.
    #[test]
    fn what_was_saved_continues_to_the_bit(parts in any_parts(), seed in 1..u64::MAX) {
        check_continuation([(); 3].map(|()| build(&parts)), &parts, seed, &check);
    }
}

/// The kinds and current pages of the blocks of a superblock, in the order of their opening.
fn owned(ftl: &SuperblockFtl, superblock: usize) -> Vec<(Part, u32)> {
    let blocks = ftl.superblocks[superblock].blocks.iter();
    blocks
        .map(|owned| (owned.part, ftl.space.blocks.valid(owned.block)))
        .collect()
}

/// 256 pages of a superblock, 8 entries in a leaf: 32 leaves, 4 middle nodes. Page 255 was programmed last and has the root,
/// the last middle node and the last leaf; page 63 has middle node 0, page 7 has leaf 0. Page 64 * i + 63 has the middle node i.
#[test]
fn a_path_that_is_not_known_costs_up_to_three_reads() {
    let (counts, _) = counted(&[("cached_maps", 1)], |run| {
        let mut spare_reads = |lpn: u64| {
            let before = run.counts().read[Cause::Mapping as usize];
            run.read(Lpn(lpn)).unwrap();
            run.counts().read[Cause::Mapping as usize] - before
        };
        // superblock 0, of which nothing is known
        assert_eq!(spare_reads(0), 3);
        assert_eq!(spare_reads(1), 0, "the same leaf");
        assert_eq!(spare_reads(8), 1, "leaf 1, below a middle node that is known");
        assert_eq!(spare_reads(60), 0, "the leaf of page 63, which was read");
        assert_eq!(spare_reads(255), 0, "the leaf of the newest page");
        assert_eq!(spare_reads(128), 2, "a middle node and a leaf");
        // superblock 1 takes its place in the cache
        assert_eq!(spare_reads(256 + 255), 1);
        assert_eq!(spare_reads(256 + 248), 0);
        assert_eq!(spare_reads(255), 1, "the newest page has the whole path");
        assert_eq!(
            spare_reads(191),
            1,
            "the newest page of a middle node has its leaf"
        );
    });
    assert_eq!(counts.read[Cause::Host as usize], 10);
}

/// What was updated is read at its new place, which has the newest root: one read for it, two for a page of another leaf below
/// the same middle node, three for one below another.
#[test]
fn the_newest_page_has_the_root() {
    counted(&[("cached_maps", 1)], |run| {
        let reads = |run: &Functional<'_, SuperblockFtl, Medium>| run.counts().read[Cause::Mapping as usize];
        write(run, [20]);
        run.read(Lpn(300)).unwrap();
        for (lpn, cost) in [(20, 1), (17, 1), (40, 2), (70, 3)] {
            let before = reads(run);
            run.read(Lpn(lpn)).unwrap();
            assert_eq!(reads(run) - before, cost, "{lpn}");
            run.read(Lpn(300)).unwrap();
        }
    });
}

/// First writes fill the blocks for original data, updates those for updates: 70 of these take two.
#[test]
fn updates_have_blocks_of_their_own() {
    let (counts, ftl) = counted(&[], |run| write(run, (0..70).map(|at| at * 3)));
    assert_eq!(costs(&counts, Cause::Gc), (0, 0, 0));
    let current = |first: u32| 64 - (0..70).filter(|at| at * 3 / 64 == first).count() as u32;
    let mut expected: Vec<_> = (0..4).map(|block| (Part::Original, current(block))).collect();
    expected.extend([(Part::Update, 64), (Part::Update, 6)]);
    assert_eq!(owned(&ftl, 0), expected);
}

/// A superblock of one logical block with one block for updates: 64 pages of original data, of which 40 are updated, some of
/// them again until the block for updates is full. The next write empties the block with the fewest current pages, which is that for
/// original data with 24: 24 copies and an erase. They were not updated, so they are original data again.
#[test]
fn the_block_with_the_fewest_pages_is_emptied() {
    let keys = [("superblock_blocks", 1), ("update_blocks", 1)];
    let (counts, ftl) = counted(&keys, |run| {
        write(run, (0..40).chain(0..24));
        assert_eq!(owned(run.ftl(), 0), [(Part::Original, 24), (Part::Update, 40)]);
        write(run, [0]);
    });
    let (reads, programs, erases) = costs(&counts, Cause::Gc);
    assert_eq!(
        (reads, programs, erases + ftl.planes[0].dead.len() as u64),
        (24, 24, 1)
    );
    assert_eq!(owned(&ftl, 0), [(Part::Update, 39), (Part::Original, 25)]);
    let counters = ftl.counters();
    assert_eq!((counters.gc_victims, counters.gc_victim_valid_pages), (1, 24));
}

/// Pages of a block for updates that was opened 64 writes ago are hot within a window of 64 writes, and cold within one of 63;
/// those of blocks for original data are cold.
#[test]
fn pages_updated_a_short_time_ago_are_hot() {
    for (window, part) in [(64, Part::Update), (63, Part::Original)] {
        let (_, ftl) = counted(&[("update_window", window)], |run| write(run, 0..64));
        let blocks = &ftl.superblocks[0].blocks;
        let parts: Vec<Part> = blocks
            .iter()
            .map(|owned| ftl.part_of_copy(0, owned.block))
            .collect();
        let cold = Part::Original;
        assert_eq!(parts, [cold, cold, cold, cold, part]);
    }
}

/// When free blocks are wanted, the superblock that was written least recently gives up a block. Superblocks of one logical
/// block: the first is updated once, the second 63 times, and six others once, which leaves one of nine free blocks where two are
/// wanted.
#[test]
fn the_superblock_written_least_recently_gives_up_a_block() {
    let keys = [("superblock_blocks", 1), ("update_blocks", 1)];
    let (_, ftl) = counted(&keys, |run| {
        write(run, [5]);
        write(run, 64..127);
        for superblock in 2..8 {
            write(run, [superblock * 64]);
        }
    });
    // its 63 other pages went behind the updated one, although the next superblock had only one to move
    assert_eq!(owned(&ftl, 0), [(Part::Update, 64)]);
    assert_eq!(owned(&ftl, 1), [(Part::Original, 1), (Part::Update, 63)]);
}

/// A block in which every page was updated again is erased without a copy.
#[test]
fn blocks_without_current_pages_cost_no_copy() {
    let (counts, ftl) = counted(&[("update_blocks", 2)], |run| {
        for _ in 0..20 {
            write(run, 0..64);
        }
    });
    let (reads, programs, erases) = costs(&counts, Cause::Gc);
    assert_eq!((reads, programs), (0, 0));
    // 20 blocks of updates and the first block of original data, of which one is in use
    let empty = owned(&ftl, 0)
        .into_iter()
        .filter(|(_, current)| *current == 0)
        .count();
    assert_eq!(erases + (ftl.planes[0].dead.len() + empty) as u64, 20);
    assert!(erases > 0);
}

#[test]
fn drives_are_aged_by_writing_and_by_invalidation() {
    let parts = Parts::new("superblock", 2, 40);
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
        write(&mut run, 0..20 * B);
        drop(run);
        check(&ftl);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (key, least) in [
        ("superblock_blocks", 1),
        ("update_blocks", 1),
        ("leaf_entries", 2),
        ("cached_maps", 1),
    ] {
        let mut parts = Parts::new("superblock", 1, 40);
        parts.ftl.keys.set(key, least);
        assert!(try_build(&parts).is_ok());
        parts.ftl.keys.set(key, least - 1);
        let error = try_build(&parts).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error, format!("ftl.{key} = {}: at least {least}", least - 1));
    }
}
