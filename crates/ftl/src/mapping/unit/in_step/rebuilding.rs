//! After a power cut: the map from the spare areas of the pages of multi-plane blocks (FTL specification, 8.3).

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::InStepFtl;
use super::layout::Layout;
use crate::block::BlockRole;
use crate::contract::{Ftl, Inspect, Recoverable};
use crate::mapping::found_together::FoundTogether;
use crate::plan::Step;
use crate::recovery::{FoundBlock, FoundFlash, Recovery, RecoveryError, SpareArea, Written};

/// The flash as the FTL of the merged planes is shown it.
struct FoundRows<'a> {
    layout: &'a Layout,
    flash: &'a dyn FoundFlash,
    together: FoundTogether,
}

impl<'a> FoundRows<'a> {
    fn new(layout: &'a Layout, flash: &'a dyn FoundFlash) -> Self {
        let members = |merged: BlockId| {
            let is_formed = !layout.missing().contains(&merged);
            layout
                .members(merged)
                .iter()
                .copied()
                .filter(|_| is_formed)
                .collect()
        };
        let merged = (0..layout.merged().blocks()).map(BlockId);
        Self {
            together: FoundTogether::new(flash, layout.flash(), merged.map(members).collect()),
            layout,
            flash,
        }
    }
}

impl FoundFlash for FoundRows<'_> {
    /// Pages before the last one that is not erased are passed, also those that no program has reached.
    fn block(&self, merged: BlockId) -> FoundBlock {
        let planes = self.layout.planes();
        let written = (0..)
            .zip(self.together.members(merged))
            .filter(|(_, member)| member.passed > 0);
        let passed = written.map(|(plane, member): (u32, _)| (member.passed - 1) * planes + plane + 1);
        let least = u32::from(self.together.has_begun(merged));
        self.together.as_block(merged, passed.max().unwrap_or(least))
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        self.unit(page, 0)
    }

    fn unit(&self, page: Ppn, place: u32) -> Option<SpareArea> {
        if self
            .together
            .is_partly_erased(self.layout.merged().block_of(page))
        {
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
        Ok(Recovery {
            reads: flash.passed_pages(self.geometry()),
            repairs: found.together.erase(of_merged.erased()),
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
            for (plane, member) in (0..).zip(found.together.members(merged)) {
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
