//! Filling a drive from outside, saving it and loading it.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::logs::LogUse;
use super::{LogFtl, NONE};
use crate::block::BlockRole;
use crate::contract::{Ftl, Mapping, Persist};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::map::Relocate;
use crate::mapping::whole_blocks::check_filled;
use crate::recovery::{FoundFlash, Recovery, RecoveryError};
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent, require};

/// Data are written: there is no closed form.
impl Mapping for LogFtl {
    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.space.set_erase_count(block, erases);
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        self.space.occupy_block(filling)?;
        self.space.close_block(filling.block);
        let plane = self.space.blocks.pool_of(filling.block.0);
        self.planes[plane as usize].dead.push(filling.block.0);
        Ok(())
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.space.finish_fill(now);
    }

    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        self.rebuild(now, flash)
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        check_filled(&self.space.capacity, &self.space.geometry, pages)
    }

    fn reset_counters(&mut self) {
        self.space.counters = FtlCounters::default();
    }

    fn record_program_times(&mut self) {
        self.space.record_program_times();
    }

    fn take_program_times(&mut self) -> Vec<SimTime> {
        self.space.take_program_times()
    }
}

impl Persist for LogFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        self.map.archive(archive, self.space.geometry.blocks())?;
        self.space.archive_blocks(archive)?;
        archive.table(&mut self.data)?;
        archive.table(&mut self.planes)?;
        if archive.is_loading() {
            for lpn in 0..self.user_pages() {
                if let Some(page) = self.map.lookup(lpn) {
                    self.space.validate_loaded(page)?;
                }
            }
            self.check_blocks()?;
        }
        self.space.archive_work(now, extent, archive)?;
        if archive.is_loading() {
            match extent {
                Extent::Everything => self.check_merges()?,
                Extent::Content => self.drop_merges(),
            }
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.space.latest()
    }

    fn mapping(&self) -> &'static str {
        self.name
    }
}

impl LogFtl {
    /// Checks what was loaded of blocks: each is a data block, a log block or dead once, in the plane of its pages, and open
    /// ones are data or log blocks. Pages of data blocks, and of log blocks in place, have their own offsets.
    fn check_blocks(&self) -> Result<(), ArchiveError> {
        let blocks = &self.space.blocks;
        let mut uses = vec![0_u8; blocks.role.len()];
        let mut count = |block: u32, plane: u32| {
            let used = uses.get_mut(block as usize);
            let is_first = used.is_some_and(|used| std::mem::replace(used, 1) == 0);
            require(
                is_first && blocks.pool_of(block) == plane,
                "a block that is used twice, or that its plane does not have",
            )?;
            let role = blocks.role[block as usize];
            require(
                matches!(role, BlockRole::Open | BlockRole::Closed),
                "a block in use that is erased or bad",
            )
        };
        for (logical, block) in (0..).zip(&self.data) {
            if *block != NONE {
                count(*block, self.plane_of(logical))?;
                self.check_in_place(*block, logical)?;
            }
        }
        for (number, plane) in (0..).zip(&self.planes) {
            for log in &plane.logs {
                count(log.block, number)?;
                let written = usize::from(blocks.written[log.block as usize]);
                let is_past = log.numbers.iter().all(|write| *write <= plane.writes);
                require(
                    is_past && log.numbers.len() <= written,
                    "a log block with writes that it has not seen",
                )?;
                if let Some(logical) = log.in_place {
                    self.check_in_place(log.block, logical)?;
                }
            }
            for block in &plane.dead {
                count(*block, number)?;
                let is_dead = blocks.valid(*block) == 0 && blocks.role[*block as usize] == BlockRole::Closed;
                require(is_dead, "a block to be erased that is in use")?;
            }
        }
        let is_known = |(role, used): (&BlockRole, &u8)| {
            !matches!(role, BlockRole::Open | BlockRole::Closed) || *used == 1
        };
        let all = blocks.role.iter().zip(&uses).all(is_known);
        require(all, "a block that belongs to nothing")?;
        for lpn in 0..self.user_pages() {
            if let Some(page) = self.map.lookup(lpn) {
                let plane = self.plane_of(self.split(lpn).0);
                let block = blocks.block_of(page);
                require(blocks.pool_of(block) == plane, "a page outside its plane")?;
            }
        }
        Ok(())
    }

    fn check_in_place(&self, block: u32, logical: u32) -> Result<(), ArchiveError> {
        require(
            (logical as usize) < self.data.len(),
            "a logical block that the drive does not have",
        )?;
        let expected = self.pages_of(logical);
        let mut pages = self.space.passed(block).zip(expected);
        let fits = |(page, lpn)| self.map.owner(page).is_none_or(|owner| owner == lpn);
        require(pages.all(fits), "a page that is not in its place")
    }

    fn check_merges(&self) -> Result<(), ArchiveError> {
        let pages_per_block = self.space.geometry.pages_per_block;
        for (number, plane) in (0..).zip(&self.planes) {
            let is_log = |block: u32| plane.logs.iter().any(|log| log.block == block);
            let Some(merge) = &plane.merge else {
                continue;
            };
            let is_target = plane
                .logs
                .iter()
                .any(|log| log.block == merge.target && log.in_place == Some(merge.logical));
            let own = (merge.logical as usize) < self.data.len()
                && self.plane_of(merge.logical) == number
                && is_target
                && plane.reclaimed.is_some_and(is_log)
                && merge.next <= pages_per_block;
            require(own, "a merge of blocks that cannot be merged")?;
        }
        Ok(())
    }

    /// Forgets merges under way: their targets are log blocks like others.
    fn drop_merges(&mut self) {
        for plane in &mut self.planes {
            (plane.merge, plane.reclaimed) = (None, None);
            for log in &mut plane.logs {
                if log.used_for == LogUse::Target {
                    log.used_for = LogUse::Updates;
                }
            }
        }
    }
}
