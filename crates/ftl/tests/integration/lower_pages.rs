//! Copies of lower pages: a program that is cut off takes the earlier pages of its word line with it, and nothing that was promised is lost
//! (FTL specification, 6.3, 8.1 and 8.5).

use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::{Cause, LowerPages, Lpn, RecoveryKind};
use wordline_nand::{CellType, PageLayout};

use crate::common::cuts::{KINDS, run};
use crate::common::setup::Setup;
use crate::common::work::Random;

/// Random drives of random cells; `cargo run --example power_cuts` cuts the power of as many as one likes.
#[test]
fn programs_that_are_cut_off_take_nothing_with_them_that_counts() {
    for kind in KINDS.into_iter().filter(|kind| *kind != RecoveryKind::None) {
        let mut copies = 0;
        for seed in 0..2 {
            let setup = Setup::random(seed).with_lower_pages(kind);
            let commands = setup.geometry().pages().min(2_000);
            let mut random = Random::new(seed, "cuts");
            let cuts: Vec<u64> = (0..8).map(|_| random.below(commands / 3)).collect();
            let (done, count) = run(&setup, commands as usize, &cuts);
            assert!(count >= 8, "{kind:?}: {count}");
            copies += done.programs[&Cause::Backup];
        }
        assert!(copies > 200, "{kind:?}: {copies}");
    }
}

/// A drive of one plane, whose blocks have eight pages of cells of two bits, L0 L1 U0 L2 U1 L3 U2 U3 or L0 U0 L1 U1 and so on, or six of three bits.
fn small(cell: CellType, layout: PageLayout) -> Setup {
    let pages = if cell == CellType::Mlc { 8 } else { 6 };
    let mut setup = Setup::plain(16, pages, 1.0);
    setup.geometry.cell_type = cell;
    setup.geometry.page_layout = layout;
    setup.ftl.recovery.kind = RecoveryKind::OobScan;
    setup.ftl.recovery.lower_pages = LowerPages::Backup;
    setup
}

/// The copies that are made for writes of these logical pages.
fn copies(setup: &Setup, writes: &[u64]) -> u64 {
    let mut ftl = setup.build_any().unwrap();
    let mut drive = Functional::new(&mut *ftl, FunctionalOptions::default());
    for lpn in writes {
        drive.write(Lpn(*lpn)).unwrap();
    }
    drive.counts().programmed(Cause::Backup)
}

/// Each upper page takes a copy of its lower page, unless that was superseded before: not by the upper page itself, which is not on flash when the copy is made. Of three bits
/// the middle page takes one of the lower page, and the upper page one of the middle page, as the first is there still.
#[test]
fn each_page_that_shares_cells_with_later_ones_is_copied_once_if_it_counts() {
    let in_turn: Vec<u64> = (0..8).collect();
    let mlc = |layout| small(CellType::Mlc, layout);
    let tlc = small(CellType::Tlc, PageLayout::Grouped);
    for layout in [PageLayout::Grouped, PageLayout::Staircase] {
        assert_eq!(copies(&mlc(layout.clone()), &in_turn), 4, "{layout:?}");
    }
    assert_eq!(copies(&tlc, &in_turn[..6]), 4);
    assert_eq!(copies(&mlc(PageLayout::Grouped), &[5; 8]), 4);
    // L0 is superseded by L1 when U0 comes, L1 by U0 and L2 before U1 comes, and so on
    assert_eq!(copies(&mlc(PageLayout::Staircase), &[5; 8]), 0);
    // a lower page alone, and nothing after it in its cells
    assert_eq!(copies(&mlc(PageLayout::Staircase), &in_turn[..2]), 0);
    assert_eq!(copies(&mlc(PageLayout::Staircase), &in_turn[..3]), 1);
}
