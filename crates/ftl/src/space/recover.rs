//! Blocks as they were found after a power cut.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::FlashSpace;
use super::tenants::{Tenant, each};
use crate::block::BlockRole;
use crate::plan::Frontier;
use crate::recovery::FoundFlash;
use crate::state::archive::ArchiveError;

impl FlashSpace {
    /// Takes over blocks, of which `current` says how many pages hold current data and `frontier` which pages they were opened for, and begins to work with them; which blocks must be
    /// erased before that, because they were written to and hold nothing current. Blocks that were open are closed: what follows a
    /// torn page is not written to before the block was erased.
    pub(crate) fn recover(
        &mut self,
        now: SimTime,
        flash: &dyn FoundFlash,
        current: &[u16],
        frontier: &dyn Fn(BlockId) -> Frontier,
    ) -> Result<Vec<BlockId>, ArchiveError> {
        let blocks = (0..self.geometry.blocks()).map(BlockId);
        let found = flash.blocks(&self.geometry);
        let mut erased = Vec::new();
        self.blocks.clear_valid();
        for (block, found) in blocks.clone().zip(&found) {
            let at = block.index();
            self.blocks.frontier[at] = frontier(block).0;
            (self.blocks.written[at], self.blocks.erases[at]) = (found.passed as u16, found.erases);
            self.blocks.role[at] = match (found.bad, current[at]) {
                (true, _) => BlockRole::Bad,
                (false, 0) => BlockRole::Free,
                (false, _) => BlockRole::Closed,
            };
            if self.blocks.role[at] == BlockRole::Closed {
                each!(&mut self.tenants, tenant => tenant.found(&mut self.ground, flash, block));
            }
            if self.blocks.role[at] == BlockRole::Free && found.passed > 0 {
                self.blocks.written[at] = 0;
                self.blocks.erases[at] += 1;
                erased.push(block);
            }
            self.blocks.validate(block.0, current[at]);
        }
        let mut order: Vec<_> = blocks.collect();
        order.sort_by_key(|block| found[block.index()].sequence);
        for (rank, block) in (0..).zip(order) {
            self.blocks.closed[block.index()] = rank;
        }
        self.blocks.closings = self.geometry.blocks();
        self.ground.frontiers.recover(&self.ground.blocks);
        self.load_content(now, &[])?;
        Ok(erased)
    }
}
