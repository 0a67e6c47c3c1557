//! Superblocks of which a member is bad: without it, with a substitute, and rebuilt.

use std::collections::BTreeMap;

use super::*;
use crate::config::FailuresConfig;
use crate::contract::{Ageable, CollectedSpace};
use crate::plan::Step;

/// A drive with parity, two free superblocks in reserve, and so many spare blocks of a plane.
fn build(
    span: &'static str,
    keys: &[(&'static str, &'static str)],
    spare: i64,
    failures: &FailuresConfig,
) -> StripedFtl {
    let set = |config: &mut FtlConfig, _: &mut CommandsConfig| {
        config.keys.set("span", span);
        config.keys.set("parity", "rotating");
        for (key, value) in keys {
            config.keys.set(key, *value);
        }
        config.keys.set("spare_blocks", spare);
        config.over_provisioning = 3.0;
        config.gc.reserve_blocks = 3;
        (config.gc.hard, config.gc.low, config.gc.high) = (3.0, 3.0, 4.0);
        config.failures = failures.clone();
    };
    with(set, StripedFtl::new).unwrap()
}

fn request(op: PageOp, lpn: u64) -> PageRequest {
    PageRequest {
        op,
        lpn: Lpn(lpn),
        pages: 1,
        bitmap: 0b1111,
        placement: 0,
        class: 0,
        command_sectors: 4,
    }
}

/// Of four members the third is left out: three are left, whose parity rotates among them, and each has all of its pages.
#[test]
fn a_superblock_goes_on_without_a_member() {
    let mut layout = layout("CP", Parity::Rotating);
    let superblock = layout.superblocks().block(PlaneId(0), 3);
    layout.members_now.leave_out(superblock, 2);
    assert_eq!((layout.data(), layout.data_of(superblock)), (3, 2));
    let flash = geometry();
    let member = |page: Ppn| flash.plane_of(flash.block_of(page)).0;
    // members 0, 1 and 3 are planes 0, 4 and 5
    let parities = [0, 1, 2, 3].map(|superpage| {
        let number = layout.numbers_of(superblock).start + superpage;
        member(layout.superpage(number).unwrap().2)
    });
    assert_eq!(parities, [0, 4, 5, 0]);
    let mut seen = BTreeMap::new();
    for superpage in 0..4 {
        for place in 0..2 {
            let page = layout.superblocks().page(superblock, 3 * superpage + place);
            let found = layout.page_of_flash(page);
            assert_eq!(layout.page_of_superblock(found), Some(page));
            assert_eq!(layout.ends_superpage(page), place == 1);
            *seen.entry(member(found)).or_insert(0) += 1;
        }
    }
    assert_eq!(seen, [(0, 2), (4, 3), (5, 3)].into());
    // two superpages, of which places 2 and 5 are none, and a page of the third
    let written = [0, 1, 2, 3].map(|member| layout.written(superblock, member, 7));
    assert_eq!(written, [3, 2, 0, 2]);
    assert_eq!(layout.membership(flash.block(PlaneId(1), 3)), None);
}

/// A program of a member fails: the superblock is emptied, and becomes what the way says.
#[test]
fn each_way_does_with_a_bad_member_what_it_says() {
    for (way, spare, bad, superblocks) in [
        ("retire", 0, 4, 23),
        ("degrade", 0, 1, 24),
        ("substitute", 2, 1, 20),
    ] {
        let mut ftl = build("CP", &[("bad_member", way)], spare, &FailuresConfig::default());
        let user = ftl.user_pages();
        let options = AnyOrderOptions {
            seed: Seed(3),
            aligned: false,
            fails_one_in: 20,
            most_failures: 1,
            unreadable_one_in: 0,
            time_per_turn: Duration(1),
        };
        let mut order = AnyOrder::new(&mut ftl, options, ());
        for turn in 0..20 * user {
            order.submit(&request(PageOp::Write, turn * 7 % user)).unwrap();
            order.drain().unwrap();
        }
        drop(order);
        check_pages_and_blocks(&ftl);
        let blocks = (0..geometry().blocks()).map(BlockId);
        let found = blocks
            .filter(|block| ftl.block(*block).role == BlockRole::Bad)
            .count();
        assert_eq!((found, ftl.counters().retired_blocks), (bad, bad as u64), "{way}");
        // of the two groups of planes, in pages for data
        let usable: u64 = (0..2).map(|pool| ftl.usable_pages(pool)).sum();
        let lost = if way == "degrade" { 4 } else { 0 };
        assert_eq!(usable, superblocks * 3 * 4 - lost, "{way}");
        let counted: u64 = (0..geometry().blocks())
            .map(|block| ftl.block(BlockId(block)))
            .filter(|facts| facts.role != BlockRole::Bad)
            .map(|facts| u64::from(facts.erase_count))
            .sum();
        assert!(ftl.counters().erases >= counted && counted > 0, "{way}");
    }
}

