//! Tests of LAST: which area and partition a write goes to, which log block gives way, and how the partitions adapt.

use super::*;
use crate::mapping::log_block::logs::Plane;
use crate::request::{PageOp, PageRequest};

/// J10 (FTL specification, 12): log blocks for sequences hold pages of one logical block each, no two of the same.
pub(super) fn check_limits(plane: &Plane) {
    let owners = || {
        let logs = plane.logs.iter();
        logs.filter(|log| log.used_for == LogUse::Sequential)
            .map(|log| log.owner)
    };
    let mut distinct: Vec<u32> = owners().collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), owners().count());
}

/// Writes pages one by one, as parts of commands of 8 KiB.
fn write_large(run: &mut Functional<'_, LogFtl, Medium>, pages: impl IntoIterator<Item = u64>) {
    for lpn in pages {
        let request = PageRequest {
            op: PageOp::Write,
            lpn: Lpn(lpn),
            pages: 1,
            bitmap: 0b1111,
            placement: 0,
            class: 0,
            command_sectors: 16,
        };
        run.submit(&request).unwrap();
    }
}

fn merges_by_kind(merges: MergeCounts) -> (u64, u64, u64) {
    (merges.full, merges.partial, merges.switch)
}

/// The uses of the log blocks, in the order of their opening.
fn uses(ftl: &LogFtl) -> Vec<LogUse> {
    ftl.planes[0].logs.iter().map(|log| log.used_for).collect()
}

/// Large writes have log blocks of their logical block: three sequences of two log blocks are a switch for none, and one
/// that ends early a partial merge of the pages that it lacks.
#[test]
fn large_writes_go_to_log_blocks_of_one_logical_block() {
    let keys = [("log_blocks", 4), ("sequential_log_blocks", 2)];
    let (counts, merges, ftl) = counted("last", &keys, |run| {
        write_large(run, 7 * B..8 * B);
        write_large(run, 8 * B..8 * B + 40);
        // a small write supersedes a page of a sequence, and does not keep it from being merged
        write(run, [8 * B + 3]);
        write_large(run, 9 * B..9 * B + 1);
        write_large(run, 10 * B..10 * B + 1);
    });
    assert_eq!(merges_by_kind(merges), (0, 1, 1));
    let (reads, programs, _) = costs(&counts);
    assert_eq!((reads, programs), (B - 40, B - 40));
    assert_eq!(
        uses(&ftl),
        [LogUse::Updates, LogUse::Sequential, LogUse::Sequential]
    );
}

/// A page that is updated again within the window goes to the hot partition, and one that comes later does not.
#[test]
fn a_page_is_hot_within_the_window_of_its_last_update() {
    for (between, is_hot) in [(9, true), (10, false)] {
        let (_, _, ftl) = counted("last", &[("hot_window", 10)], |run| {
            write(run, [7 * B + 5]);
            write(run, 3 * B + 20..3 * B + 20 + between);
            // sequences are other writes
            write(run, [7 * B + 5]);
        });
        let expected = [LogUse::Updates, LogUse::Hot];
        assert_eq!(uses(&ftl), expected[..1 + usize::from(is_hot)], "{between}");
    }
}

/// Of eight pages that are written a hundred times, the first eight updates are cold: 792 writes fill 12 log blocks and a part
/// of the 13th. Three log blocks remain of these 14, and the others died without a copy.
#[test]
fn log_blocks_of_hot_pages_die() {
    let keys = [("log_blocks", 4), ("sequential_log_blocks", 1)];
    let (counts, merges, ftl) = counted("last", &keys, |run| {
        for _ in 0..100 {
            write(run, 7 * B + 5..7 * B + 13);
        }
    });
    assert!(merges.is_empty(), "{merges:?}");
    let (reads, programs, erases) = costs(&counts);
    assert_eq!((reads, programs), (0, 0));
    assert_eq!(erases + ftl.planes[0].dead.len() as u64, 11);
    assert_eq!(uses(&ftl), [LogUse::Updates, LogUse::Hot, LogUse::Hot]);
}

