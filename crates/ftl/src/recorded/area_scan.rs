//! The scan after a power cut: which pages of journal, checkpoints and root are there (FTL specification, 8.3).

use wordline_nand::BlockId;

use super::division::Area;
use super::recovery_scan::RecoveryScan;
use crate::recovery::{FoundBlock, FoundFlash, MapRecord, OwnPage, Unsettled};

/// A root that was found.
pub(super) struct FoundRoot {
    pub(super) number: u64,
    pub(super) checkpoint: u64,
    pub(super) slot: u32,
    pub(super) includes: u64,
    pub(super) unsettled: Unsettled,
    pub(super) block: u32,
}

impl FoundRoot {
    fn of(page: OwnPage) -> Option<Self> {
        let OwnPage::Root {
            number,
            checkpoint,
            slot,
            block,
            includes,
            unsettled,
        } = page
        else {
            return None;
        };
        Some(Self {
            number,
            checkpoint,
            slot,
            includes,
            unsettled,
            block,
        })
    }
}

/// A page of the journal that was found.
pub(super) struct FoundRecords {
    pub(super) number: u64,
    pub(super) position: u64,
    pub(super) first: u64,
    pub(super) records: Vec<MapRecord>,
    pub(super) unsettled: Unsettled,
}

impl FoundRecords {
    fn of(page: OwnPage) -> Option<Self> {
        let OwnPage::Journal {
            number,
            position,
            first,
            records,
            unsettled,
        } = page
        else {
            return None;
        };
        Some(Self {
            number,
            position,
            first,
            records,
            unsettled,
        })
    }
}

impl RecoveryScan {
    /// The pages of spare blocks, which may be for any block of their plane. Notes which blocks they stand for.
    pub(super) fn spare_blocks(&mut self, flash: &dyn FoundFlash, area: &Area) -> Vec<OwnPage> {
        let mut blocks: Vec<(BlockId, FoundBlock)> = area
            .spare_blocks()
            .map(|block| (block, flash.block(block)))
            .filter(|(_, found)| !found.bad)
            .collect();
        blocks.sort_unstable_by_key(|(_, found)| found.sequence);
        let mut pages = Vec::new();
        for (block, found) in blocks {
            let of_block = (0..found.passed).map(|at| area.page_in(block, at));
            let of_block: Vec<OwnPage> = of_block.filter_map(|page| self.read_own(flash, page)).collect();
            let layout = of_block.iter().find_map(|page| area.meant_for(page, block));
            self.stands_for.extend(layout.map(|layout| (block, layout)));
            pages.extend(of_block);
        }
        pages
    }

    /// The newest root: the last one of either block that can be read, or one in a spare block.
    pub(super) fn newest_root(
        &mut self,
        flash: &dyn FoundFlash,
        area: &Area,
        in_spare: &[OwnPage],
    ) -> Option<FoundRoot> {
        let mut roots: Vec<FoundRoot> = in_spare.iter().cloned().filter_map(FoundRoot::of).collect();
        for block in [area.root_block(0), area.root_block(1)] {
            let found = flash.block(block);
            let pages = (0..found.passed).rev().map(|at| area.page_in(block, at));
            roots.extend(
                pages
                    .filter(|_| !found.bad)
                    .find_map(|page| self.read_own(flash, page).and_then(FoundRoot::of)),
            );
        }
        roots.into_iter().max_by_key(|root| root.number)
    }

    /// The pages of the journal, in the order in which they were filled.
    pub(super) fn journal(
        &mut self,
        flash: &dyn FoundFlash,
        area: &Area,
        in_spare: &[OwnPage],
    ) -> Vec<FoundRecords> {
        let mut found: Vec<FoundRecords> = in_spare.iter().cloned().filter_map(FoundRecords::of).collect();
        for block in area.journal_blocks() {
            let FoundBlock { passed, bad, .. } = flash.block(block);
            let pages = (0..passed).filter(|_| !bad).map(|at| area.page_in(block, at));
            found.extend(pages.filter_map(|page| self.read_own(flash, page).and_then(FoundRecords::of)));
        }
        found.sort_unstable_by_key(|page| page.number);
        found
    }
}