/// Superblocks across channels with parity and much spare space, whose members are not read any more after so many pages that could not be.
fn with_rotating_parity(config: &mut FtlConfig, unreadable_pages: i64) {
    config.keys.set("span", "CP");
    config.keys.set("parity", "rotating");
    config.keys.set("unreadable_pages", unreadable_pages);
    config.gc.reserve_blocks = 2;
    (config.gc.hard, config.gc.low, config.gc.high) = (2.0, 2.0, 2.0);
    config.over_provisioning = 12.0;
}

/// Pages of one block cannot be read: with the third, the block is not read any more. Its four pages are computed from three others each and programmed on a spare block, which stands for it.
#[test]
fn a_member_that_cannot_be_read_is_rebuilt() {
    let set = |config: &mut FtlConfig, _: &mut CommandsConfig| {
        with_rotating_parity(config, 2);
        config.keys.set("bad_member", "substitute");
        config.keys.set("spare_blocks", 1_i64);
    };
    let mut ftl = with(set, StripedFtl::new).unwrap();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    // two superblocks are full: one of each group
    for lpn in 0..24 {
        run.write(Lpn(lpn)).unwrap();
    }
    drop(run);
    let flash = geometry();
    let bad = flash.block(PlaneId(4), 0);
    let lpns: Vec<u64> = (0..24)
        .filter(|lpn| flash.block_of(ftl.lookup(Lpn(*lpn)).unwrap()) == bad)
        .collect();
    assert_eq!(lpns.len(), 3, "one of its pages has parity");
    let mut plans = std::collections::VecDeque::new();
    let (mut reads, mut programs) = (Vec::new(), Vec::new());
    for (turn, lpn) in lpns.iter().enumerate() {
        let mut plan = Plan::new();
        ftl.submit(SimTime(turn as u64), &request(PageOp::Read, *lpn), &mut plan);
        let attempts = plan.iter().filter(|step| step.cause == Cause::Host).count();
        assert_eq!(attempts, 1, "the third one is of the spare block");
        plans.push_back(plan);
        while let Some(plan) = plans.pop_front() {
            for step in plan {
                let (page, outcome) = match step.work {
                    Work::Read { page, .. } if flash.block_of(page) == bad => (None, Outcome::Uncorrectable),
                    Work::Read { page, .. } => {
                        reads.push(page);
                        (None, Outcome::Good)
                    }
                    Work::Program {
                        target: Target::Page(page),
                        ..
                    } => {
                        programs.push((step.cause, page));
                        (Some(page), Outcome::Good)
                    }
                    _ => (None, Outcome::Good),
                };
                let mut grown = Plan::new();
                ftl.done(SimTime(turn as u64), &step, page, outcome, &mut grown);
                plans.push_back(grown);
            }
        }
    }
    let spare = flash.block(PlaneId(4), 11);
    let expected: Vec<_> = (0..4)
        .map(|page| (Cause::Parity, flash.page(spare, page)))
        .collect();
    assert_eq!(programs, expected);
    let parity = ftl.counters().parity;
    // the third read finds the rebuilt page
    assert_eq!((parity.recovered, parity.degraded, parity.unrecovered), (2, 0, 0));
    assert_eq!(
        (
            parity.unreadable_members,
            parity.rebuilt_members,
            parity.rebuilt_pages
        ),
        (1, 1, 4)
    );
    // (k - 1) b for the rebuild, k - 1 for each of two reads, one for the page that is there again
    assert_eq!(reads.len(), 3 * 4 + 2 * 3 + 1);
    assert_eq!(ftl.block(bad).role, BlockRole::Bad);
    assert!(
        lpns.iter()
            .all(|lpn| flash.block_of(ftl.lookup(Lpn(*lpn)).unwrap()) == spare)
    );
    check_pages_and_blocks(&ftl);
    // what is saved comes back, and fits no drive without spare blocks
    let mut bytes = Vec::new();
    ftl.archive(SimTime(9), Extent::Everything, &mut Archive::saving(&mut bytes))
        .unwrap();
    let mut other = with(set, StripedFtl::new).unwrap();
    other
        .archive(
            SimTime(9),
            Extent::Everything,
            &mut Archive::loading(&mut &bytes[..]),
        )
        .unwrap();
    for block in (0..flash.blocks()).map(BlockId) {
        assert_eq!(other.block(block), ftl.block(block));
    }
    let mut without = with_parity("CP", "rotating");
    assert!(
        without
            .archive(
                SimTime(9),
                Extent::Everything,
                &mut Archive::loading(&mut &bytes[..])
            )
            .is_err()
    );
}

