//! After a power cut: the map from the spare areas of the pages of superblocks (FTL specification, 8.3).

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::layout::Layout;
use super::{StripedFtl, is_padding};
use crate::block::BlockRole;
use crate::contract::{Ftl, Inspect, Recoverable};
use crate::mapping::found_together::FoundTogether;
use crate::plan::Step;
use crate::recovery::{FoundBlock, FoundFlash, Recovery, RecoveryError, SpareArea, Written};

/// The flash as the FTL of the superblocks is shown it.
struct FoundSuperblocks<'a> {
    layout: &'a Layout,
    flash: &'a dyn FoundFlash,
    together: FoundTogether,
}

impl<'a> FoundSuperblocks<'a> {
    fn new(layout: &'a Layout, flash: &'a dyn FoundFlash) -> Self {
        let superblocks = (0..layout.superblocks().blocks()).map(BlockId);
        let members =
            superblocks.map(|superblock| layout.members(superblock).map(|(_, block)| block).collect());
        Self {
            together: FoundTogether::new(flash, layout.flash(), members.collect()),
            layout,
            flash,
        }
    }
}

impl FoundFlash for FoundSuperblocks<'_> {
    /// Pages that no program has reached are given up where the superblock has begun.
    fn block(&self, superblock: BlockId) -> FoundBlock {
        let has_begun = u32::from(self.together.has_begun(superblock));
        let passed = has_begun * self.layout.superblocks().pages_per_block;
        self.together.as_block(superblock, passed)
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        if self
            .together
            .is_partly_erased(self.layout.superblocks().block_of(page))
        {
            return None;
        }
        self.flash.spare_area(self.layout.page_of_flash(page))
    }
}

impl Recoverable for StripedFtl {
    fn written(&self, step: &Step, page: Ppn) -> Option<Written> {
        match self.layout.page_of_superblock(page) {
            Some(page) if !is_padding(step) => self.pages.written(&self.to_superblocks(step), page),
            // parity names its superpage, and a page without data nothing
            _ => Some(Written::Data(SpareArea {
                lpn: step.lpn,
                version: 0,
                write: 0,
                sectors: 0,
                slc: false,
            })),
        }
    }

    /// Which of its pages have no parity is learned from spare areas.
    fn is_unsettled(&self, block: BlockId) -> bool {
        let superblock = self.layout.membership(block);
        superblock.is_some_and(|(superblock, _)| self.broken_of(superblock).next().is_some())
    }

    fn number_write(&mut self, _number: u64) {}

    /// The members of a superblock are erased together.
    fn fail_block(&mut self, block: BlockId) {
        self.fail_member(block);
        if let Some((superblock, _)) = self.layout.membership(block) {
            self.pages.space.fail_block(superblock.0);
            self.keep_if_replaced(superblock);
        }
    }

    fn may_fail(&self, _step: &Step) -> bool {
        true
    }

    /// Builds a fresh mapping anew.
    ///
    /// # Errors
    /// As for `PageFtl`.
    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        let layout = self.layout.clone();
        let found = FoundSuperblocks::new(&layout, flash);
        let erased = self.pages.map_spare_areas(now, &found)?;
        for block in (0..layout.flash().blocks()).map(BlockId) {
            let (superblock, _) = layout.superblock_of(block);
            let left = layout.flash().pages_per_block - found.together.of_block(block).passed;
            if left > 0 && self.pages.block(superblock).role == BlockRole::Closed {
                self.given_up.insert(block, left);
            }
        }
        if self.layout.has_parity() {
            self.find_parity(&found);
        }
        Ok(Recovery {
            reads: flash.passed_pages(self.geometry()),
            repairs: found.together.erase(erased.into_iter()),
        })
    }
}

impl StripedFtl {
    /// Superpages of which a page is not there have no parity: a program of theirs was cut off, had not begun or has failed. Also where the parity of the others is on flash, as it fits to none but all of them.
    fn find_parity(&mut self, found: &FoundSuperblocks<'_>) {
        let (layout, flash) = (found.layout, found.layout.flash());
        for superblock in (0..layout.superblocks().blocks()).map(BlockId) {
            if self.pages.block_use(superblock).role != BlockRole::Closed {
                continue;
            }
            for (superpage, number) in (0..).zip(layout.numbers_of(superblock)) {
                let mut pages = layout
                    .members(superblock)
                    .map(|(_, block)| flash.page(block, superpage));
                if !pages.all(|page| found.flash.is_whole(page)) {
                    self.recovery.broken.insert(number);
                }
            }
        }
    }
}
