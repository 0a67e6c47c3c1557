//! Streams: which open block a write goes to by its handle, and what that is good for.

use crate::space::PlacedWrites;
use std::collections::BTreeSet;

use wordline_nand::{BlockId, PlaneId};
use wordline_units::SimTime;

use super::{Parts, check, execute, request};
use crate::analytic::{Cleaning, HotCold};
use crate::block::BlockRole;
use crate::config::GcFrontier;
use crate::contract::{Ftl, Inspect, Persist};
use crate::counters::PlacementCounters;
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::mapping::page::PageFtl;
use crate::plan::{Bind, Cause, Lpn, Outcome, Plan};
use crate::request::{Answer, PageOp, PageRequest, Refusal};
use crate::space::HandleCounters;
use crate::state::archive::{Archive, Extent};

fn parts(streams: u32, on_overflow: &'static str) -> Parts {
    let mut parts = Parts::one_die(1, 256);
    parts.ftl.placement.directive = "streams".into();
    parts.ftl.placement.keys.set("max_streams", streams);
    parts.ftl.placement.keys.set("on_overflow", on_overflow);
    parts
}

fn write_of(lpn: u64, placement: u16) -> PageRequest {
    PageRequest {
        placement,
        ..request(PageOp::Write, lpn, 0b1111)
    }
}

/// Writes a page and says in which block it is.
fn written(ftl: &mut PageFtl, lpn: u64, handle: u16) -> u32 {
    let mut plan = Plan::new();
    let answer = ftl.submit(SimTime::ZERO, &write_of(lpn, handle), &mut plan);
    assert_eq!(answer, Answer::Accepted);
    execute(ftl, &plan);
    let page = ftl.lookup(Lpn(lpn)).unwrap();
    ftl.geometry().block_of(page).0
}

/// Blocks are opened in the order of their numbers. Two streams may be open: the third is written among the writes without one,
/// or takes the blocks' place of the stream that was written least recently, whose block is closed with one page in it.
#[test]
fn the_block_of_a_write_by_its_handle() {
    let mut ftl = parts(2, "default_stream").build();
    let handles = [0, 7, 9, 7, 8, 0];
    let blocks: Vec<u32> = (0..)
        .zip(handles)
        .map(|(lpn, handle)| written(&mut ftl, lpn, handle))
        .collect();
    assert_eq!(blocks, [0, 1, 2, 1, 0, 0]);
    let counted = PlacementCounters {
        opened: 2,
        blocks_opened: 2,
        defaulted: 1,
        ..PlacementCounters::default()
    };
    assert_eq!(ftl.counters().placement, counted);
    let of = |host_pages| HandleCounters {
        host_pages,
        moved_pages: 0,
    };
    assert_eq!(ftl.handles(), [(0, of(2)), (7, of(2)), (8, of(1)), (9, of(1))]);

    let mut ftl = parts(2, "close_lru").build();
    let blocks: Vec<u32> = (0..)
        .zip(handles)
        .map(|(lpn, handle)| written(&mut ftl, lpn, handle))
        .collect();
    assert_eq!(blocks, [0, 1, 2, 1, 3, 0]);
    assert_eq!(ftl.space.blocks.role[2], BlockRole::Closed);
    assert_eq!(ftl.space.blocks.role[1], BlockRole::Open);
    let counted = PlacementCounters {
        opened: 3,
        blocks_opened: 3,
        evicted: 1,
        blocks_closed: 1,
        ..PlacementCounters::default()
    };
    assert_eq!(ftl.counters().placement, counted);
    check(&ftl);
}

#[test]
fn a_write_beyond_the_open_streams_is_refused_where_that_is_asked_for() {
    let mut ftl = parts(1, "reject").build();
    written(&mut ftl, 0, 5);
    let mut plan = Plan::new();
    let answer = ftl.submit(SimTime::ZERO, &write_of(1, 6), &mut plan);
    assert_eq!((answer, plan.len()), (Answer::Refused(Refusal::NoUnit), 0));
    assert_eq!(ftl.counters().placement.refused, 1);
    assert!(ftl.is_quiescent());
    // reads and TRIM are no affair of streams
    let read = PageRequest {
        op: PageOp::Read,
        ..write_of(0, 6)
    };
    assert_eq!(ftl.submit(SimTime::ZERO, &read, &mut plan), Answer::Accepted);
    // a stream that is released leaves room, and its block is closed
    ftl.release_handle(SimTime::ZERO, 5);
    assert_eq!(written(&mut ftl, 1, 6), 1);
    assert_eq!(written(&mut ftl, 2, 6), 1);
    let counters = ftl.counters().placement;
    assert_eq!(
        (counters.released, counters.blocks_closed, counters.opened),
        (1, 1, 2)
    );
    // one that is not open has nothing to release
    ftl.release_handle(SimTime::ZERO, 5);
    assert_eq!(ftl.counters().placement.released, 1);
}

