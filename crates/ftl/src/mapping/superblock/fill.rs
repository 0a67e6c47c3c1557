//! Filling a drive from outside, saving it and loading it.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::SuperblockFtl;
use crate::block::BlockRole;
use crate::contract::{Ftl, Mapping, Persist};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::mapping::whole_blocks::check_filled;
use crate::recovery::{FoundFlash, Recovery, RecoveryError};
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent, require};

/// Data are written: there is no closed form.
impl Mapping for SuperblockFtl {
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
        self.exclude_taken();
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

impl Persist for SuperblockFtl {
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
        archive.table(&mut self.superblocks)?;
        archive.table(&mut self.planes)?;
        self.tree.archive(archive)?;
        if archive.is_loading() {
            for lpn in 0..self.user_pages() {
                if let Some(page) = self.map.lookup(lpn) {
                    self.space.validate_loaded(page)?;
                }
            }
            self.check_blocks()?;
        }
        self.space.archive_work(now, extent, archive)?;
        if extent == Extent::Everything {
            let parts = self.tree.parts();
            self.cache.archive(archive, self.superblocks.len(), parts)?;
        }
        if archive.is_loading() {
            match extent {
                Extent::Everything => self.check_victims()?,
                Extent::Content => {
                    self.cache.clear();
                    self.planes.iter_mut().for_each(|plane| plane.victim = None);
                }
            }
            self.exclude_taken();
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.space.latest()
    }

    fn mapping(&self) -> &'static str {
        "superblock"
    }
}

impl SuperblockFtl {
    /// Blocks that are being emptied or are to be erased are no candidates.
    fn exclude_taken(&mut self) {
        for plane in &self.planes {
            let victim = plane.victim.map(|victim| victim.block);
            for block in plane.dead.iter().copied().chain(victim) {
                self.space.blocks.exclude_candidate(block);
            }
        }
    }

    /// Checks what was loaded of blocks: each belongs to one superblock of its plane or is dead, at most one of each part of a
    /// superblock is open, and pages lie in blocks of their superblock.
    fn check_blocks(&self) -> Result<(), ArchiveError> {
        /// Owner of blocks that are to be erased.
        const DEAD: u32 = u32::MAX;
        let blocks = &self.space.blocks;
        let mut owners = vec![None; blocks.role.len()];
        let mut take = |block: u32, plane: u32, owner: u32| {
            let is_first = owners
                .get_mut(block as usize)
                .is_some_and(|known: &mut Option<u32>| known.replace(owner).is_none());
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
        for (number, superblock) in (0..).zip(&self.superblocks) {
            let plane = self.plane_of(number);
            let is_past = |opened| opened <= superblock.writes;
            let seen = superblock.blocks.iter().all(|owned| is_past(owned.opened))
                && superblock.last_write <= self.planes[plane as usize].writes;
            require(seen, "a superblock with writes that it has not seen")?;
            for owned in &superblock.blocks {
                take(owned.block, plane, number)?;
            }
        }
        for (number, plane) in (0..).zip(&self.planes) {
            for block in &plane.dead {
                take(*block, number, DEAD)?;
                let is_dead = blocks.valid(*block) == 0 && blocks.role[*block as usize] == BlockRole::Closed;
                require(is_dead, "a block to be erased that is in use")?;
            }
        }
        let is_known = |(role, owner): (&BlockRole, &Option<u32>)| {
            !matches!(role, BlockRole::Open | BlockRole::Closed) || owner.is_some()
        };
        let all = blocks.role.iter().zip(&owners).all(is_known);
        require(all, "a block that belongs to nothing")?;
        for lpn in 0..self.user_pages() {
            if let Some(page) = self.map.lookup(lpn) {
                let owner = owners[blocks.block_of(page) as usize];
                let superblock = self.place_of(lpn).superblock;
                require(owner == Some(superblock), "a page outside its superblock")?;
            }
        }
        Ok(())
    }

    fn check_victims(&self) -> Result<(), ArchiveError> {
        let pages_per_block = self.space.geometry.pages_per_block;
        for plane in &self.planes {
            let Some(victim) = plane.victim else {
                continue;
            };
            let owner = self.superblocks.get(victim.superblock as usize);
            let is_owned =
                owner.is_some_and(|owner| owner.blocks.iter().any(|owned| owned.block == victim.block));
            let fits = is_owned
                && self.space.blocks.role[victim.block as usize] == BlockRole::Closed
                && victim.next <= pages_per_block;
            require(fits, "the collection of a block that cannot be collected")?;
        }
        Ok(())
    }
}
