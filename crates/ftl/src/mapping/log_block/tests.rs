//! Tests of the mappings with log blocks: the worked costs of merges, limits of association, what is saved, and what is
//! refused.

mod last;
mod trimmed;

use proptest::prelude::*;
use wordline_nand::Medium;
use wordline_units::Seed;

use super::fast::Fast;
use super::grouped::{Bast, Sast};
use super::last::Last;
use super::logs::LogUse;
use super::row::Kind;
use super::{LogFtl, NONE};
use crate::ageing::{AgeConfig, AgeMethod, age};
use crate::allocation::Order;
use crate::contract::{Ftl, Inspect};
use crate::counters::{FtlCounters, MergeCounts};
use crate::error::FtlError;
use crate::exec::functional::{Counts, Functional, FunctionalOptions, Observer};
use crate::mapping::checks::{Parts, check_continuation, check_pages_and_blocks, check_random_commands};
use crate::plan::{Cause, Lpn};

const B: u64 = 64;

fn try_build(parts: &Parts) -> Result<LogFtl, FtlError> {
    let association = match parts.ftl.mapping.name() {
        "bast" => Bast::association(&parts.ftl),
        "sast" => Sast::association(&parts.ftl),
        "last" => Last::association(&parts.ftl),
        _ => Fast::association(&parts.ftl),
    }?;
    let name = parts.ftl.mapping.row()?.entry.name;
    parts.try_build(|input, rules| LogFtl::new(name, association, input, rules))
}

fn build(parts: &Parts) -> LogFtl {
    try_build(parts).unwrap()
}

/// Checks what holds of every mapping, the free blocks, the planes of pages, and that log blocks keep to their limits (J10).
fn check(ftl: &LogFtl) {
    let geometry = *ftl.geometry();
    let free = check_pages_and_blocks(ftl);
    for (pool, free) in free.into_iter().enumerate() {
        assert_eq!(ftl.space.pools[pool].free, free);
    }
    for lpn in 0..ftl.user_pages() {
        let Some(page) = ftl.lookup(Lpn(lpn)) else {
            continue;
        };
        let plane = geometry.plane_of(geometry.block_of(page));
        assert_eq!(ftl.home(Lpn(lpn)), crate::plan::Scope::Plane(plane));
    }
    for (logical, block) in (0..).zip(&ftl.data) {
        for page in (*block != NONE)
            .then(|| ftl.space.passed(*block))
            .into_iter()
            .flatten()
        {
            let owner = ftl.owner(wordline_nand::Ppn(page));
            assert!(owner.is_none_or(|lpn| lpn.0 / u64::from(geometry.pages_per_block) == logical));
        }
    }
    for plane in &ftl.planes {
        let targets = plane
            .logs
            .iter()
            .filter(|log| log.used_for == LogUse::Target)
            .count();
        assert!(targets <= 1);
        if ftl.name == "last" {
            last::check_limits(plane);
        }
    }
}

fn costs(counts: &Counts) -> (u64, u64, u64) {
    let at = Cause::Merge as usize;
    (counts.read[at], counts.programmed[at], counts.erased[at])
}