/// A program that waits while its stream is closed goes among the writes without one, and not to the stream that took its place.
#[test]
fn a_stream_that_is_closed_while_a_write_of_it_waits() {
    let mut ftl = parts(1, "close_lru").build();
    let plan_of = |ftl: &mut PageFtl, lpn, handle| {
        let mut plan = Plan::new();
        assert_eq!(
            ftl.submit(SimTime::ZERO, &write_of(lpn, handle), &mut plan),
            Answer::Accepted
        );
        plan
    };
    let late = plan_of(&mut ftl, 0, 5);
    let other = plan_of(&mut ftl, 1, 6);
    let mut bind = |plan: &Plan| match ftl.bind(SimTime::ZERO, &plan[0], PlaneId(0)) {
        Bind::Page(bound) => {
            ftl.done(
                SimTime::ZERO,
                &plan[0],
                Some(bound.page),
                Outcome::Good,
                &mut Plan::new(),
            );
            ftl.geometry().block_of(bound.page).0
        }
        other => panic!("{other:?}"),
    };
    assert_eq!((bind(&other), bind(&late)), (0, 1));
    assert_eq!(written(&mut ftl, 2, 0), 1);
    assert_eq!(written(&mut ftl, 3, 6), 0);
}

/// Two streams and greedy collection: the pages below a fifth get four of five writes, with a handle of their own. Write
/// amplification lies between the best division of spare blocks and mixed pages (FTL specification, 9.3: 1.8135 and 2.752), at
/// the 2.4028 of uniform writes, as greedy collection takes spare space from each stream in proportion (s = f).
#[test]
fn streams_bring_write_amplification_down() {
    let load = HotCold::new(0.2, 0.8, 0.28).unwrap();
    let greedy = |rho| Cleaning::Greedy.write_amplification(64, rho);
    let best = load.best_separated(greedy).unwrap().write_amplification;
    let uniform = load.separated(0.2, greedy).unwrap();
    for (frontier, handles) in [
        (GcFrontier::Shared, true),
        (GcFrontier::Separate, true),
        (GcFrontier::Shared, false),
    ] {
        let mut parts = parts(2, "default_stream");
        parts.ftl.gc.frontier = frontier;
        let mut ftl = parts.build();
        let user = ftl.user_pages();
        let hot = user / 5;
        let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
        let handle = |lpn| if handles { 1 + u16::from(lpn >= hot) } else { 0 };
        for lpn in 0..user {
            run.submit(&write_of(lpn, handle(lpn))).unwrap();
        }
        let mut state = 3_u64;
        let mut draw = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((u128::from(state) * u128::from(below)) >> 64) as u64
        };
        for write in 0..140_000 {
            if write == 80_000 {
                run.reset_counts();
            }
            let lpn = if draw(5) < 4 {
                draw(hot)
            } else {
                hot + draw(user - hot)
            };
            run.submit(&write_of(lpn, handle(lpn))).unwrap();
        }
        let counts = run.counts();
        let programmed = counts.programmed(Cause::Host) + counts.programmed(Cause::Gc);
        let amplification = programmed as f64 / counts.host_writes as f64;
        check(&ftl);
        if handles {
            assert!(
                best < amplification && (amplification / uniform - 1.0).abs() < 0.03,
                "{amplification} {uniform}"
            );
        } else {
            assert!((amplification / 2.752 - 1.0).abs() < 0.03, "{amplification}");
        }
    }
}

/// What is open and whose data a block holds is part of the state, and where only the content is loaded, a new stream closes what was open.
#[test]
fn streams_are_saved_and_loaded() {
    let parts = parts(2, "close_lru");
    let mut ftl = parts.build();
    for (lpn, handle) in [(0, 7), (1, 9), (2, 0)] {
        written(&mut ftl, lpn, handle);
    }
    let mut loaded = |extent| {
        let mut bytes = Vec::new();
        ftl.archive(SimTime::ZERO, extent, &mut Archive::saving(&mut bytes))
            .unwrap();
        let mut other = parts.build();
        other
            .archive(SimTime::ZERO, extent, &mut Archive::loading(&mut &bytes[..]))
            .unwrap();
        other
    };
    let mut all = loaded(Extent::Everything);
    let one = HandleCounters {
        host_pages: 1,
        moved_pages: 0,
    };
    assert_eq!(all.handles(), [(0, one), (7, one), (9, one)]);
    assert_eq!((written(&mut all, 3, 9), written(&mut all, 4, 7)), (1, 0));
    let mut content = loaded(Extent::Content);
    assert_eq!((written(&mut content, 3, 9), written(&mut content, 4, 0)), (3, 2));
    assert_eq!(content.space.blocks.role[0], BlockRole::Closed);
    check(&content);
}