/// Without a substitute the data stay where they are: each read takes the others at once, and moves do too.
#[test]
fn reads_of_a_bad_block_are_degraded() {
    let set = |config: &mut FtlConfig, _: &mut CommandsConfig| {
        with_rotating_parity(config, 1);
    };
    let mut ftl = with(set, StripedFtl::new).unwrap();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for lpn in 0..24 {
        run.write(Lpn(lpn)).unwrap();
    }
    drop(run);
    let page = ftl.lookup(Lpn(1)).unwrap();
    ftl.note_unreadable(SimTime::ZERO, page);
    let block = geometry().block_of(page);
    let mut reads = 0;
    for lpn in 0..24 {
        let mut plan = Plan::new();
        ftl.submit(SimTime::ZERO, &request(PageOp::Read, lpn), &mut plan);
        let is_bad = geometry().block_of(ftl.lookup(Lpn(lpn)).unwrap()) == block;
        let of_parity = plan
            .iter()
            .filter(|step| matches!(step.work, Work::Read { .. }) && step.cause == Cause::Parity);
        assert_eq!(of_parity.count(), if is_bad { 3 } else { 0 });
        reads += u64::from(is_bad);
        for step in plan {
            ftl.done(SimTime::ZERO, &step, None, Outcome::Good, &mut Plan::new());
        }
    }
    assert_eq!(
        (
            reads,
            ftl.counters().parity.degraded,
            ftl.counters().parity.recovered
        ),
        (3, 3, 3)
    );
    // collection empties the superblock, and all of its blocks are retired
    let user = ftl.user_pages();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for turn in 0..60 * user {
        run.write(Lpn(turn * 7 % user)).unwrap();
    }
    drop(run);
    check_pages_and_blocks(&ftl);
    assert_eq!(ftl.counters().retired_blocks, 4);
    assert_eq!(ftl.block(block).role, BlockRole::Bad);
}

/// Blocks of one plane fail of two superblocks, and the plane has one spare block: the superblock of which it failed first has a claim on it, also where the other one is emptied before.
#[test]
fn a_spare_block_is_for_the_superblock_that_waits_for_it() {
    let mut ftl = build(
        "CP",
        &[("bad_member", "substitute")],
        1,
        &FailuresConfig::default(),
    );
    let user = ftl.user_pages();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for turn in 0..20 * user {
        run.write(Lpn(turn * 7 % user)).unwrap();
    }
    drop(run);
    let superblocks = ftl.layout.superblocks().blocks();
    let closed: Vec<BlockId> = (0..superblocks / 2)
        .map(BlockId)
        .filter(|superblock| ftl.pages.block(*superblock).role == BlockRole::Closed)
        .collect();
    let [first, second] = [closed[1], closed[0]];
    let bad = [first, second].map(|superblock| ftl.layout.member(superblock, 2));
    for (superblock, block) in [first, second].into_iter().zip(bad) {
        ftl.fail_member(block);
        ftl.pages.space.fail_block(superblock.0);
        ftl.keep_if_replaced(superblock);
    }
    let failed = [first, second].map(|superblock| ftl.pages.space.blocks.has_failed(superblock.0));
    assert_eq!(failed, [false, true]);
    // of 11 superblocks of 12 pages one will be lost
    assert_eq!(ftl.usable_pages(0), 10 * 12);
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for turn in 0..20 * user {
        run.write(Lpn(turn * 7 % user)).unwrap();
    }
    drop(run);
    check_pages_and_blocks(&ftl);
    let is_bad = |superblock| ftl.pages.block(superblock).role == BlockRole::Bad;
    assert_eq!([first, second].map(is_bad), [false, true]);
    assert_eq!(ftl.counters().retired_blocks, 1 + 4);
    assert_eq!(ftl.usable_pages(0), 10 * 12);
    let spare = geometry().block(geometry().plane_of(bad[0]), 11);
    assert_eq!(ftl.layout.member(first, 2), spare);
    assert_eq!(ftl.block(bad[0]).role, BlockRole::Bad);
}

