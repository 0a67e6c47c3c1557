//! Reclaim groups: which dies a write goes to by its placement identifier, and what becomes of data for which a group has no room.

use crate::contract::Subjects;
use crate::space::PlacedWrites;
use std::collections::BTreeMap;

use proptest::prelude::*;
use wordline_nand::BlockId;
use wordline_units::{Seed, SimTime};

use super::{Parts, check, request};
use crate::allocation::AllocationMode;
use crate::block::BlockRole;
use crate::config::{FailuresConfig, GcFrontier, Pool};
use crate::contract::{Ftl, Inspect, Persist};
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::failing::with_failures;
use crate::mapping::page::PageFtl;
use crate::plan::Lpn;
use crate::request::{PageOp, PageRequest};
use crate::space::GroupCounters;
use crate::state::archive::{Archive, Extent};

/// Channels, each a die of one plane of 64 blocks: the reclaim groups.
fn parts(channels: u32, handle_type: &'static str, frontier: GcFrontier) -> Parts {
    let mut parts = Parts::one_die(1, 64);
    parts.geometry.channels = channels;
    parts.ftl.placement.directive = "fdp".into();
    parts.ftl.placement.keys.set("reclaim_unit_handles", 3);
    parts.ftl.placement.keys.set("handle_type", handle_type);
    parts.ftl.placement.keys.set("reclaim_group", "channel");
    parts.ftl.gc.frontier = frontier;
    parts
}

/// The identifier of a handle in one of up to four groups.
const fn identifier(group: u16, handle: u16) -> u16 {
    (group << 14) | handle
}

fn write_of(lpn: u64, placement: u16) -> PageRequest {
    PageRequest {
        placement,
        ..request(PageOp::Write, lpn, 0b1111)
    }
}

fn group_of(ftl: &PageFtl, lpn: u64) -> u32 {
    let page = ftl.lookup(Lpn(lpn)).unwrap();
    ftl.geometry().plane_of(ftl.geometry().block_of(page)).0
}

fn written(ftl: &mut PageFtl, lpn: u64, placement: u16) -> (u32, u32) {
    let mut run = Functional::new(&mut *ftl, FunctionalOptions::default());
    run.submit(&write_of(lpn, placement)).unwrap();
    let page = ftl.lookup(Lpn(lpn)).unwrap();
    (group_of(ftl, lpn), ftl.geometry().block_of(page).0)
}

/// Three groups of 64 blocks, by hand. A handle has a block of its own in each group; identifier 0, and one of a group that there is not, go to the group
/// that has most room, the first of several.
#[test]
fn the_group_of_a_write_by_its_identifier() {
    let mut ftl = parts(3, "persistently_isolated", GcFrontier::Separate).build();
    let found = [
        identifier(1, 1),
        identifier(2, 1),
        identifier(1, 1),
        identifier(1, 2),
        0,
        identifier(3, 1),
        identifier(2, 9),
        identifier(1, 0),
    ];
    let places: Vec<(u32, u32)> = (0..)
        .zip(found)
        .map(|(lpn, identifier)| written(&mut ftl, lpn, identifier))
        .collect();
    let groups: Vec<u32> = places.iter().map(|(group, _)| *group).collect();
    assert_eq!(groups, [1, 2, 1, 1, 0, 0, 2, 1]);
    for (group, block) in &places {
        assert_eq!(block / 64, *group);
    }
    let blocks: Vec<u32> = places.iter().map(|(_, block)| *block).collect();
    assert_eq!(blocks[0], blocks[2]);
    assert_ne!(blocks[0], blocks[3]);
    // a handle that the group does not have is as good as none
    let counters = ftl.counters().placement;
    assert_eq!((counters.opened, counters.defaulted), (3, 2));
    let of = |host_pages| GroupCounters {
        host_pages,
        ..GroupCounters::default()
    };
    assert_eq!(ftl.reclaim_groups(), [of(2), of(4), of(2)]);
    // an update of a handle concerns its reclaim unit in that group only
    ftl.release_handle(SimTime::ZERO, identifier(1, 1));
    assert_eq!(ftl.counters().placement.blocks_closed, 1);
    assert_ne!(written(&mut ftl, 8, identifier(1, 1)).1, blocks[0]);
    assert_eq!(written(&mut ftl, 9, identifier(2, 1)).1, blocks[1]);
    check(&ftl);
}

