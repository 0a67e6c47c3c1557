//! Placement by the host: whose data a block holds, and which frontier the pages of a handle go to.

mod group_room;
mod handles;

use self::handles::NOT_MOVING;
use super::tenant::Tenant;
use crate::config::GcFrontier;
use crate::inflight::PendingProgram;
use crate::plan::Frontier;
use crate::plan::WEAR;
use crate::policy::placement::groups::NO_HANDLE;
use crate::space::Ground;
use crate::state::archive::{Archive, ArchiveError, Extent};
pub(in crate::space) use group_room::GroupLimits;
pub(super) use handles::UnitInGroup;
pub use handles::{GroupCounters, HandleCounters, PlacedWrites};
pub(crate) use handles::{NoUnit, Placement};

impl Tenant for Placement {
    fn opened(&mut self, ground: &mut Ground, frontier: Frontier, block: u32) {
        let unit = self.frontiers.unit(frontier);
        ground.counters.placement.blocks_opened += u64::from(unit.is_some());
        let group = self.group_of_block(block);
        self.owners[block as usize] = unit.map_or(NO_HANDLE, |unit| self.handles[self.slot(group, unit)]);
    }

    fn retired(&mut self, _: &mut Ground, _: u32) {
        self.failed();
    }

    /// What reclaim groups have room for is to be counted anew: more blocks are lost than were.
    fn failed(&mut self) {
        if let Some(room) = &mut self.room {
            room.forget();
        }
    }

    fn begins_moving(&mut self, pool: u32, victim: u32) {
        self.moving[pool as usize] = (victim, self.unit_of_moves(victim));
    }

    fn ended_moving(&mut self, _: &mut Ground, pool: u32) {
        self.moving[pool as usize] = NOT_MOVING;
    }

    fn moved(&mut self, from: u32, pages: u64) {
        let handle = self.owners[from as usize];
        self.of_handle(handle).moved_pages += pages;
        let group = self.group_of_block(from);
        self.of_groups[group as usize].moved_pages += pages;
    }

    fn moves_whole(&mut self, from: u32, to: u32) {
        self.owners[to as usize] = self.owners[from as usize];
    }

    /// Where the pages of its handle are kept apart.
    fn frontier_of_moves(&self, ground: &Ground, victim: u32) -> Option<Frontier> {
        let pool = ground.blocks.pool_of(victim);
        let unit = match self.moving[pool as usize] {
            (block, unit) if block == victim => unit,
            _ => self.unit_of_moves(victim),
        };
        unit.map(|unit| match ground.gc.frontier {
            GcFrontier::Shared => self.frontiers.of_host(unit),
            GcFrontier::Separate => self.frontiers.of_moves(unit),
        })
    }

    /// The content of a drive says nothing of handles: what is open is closed when a handle is given its unit.
    fn archive_writes(&mut self, extent: Extent, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        match extent {
            Extent::Everything => self.archive(archive),
            Extent::Content => Ok(()),
        }
    }
}

impl Placement {
    /// The frontier to which a planned program goes now, as the unit that it was planned for may have another handle since: that
    /// of the handle, or where it has none any more, that of cold writes without one.
    pub(super) fn frontier_now(
        &self,
        ground: &Ground,
        planned: Frontier,
        program: PendingProgram,
    ) -> Frontier {
        match program {
            PendingProgram::Write { placement, .. } if self.frontiers.is_of_writes(planned) => {
                self.frontier_of(placement).unwrap_or(ground.frontiers.coldest)
            }
            PendingProgram::Move { source, .. } if planned != WEAR => {
                self.target_of_moves(ground, ground.blocks.block_of(source))
            }
            _ => planned,
        }
    }

    /// The frontier to which the pages of a block are moved.
    pub(super) fn target_of_moves(&self, ground: &Ground, block: u32) -> Frontier {
        let own = self.frontier_of_moves(ground, block);
        own.unwrap_or_else(|| ground.frontier_of_moves(block))
    }
}
