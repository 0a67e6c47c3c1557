//! Algorithm MPW.

use wordline_nand::{BlockId, PlaneId, Search, Use};
use wordline_units::SimTime;

use super::{Parts, check, fill, write};
use crate::allocation::AllocationMode;
use crate::config::Pool;
use crate::contract::{Ageable, Ftl, Inspect};
use crate::mapping::page::PageFtl;
use crate::plan::GC;
use crate::plan::{Bound, Cause, Route, Scope, Step, Target, Work};
use crate::space::Filling;

/// A die whose planes have these (block, pages passed) as the next ones to be written to; the
/// blocks before them are full of invalid pages.
fn die(parts: Parts, next: &[(u32, u32)]) -> PageFtl {
    let mut ftl = parts.build();
    for (plane, (open, written)) in next.iter().enumerate() {
        let first = plane as u32 * 32;
        for block in 0..*open {
            fill(&mut ftl, first + block, 64, &mut |_| None, 0, block).unwrap();
        }
        fill(&mut ftl, first + open, *written, &mut |_| None, 0, 0).unwrap();
    }
    ftl.finish_fill(SimTime::ZERO);
    ftl
}

/// Aligns one host write per plane, in the order of `planes`; (block in plane, page, skipped).
fn align(ftl: &mut PageFtl, planes: &[u32]) -> Option<Vec<Option<(u32, u32, u32)>>> {
    let pairs: Vec<(Step, PlaneId)> = planes
        .iter()
        .map(|plane| (write(ftl, u64::from(*plane), 0b1111)[0], PlaneId(*plane)))
        .collect();
    let mut bound: Vec<Option<Bound>> = Vec::new();
    let aligned = ftl.bind_aligned(SimTime::ZERO, &pairs, &mut bound);
    let geometry = *ftl.geometry();
    aligned.then(|| {
        assert_eq!(bound.len(), planes.len());
        bound
            .iter()
            .map(|bound| {
                bound.map(|bound| {
                    let block = geometry.block_of(bound.page);
                    (
                        geometry.block_in_plane(block),
                        geometry.page_in_block(bound.page),
                        bound.skipped,
                    )
                })
            })
            .collect()
    })
}

fn blind(planes: u32) -> Parts {
    Parts::one_die(planes, 32).multi_plane(Use::Blind)
}

fn wise(planes: u32) -> Parts {
    Parts::one_die(planes, 32).multi_plane(Use::Wise)
}

/// Hu et al., Figure 15: pointers 26 and 24.
#[test]
fn figure_15() {
    let mut ftl = die(blind(2), &[(0, 26), (0, 24)]);
    assert_eq!(
        align(&mut ftl, &[0, 1]),
        Some(vec![Some((0, 26, 0)), Some((0, 26, 2))])
    );
    assert_eq!(
        (ftl.space.blocks.written[0], ftl.space.blocks.written[32]),
        (27, 27)
    );
    assert_eq!(ftl.counters().skipped_multi_plane, 2);
    assert_eq!(ftl.block(BlockId(32)).skipped, 2);
    check(&ftl);
    let mut ftl = die(wise(2), &[(0, 26), (0, 24)]);
    assert_eq!(align(&mut ftl, &[0, 1]), None);
}

#[test]
fn equal_pointers_need_no_sacrifice() {
    for parts in [blind(2), wise(2)] {
        let mut ftl = die(parts, &[(3, 7), (3, 7)]);
        assert_eq!(
            align(&mut ftl, &[1, 0]),
            Some(vec![Some((3, 7, 0)), Some((3, 7, 0))])
        );
        assert_eq!(ftl.counters().skipped_multi_plane, 0);
    }
    let mut ftl = die(Parts::one_die(2, 32), &[(3, 7), (3, 7)]);
    assert_eq!(align(&mut ftl, &[0, 1]), None);
}

#[test]
fn different_blocks_wise_take_a_free_index() {
    // Block 2 is used in plane 0; 3 is the first index that is free in both.
    let mut ftl = die(wise(2), &[(2, 5), (1, 9)]);
    assert_eq!(
        align(&mut ftl, &[0, 1]),
        Some(vec![Some((3, 0, 0)), Some((3, 0, 0))])
    );
    // The blocks left keep their free pages and are found again.
    assert_eq!(
        (ftl.space.blocks.written[2], ftl.space.blocks.written[33]),
        (5, 9)
    );
    let plan = write(&mut ftl, 9, 0b1111);
    assert!(matches!(
        ftl.bind(SimTime::ZERO, &plan[0], PlaneId(0)),
        crate::Bind::Page(_)
    ));
    check(&ftl);
}

