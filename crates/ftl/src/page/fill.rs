//! Filling a drive from outside: how ageing gives a fresh drive a past.

use std::ops::Range;

use thiserror::Error;
use wordline_nand::{BlockId, PlaneId};
use wordline_units::SimTime;

use super::frontiers::{GC, HOST};
use super::past::{Past, Share};
use super::{PageFtl, Placement};
use crate::ageing::Pressure;
use crate::config::{GcConfig, GcFrontier, GcMode};
use crate::contract::BlockRole;
use crate::error::FtlError;
use crate::plan::{Frontier, Lpn, Scope};

/// A large memory page of 2 MiB holds half a million entries, and a thousand writes save what it takes to clear it:
/// measured with writes to random pages of an aged drive of 1 TiB, whose maps fill a thousand large pages. 200,000 of
/// them take 4.7 CPU s with small pages and 6.3 at best with large ones, 500,000 take 6.2 and 6.8: a little more than those
/// are needed.
const ENTRIES_PER_REQUEST: u64 = 400;

/// To find a page by rule takes about four times as long as to write it down with all others (measured on the preset
/// `bench`).
const PAGES_PER_REQUEST: u64 = 4;

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
    /// A logical page that the drive does not export.
    #[error("logical page {0} is beyond the exported capacity")]
    OutOfRange(u64),
    /// A logical page that another physical page holds already.
    #[error("logical page {0} is mapped already")]
    Mapped(u64),
}

/// Free blocks of a pool between which collection keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionLevels {
    /// Free blocks left when collection starts.
    pub start: u32,
    /// Whether it starts as soon as the last block above `start` is opened; otherwise when that one is full.
    pub at_opening: bool,
    /// Free blocks at which it stops.
    pub stop: u32,
    /// Free blocks that only collection may use.
    pub reserve: u32,
}

/// How an erased block is filled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling {
    pub(crate) block: BlockId,
    /// Pages programmed; one that is not full is opened.
    pub(crate) written: u32,
    /// Who wrote it, and goes on in it.
    pub(crate) frontier: Frontier,
    pub(crate) erase_count: u32,
    /// How the closed blocks follow each other in time.
    pub(crate) closed_order: u32,
}

impl PageFtl {
    /// Gives an erased block content: pages `0..written` are programmed, page i is the current
    /// version of logical page `owner_of(i)` with all its sub-pages, or invalid. A full block is
    /// closed, a partly written one can be written on by host writes. `closed_order` says how
    /// the closed blocks follow each other in time. Call `finish_fill` after the last block.
    ///
    /// # Errors
    /// The block is not free, too many pages, logical pages out of range or mapped twice; pages
    /// accepted before the offending one stay filled.
    pub fn fill_block(
        &mut self,
        block: BlockId,
        written: u32,
        owner_of: &mut dyn FnMut(u32) -> Option<Lpn>,
        erase_count: u32,
        closed_order: u32,
    ) -> Result<(), FillError> {
        self.occupy_block(&Filling {
            block,
            written,
            frontier: HOST,
            erase_count,
            closed_order,
        })?;
        let first = self.first_page(block.0);
        let full = self.geometry.full_bitmap();
        for page in 0..written {
            let Some(Lpn(lpn)) = owner_of(page) else { continue };
            if lpn >= self.capacity.user_pages {
                return Err(FillError::OutOfRange(lpn));
            }
            if self.map.is_mapped(lpn) {
                return Err(FillError::Mapped(lpn));
            }
            self.map.map(lpn, first + u64::from(page), full);
            self.blocks.validate(block.0, 1);
        }
        Ok(())
    }

    /// Says how many pages a fresh drive is going to be asked for: from some hundred for each large memory page
    /// behind the map on, the map gets these; where a good part of its pages will be looked at, what ageing leaves is written
    /// down at once.
    pub fn expect_requests(&mut self, pages: u64) {
        if pages >= self.geometry.pages() / ENTRIES_PER_REQUEST {
            self.map.ask_for_large_pages();
        }
        self.writes_down = pages >= self.geometry.pages() / PAGES_PER_REQUEST;
    }

    /// Gives a fresh drive a past: logical pages are dealt out to blocks by [`Self::deal_block`], those that
    /// leave the remainder i on division by the number of shares with share i. Until a page is
    /// written or moved it is found by rule, and takes no memory.
    pub(crate) fn deal_out(&mut self, shares: Vec<Share>) {
        let past = Past::new(shares, self.geometry.blocks(), self.geometry.pages_per_block);
        self.map.remember(past);
    }

    /// As [`Self::fill_block`]; those of the programmed pages that are `chosen` hold the next logical pages
    /// of a share.
    ///
    /// # Errors
    /// As [`Self::fill_block`].
    pub(crate) fn deal_block(
        &mut self,
        filling: &Filling,
        share: usize,
        chosen: impl FnMut(u32) -> bool,
    ) -> Result<(), FillError> {
        self.occupy_block(filling)?;
        if let Some(past) = self.map.past_mut() {
            let count = past.deal(share, filling.block.0, filling.written, chosen);
            self.blocks.validate(filling.block.0, count as u16);
        }
        Ok(())
    }

