//! After a power cut: the map from the spare areas of the pages of multi-plane blocks (FTL specification, 8.3).

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::InStepFtl;
use super::layout::Layout;
use crate::block::BlockRole;
use crate::contract::{Ftl, Inspect, Recoverable};
use crate::plan::Step;
use crate::recovery::{FoundBlock, FoundFlash, Recovery, RecoveryError, Repair, SpareArea, Written};

/// The flash as the FTL of the merged planes is shown it.
///
/// The blocks of a multi-plane block are erased by a command each. One of which some are erased and others not holds nothing current, as it is erased when all that it held is
/// elsewhere. Then its blocks differ in how often they were erased, and at no other time.
struct FoundRows<'a> {
    layout: &'a Layout,
    flash: &'a dyn FoundFlash,
    /// What was found of every block of flash, each looked at once.
    blocks: Vec<FoundBlock>,
    /// By multi-plane block: whether some of its blocks are erased and others not.
    partly_erased: Vec<bool>,
}

impl<'a> FoundRows<'a> {
    fn new(layout: &'a Layout, flash: &'a dyn FoundFlash) -> Self {
        let mut found = Self {
            layout,
            flash,
            blocks: flash.blocks(layout.flash()),
            partly_erased: Vec::new(),
        };
        let differ = |merged| {
            let mut erases = found.members(merged).map(|member| member.erases);
            let first = erases.next();
            erases.any(|other| Some(other) != first)
        };
        found.partly_erased = (0..layout.merged().blocks()).map(BlockId).map(differ).collect();
        found
    }

    /// What was found of the blocks of a multi-plane block, plane by plane; nothing of one that cannot be formed.
    fn members(&self, merged: BlockId) -> impl Iterator<Item = FoundBlock> {
        let is_formed = !self.layout.missing().contains(&merged);
        let members = self.layout.members(merged).iter().filter(move |_| is_formed);
        members.map(|block| self.blocks[block.index()])
    }

    /// How often the blocks of a multi-plane block have been erased when it is erased next, or as it is where nothing is in it: the same for all.
    fn erases_when_erased(&self, merged: BlockId) -> u32 {
        let erases = self
            .members(merged)
            .map(|member| member.erases + u32::from(member.passed > 0));
        erases.max().unwrap_or(0)
    }

    fn has_begun(&self, merged: BlockId) -> bool {
        self.partly_erased[merged.index()] || self.members(merged).any(|member| member.passed > 0)
    }
}

impl FoundFlash for FoundRows<'_> {
    /// Pages before the last one that is not erased are passed, also those that no program has reached.
    fn block(&self, merged: BlockId) -> FoundBlock {
        let planes = self.layout.planes();
        let written = || {
            (0..)
                .zip(self.members(merged))
                .filter(|(_, member)| member.passed > 0)
        };
        let passed = written().map(|(plane, member): (u32, _)| (member.passed - 1) * planes + plane + 1);
        let has_begun = self.has_begun(merged);
        FoundBlock {
            passed: passed.max().unwrap_or(u32::from(has_begun)),
            erases: self
                .erases_when_erased(merged)
                .saturating_sub(u32::from(has_begun)),
            sequence: written().map(|(_, member)| member.sequence).min().unwrap_or(0),
            bad: self.members(merged).next().is_none() || self.members(merged).any(|member| member.bad),
        }
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        self.unit(page, 0)
    }

    fn unit(&self, page: Ppn, place: u32) -> Option<SpareArea> {
        if self.partly_erased[self.layout.merged().block_of(page).index()] {
            return None;
        }
        self.flash.unit(self.layout.page_of_flash(page), place)
    }
}

impl Recoverable for InStepFtl {
    fn written(&self, step: &Step, page: Ppn) -> Option<Written> {
        self.merged.written(step, self.layout.page_of_merged(page)?)
    }

    fn is_unsettled(&self, _block: BlockId) -> bool {
        false
    }

    fn number_write(&mut self, number: u64) {
        self.merged.number_write(number);
    }

    /// The blocks of a multi-plane block are retired together.
    fn fail_block(&mut self, block: BlockId) {
        if let Some((merged, _)) = self.layout.home(block) {
            self.merged.fail_block(merged);
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
        let found = FoundRows::new(&layout, flash);
        let of_merged = self.merged.recover(now, &found)?;
        self.pass_over(&found);
        let mut repairs = Vec::new();
        for merged in of_merged.erased() {
            let erases = found.erases_when_erased(merged);
            for block in layout.members(merged) {
                let left = erases.saturating_sub(found.blocks[block.index()].erases);
                repairs.extend((0..left).map(|_| Repair::Erase(*block)));
            }
        }
        Ok(Recovery {
            reads: flash.passed_pages(self.geometry()),
            repairs,
        })
    }
}

impl InStepFtl {
    /// Pages of closed blocks that no program has reached, although one has reached a page behind them, are given up.
    fn pass_over(&mut self, found: &FoundRows<'_>) {
        let (layout, per_page) = (found.layout, self.per_page());
        for merged in (0..layout.merged().blocks()).map(BlockId) {
            if self.merged.block_use(merged).role != BlockRole::Closed {
                continue;
            }
            let passed = found.block(merged).passed;
            for (plane, member) in (0..).zip(found.members(merged)) {
                for row in member.passed..layout.pages_in_plane(plane, passed) {
                    let page = layout.merged().page(merged, row * layout.planes() + plane);
                    for unit in page.0 * per_page..(page.0 + 1) * per_page {
                        self.merged.units.map.skip(unit);
                    }
                }
            }
        }
    }
}
