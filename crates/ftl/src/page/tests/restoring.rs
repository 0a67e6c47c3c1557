//! Filling from outside, saving and loading.

use wordline_nand::{BlockId, Use};
use wordline_units::SimTime;

use super::{Parts, check, execute, write};
use crate::allocation::ActiveBlock;
use crate::contract::{BlockRole, Ftl};
use crate::functional::{Functional, FunctionalOptions};
use crate::page::{FillError, PageFtl};
use crate::plan::Lpn;

fn churn(ftl: &mut PageFtl, writes: u64, from: u64) {
    let user = ftl.user_pages();
    let mut run = Functional::new(ftl, FunctionalOptions::default());
    for write in from..from + writes {
        run.write(Lpn(write * 7919 % user)).unwrap();
    }
    run.settle().unwrap();
}

#[test]
fn a_loaded_drive_goes_on_like_the_saved_one() {
    for rule in [
        ActiveBlock::NextIndex,
        ActiveBlock::Fifo,
        ActiveBlock::LowestEraseCount,
    ] {
        let mut parts = Parts::one_die(2, 40).multi_plane(Use::Blind);
        parts.allocation.active_block = rule;
        let mut ftl = parts.build();
        churn(&mut ftl, 6_000, 0);
        let plan = write(&mut ftl, 1, 0b0010);
        assert_eq!(ftl.state(), None, "a write is under way");
        execute(&mut ftl, &plan);
        crate::Ftl::submit(
            &mut ftl,
            SimTime::ZERO,
            &super::request(crate::PageOp::Trim, 2, 0b0001),
            &mut Vec::new(),
        );
        let state = ftl.state().unwrap();
        let mut loaded = parts.build();
        loaded.restore(&state, SimTime::ZERO).unwrap();
        check(&loaded);
        assert_eq!(loaded.state().unwrap(), state);
        churn(&mut ftl, 3_000, 6_000);
        churn(&mut loaded, 3_000, 6_000);
        assert!(loaded.state() == ftl.state(), "{rule:?}");
    }
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let parts = Parts::one_die(2, 40);
    let mut ftl = parts.build();
    churn(&mut ftl, 6_000, 0);
    let state = ftl.state().unwrap();
    let refused = |change: &dyn Fn(&mut crate::PageFtlState)| {
        let mut state = state.clone();
        change(&mut state);
        parts.build().restore(&state, SimTime::ZERO).unwrap_err()
    };
    refused(&|state| state.physical_pages += 1);
    refused(&|state| state.pages[0] = state.pages[1]);
    refused(&|state| state.pages[0] = u64::MAX);
    refused(&|state| state.roles[0] = 9);
    refused(&|state| state.roles.fill(0));
    refused(&|state| state.written[3] = 65);
    refused(&|state| state.frontiers[0] = 200);
    refused(&|state| state.cursors[0] = 40);
    refused(&|state| state.active.fill(1));
    refused(&|state| state.active.fill(100_000));
    refused(&|state| state.partial.push((u64::MAX, 1)));
    refused(&|state| state.skipped.push(u64::MAX));
    let error = refused(&|state| {
        state.erases.pop();
    });
    assert!(error.to_string().contains("age.snapshot"));
}

#[test]
fn blocks_are_filled_one_by_one() {
    let mut ftl = Parts::one_die(1, 32).build();
    let fill = |ftl: &mut PageFtl, block, written, first: u64| {
        let mut owner = |page: u32| page.is_multiple_of(2).then_some(Lpn(first + u64::from(page)));
        ftl.fill_block(BlockId(block), written, &mut owner, 5, block)
    };
    assert_eq!(fill(&mut ftl, 0, 64, 0), Ok(()));
    assert_eq!(fill(&mut ftl, 1, 10, 64), Ok(()));
    assert_eq!(fill(&mut ftl, 0, 64, 128), Err(FillError::NotFree(BlockId(0))));
    assert_eq!(fill(&mut ftl, 2, 64, 0), Err(FillError::Mapped(0)));
    assert_eq!(
        fill(&mut ftl, 3, 64, 1 << 40),
        Err(FillError::OutOfRange(1 << 40))
    );
    assert!(matches!(
        fill(&mut ftl, 4, 65, 0),
        Err(FillError::TooManyPages { .. })
    ));
    ftl.finish_fill(SimTime::ZERO);
    let facts = ftl.block(BlockId(0));
    assert_eq!(
        (facts.role, facts.valid, facts.invalid, facts.erase_count),
        (BlockRole::Closed, 32, 32, 5)
    );
    let facts = ftl.block(BlockId(1));
    assert_eq!((facts.role, facts.valid, facts.free), (BlockRole::Open, 5, 54));
    check(&ftl);
    // Host writes go on where the filling stopped.
    let plan = write(&mut ftl, 500, 0b1111);
    execute(&mut ftl, &plan);
    assert_eq!(ftl.lookup(Lpn(500)).map(|page| page.0), Some(74));
    check(&ftl);
}