/// A program of parity is under way on a block of which something has failed, while the others of its superblock are erased: the superblock is not used again before it is over.
#[test]
fn parity_that_is_under_way_is_waited_for() {
    let mut ftl = build("CP", &[("bad_member", "degrade")], 0, &FailuresConfig::default());
    let user = ftl.user_pages();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for turn in 0..20 * user {
        run.write(Lpn(turn * 7 % user)).unwrap();
    }
    run.finish_jobs().unwrap();
    drop(run);
    let superblocks = ftl.layout.superblocks().blocks();
    let closed =
        |ftl: &StripedFtl, superblock: BlockId| ftl.pages.block(superblock).role == BlockRole::Closed;
    let superblock = (0..superblocks)
        .map(BlockId)
        .find(|of| closed(&ftl, *of))
        .unwrap();
    // the parity of its first superpage is that of its first member, whose block is bad
    let (parity, number) = ftl
        .layout
        .parity_of(ftl.layout.superblocks().page(superblock, 0))
        .unwrap();
    let bad = geometry().block_of(parity);
    ftl.fail_member(bad);
    ftl.pages.space.fail_block(superblock.0);
    ftl.recovery.begin_program(parity);
    ftl.turns.begin_program(ftl.layout.group_of(parity));
    let erase = Step {
        work: Work::Erase { block: superblock },
        cause: Cause::Gc,
        acknowledges: false,
        after: 0,
        lpn: Lpn(0),
        token: crate::inflight::NO_TOKEN,
    };
    let mut steps = Plan::from_iter([erase]);
    let mut erases = Plan::new();
    ftl.expand_erases(&mut steps, &mut erases);
    assert_eq!(erases.len(), 3);
    for step in &erases {
        assert!(ftl.erasing.contains_key(&superblock));
        ftl.done(SimTime::ZERO, step, None, Outcome::Good, &mut Plan::new());
    }
    assert!(ftl.erasing.contains_key(&superblock));
    let program = ftl.program_of_parity(parity, number, false);
    ftl.done(
        SimTime::ZERO,
        &program,
        Some(parity),
        Outcome::Failed,
        &mut Plan::new(),
    );
    assert!(!ftl.erasing.contains_key(&superblock));
    assert_eq!(ftl.layout.members_now.absent(superblock), Some(0));
    // what failed before is none of the superblock's any more
    assert!(ftl.recovery.broken.is_empty());
    assert_eq!(ftl.damage.members(superblock), 0);
    assert!(!ftl.pages.space.blocks.has_failed(superblock.0));
}