/// Three log blocks with 64 current pages each, of 10, 2 and 20 logical blocks: the products are 640, 128 and 1280.
#[test]
fn the_log_block_of_fewest_pages_and_logical_blocks_is_reclaimed() {
    let keys = [("log_blocks", 4), ("sequential_log_blocks", 1)];
    let (counts, merges, ftl) = counted("last", &keys, |run| {
        write(run, (0..B).map(|at| at % 10 * B + 1 + at / 10));
        write(run, (0..B).map(|at| (10 + at % 2) * B + 1 + at / 2));
        write(run, (0..B).map(|at| at % 20 * B + 40 + at / 20));
        write(run, [25 * B + 5]);
    });
    assert_eq!(merges_by_kind(merges), (2, 0, 0));
    assert_eq!(costs(&counts), (2 * B, 2 * B, 3));
    let held = |lpn: u64| ftl.lookup(Lpn(lpn)).map(|page| ftl.space.blocks.block_of(page.0));
    assert_eq!(held(10 * B + 1), Some(ftl.data[10]));
    assert_ne!(held(1), Some(ftl.data[0]));
    assert_ne!(held(40), Some(ftl.data[0]));
}

/// More than one dead log block: the hot partition shrinks. None, and half of its pages dead: it grows. A page that is
/// written every other time and 60 others in turn leave 33 current pages in the newest log block, and 28 in the one before.
#[test]
fn the_partitions_adapt_to_dead_log_blocks() {
    let hot_logs = |log_blocks: i64, pages: &dyn Fn(u64) -> u64, writes: u64| {
        let keys = [("log_blocks", log_blocks), ("sequential_log_blocks", 1)];
        let (_, _, ftl) = counted("last", &keys, |run| write(run, (0..writes).map(pages)));
        ftl.planes[0].hot_logs
    };
    // 8 cold writes, four log blocks of hot ones of which three are dead, and one more
    let few = |at: u64| 7 * B + 5 + at % 8;
    assert_eq!(hot_logs(6, &few, 8 + 4 * B), 2);
    assert_eq!(hot_logs(6, &few, 8 + 4 * B + 1), 1);
    let skewed = |at: u64| match at {
        0..61 => 7 * B + 1 + at,
        _ if at.is_multiple_of(2) => 7 * B + 1,
        _ => 7 * B + 2 + (at - 61) / 2 % 60,
    };
    assert_eq!(hot_logs(4, &skewed, 61 + 2 * B), 1);
    assert_eq!(hot_logs(4, &skewed, 61 + 2 * B + 1), 2);
}

/// A fifth of the writes goes anywhere, the others to twenty pages: apart from cold ones, these die before their log blocks
/// are reclaimed.
#[test]
fn hot_pages_apart_from_cold_ones_need_fewer_merges() {
    let full = |mapping, keys: &[(&str, i64)]| {
        let (_, merges, _) = counted(mapping, keys, |run| {
            let mut state = 5_u64;
            for _ in 0..10_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let draw = state >> 33;
                let lpn = match draw % 5 {
                    0 => draw / 5 % (31 * B),
                    _ => 7 * B + 5 + draw / 5 % 20,
                };
                write(run, [lpn]);
            }
        });
        merges.full
    };
    let last = |window| {
        full(
            "last",
            &[
                ("log_blocks", 7),
                ("sequential_log_blocks", 1),
                ("hot_window", window),
            ],
        )
    };
    let (apart, mixed, fast) = (last(128), last(1), full("fast", &[("log_blocks", 7)]));
    assert!(
        apart * 3 < mixed * 2 && apart * 3 < fast * 2,
        "{apart} {mixed} {fast}"
    );
}

#[test]
fn log_blocks_and_sizes_that_make_no_sense_are_refused() {
    let refused = |change: fn(&mut Parts)| {
        let mut parts = Parts::new("last", 1, 40);
        change(&mut parts);
        try_build(&parts).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(|parts| parts.ftl.keys.set("log_blocks", 3)),
        "ftl.log_blocks = 3: at least 4: 2 for sequences (ftl.sequential_log_blocks), and one each for hot and cold pages"
    );
    assert_eq!(
        refused(|parts| parts.ftl.keys.set("sequential_log_blocks", 0)),
        "ftl.sequential_log_blocks = 0: at least 1"
    );
    assert_eq!(
        refused(|parts| parts.ftl.keys.set("hot_window", 0)),
        "ftl.hot_window = 0: at least 1"
    );
    assert_eq!(
        refused(|parts| parts.ftl.keys.set("sequential_size", "511 B")),
        "ftl.sequential_size = 511 B: at least one sector of 512 bytes"
    );
}