/// A host that writes all of its pages to one group fills it; what does not fit goes to the other, and all of it is found, also after it was written again.
#[test]
fn what_does_not_fit_goes_to_another_group() {
    let mut ftl = parts(2, "initially_isolated", GcFrontier::Shared).build();
    let user = ftl.user_pages();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for write in 0..4 * user {
        let lpn = if write < user {
            write
        } else {
            (write * 7919) % user
        };
        // of two groups the number is the upper bit
        run.submit(&write_of(lpn, 1)).unwrap();
    }
    check(&ftl);
    let [first, other] = ftl.reclaim_groups()[..] else {
        panic!("two groups");
    };
    assert!(first.redirected_pages > user / 4, "{first:?}");
    assert_eq!(other.redirected_pages, 0);
    assert_eq!(other.host_pages, first.redirected_pages);
    assert_eq!(first.host_pages + other.host_pages, 4 * user);
    let inside = (0..user).filter(|lpn| group_of(&ftl, *lpn) == 0).count() as u64;
    // the group is filled to what its collection needs, and no further
    let most = ftl.space.capacity.most_pages_per_pool;
    assert!(inside <= most && inside + 8 >= most, "{inside} of {most}");
}

/// A host writes pages with the identifier of one group until the drive takes no more writes or each was written eight times on average; how many went to another group.
fn redirected_with_failures(seed: u64, share: u64) -> Result<u64, String> {
    let mut parts = parts(4, "initially_isolated", GcFrontier::Shared);
    parts.ftl.placement.keys.set("reclaim_group", "die");
    parts.ftl.over_provisioning = 0.6;
    (parts.ftl.gc.reserve_blocks, parts.ftl.gc.hard) = (4, 5.0);
    (parts.ftl.gc.low, parts.ftl.gc.high) = (5.0, 6.0);
    parts.ftl.failures = FailuresConfig {
        program: Some(if seed % 4 < 2 { 0.0002 } else { 0.001 }),
        erase: Some(0.001),
        growth: 0.0,
        ..FailuresConfig::default()
    };
    let ftl = parts.build();
    // more than a group has room for, of which later writes concern all or a small part
    let all = ftl.user_pages() / share;
    let hot = if seed.is_multiple_of(2) { all } else { all / 16 };
    let mut ftl = with_failures(Box::new(ftl), &parts.ftl.failures, Seed(seed), None).unwrap();
    let mut run = Functional::new(&mut *ftl, FunctionalOptions::default());
    for write in 0..8 * all {
        let lpn = if write < all {
            write
        } else {
            Seed(seed).draw("page", write) % hot
        };
        if let Err(error) = run.submit(&write_of(lpn, 1)) {
            return Err(format!("seed {seed}, write {write}: {error}"));
        }
        if run.ftl().read_only_since().is_some() {
            break;
        }
    }
    drop(run);
    assert!(ftl.counters().failed_programs > 0);
    let groups = ftl
        .placed_writes()
        .map_or_else(Vec::new, |placed| placed.reclaim_groups());
    Ok(groups[0].redirected_pages)
}

/// Blocks of a full group go bad: it holds its share of the user pages, so that no write waits for a place that collection cannot make.
#[test]
fn blocks_of_a_full_group_go_bad() {
    let runs: Vec<Result<u64, String>> = (0..24).map(|seed| redirected_with_failures(seed, 2)).collect();
    assert!(
        runs.iter().all(|run| run.as_ref().is_ok_and(|pages| *pages > 0)),
        "{runs:?}"
    );
}

/// The same where all groups are full.
#[test]
fn blocks_of_full_groups_go_bad() {
    let runs: Vec<Result<u64, String>> = (0..24).map(|seed| redirected_with_failures(seed, 1)).collect();
    assert!(
        runs.iter().all(|run| run.as_ref().is_ok_and(|pages| *pages > 0)),
        "{runs:?}"
    );
}

/// What is in use by group is what its blocks hold, and the pages of lost blocks.
fn check_in_use(ftl: &PageFtl) {
    let blocks = &ftl.space.blocks;
    for (group, in_use) in (0..).zip(blocks.in_use()) {
        let own = group * 64..(group + 1) * 64;
        let current: u32 = own.clone().map(|block| blocks.valid(block)).sum();
        let is_lost =
            |block: &u32| blocks.role[*block as usize] == BlockRole::Bad || blocks.has_failed(*block);
        let lost = 64 * own.filter(is_lost).count() as u64;
        let counted = (u64::from(current), lost);
        assert_eq!((in_use.current, in_use.lost), counted, "group {group}");
    }
}

