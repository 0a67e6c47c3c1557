//! Ageing, saving and loading of a drive with zones.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::ZonedFtl;
use super::row::ZONED;
use crate::contract::{Ageable, Identity, Persist, ProgramTimes};
use crate::error::FtlError;
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent, require};
use crate::zone::ZoneState;

/// Only the host writes zones: there is nothing to fill from outside.
impl Ageable for ZonedFtl {
    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.blocks.blocks[block.index()].erases = erases;
    }

    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        Err(FillError::NotFree(filling.block))
    }

    fn finish_fill(&mut self, _now: SimTime) {}

    fn check_filled(&self, _pages: u64) -> Result<(), FtlError> {
        let accepted = "\"fresh\" or \"snapshot\" with ftl.mapping = \"zoned\": only the host writes zones";
        Err(FtlError::new("age.method", "another", accepted))
    }
}

impl ProgramTimes for ZonedFtl {
    fn record_program_times(&mut self) {}

    fn take_program_times(&mut self) -> Vec<SimTime> {
        vec![SimTime::ZERO; self.blocks.blocks.len()]
    }
}

impl ZonedFtl {
    /// Whether nothing is under way: no write, no erase.
    fn is_quiescent(&self) -> bool {
        self.programs == 0 && self.stale.is_empty() && self.blocks.is_quiescent()
    }
}

impl Persist for ZonedFtl {
    fn archive(
        &mut self,
        _now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        archive.table(&mut self.table.zones)?;
        archive.table(&mut self.blocks.blocks)?;
        archive.part(&mut self.blocks.lost)?;
        archive.part(&mut self.latest)?;
        if extent == Extent::Everything {
            archive.part(&mut self.counters)?;
            archive.part(&mut self.table.totals)?;
        }
        if archive.is_loading() {
            require(
                self.table.recount(),
                "more zones open or active than the drive may have",
            )?;
            require(self.blocks.reindex(), "zones on blocks of other planes")?;
            self.stale.clear();
            for zone in 0..self.layout.zones {
                // what was admitted to a zone that is lost and was not written will not be
                let found = self.table.zones[zone as usize];
                let pages = found.pointer / u64::from(self.geometry.sectors_per_page());
                let gathered = self.sectors_below(found.pointer, pages);
                let is_padded = found.state == ZoneState::Full && gathered != 0;
                let (planned, gathered) = if self.table.is_lost(zone) {
                    (self.blocks.written(zone), 0)
                } else if is_padded {
                    (pages + 1, 0)
                } else {
                    (pages, gathered)
                };
                self.planned[zone as usize] = planned;
                self.gathered[zone as usize] = gathered;
            }
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.latest
    }

    fn identity(&self) -> Identity {
        Identity::of_mapping(ZONED.entry.name)
    }
}
