//! Filling a drive from outside: how ageing puts a fresh drive into a later state.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::PageFtl;
use crate::block::BlockRole;
use crate::contract::{Ageable, AssignByRule, Inspect};
use crate::error::FtlError;
use crate::map::{OwnersByRule, PermutedMap, Share};
use crate::plan::{Lpn, Scope};
use crate::space::{FillError, Filling, FlashSpace};

/// A large memory page of 2 MiB holds half a million entries, and a thousand writes save what it takes to clear it:
/// measured with writes to random pages of an aged drive of 1 TiB, whose maps fill a thousand large pages. 200,000 of
/// them take 4.7 CPU s with small pages and 6.3 at best with large ones, 500,000 take 6.2 and 6.8: a little more than those
/// are needed.
const ENTRIES_PER_REQUEST: u64 = 400;

/// To find a page by rule takes about four times as long as to write it down with all others (measured on the preset
/// `bench`).
const PAGES_PER_REQUEST: u64 = 4;

impl Ageable for PageFtl {
    /// From some hundred requests for each large memory page behind the map on, the map gets large pages; where a good
    /// part of its entries will be looked at, what ageing assigns is written into the map at once.
    fn expect_requests(&mut self, pages: u64) {
        let all = self.space.geometry.pages();
        if pages >= all / ENTRIES_PER_REQUEST {
            self.map.ask_for_large_pages();
        }
        self.materializes = pages >= all / PAGES_PER_REQUEST;
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.space.set_erase_count(block, erases);
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        self.space.occupy_block(filling)?;
        self.space.close_block(filling.block);
        Ok(())
    }

    fn finish_fill(&mut self, now: SimTime) {
        if self.materializes {
            self.map.drop_rule();
        }
        self.space.finish_fill(now);
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        let space = &self.space;
        space
            .capacity
            .check_filled(&space.geometry, space.gc.frontier, pages)
    }

    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        // pages that were told apart are not where the closed form has them, and pools that lack blocks have none
        let is_whole = !self.space.blocks.role.contains(&BlockRole::Bad);
        (is_whole && !self.separation.is_on()).then_some(self as _)
    }

    fn owners_by_rule(&self) -> Option<OwnersByRule> {
        self.map.owners_by_rule()
    }
}

impl AssignByRule for PageFtl {
    fn planes_of(&self, lpn: Lpn) -> Scope {
        self.home(lpn)
    }

    fn space(&self) -> &FlashSpace {
        &self.space
    }

    fn space_mut(&mut self) -> &mut FlashSpace {
        &mut self.space
    }

    fn begin_assignment(&mut self, shares: Vec<Share>) {
        let geometry = &self.space.geometry;
        let permuted = PermutedMap::new(shares, geometry.blocks(), geometry.pages_per_block);
        self.map.assign_by_rule(permuted);
    }

    fn assign_block(&mut self, filling: &Filling, share: usize, chosen: &[u64]) -> Result<(), FillError> {
        self.space.occupy_block(filling)?;
        let count = self.map.assign(share, filling.block.0, filling.written, chosen);
        self.space.blocks.validate(filling.block.0, count as u16);
        if self.materializes {
            self.map.materialize_block(filling.block.0);
        }
        Ok(())
    }

    fn set_last_write(&mut self, block: BlockId, at: SimTime) {
        self.space.blocks.set_last_write(block, at);
    }
}