/// As SSDsim does: blocks 2 and 1 are under way, and free ones of one index are not looked for; where both planes are about to begin a block, the first
/// of the two indices that is free in both is taken.
#[test]
fn wise_pairs_of_own_blocks_only() {
    let mut parts = wise(2);
    parts.commands.multi_plane_search = Search::Own;
    let mut ftl = die(parts.clone(), &[(2, 5), (1, 9)]);
    assert_eq!(align(&mut ftl, &[0, 1]), None);
    let mut ftl = die(parts.clone(), &[(3, 7), (3, 7)]);
    assert_eq!(
        align(&mut ftl, &[0, 1]),
        Some(vec![Some((3, 7, 0)), Some((3, 7, 0))])
    );
    // plane 0 is about to begin block 3, and plane 1 block 1: 1 is full in plane 0
    for order in [[0, 1], [1, 0]] {
        let mut ftl = die(parts.clone(), &[(2, 64), (0, 64)]);
        assert_eq!(
            align(&mut ftl, &order),
            Some(vec![Some((3, 0, 0)), Some((3, 0, 0))]),
            "{order:?}"
        );
        check(&ftl);
    }
    // one of them has begun
    let mut ftl = die(parts, &[(2, 64), (1, 1)]);
    assert_eq!(align(&mut ftl, &[0, 1]), None);
}

#[test]
fn different_blocks_blind_follow_the_larger_pointer() {
    // Plane 1 leads with block 2, page 9; in plane 0 block 2 is free: nine pages are lost.
    let mut ftl = die(blind(2), &[(1, 5), (2, 9)]);
    assert_eq!(
        align(&mut ftl, &[0, 1]),
        Some(vec![Some((2, 9, 9)), Some((2, 9, 0))])
    );
    // Plane 0 leads with block 1, which is full in plane 1: the first common index is 2.
    let mut ftl = die(blind(2), &[(1, 30), (2, 9)]);
    assert_eq!(
        align(&mut ftl, &[0, 1]),
        Some(vec![Some((2, 9, 9)), Some((2, 9, 0))])
    );
}

#[test]
fn under_static_allocation_the_second_only_follows() {
    let mut parts = blind(2);
    parts.allocation.mode = AllocationMode::Static;
    let mut ftl = die(parts.clone(), &[(0, 26), (0, 24)]);
    assert_eq!(
        align(&mut ftl, &[0, 1]),
        Some(vec![Some((0, 26, 0)), Some((0, 26, 2))])
    );
    let mut ftl = die(parts, &[(0, 24), (0, 26)]);
    assert_eq!(align(&mut ftl, &[0, 1]), None);
}

#[test]
fn more_planes_align_on_the_largest_pointer() {
    let mut ftl = die(blind(4), &[(0, 3), (0, 8), (0, 5), (0, 8)]);
    assert_eq!(
        align(&mut ftl, &[2, 3, 0, 1]),
        Some(vec![
            Some((0, 8, 3)),
            Some((0, 8, 0)),
            Some((0, 8, 5)),
            Some((0, 8, 0))
        ])
    );
    let mut ftl = die(wise(4), &[(0, 3), (0, 8), (0, 5), (0, 8)]);
    assert_eq!(
        align(&mut ftl, &[2, 3, 0, 1]),
        Some(vec![None, Some((0, 8, 0)), None, Some((0, 8, 0))])
    );
    check(&ftl);
}

/// Of lanes at the same page the first one leads: each could follow the other at a loss of five pages.
#[test]
fn of_equal_pointers_the_first_leads() {
    let mut ftl = blind(2).build();
    for block in [0, 33] {
        fill(&mut ftl, block, 5, &mut |_| None, 0, 0).unwrap();
    }
    ftl.finish_fill(SimTime::ZERO);
    assert_eq!(
        align(&mut ftl, &[0, 1]),
        Some(vec![Some((0, 5, 0)), Some((0, 5, 5))])
    );
}

/// Moves of collection in the planes of one pool share the pages that the pool can afford to give up: 4 and 3 are
/// more than 5, so that the second one does not go along.
#[test]
fn moves_of_one_pool_share_what_it_can_afford() {
    for (pool, taken) in [(Pool::Plane, [4, 3, 0]), (Pool::Die, [4, 0, 0])] {
        let mut parts = blind(3);
        parts.ftl.gc.pool = pool;
        let mut ftl = parts.build();
        for (plane, written) in [4, 5, 8].into_iter().enumerate() {
            let filling = Filling {
                block: BlockId(plane as u32 * 32),
                written,
                frontier: GC,
                erase_count: 0,
                closed_order: 0,
            };
            ftl.space.occupy_block(&filling).unwrap();
        }
        ftl.finish_fill(SimTime::ZERO);
        for state in &mut ftl.space.pools {
            state.slack = 5;
        }
        let pairs: Vec<(Step, PlaneId)> = (0..3)
            .map(|plane| {
                let mut step = write(&mut ftl, u64::from(plane), 0b1111)[0];
                step.cause = Cause::Gc;
                step.work = Work::Program {
                    target: Target::Frontier {
                        frontier: GC,
                        scope: Scope::Plane(PlaneId(plane)),
                    },
                    sectors: 4,
                    route: Route::Controller,
                };
                (step, PlaneId(plane))
            })
            .collect();
        let mut bound = Vec::new();
        assert!(ftl.bind_aligned(SimTime::ZERO, &pairs, &mut bound));
        let skipped = bound.iter().map(|bound| bound.map_or(0, |bound| bound.skipped));
        assert_eq!(skipped.collect::<Vec<u32>>(), taken, "{pool:?}");
    }
}