#[test]
fn numbers_of_streams_that_cannot_be() {
    for streams in [0, 65] {
        let error = parts(streams, "reject").try_build().err().unwrap();
        assert_eq!(error.key, "ftl.placement.max_streams");
        assert!(error.to_string().contains("from 1 to 64"), "{error}");
    }
    let mut parts = Parts::one_die(1, 64);
    parts.ftl.placement.directive = "nosuch".into();
    let error = parts.try_build().err().unwrap().to_string();
    assert!(
        error.contains("ftl.placement.directive") && error.contains("none, streams, fdp"),
        "{error}"
    );
    // 64 streams leave too little of 64 blocks
    let mut parts = Parts::one_die(1, 64);
    parts.ftl.placement.directive = "streams".into();
    parts.ftl.placement.keys.set("max_streams", 60);
    let error = parts.try_build().err().unwrap().to_string();
    assert!(error.contains("placement handles"), "{error}");
}

fn fdp(handle_type: &'static str, frontier: GcFrontier) -> Parts {
    let mut parts = Parts::one_die(1, 64);
    parts.ftl.placement.directive = "fdp".into();
    parts.ftl.placement.keys.set("reclaim_unit_handles", 4);
    parts.ftl.placement.keys.set("handle_type", handle_type);
    parts.ftl.gc.frontier = frontier;
    parts
}

/// J12: persistently isolated handles never share a block; initially isolated ones share none that the host writes with a handle, and
/// what collection moved is brought together. Handles 1 to 3 are valid, 4 is as good as none.
#[test]
fn handles_of_both_types() {
    for (handle_type, frontier) in [
        ("initially_isolated", GcFrontier::Shared),
        ("initially_isolated", GcFrontier::Separate),
        ("persistently_isolated", GcFrontier::Shared),
        ("persistently_isolated", GcFrontier::Separate),
    ] {
        let mut ftl = fdp(handle_type, frontier).build();
        let user = ftl.user_pages();
        let handle = |lpn: u64| (lpn % 5) as u16;
        let of_unit = |handle: u16| if handle > 3 { 0 } else { handle };
        let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
        let mut state = 7_u64;
        for write in 0..3 * user {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let lpn = if write < user { write } else { (state >> 24) % user };
            run.submit(&write_of(lpn, handle(lpn))).unwrap();
        }
        check(&ftl);
        let counters = ftl.counters();
        assert_eq!(counters.placement.opened, 3);
        let invalid = ftl
            .handles()
            .iter()
            .find(|(handle, _)| *handle == 4)
            .unwrap()
            .1
            .host_pages;
        assert_eq!(counters.placement.defaulted, invalid);
        let geometry = *ftl.geometry();
        let mut mixed = 0;
        for block in (0..geometry.blocks()).map(BlockId) {
            let pages = (0..64).filter_map(|page| ftl.owner(geometry.page(block, page)));
            let handles: BTreeSet<u16> = pages.map(|lpn| of_unit(handle(lpn.0))).collect();
            // frontiers of units follow host, collection and wear levelling
            if ftl.space.blocks.frontier[block.index()] >= 3 {
                assert!(handles.len() <= 1, "{handle_type} {frontier:?}: {handles:?}");
            }
            mixed += u32::from(handles.len() > 1);
        }
        assert_eq!(
            mixed == 0,
            handle_type == "persistently_isolated",
            "{handle_type} {frontier:?}"
        );
        // an update ends the open block of a handle
        let before = counters.placement.blocks_closed;
        ftl.release_handle(SimTime::ZERO, 2);
        assert_eq!(ftl.counters().placement.released, 1);
        assert!(ftl.counters().placement.blocks_closed <= before + 2);
    }
}

#[test]
fn numbers_of_handles_that_cannot_be() {
    for handles in [0, 1, 66] {
        let mut parts = fdp("initially_isolated", GcFrontier::Shared);
        parts.ftl.placement.keys.set("reclaim_unit_handles", handles);
        let error = parts.try_build().err().unwrap();
        assert_eq!(error.key, "ftl.placement.reclaim_unit_handles");
        assert!(error.to_string().contains("from 2 to 65"), "{error}");
    }
}
