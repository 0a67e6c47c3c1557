//! After a power cut: the map from the spare areas of the pages of superblocks (FTL specification, 8.3).

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::layout::Layout;
use super::{StripedFtl, is_padding};
use crate::block::BlockRole;
use crate::contract::{Ftl, Inspect, Recoverable};
use crate::plan::Step;
use crate::recovery::{FoundBlock, FoundFlash, Recovery, RecoveryError, Repair, SpareArea, Written};

/// The flash as the FTL of the superblocks is shown it.
///
/// The members of a superblock are erased one by one. One of which some are erased and others not holds nothing current, as it is erased when all that it
/// held is elsewhere. Then its members differ in how often they were erased, and at no other time.
struct FoundSuperblocks<'a> {
    layout: &'a Layout,
    flash: &'a dyn FoundFlash,
    /// What was found of every block of flash, each looked at once.
    blocks: Vec<FoundBlock>,
    /// By superblock: whether some of its members are erased and others not.
    partly_erased: Vec<bool>,
}

impl<'a> FoundSuperblocks<'a> {
    fn new(layout: &'a Layout, flash: &'a dyn FoundFlash) -> Self {
        let blocks = flash.blocks(layout.flash());
        let differ = |superblock| {
            let mut erases = layout
                .members(superblock)
                .map(|(_, block)| blocks[block.index()].erases);
            let first = erases.next();
            erases.any(|other| Some(other) != first)
        };
        let superblocks = (0..layout.superblocks().blocks()).map(BlockId);
        Self {
            layout,
            flash,
            partly_erased: superblocks.map(differ).collect(),
            blocks,
        }
    }

    fn member(&self, block: BlockId) -> FoundBlock {
        self.blocks[block.index()]
    }

    /// How often the members of a superblock have been erased when it is erased next, or as it is where nothing is in it: the same for all, also where an erase that failed counts
    /// and was not repeated.
    fn erases_when_erased(&self, superblock: BlockId) -> u32 {
        let members = self.layout.members(superblock);
        let members = members.map(|(_, block)| self.member(block));
        let erases = members.map(|member| member.erases + u32::from(member.passed > 0));
        erases.max().unwrap_or(0)
    }
}

impl FoundFlash for FoundSuperblocks<'_> {
    /// Pages that no program has reached are given up where the superblock has begun.
    fn block(&self, superblock: BlockId) -> FoundBlock {
        let members = self
            .layout
            .members(superblock)
            .map(|(_, block)| self.member(block));
        let members: Vec<FoundBlock> = members.collect();
        let written = || members.iter().filter(|member| member.passed > 0);
        let has_begun = written().count() > 0 || self.partly_erased[superblock.index()];
        FoundBlock {
            passed: u32::from(has_begun) * self.layout.superblocks().pages_per_block,
            erases: self
                .erases_when_erased(superblock)
                .saturating_sub(u32::from(has_begun)),
            sequence: written().map(|member| member.sequence).min().unwrap_or(0),
            bad: members.iter().any(|member| member.bad),
        }
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        if self.partly_erased[self.layout.superblocks().block_of(page).index()] {
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
            let left = layout.flash().pages_per_block - found.member(block).passed;
            if left > 0 && self.pages.block(superblock).role == BlockRole::Closed {
                self.given_up.insert(block, left);
            }
        }
        if self.layout.has_parity() {
            self.find_parity(&found);
        }
        let mut repairs = Vec::new();
        for superblock in erased {
            let erases = found.erases_when_erased(superblock);
            for (_, block) in layout.members(superblock) {
                let left = erases.saturating_sub(found.member(block).erases);
                repairs.extend((0..left).map(|_| Repair::Erase(block)));
            }
        }
        Ok(Recovery {
            reads: flash.passed_pages(self.geometry()),
            repairs,
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