/// A block whose program failed is lost at once, and once only.
#[test]
fn a_lost_block_counts_in_its_group() {
    let mut ftl = parts(2, "initially_isolated", GcFrontier::Shared).build();
    let lost = |ftl: &PageFtl| {
        check_in_use(ftl);
        let groups = ftl.space.blocks.in_use().iter();
        groups.map(|in_use| in_use.lost).collect::<Vec<u64>>()
    };
    assert_eq!(lost(&ftl), [0, 0]);
    ftl.space.fail_block(100);
    ftl.space.fail_block(100);
    assert_eq!(lost(&ftl), [0, 64]);
    ftl.space.retire_free(100);
    ftl.space.retire_free(3);
    assert_eq!(lost(&ftl), [64, 64]);
}

/// What was written to groups is part of the state.
#[test]
fn groups_are_saved_and_loaded() {
    let parts = parts(3, "persistently_isolated", GcFrontier::Separate);
    let mut ftl = parts.build();
    let (_, block) = written(&mut ftl, 0, identifier(1, 1));
    let mut bytes = Vec::new();
    let mut archive = Archive::saving(&mut bytes);
    ftl.archive(SimTime::ZERO, Extent::Everything, &mut archive)
        .unwrap();
    let mut other = parts.build();
    let mut source = &bytes[..];
    let mut archive = Archive::loading(&mut source);
    other
        .archive(SimTime::ZERO, Extent::Everything, &mut archive)
        .unwrap();
    assert_eq!(other.reclaim_groups(), ftl.reclaim_groups());
    assert_eq!(written(&mut other, 1, identifier(1, 1)).1, block);
    check(&other);
    check_in_use(&other);
}

#[test]
fn groups_that_cannot_be() {
    let refused = |change: fn(&mut Parts)| {
        let mut parts = parts(2, "initially_isolated", GcFrontier::Shared);
        change(&mut parts);
        let error = parts.try_build().err().unwrap();
        assert_eq!(error.key, "ftl.placement.reclaim_group");
        error.to_string()
    };
    let error = refused(|parts| parts.allocation.mode = AllocationMode::Static);
    assert!(
        error.contains("but with allocation.mode = \"dynamic\""),
        "{error}"
    );
    let error = refused(|parts| parts.ftl.gc.pool = Pool::Drive);
    assert!(
        error.contains("as large as what is collected together (ftl.gc.pool)"),
        "{error}"
    );
    let error = refused(|parts| {
        parts.geometry.channels = 8192;
        parts.geometry.blocks_per_plane = 8;
        parts.ftl.placement.keys.set("reclaim_unit_handles", 9);
    });
    assert!(error.contains("an identifier has 16 bits for both"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// While no group is full, every page lies in the group that it was last written to, however often it was moved, and no block of persistently isolated
    /// handles holds pages of two.
    #[test]
    fn pages_stay_in_their_groups(
        seed in 1..u64::MAX,
        persistent: bool,
        separate: bool,
        trims: bool,
    ) {
        let kind = if persistent { "persistently_isolated" } else { "initially_isolated" };
        let frontier = if separate { GcFrontier::Separate } else { GcFrontier::Shared };
        let mut ftl = parts(3, kind, frontier).build();
        let user = ftl.user_pages();
        let mut state = seed;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        // of each three pages one belongs to each group, by its share of the drive
        let of = |lpn: u64, handle: u16| identifier((lpn % 3) as u16, handle);
        let mut handles: BTreeMap<u64, u16> = BTreeMap::new();
        let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
        for write in 0..4 * user {
            let lpn = if write < user { write } else { draw(user) };
            if trims && draw(8) == 0 {
                run.submit(&PageRequest { placement: 0, ..request(PageOp::Trim, lpn, 0b1111) }).unwrap();
                handles.remove(&lpn);
                continue;
            }
            let handle = 1 + draw(2) as u16;
            run.submit(&write_of(lpn, of(lpn, handle))).unwrap();
            handles.insert(lpn, handle);
        }
        check(&ftl);
        check_in_use(&ftl);
        prop_assert!(ftl.reclaim_groups().iter().all(|group| group.redirected_pages == 0));
        prop_assert!(ftl.reclaim_groups().iter().all(|group| group.moved_pages > 0 || trims));
        for lpn in handles.keys() {
            prop_assert_eq!(u64::from(group_of(&ftl, *lpn)), lpn % 3);
        }
        let geometry = *ftl.geometry();
        for block in (0..geometry.blocks()).map(BlockId) {
            let pages = (0..geometry.pages_per_block).filter_map(|page| ftl.owner(geometry.page(block, page)));
            let mut found: Vec<u16> = pages.filter_map(|lpn| handles.get(&lpn.0).copied()).collect();
            found.sort_unstable();
            found.dedup();
            prop_assert!(found.len() <= 1 || !persistent, "{block:?}: {found:?}");
        }
    }
}
