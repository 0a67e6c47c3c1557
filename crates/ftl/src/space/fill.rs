//! Filling from outside: how ageing puts blocks into the state that they would have come to.

use thiserror::Error;
use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::FlashSpace;
use super::tenants::{Tenant, each};
use crate::block::BlockRole;
use crate::config::GcMode;
use crate::plan::Frontier;

/// A filling that makes no sense.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FillError {
    /// The block is not erased.
    #[error("{0} is not free")]
    NotFree(BlockId),
    /// More pages than a block has.
    #[error("{written} pages do not fit in a block of {pages_per_block}")]
    TooManyPages {
        /// Pages asked for.
        written: u32,
        /// Pages of a block.
        pages_per_block: u32,
    },
}

/// How an erased block is filled.
#[derive(Clone, Copy, Debug)]
pub struct Filling {
    /// The block.
    pub block: BlockId,
    /// Pages programmed; a block that is not full is opened.
    pub written: u32,
    /// The frontier that wrote the block, and continues in it.
    pub frontier: Frontier,
    /// Erases so far.
    pub erase_count: u32,
    /// How the closed blocks follow each other in time.
    pub closed_order: u32,
}

impl FlashSpace {
    /// Makes the first pages of an erased block programmed ones, without data as yet.
    pub(crate) fn occupy_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        let Filling {
            block,
            written,
            frontier,
            erase_count,
            closed_order,
        } = *filling;
        let (at, pool) = (block.index(), self.blocks.pool_of(block.0));
        let pages_per_block = self.geometry.pages_per_block;
        // those that are kept for the SLC cache are not to be filled
        if self.blocks.role.get(at) != Some(&BlockRole::Free) || self.pools[pool as usize].free == 0 {
            return Err(FillError::NotFree(block));
        }
        if written > pages_per_block {
            return Err(FillError::TooManyPages {
                written,
                pages_per_block,
            });
        }
        self.set_erase_count(block, erase_count);
        if written == 0 {
            return Ok(());
        }
        self.frontiers.take_free(block.0);
        let frontier = self.frontiers.of_block(frontier, block.0);
        self.pools[pool as usize].free -= 1;
        self.blocks.written[at] = written as u16;
        self.blocks.closed[at] = closed_order;
        self.blocks.closings = self.blocks.closings.max(closed_order.saturating_add(1));
        self.blocks.frontier[at] = frontier.0;
        self.blocks.role[at] = if written == pages_per_block {
            BlockRole::Closed
        } else {
            // Writes of its frontier go on in it, and open no free block before it is full.
            let plane = self.blocks.plane_of(block.0);
            let ground = &mut self.ground;
            ground
                .frontiers
                .open(&mut ground.blocks, plane, frontier, block.0);
            BlockRole::Open
        };
        Ok(())
    }

    /// Closed blocks become candidates for collection, and pools are compared with their watermarks.
    pub(crate) fn finish_fill(&mut self, now: SimTime) {
        self.blocks.rebuild();
        for pool in 0..self.pools.len() as u32 {
            self.update_urgency(pool, now);
        }
    }

    /// Puts a pool of a drive that was filled in the middle of a collection, `urgent` or not, which has moved some of the
    /// pages of `victim`, if that is named. Call it after `finish_fill`.
    pub(crate) fn start_collecting(
        &mut self,
        pool: u32,
        victim: Option<BlockId>,
        urgent: bool,
        now: SimTime,
    ) {
        let levels = self.collection_levels(urgent);
        self.pools[pool as usize].start_collecting(&levels, urgent);
        if let Some(victim) = victim.filter(|victim| self.blocks.is_candidate(victim.0)) {
            self.begin_moving(pool, victim.0, None);
            if self.gc.mode == GcMode::Partial {
                // some of its pages were moved already, which do not count as gained
                let like_others = self.geometry.pages_per_block - self.blocks.least_valid(pool).unwrap_or(0);
                let slack = &mut self.pools[pool as usize].slack;
                *slack = (*slack).min(like_others);
            }
        }
        self.update_urgency(pool, now);
    }

    /// A block is going to be emptied, onto a block of wear levelling's choice where that is named.
    pub(crate) fn begin_moving(&mut self, pool: u32, victim: u32, onto: Option<u32>) {
        self.blocks.exclude_candidate(victim);
        let spare = self.blocks.pages_of(victim) - self.blocks.valid(victim);
        self.go_on_moving(pool, victim, 0, onto, spare);
    }

    /// A block is emptied from page `next` on, which had `spare` pages without current data when it was taken for that.
    pub(crate) fn go_on_moving(&mut self, pool: u32, victim: u32, next: u32, onto: Option<u32>, spare: u32) {
        each!(&mut self.tenants, tenant => tenant.begins_moving(pool, victim));
        // the last program may be padded
        let gain = 2 * self.geometry.pages_per_program - 1;
        let state = &mut self.pools[pool as usize];
        // A wear move fills one block; a collection must gain a program.
        state.slack = if onto.is_some() {
            spare
        } else {
            spare.saturating_sub(gain)
        };
        state.activity = super::Activity::Moving { victim, next, onto };
    }
}