/// A drive of one plane whose 31 logical blocks all hold data, written in sequence; what `then` does is counted, and what
/// has become of dead blocks since.
fn counted(
    mapping: &'static str,
    keys: &[(&str, i64)],
    then: impl FnOnce(&mut Functional<'_, LogFtl, Medium>),
) -> (Counts, MergeCounts, LogFtl) {
    let mut parts = Parts::new(mapping, 1, 40);
    for (key, value) in keys {
        parts.ftl.keys.set(key, *value);
    }
    let mut ftl = build(&parts);
    let mut run = Functional::observed(&mut ftl, FunctionalOptions::default(), parts.medium());
    for lpn in 0..run.ftl().user_pages() {
        run.write(Lpn(lpn)).unwrap();
    }
    assert_eq!(run.counts().programmed(Cause::Merge), 0);
    run.reset_counts();
    run.ftl_mut().reset_counters();
    then(&mut run);
    run.finish_jobs().unwrap();
    let counts = run.counts().clone();
    drop(run);
    check(&ftl);
    let merges = ftl.counters().merges;
    (counts, merges, ftl)
}

fn write<O: Observer>(run: &mut Functional<'_, LogFtl, O>, pages: impl IntoIterator<Item = u64>) {
    for lpn in pages {
        run.write(Lpn(lpn)).unwrap();
    }
}

/// Pages of a logical block in an order that is not their own.
fn scattered(logical: u64) -> impl Iterator<Item = u64> {
    (0..B).map(move |at| logical * B + (at * 5 + 3) % B)
}

/// FTL specification, Table 1.2, for BAST: a full merge copies all b pages and erases two blocks.
#[test]
fn a_log_block_out_of_order_is_merged_whole() {
    let (counts, merges, _) = counted("bast", &[], |run| {
        write(run, scattered(7));
        write(run, [7 * B]);
    });
    assert_eq!((merges.full, merges.partial, merges.switch), (1, 0, 0));
    assert_eq!(costs(&counts), (B, B, 2));
}

/// The same: a log block that is complete and in order becomes the data block, for one erase, which waits until space is
/// wanted.
#[test]
fn a_log_block_in_order_is_switched() {
    let (counts, merges, ftl) = counted("bast", &[], |run| {
        write(run, 7 * B..8 * B);
        write(run, [7 * B]);
    });
    assert_eq!((merges.full, merges.partial, merges.switch), (0, 0, 1));
    let (reads, programs, erases) = costs(&counts);
    assert_eq!((reads, programs), (0, 0));
    assert_eq!(erases + ftl.planes[0].dead.len() as u64, 1);
}

/// The same: a log block with the first k pages in order takes the other b - k, for one erase.
#[test]
fn a_log_block_with_the_first_pages_takes_the_others() {
    for k in [1, 48, 63] {
        let (counts, merges, _) = counted("bast", &[("log_blocks", 1)], |run| {
            write(run, 7 * B..7 * B + k);
            // another logical block needs the log block
            write(run, [3 * B + 5]);
        });
        assert_eq!((merges.full, merges.partial, merges.switch), (0, 1, 0));
        assert_eq!(costs(&counts), (B - k, B - k, 1), "{k}");
        assert_eq!(merges.pages, B - k);
    }
}

/// The victims of BAST, of three log blocks: the first is opened first and written last; the second is written first of all;
/// the third needs a merge of one page only.
#[test]
fn victims_of_bast() {
    for (victim, chosen) in [("lru", 2), ("fifo", 1), ("min_cost", 3)] {
        let (_, _, ftl) = counted("bast", &[("log_blocks", 3)], |run| {
            run.ftl_mut().association = {
                let mut parts = Parts::new("bast", 1, 40);
                parts.ftl.keys.set("log_blocks", 3);
                parts.ftl.keys.set("log_victim", victim);
                Bast::association(&parts.ftl).unwrap()
            };
            write(run, [B + 5, 2 * B + 5]);
            write(run, 3 * B..4 * B - 1);
            write(run, [B + 9, 4 * B + 5]);
        });
        let owners: Vec<u32> = ftl.planes[0].logs.iter().map(|log| log.owner).collect();
        let mut left: Vec<u32> = [1, 2, 3].into_iter().filter(|owner| *owner != chosen).collect();
        left.push(4);
        assert_eq!(owners, left, "{victim}");
    }
}

/// FTL specification, 2.4: a log block of FAST with pages of A = 10 logical blocks costs 640 reads, 640 programs and 11
/// erases.
#[test]
fn a_log_block_of_ten_logical_blocks_costs_ten_merges() {
    let (counts, merges, _) = counted("fast", &[("log_blocks", 2)], |run| {
        // six or seven pages of each, none at offset 0
        write(run, (0..B).map(|at| at % 10 * B + 1 + at / 10));
        write(run, [20 * B + 5]);
    });
    assert_eq!((merges.full, merges.partial, merges.switch), (10, 0, 0));
    assert_eq!(costs(&counts), (640, 640, 11));
}

/// FAST: a sequence goes to the sequential log block, which is switched when the next one begins; one that ends early is
/// merged for the pages that it lacks; and a page out of sequence ends it, unless it is told to wait.
#[test]
fn the_sequential_log_block() {
    let of = |merges: MergeCounts| (merges.full, merges.partial, merges.switch);
    let (counts, merges, _) = counted("fast", &[], |run| {
        write(run, 5 * B..6 * B);
        write(run, 6 * B..6 * B + 10);
        write(run, [9 * B]);
    });
    assert_eq!(of(merges), (0, 1, 1));
    let (reads, programs, _) = costs(&counts);
    assert_eq!((reads, programs), (B - 10, B - 10));
    let broken = |run: &mut Functional<'_, LogFtl, Medium>| {
        write(run, 5 * B..5 * B + 10);
        write(run, [5 * B + 20, 5 * B + 10]);
    };
    let (_, merges, ftl) = counted("fast", &[], broken);
    assert_eq!(of(merges), (0, 1, 0));
    let in_updates = |ftl: &LogFtl| {
        let log = ftl.planes[0]
            .logs
            .iter()
            .find(|log| log.used_for == LogUse::Updates);
        log.map_or(0, |log| ftl.space.blocks.valid(log.block))
    };
    // the merge left a full data block: both pages are updates
    assert_eq!(in_updates(&ftl), 2);
    let (_, merges, ftl) = counted("fast", &[], |run| {
        let mut parts = Parts::new("fast", 1, 40);
        parts.ftl.keys.set("sequence_break", "wait");
        run.ftl_mut().association = Fast::association(&parts.ftl).unwrap();
        broken(run);
    });
    assert_eq!((of(merges), in_updates(&ftl)), ((0, 0, 0), 1));
}

