//! Algorithm CB.

use wordline_nand::{BlockId, Ppn, Use};
use wordline_units::SimTime;

use super::{Parts, check, fill};
use crate::contract::{Ageable, Inspect};
use crate::mapping::page::PageFtl;
use crate::plan::HOST;
use crate::plan::{Bind, Bound};

/// One plane where page 641, page 1 of block 10, is next.
fn figure_13(how: Use) -> PageFtl {
    let mut ftl = Parts::one_die(1, 32).copyback(how).build();
    for block in 0..10 {
        let mut owner = |page| Some(crate::Lpn(u64::from(block * 64 + page)));
        fill(&mut ftl, block, 64, &mut owner, 0, block).unwrap();
    }
    fill(&mut ftl, 10, 1, &mut |_| None, 0, 10).unwrap();
    ftl.finish_fill(SimTime::ZERO);
    ftl
}

/// Binds a copy-back of the host.
fn copy_back(ftl: &mut PageFtl, source: u64) -> Bind {
    let PageFtl { space, map, .. } = ftl;
    space.bind_copy_back(SimTime::ZERO, 0, HOST, source, true, &mut |page| map.skip(page))
}

/// Hu et al., Figure 13: source 82, next page 641: 641 is given up, the data go to 642, and 643
/// is next. Source 83 goes to 641.
#[test]
fn blind_gives_up_pages() {
    let mut ftl = figure_13(Use::Blind);
    let bind = copy_back;
    assert_eq!(
        bind(&mut ftl, 82),
        Bind::Page(Bound {
            page: Ppn(642),
            skipped: 1
        })
    );
    assert_eq!(
        (ftl.space.blocks.written[10], ftl.counters().skipped_copy_back),
        (3, 1)
    );
    assert_eq!(ftl.block(BlockId(10)).skipped, 1);
    assert_eq!(
        bind(&mut ftl, 83),
        Bind::Page(Bound {
            page: Ppn(643),
            skipped: 0
        })
    );

    let mut ftl = figure_13(Use::Blind);
    assert_eq!(
        bind(&mut ftl, 83),
        Bind::Page(Bound {
            page: Ppn(641),
            skipped: 0
        })
    );
    assert_eq!(ftl.counters().skipped_copy_back, 0);
}

#[test]
fn blind_crosses_the_edge_of_a_block_at_the_cost_of_one_page() {
    let mut ftl = figure_13(Use::Blind);
    let bind = copy_back;
    for page in 1..63 {
        bind(&mut ftl, page);
    }
    // Page 63 of block 10 is next, and odd.
    assert_eq!(
        bind(&mut ftl, 82),
        Bind::Page(Bound {
            page: Ppn(704),
            skipped: 0
        })
    );
    assert_eq!(
        (ftl.block(BlockId(10)).skipped, ftl.counters().skipped_copy_back),
        (1, 1)
    );
}

#[test]
fn wise_declines() {
    let mut ftl = figure_13(Use::Wise);
    let bind = copy_back;
    assert_eq!(bind(&mut ftl, 82), Bind::Declined);
    assert_eq!(
        bind(&mut ftl, 83),
        Bind::Page(Bound {
            page: Ppn(641),
            skipped: 0
        })
    );
    assert_eq!(ftl.counters().skipped_copy_back, 0);
    check(&ftl);
}
