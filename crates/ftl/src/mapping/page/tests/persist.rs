//! Filling from outside, saving and loading.

use wordline_nand::{BlockId, Use};
use wordline_units::SimTime;

use super::{Parts, check, execute, fill, request, write};
use crate::allocation::ActiveBlock;
use crate::block::BlockRole;
use crate::contract::{Ageable, Ftl, Inspect, Persist};
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::map::HostMap;
use crate::mapping::page::PageFtl;
use crate::plan::{Lpn, Plan};
use crate::request::PageOp;
use crate::space::FillError;
use crate::state::archive::{Archive, ArchiveError, Extent};

fn churn(ftl: &mut PageFtl, writes: u64, from: u64) {
    let user = ftl.user_pages();
    let mut run = Functional::new(ftl, FunctionalOptions::default());
    for write in from..from + writes {
        run.write(Lpn(write * 7919 % user)).unwrap();
    }
    run.finish_jobs().unwrap();
}

fn saved(ftl: &mut PageFtl, extent: Extent) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = Vec::new();
    ftl.archive(SimTime::ZERO, extent, &mut Archive::saving(&mut bytes))?;
    Ok(bytes)
}

fn load(parts: &Parts, extent: Extent, mut bytes: &[u8]) -> Result<PageFtl, ArchiveError> {
    let mut loaded = parts.build();
    loaded.archive(SimTime::ZERO, extent, &mut Archive::loading(&mut bytes))?;
    assert!(bytes.is_empty());
    Ok(loaded)
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
        assert!(matches!(
            saved(&mut ftl, Extent::Content),
            Err(ArchiveError::Busy)
        ));
        execute(&mut ftl, &plan);
        ftl.submit(SimTime::ZERO, &request(PageOp::Trim, 2, 0b0001), &mut Plan::new());
        let bytes = saved(&mut ftl, Extent::Content).unwrap();
        let mut loaded = load(&parts, Extent::Content, &bytes).unwrap();
        check(&loaded);
        assert_eq!(saved(&mut loaded, Extent::Content).unwrap(), bytes);
        churn(&mut ftl, 3_000, 6_000);
        churn(&mut loaded, 3_000, 6_000);
        let both = [&mut ftl, &mut loaded].map(|ftl| saved(ftl, Extent::Content).unwrap());
        assert!(both[0] == both[1], "{rule:?}");
    }
}

/// Lengths and the pages of the map are checked; what follows from them is computed again.
#[test]
fn states_that_a_drive_has_no_pages_for_are_refused() {
    let parts = Parts::one_die(2, 40);
    let used = || {
        let mut ftl = parts.build();
        churn(&mut ftl, 6_000, 0);
        ftl
    };
    let bytes = saved(&mut used(), Extent::Everything).unwrap();
    load(&parts, Extent::Everything, &bytes).unwrap();
    for length in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        assert!(load(&parts, Extent::Everything, &bytes[..length]).is_err());
    }
    let refused = |change: &dyn Fn(&mut PageFtl), told: &str| {
        let mut ftl = used();
        change(&mut ftl);
        let bytes = saved(&mut ftl, Extent::Everything).unwrap();
        let error = load(&parts, Extent::Everything, &bytes).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    };
    refused(
        &|ftl| ftl.space.blocks.erases.truncate(79),
        "79 entries where the drive has 80",
    );
    let twice = |ftl: &mut PageFtl| {
        let page = ftl.map.lookup(5).unwrap();
        ftl.map.map(6, page, 0b1111);
    };
    refused(&twice, "two owners");
}

#[test]
fn blocks_are_filled_one_by_one() {
    let mut ftl = Parts::one_die(1, 32).build();
    let fill = |ftl: &mut PageFtl, block, written, first: u64| {
        let mut owner = |page: u32| page.is_multiple_of(2).then_some(Lpn(first + u64::from(page)));
        fill(ftl, block, written, &mut owner, 5, block)
    };
    assert_eq!(fill(&mut ftl, 0, 64, 0), Ok(()));
    assert_eq!(fill(&mut ftl, 1, 10, 64), Ok(()));
    assert_eq!(fill(&mut ftl, 0, 64, 128), Err(FillError::NotFree(BlockId(0))));
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