/// A page of the sequential log block that was updated since does not forbid its switch, and the update keeps precedence.
#[test]
fn an_update_of_a_sequence_keeps_precedence() {
    let (_, merges, ftl) = counted("fast", &[], |run| {
        write(run, 5 * B..6 * B);
        let mut parts = Parts::new("fast", 1, 40);
        parts.ftl.keys.set("sequence_break", "wait");
        run.ftl_mut().association = Fast::association(&parts.ftl).unwrap();
        write(run, [5 * B + 20, 9 * B]);
    });
    assert_eq!((merges.full, merges.partial, merges.switch), (0, 0, 1));
    let update = ftl.lookup(Lpn(5 * B + 20)).unwrap();
    let data = ftl.data[5];
    assert_eq!(
        ftl.space.blocks.block_of(ftl.lookup(Lpn(5 * B + 21)).unwrap().0),
        data
    );
    assert_ne!(ftl.space.blocks.block_of(update.0), data);
}

/// SAST: the logical blocks of a group share its log blocks; a group with as many as it may have merges one of its own, and
/// at most as many logical blocks as a group has (J10).
#[test]
fn groups_share_log_blocks() {
    let keys = [("group_blocks", 2), ("group_log_blocks", 1), ("log_blocks", 4)];
    let (counts, merges, ftl) = counted("sast", &keys, |run| {
        // logical blocks 4 and 5 are one group
        write(run, (0..B).map(|at| (4 + at % 2) * B + 1 + at / 2));
        write(run, [6 * B + 9]);
        write(run, [4 * B + 9]);
    });
    assert_eq!((merges.full, merges.partial, merges.switch), (2, 0, 0));
    assert_eq!(costs(&counts), (2 * B, 2 * B, 3));
    let owners: Vec<u32> = ftl.planes[0].logs.iter().map(|log| log.owner).collect();
    assert_eq!(owners, [3, 2]);
}

/// J9: merges counted by kind times their costs are what was measured, for BAST on fully mapped blocks.
#[test]
fn merges_cost_what_the_table_says() {
    let mut lacking = 0;
    let (counts, merges, ftl) = counted("bast", &[("log_blocks", 4)], |run| {
        let mut state = 5_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let first = (state >> 33) % (31 * B);
            let length = if state >> 20 & 7 == 0 { 100 } else { 1 };
            write(run, first..(first + length).min(31 * B));
        }
        lacking = run.ftl().counters().merges.pages;
    });
    assert!(
        merges.full > 1000 && merges.partial > 10 && merges.switch > 10,
        "{merges:?}"
    );
    let (reads, programs, erases) = costs(&counts);
    let partial = merges.pages - B * merges.full;
    assert_eq!((reads, programs), (B * merges.full + partial, merges.pages));
    assert!(partial > 0 && partial < B * merges.partial);
    let dead = ftl.planes[0].dead.len() as u64;
    assert_eq!(erases + dead, 2 * merges.full + merges.partial + merges.switch);
}

fn any_parts() -> impl Strategy<Value = Parts> {
    let mappings = prop::sample::select(&["bast", "sast", "fast", "last"][..]);
    let counts = (3..6_u32, 1..5_u32, 1..3_u32, 1..100_u32);
    let words = (
        prop::sample::select(&["lru", "fifo", "min_cost"][..]),
        prop::sample::select(&["merge", "wait"][..]),
    );
    (Parts::any("bast"), mappings, counts, words).prop_map(|(mut parts, mapping, counts, words)| {
        parts.ftl.mapping = mapping.into();
        let keys = &mut parts.ftl.keys;
        keys.set("log_blocks", counts.0);
        keys.set("sequential_log_blocks", 1);
        keys.set("sequential_size", "1 KiB");
        keys.set("hot_window", counts.3);
        keys.set("group_blocks", counts.1);
        keys.set("group_log_blocks", counts.2);
        keys.set("log_victim", words.0);
        keys.set("sequence_break", words.1);
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
    for mapping in ["bast", "sast", "fast", "last"] {
        let parts = Parts::new(mapping, 2, 40);
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
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (mapping, key, least) in [
        ("bast", "log_blocks", 1),
        ("sast", "log_blocks", 1),
        ("sast", "group_blocks", 1),
        ("sast", "group_log_blocks", 1),
        ("fast", "log_blocks", 2),
    ] {
        let mut parts = Parts::new(mapping, 1, 40);
        parts.ftl.keys.set(key, least);
        assert!(try_build(&parts).is_ok());
        parts.ftl.keys.set(key, least - 1);
        let error = try_build(&parts).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error, format!("ftl.{key} = {}: at least {least}", least - 1));
    }
}
