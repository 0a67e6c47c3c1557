//! Filling a drive from outside, saving it and loading it.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::pool::BlockPool;
use super::{BLOCK, BlockFtl};
use crate::block::BlockRole;
use crate::contract::{Mapping, Persist};
use crate::counters::FtlCounters;
use crate::error::FtlError;
use crate::mapping::whole_blocks::check_filled;
use crate::plan::Lpn;
use crate::recovery::{FoundFlash, Recovery, RecoveryError};
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent, require};

/// Data are written: there is no closed form.
impl Mapping for BlockFtl {
    fn fail_block(&mut self, block: BlockId) {
        self.space.fail_block(block.0);
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.space.set_erase_count(block, erases);
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        self.space.occupy_block(filling)?;
        self.unlink(filling.block.0);
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

impl Persist for BlockFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        let (order, geometry) = (&self.order, self.space.geometry);
        let belongs = |logical: u32, block: u32| {
            geometry.plane_of(BlockId(block)) == order.plane(Lpn(u64::from(logical)))
        };
        self.chains.archive(archive, belongs)?;
        archive.table(&mut self.skipped)?;
        self.space.archive_blocks(archive)?;
        if archive.is_loading() {
            for page in self.chains.current_pages_of_drive() {
                self.space.validate_loaded(page)?;
            }
            self.check_blocks()?;
        }
        self.space.archive_work(now, extent, archive)?;
        match extent {
            Extent::Everything => self.archive_pools(archive),
            Extent::Content => {
                if archive.is_loading() {
                    for (pool, dead) in self.find_dead().into_iter().enumerate() {
                        self.pools[pool].dead = dead;
                    }
                }
                Ok(())
            }
        }
    }

    fn latest(&self) -> SimTime {
        self.space.latest()
    }

    fn mapping(&self) -> &'static str {
        BLOCK.entry.name
    }
}

impl BlockFtl {
    /// Checks what was loaded of blocks against the chains: free blocks belong to no logical block, open ones to one, and
    /// a block has no more pages that were passed over than it has pages.
    fn check_blocks(&self) -> Result<(), ArchiveError> {
        let blocks = &self.space.blocks;
        let fits = |block: u32| {
            let at = block as usize;
            let owned = self.chains.logical_of(block).is_some();
            let role_fits = match blocks.role[at] {
                BlockRole::Free => !owned,
                BlockRole::Open => owned,
                BlockRole::Closed | BlockRole::Bad => true,
            };
            role_fits && u32::from(self.skipped[at]) + blocks.valid(block) <= u32::from(blocks.written[at])
        };
        let all = (0..blocks.role.len() as u32).all(fits);
        require(all, "a block whose role does not fit its logical block")
    }

    fn archive_pools(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.pools)?;
        if !archive.is_loading() {
            return Ok(());
        }
        let pages_per_block = self.space.geometry.pages_per_block;
        for (pool, BlockPool { merge, .. }) in (0..).zip(&self.pools) {
            let Some(merge) = merge else { continue };
            let known = (merge.target as usize) < self.skipped.len()
                && self.chains.logical_of(merge.target) == Some(merge.logical);
            let inside = merge.next <= pages_per_block && merge.gap.is_none_or(|gap| gap < pages_per_block);
            let own = known && self.space.blocks.pool_of(merge.target) == pool;
            require(own && inside, "a merge of blocks that cannot be merged")?;
        }
        for (pool, expected) in (0..).zip(self.find_dead()) {
            let mut dead = self.pools[pool].dead.clone();
            dead.sort_unstable();
            require(dead == expected, "blocks to be erased that are not")?;
        }
        Ok(())
    }

    /// The closed blocks of each pool that belong to no logical block, which are to be erased.
    fn find_dead(&self) -> Vec<Vec<u32>> {
        let blocks = &self.space.blocks;
        let is_dead = |block: &u32| {
            blocks.role[*block as usize] == BlockRole::Closed && self.chains.logical_of(*block).is_none()
        };
        let pools = 0..self.pools.len() as u32;
        pools
            .map(|pool| blocks.of_pool(pool).filter(is_dead).collect())
            .collect()
    }
}
