//! Wear levelling on a skewed load.

use wordline_units::Duration;

use super::{Parts, check};
use crate::block::BlockRole;
use crate::config::{DynamicWear, WearConfig};
use crate::contract::{Ftl, Inspect};
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::mapping::page::PageFtl;
use crate::plan::Lpn;
use crate::policy::wear::{WearDrive, WearView};

/// All pages once, then a tenth of them over and over. The spread of erase counts, in the worst
/// moment after each thousandth write.
fn hot_spot(wear: WearConfig, writes: u64) -> (PageFtl, u32) {
    let mut parts = Parts::one_die(1, 48);
    parts.geometry.pages_per_block = 16;
    parts.ftl.wear = wear;
    let mut ftl = parts.build();
    let user = ftl.user_pages();
    let mut worst = 0;
    let mut run = Functional::new(
        &mut ftl,
        FunctionalOptions {
            time_per_write: Duration::from_us(100),
            ..FunctionalOptions::default()
        },
    );
    for lpn in 0..user {
        run.write(Lpn(lpn)).unwrap();
    }
    for write in 0..writes {
        run.write(Lpn(write * 7 % (user / 10))).unwrap();
        if write % 1000 == 0 {
            worst = worst.max(spread(run.ftl()));
        }
    }
    run.finish_jobs().unwrap();
    check(&ftl);
    (ftl, worst)
}

fn spread(ftl: &PageFtl) -> u32 {
    let erases = &ftl.space.blocks.erases;
    erases.iter().max().unwrap() - erases.iter().min().unwrap()
}

fn with(static_: &'static str) -> WearConfig {
    let mut config = WearConfig {
        static_: static_.into(),
        check_erases: 10,
        ..WearConfig::default()
    };
    config.keys.set("gap", 20);
    config.keys.set("erase_limit", 300);
    config
}

/// FTL specification, section 4: with checks every gap / 2 erases or more often the spread stays
/// within the gap and the blocks erased between two checks.
#[test]
fn threshold_swap_bounds_the_spread() {
    let (idle, unbounded) = hot_spot(with("off"), 60_000);
    assert_eq!(idle.counters().wear_swaps, 0);
    assert!(unbounded > 100, "{unbounded}");
    let (ftl, worst) = hot_spot(with("swap"), 60_000);
    assert!(worst <= 20 + 10, "{worst}");
    let facts = ftl.counters();
    assert!(facts.wear_swaps > 0 && facts.wear_moves >= facts.wear_swaps);
}

#[test]
fn the_other_policies_narrow_the_spread_too() {
    let (_, unbounded) = hot_spot(with("off"), 60_000);
    for policy in ["dual_pool", "hot_cold_swap", "rate_limited"] {
        let (ftl, worst) = hot_spot(with(policy), 60_000);
        assert!(ftl.counters().wear_swaps > 0, "{policy:?}");
        assert!(
            worst * 4 < unbounded * 3,
            "{policy:?}: {worst} against {unbounded}"
        );
    }
}

/// Whether a policy moves data when the blocks of a filled drive have these erase counts: the closed ones, of which
/// block 0 was closed first, and the free ones.
fn swaps(static_: &'static str, gap: u32, closed: u32, free: u32) -> bool {
    let mut parts = Parts::one_die(1, 16);
    parts.ftl.wear = with(static_);
    parts.ftl.wear.keys.set("gap", gap);
    let mut ftl = parts.build();
    let user = ftl.user_pages();
    let mut run = Functional::new(&mut ftl, FunctionalOptions::default());
    for lpn in 0..user {
        run.write(Lpn(lpn)).unwrap();
    }
    let blocks = &mut ftl.space.blocks;
    for (erases, role) in blocks.erases.iter_mut().zip(&blocks.role) {
        *erases = if *role == BlockRole::Free { free } else { closed };
    }
    let view = WearView {
        blocks: &ftl.space.blocks,
        pool: 0,
        erased: 15,
        mean: f64::from(closed),
        limit: None,
    };
    let wear = &parts.ftl.wear;
    let drive = WearDrive {
        blocks: 16,
        blocks_per_pool: 16,
    };
    let policy = (wear.static_.row().unwrap().build)(&wear.keys, drive);
    let swap = policy.unwrap().check(&view);
    assert!(
        swap.is_none_or(|swap| swap.from == 0 && ftl.space.blocks.role[swap.to as usize] == BlockRole::Free)
    );
    swap.is_some()
}

#[test]
fn threshold_swap_moves_above_the_gap_only() {
    let swap = |closed, free| swaps("swap", 3, closed, free);
    assert!(swap(5, 9));
    assert!(!swap(5, 8));
    // worn blocks under data and fresh free ones
    assert!(!swap(9, 5));
}

#[test]
fn cold_data_move_to_more_worn_blocks_only() {
    let swap = |closed, free| swaps("hot_cold_swap", 3, closed, free);
    assert!(swap(5, 6));
    assert!(!swap(5, 5));
    assert!(!swap(5, 4));
}

#[test]
fn dynamic_levelling_opens_by_erase_count() {
    for dynamic in [DynamicWear::LowestErase, DynamicWear::ByTemperature] {
        let wear = WearConfig {
            dynamic,
            ..WearConfig::default()
        };
        let (ftl, _) = hot_spot(wear, 5_000);
        assert!(ftl.census().mapped > 0);
    }
}
