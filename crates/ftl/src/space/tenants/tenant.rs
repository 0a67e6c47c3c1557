//! What a tenant hears of, and what it is asked.

use wordline_nand::{BlockId, Mode, Ppn};
use wordline_units::SimTime;

use crate::plan::Frontier;
use crate::recovery::FoundFlash;
use crate::space::Ground;
use crate::state::archive::{Archive, ArchiveError, Extent};

/// One who lives in the flash space. By itself it hears nothing and says nothing.
pub(in crate::space) trait Tenant {
    /// A frontier opens a free block, which counts as free until all have heard of it.
    fn opened(&mut self, _ground: &mut Ground, _frontier: Frontier, _block: u32) {}

    /// A block takes no further page: it is full, or something of it has failed.
    fn closed(&mut self, _ground: &Ground, _block: u32) {}

    /// A block was erased and counts as free.
    fn freed(&mut self, _ground: &mut Ground, _block: u32) {}

    /// A block is not to be used any more.
    fn retired(&mut self, _ground: &mut Ground, _block: u32) {}

    /// Something of a block has failed: it is to be retired.
    fn failed(&mut self) {}

    /// Pages of the host are programmed by a frontier.
    fn host_wrote(&mut self, _ground: &mut Ground, _now: SimTime, _frontier: Frontier, _pages: u64) {}

    /// A block of a pool is going to be emptied.
    fn begins_moving(&mut self, _pool: u32, _victim: u32) {}

    /// The block of a pool that was emptied is erased, or bad.
    fn ended_moving(&mut self, _ground: &mut Ground, _pool: u32) {}

    /// Pages were moved out of a block.
    fn moved(&mut self, _from: u32, _pages: u64) {}

    /// All that a block holds is going to be moved to another one.
    fn moves_whole(&mut self, _from: u32, _to: u32) {}

    /// A pool is about to be asked how pressing its job is.
    fn review(&mut self, _ground: &mut Ground, _now: SimTime, _pool: u32) {}

    /// A host write finds no page in a plane of a pool.
    fn starved(&mut self, _ground: &mut Ground, _pool: u32) {}

    /// The last program of a block that was under way may be done: whether its pool is to be looked at again for that.
    fn has_ready(&self, _ground: &Ground, _block: u32) -> bool {
        false
    }

    /// Whether it wants to know when the host last used a pool.
    fn watches_pauses(&self) -> bool {
        false
    }

    /// The frontier to write to in a plane instead of another one, which a program asks for.
    fn choose_frontier(
        &self,
        _ground: &Ground,
        _plane: u32,
        _asked: Frontier,
        _host: bool,
    ) -> Option<Frontier> {
        None
    }

    /// The frontier to which the pages of a block are moved.
    fn frontier_of_moves(&self, _ground: &Ground, _victim: u32) -> Option<Frontier> {
        None
    }

    /// Whether a frontier of its own may open a free block of a pool; none of the frontiers of others.
    fn may_open(&self, _ground: &Ground, _pool: u32, _frontier: Frontier) -> Option<bool> {
        None
    }

    /// Whether a frontier must leave free blocks of a plane alone.
    fn holds_back(&self, _ground: &Ground, _plane: u32, _frontier: Frontier, _host: bool) -> bool {
        false
    }

    /// Whether the host must leave it a free block of a pool beside the reserve.
    fn claims_block(&self, _ground: &Ground, _pool: u32) -> bool {
        false
    }

    /// A host write finds no page of a frontier in a pool: whether it waits for this tenant, and not for collection.
    fn makes_wait(&mut self, _ground: &mut Ground, _now: SimTime, _pool: u32, _frontier: Frontier) -> bool {
        false
    }

    /// Whether what a frontier programs is in a mode of this tenant.
    fn has_own_mode(&self, _frontier: Frontier) -> bool {
        false
    }

    /// The mode of a page in a block of this tenant.
    fn mode_of(&self, _ground: &Ground, _page: Ppn) -> Option<Mode> {
        None
    }

    /// The names of its modes.
    fn mode_names(&self) -> Option<&[String]> {
        None
    }

    /// Whether a block that was erased is not to be used again.
    fn refuses(&mut self, _ground: &Ground, _now: SimTime, _block: u32) -> bool {
        false
    }

    /// Whether a page may be copied inside its plane by the host.
    fn forbids_copy(&self, _ground: &Ground, _source: u64, _frontier: Frontier) -> bool {
        false
    }

    /// What a page move of a pool costs and a host write earns while this tenant has the job paced.
    fn price(&self, _ground: &Ground, _pool: u32) -> Option<(u64, u64)> {
        None
    }

    /// The most page moves that may be owed meanwhile.
    fn most_owed(&self, _ground: &Ground, _pool: u32) -> Option<u32> {
        None
    }

    /// The latest time that is remembered; none where no time is.
    fn latest_time(&self) -> Option<SimTime> {
        None
    }

    /// Passes what it knows of blocks to a state file or takes it from it, after their roles.
    fn archive_blocks(
        &mut self,
        _ground: &mut Ground,
        _archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        Ok(())
    }

    /// The same of what it knows of host writes, before what pools are doing.
    fn archive_writes(&mut self, _extent: Extent, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }

    /// The same of times, behind what pools are doing; not of the content of a drive.
    fn archive_times(&mut self, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }

    /// Computes again what follows from the roles of blocks, after free blocks of pools were counted.
    fn recount(&mut self, _ground: &mut Ground) -> Result<(), ArchiveError> {
        Ok(())
    }

    /// A block that holds current data was found after a power cut.
    fn found(&mut self, _ground: &mut Ground, _flash: &dyn FoundFlash, _block: BlockId) {}
}