    /// Makes the first pages of an erased block programmed ones, without data as yet.
    fn occupy_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        let Filling {
            block,
            written,
            frontier,
            erase_count,
            closed_order,
        } = *filling;
        let at = block.index();
        let pages_per_block = self.geometry.pages_per_block;
        if self.blocks.role.get(at) != Some(&BlockRole::Free) {
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
        self.frontiers.withdraw(block.0);
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
    pub fn close_block(&mut self, block: BlockId) {
        if self.blocks.role.get(block.index()) == Some(&BlockRole::Open) {
            self.frontiers.abandon(&mut self.blocks, block.0);
        }
    }

    /// Completes a filling: closed blocks become candidates, watermarks are looked at.
    pub fn finish_fill(&mut self, now: SimTime) {
        if self.writes_down {
            self.map.write_down(self.geometry.blocks());
        }
        self.blocks.rebuild();
        for pool in 0..self.pools() {
            self.review(pool, now);
        }
    }

    /// Sets how often a block was erased so far.
    pub fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        let old = std::mem::replace(&mut self.blocks.erases[block.index()], erases);
        let pool = &mut self.pools[self.blocks.pool_of(block.0) as usize];
        pool.erases = pool.erases - u64::from(old) + u64::from(erases);
    }

    /// From now on notes when each block was last programmed, for [`Self::take_program_times`].
    pub fn record_program_times(&mut self) {
        self.blocks.programmed = vec![0; self.geometry.blocks() as usize];
    }

    /// When each block was last programmed, by flat number, and the end of the noting; nothing where it was not
    /// asked for.
    pub fn take_program_times(&mut self) -> Vec<SimTime> {
        let times = std::mem::take(&mut self.blocks.programmed);
        times.into_iter().map(SimTime).collect()
    }

    /// Sets when a block was last written to, where the victim policy goes by that or it is noted.
    pub fn set_last_write(&mut self, block: BlockId, at: SimTime) {
        if let Some(programmed) = self.blocks.programmed.get_mut(block.index()) {
            *programmed = at.ns();
        }
        if let Some(since) = self.blocks.since.get_mut(block.index()) {
            *since = at.ns();
        }
    }

    /// How garbage collection is configured.
    #[must_use]
    pub const fn gc_config(&self) -> &GcConfig {
        &self.config.gc
    }

    /// Collection pools of the drive.
    #[must_use]
    pub fn pools(&self) -> u32 {
        self.pools.len() as u32
    }

    /// The blocks of a pool, by flat number.
    #[must_use]
    pub fn pool_blocks(&self, pool: u32) -> Range<u32> {
        self.blocks.of_pool(pool)
    }

    /// The planes of a pool, by flat number.
    #[must_use]
    pub const fn pool_planes(&self, pool: u32) -> Range<u32> {
        let planes = self.capacity.planes_per_pool;
        pool * planes..(pool + 1) * planes
    }

    /// Free blocks of a pool now.
    #[must_use]
    pub fn free_blocks(&self, pool: u32) -> u32 {
        self.pools[pool as usize].free
    }

    /// Free blocks of a pool that only collection may use.
    #[must_use]
    pub const fn reserve_blocks(&self) -> u32 {
        self.capacity.watermarks.reserve
    }

    /// Free blocks of a pool between which collection keeps it in the long run: that which goes ahead of the host where it
    /// is `urgent` or there is no other.
    #[must_use]
    pub const fn collection_levels(&self, urgent: bool) -> CollectionLevels {
        let marks = self.capacity.watermarks;
        let ahead = urgent || matches!(self.config.gc.mode, GcMode::Foreground);
        let start = (if ahead { marks.hard } else { marks.low }).saturating_sub(1);
        let at_opening = start >= marks.reserve;
        CollectionLevels {
            start: if at_opening { start } else { marks.reserve },
            at_opening,
            // a host program that found no page is content with one block
            stop: if at_opening { marks.high } else { marks.reserve + 1 },
            reserve: marks.reserve,
        }
    }

    /// Whether collection under a pressure goes ahead of the host, as far as the mode leaves a choice.
    pub(crate) const fn is_urgent(&self, pressure: Pressure) -> bool {
        matches!(self.config.gc.mode, GcMode::Foreground) || !pressure.keeps_up
    }

    /// The frontiers that host writes and relocated pages have, with an open block in each plane.
    pub(crate) fn write_frontiers(&self) -> impl Iterator<Item = Frontier> + use<> {
        let own = self.config.gc.frontier == GcFrontier::Separate;
        std::iter::once(HOST).chain(own.then_some(GC))
    }

    /// Has a pool of a drive that was filled in the middle of a collection, `urgent` or not, which has moved some of the
    /// pages of `victim`, if that is named. Call it after `finish_fill`.
    pub(crate) fn go_on_collecting(
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
        }
        self.review(pool, now);
    }

    /// Where allocation may put a logical page.
    #[must_use]
    pub fn home(&self, lpn: Lpn) -> Scope {
        self.host_scope(lpn)
    }

    /// Whether a logical page keeps its plane for life.
    #[must_use]
    pub const fn is_static(&self) -> bool {
        matches!(self.placement, Placement::Static(_))
    }

    /// The plane of a block.
    #[must_use]
    pub fn plane_of(&self, block: BlockId) -> PlaneId {
        self.geometry.plane_of(block)
    }

    /// Checks that collection can reach its goal when all user pages hold data, as they do on a
    /// pre-filled drive; otherwise it would copy without end.
    ///
    /// # Errors
    /// `ftl.gc.high` is not below the share of spare blocks.
    pub fn check_prefilled(&self) -> Result<(), FtlError> {
        self.check_filled(self.capacity.user_pages)
    }

    /// The same when `pages` of the user pages hold data.
    ///
    /// # Errors
    /// `ftl.gc.high` is not below the share of blocks that they leave.
    pub fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        self.capacity
            .check_filled(&self.geometry, self.config.gc.frontier, pages)
    }
}
