//! Filling from outside: how ageing puts blocks into the state that they would have come to.

use thiserror::Error;
use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::{FlashSpace, GC, HOST};
use crate::block::BlockRole;
use crate::config::{GcFrontier, GcMode};
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
        let at = block.index();
        let pages_per_block = self.geometry.pages_per_block;
        // those that are kept for the SLC cache are not to be filled
        let has_free = |pool: u32| self.pools[pool as usize].free > 0;
        if self.blocks.role.get(at) != Some(&BlockRole::Free) || !has_free(self.blocks.pool_of(block.0)) {
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
        self.pools[self.blocks.pool_of(block.0) as usize].free -= 1;
        self.blocks.written[at] = written as u16;
        self.blocks.closed[at] = closed_order;
        self.blocks.closings = self.blocks.closings.max(closed_order.saturating_add(1));
        self.blocks.frontier[at] = frontier.0;
        self.blocks.role[at] = if written == pages_per_block {
            BlockRole::Closed
        } else {
            // Writes of its frontier go on in it, and open no free block before it is full.
            let plane = self.blocks.plane_of(block.0);
            self.frontiers.open(&mut self.blocks, plane, frontier, block.0);
            BlockRole::Open
        };
        Ok(())
    }

    /// Closes a partly written block as it is: its free pages come back when it is erased.
    pub(crate) fn close_block(&mut self, block: BlockId) {
        if self.blocks.role.get(block.index()) == Some(&BlockRole::Open) {
            self.frontiers.close_early(&mut self.blocks, block.0);
        }
    }

    /// Closed blocks become candidates for collection, and pools are compared with their watermarks.
    pub(crate) fn finish_fill(&mut self, now: SimTime) {
        self.blocks.rebuild();
        for pool in 0..self.pools.len() as u32 {
            self.update_urgency(pool, now);
        }
    }

    /// Sets how often a block was erased so far.
    pub(crate) fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        let old = std::mem::replace(&mut self.blocks.erases[block.index()], erases);
        let pool = &mut self.pools[self.blocks.pool_of(block.0) as usize];
        pool.erases = pool.erases - u64::from(old) + u64::from(erases);
    }

    /// From now on records when each block was last programmed.
    pub(crate) fn record_program_times(&mut self) {
        self.blocks.programmed = vec![0; self.geometry.blocks() as usize];
    }

    /// When each block was last programmed, by flat number, and the end of the recording.
    pub(crate) fn take_program_times(&mut self) -> Vec<SimTime> {
        let times = std::mem::take(&mut self.blocks.programmed);
        times.into_iter().map(SimTime).collect()
    }

    /// Whether collection under a load with which it `keeps_up` goes ahead of the host, as far as the mode leaves a choice.
    pub(crate) const fn is_urgent(&self, keeps_up: bool) -> bool {
        matches!(self.gc.mode, GcMode::Foreground) || !keeps_up
    }

    /// The frontiers that host writes and relocated pages have, with an open block in each plane.
    pub(crate) fn write_frontiers(&self) -> impl Iterator<Item = Frontier> + use<> {
        let own = self.gc.frontier == GcFrontier::Separate;
        std::iter::once(HOST).chain(own.then_some(GC))
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
        if let Some(placement) = &mut self.placement {
            placement.begin_moving(pool, victim);
        }
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
