//! A map on flash after a power cut: what is erased and what is written.

use std::collections::BTreeSet;

use wordline_nand::{BlockId, Geometry, Medium, PageState, Ppn};
use wordline_units::SimTime;

use super::{ENTRIES, check, parts, run, try_build, work};
use crate::contract::{Ftl, Inspect, Recoverable};
use crate::exec::functional::{Functional, FunctionalOptions};
use crate::mapping::dftl::Dftl;
use crate::mapping::page::PageFtl;
use crate::plan::Lpn;
use crate::recovery::{FoundBlock, FoundFlash, OwnPage, Repair, SpareArea};

/// The flash of a drive at rest, of whose pages only the current ones say what they hold: those of the map too, which is not to be asked for.
struct AtRest<'a> {
    ftl: &'a Dftl<PageFtl>,
    medium: &'a Medium,
}

impl FoundFlash for AtRest<'_> {
    fn block(&self, block: BlockId) -> FoundBlock {
        FoundBlock {
            passed: self.medium.write_pointer(block),
            erases: self.ftl.block(block).erase_count,
            sequence: u64::from(block.0),
            bad: false,
        }
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        let lpn = self.ftl.owner(page)?;
        Some(SpareArea {
            lpn,
            version: 1,
            write: 1,
            sectors: self.ftl.geometry().full_bitmap(),
            slc: false,
        })
    }
}

/// The blocks of the map are erased, and each translation page that has entries is written once; the data are where they were, and the drive goes on.
#[test]
fn the_map_is_written_anew() {
    let parts = parts(60, 8);
    let mut ftl = try_build(&parts).unwrap();
    let mut before = run(&mut ftl, &parts);
    work(&mut before, 5, 3_000);
    // translation page 2 has no entry
    before.trim(Lpn(2 * ENTRIES), ENTRIES).unwrap();
    let mut medium = std::mem::replace(before.observer_mut(), parts.medium());
    let geometry: Geometry = *ftl.geometry();

    let mut again = try_build(&parts).unwrap();
    let found = AtRest {
        ftl: &ftl,
        medium: &medium,
    };
    let recovery = again.recover(SimTime::ZERO, &found).unwrap();
    let written_blocks = (0..geometry.blocks())
        .map(BlockId)
        .filter(|block| again.table.region.block_of_region(*block).is_some())
        .filter(|block| medium.write_pointer(*block) > 0);
    let written_blocks: BTreeSet<BlockId> = written_blocks.collect();
    let erased: BTreeSet<BlockId> = recovery.erased().collect();
    assert!(!written_blocks.is_empty() && written_blocks.is_subset(&erased));
    assert_eq!(recovery.reads.len() as u32, {
        let blocks = (0..geometry.blocks()).map(BlockId);
        blocks.map(|block| medium.write_pointer(block)).sum::<u32>()
    });
    let mut programs = BTreeSet::new();
    for repair in &recovery.repairs {
        match repair {
            Repair::Erase(block) => medium.erase(&[*block]).unwrap(),
            Repair::Program(page, own) => {
                assert_eq!(*own, OwnPage::Translation);
                medium.program(&[*page]).unwrap();
                programs.insert(*page);
            }
        }
    }
    let pages = again.user_pages().div_ceil(ENTRIES);
    let first = again.user_pages();
    let translation: Vec<Option<Ppn>> = (first..first + pages).map(|lpn| again.lookup(Lpn(lpn))).collect();
    let is_empty = |page: u64| {
        let entries = (page * ENTRIES..(page + 1) * ENTRIES).filter(|lpn| *lpn < first);
        entries.map(Lpn).all(|lpn| again.lookup(lpn).is_none())
    };
    for (page, place) in (0..).zip(&translation) {
        assert_eq!(place.is_none(), is_empty(page), "translation page {page}");
        assert!(place.is_none_or(|place| medium.page_state(place) == PageState::Programmed));
    }
    assert_eq!(programs, translation.iter().copied().flatten().collect());
    assert!(translation[2].is_none() && programs.len() > 10);
    for lpn in (0..first).map(Lpn) {
        assert_eq!(again.lookup(lpn), ftl.lookup(lpn));
    }

    let mut after = Functional::observed(&mut again, FunctionalOptions::default(), medium);
    work(&mut after, 6, 3_000);
    check(&again);
}

/// A controller that has all entries keeps none on flash.
#[test]
fn a_map_in_memory_is_not_written() {
    let parts = parts(60, 1 << 20);
    let mut ftl = try_build(&parts).unwrap();
    let mut before = run(&mut ftl, &parts);
    work(&mut before, 5, 500);
    let medium = std::mem::replace(before.observer_mut(), parts.medium());
    let found = AtRest {
        ftl: &ftl,
        medium: &medium,
    };
    let recovery = try_build(&parts).unwrap().recover(SimTime::ZERO, &found).unwrap();
    let is_program = |repair: &Repair| matches!(repair, Repair::Program(..));
    assert!(!recovery.repairs.iter().any(is_program));
}