/// Read after read fails for good, in superblocks that are open, closed and being emptied: as many blocks are not read any more as the drive can do without, and its writes always find space.
#[test]
fn a_drive_that_reads_badly_goes_on() {
    for (way, spare) in [("retire", 0), ("degrade", 0), ("substitute", 1)] {
        let set = move |config: &mut FtlConfig, _: &mut CommandsConfig| {
            config.keys.set("span", "CP");
            config.keys.set("parity", "rotating");
            config.keys.set("bad_member", way);
            config.keys.set("spare_blocks", spare as i64);
            config.keys.set("unreadable_pages", 1_i64);
            config.over_provisioning = 12.0;
            let reserve = if way == "degrade" { 3 } else { 2 };
            config.gc.reserve_blocks = reserve;
            let marks = f64::from(reserve);
            (config.gc.hard, config.gc.low, config.gc.high) = (marks, marks, marks);
        };
        for seed in 0..20 {
            let mut ftl = with(set, StripedFtl::new).unwrap();
            let user = ftl.user_pages();
            let options = AnyOrderOptions {
                seed: Seed(seed),
                aligned: false,
                fails_one_in: 0,
                most_failures: 0,
                unreadable_one_in: 3,
                time_per_turn: Duration(1),
            };
            let mut order = AnyOrder::new(&mut ftl, options, ());
            for turn in 0..60 * user {
                let op = if turn % 3 == 0 {
                    PageOp::Read
                } else {
                    PageOp::Write
                };
                order.submit(&request(op, turn * 7 % user)).unwrap();
                if turn % 4 == 0 {
                    order
                        .drain()
                        .unwrap_or_else(|error| panic!("{way}, seed {seed}: {error}"));
                }
            }
            order
                .drain()
                .unwrap_or_else(|error| panic!("{way}, seed {seed}: {error}"));
            drop(order);
            check_pages_and_blocks(&ftl);
            assert!(ftl.counters().parity.unreadable_members > 0, "{way}, seed {seed}");
        }
    }
}

/// Blocks that are bad from the start are never programmed nor erased, whatever the way.
#[test]
fn bad_blocks_from_the_start_are_left_alone() {
    for (way, spare) in [("retire", 0), ("degrade", 0), ("substitute", 2)] {
        let failures = FailuresConfig {
            initial: Some(0.04),
            ..FailuresConfig::default()
        };
        let bad = failures.bad_from_start(Seed(1), &geometry());
        assert!(!bad.is_empty());
        let mut ftl = build("CP", &[("bad_member", way)], spare, &failures);
        // superblocks that are whole have a closed form
        assert_eq!(ftl.by_rule().is_some(), way == "substitute");
        let user = ftl.user_pages();
        let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
        for turn in 0..20 * user {
            run.write(Lpn(turn * 7 % user)).unwrap();
        }
        drop(run);
        check_pages_and_blocks(&ftl);
        assert_eq!(ftl.counters().retired_blocks, 0);
        for block in bad {
            assert_eq!(
                (ftl.block(block).role, ftl.block(block).free),
                (BlockRole::Bad, if way == "retire" { 4 } else { 0 }),
                "{way}"
            );
        }
    }
}

/// What makes no sense is refused by its key.
#[test]
fn keys_that_contradict_each_other_are_refused() {
    let refused = |keys: &'static [(&'static str, i64)], way: &'static str, parity: &'static str| {
        let set = move |config: &mut FtlConfig, _: &mut CommandsConfig| {
            config.keys.set("span", "C");
            config.keys.set("parity", parity);
            config.keys.set("bad_member", way);
            for (key, value) in keys {
                config.keys.set(key, *value);
            }
            config.over_provisioning = 3.0;
        };
        with(set, StripedFtl::new).err().unwrap().to_string()
    };
    assert!(refused(&[], "substitute", "none").starts_with("ftl.spare_blocks = 0: at least 1"));
    assert!(refused(&[("spare_blocks", 1)], "retire", "none").starts_with("ftl.spare_blocks = 1: 0 with"));
    assert!(
        refused(&[("spare_blocks", 12)], "substitute", "none").starts_with("ftl.spare_blocks = 12: less")
    );
    assert!(refused(&[("unreadable_pages", 0)], "retire", "fixed").starts_with("ftl.unreadable_pages = 0"));
    assert!(refused(&[("unreadable_pages", 3)], "retire", "none").contains("without parity"));
    assert!(refused(&[("unreadable_pages", 3)], "retire", "fixed").starts_with("ftl.gc.reserve_blocks = 1"));
    assert!(refused(&[], "degrade", "fixed").starts_with("ftl.bad_member = \"degrade\""));
    // two members for data: three superblocks without one of them hold less than two whole ones
    let found = refused(&[], "degrade", "none");
    assert!(
        found.starts_with("ftl.gc.reserve_blocks = 1: at least 4"),
        "{found}"
    );
}
