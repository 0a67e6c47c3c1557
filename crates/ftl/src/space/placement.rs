//! Placement by the host: which frontier a write goes to by its handle, and what is closed for that.

use wordline_units::SimTime;

use super::handles::NoUnit;
use super::{Blocks, FlashSpace, Frontiers, WEAR};
use crate::block::BlockRole;
use crate::inflight::PendingProgram;
use crate::plan::Frontier;
use crate::state::archive::{Archive, ArchiveError, Extent};

impl FlashSpace {
    /// The frontier of a host write with a handle, which may open a unit for it; none where it goes among those without one.
    ///
    /// # Errors
    /// The directive refuses it.
    pub(crate) fn place_write(&mut self, now: SimTime, handle: u16) -> Result<Option<Frontier>, NoUnit> {
        let Some(placement) = &mut self.placement else {
            return Ok(None);
        };
        let placed = placement.place(handle, &mut self.counters.placement)?;
        if let Some(unit) = placed.closes {
            self.close_unit(now, unit);
        }
        Ok(placed.frontier)
    }

    /// The host releases a handle: its open blocks are closed, or where collection moves pages to them, once another handle needs
    /// their unit.
    pub(crate) fn release_handle(&mut self, now: SimTime, handle: u16) {
        let placement = self.placement.as_mut();
        if let Some(unit) =
            placement.and_then(|placement| placement.release(handle, &mut self.counters.placement))
        {
            self.close_unit(now, unit);
        }
    }

    /// Closes what is open in a unit: what another handle writes must not share a block with it.
    fn close_unit(&mut self, now: SimTime, unit: u8) {
        let frontiers = self
            .placement
            .as_ref()
            .map(|placement| placement.frontiers_of(unit));
        for frontier in frontiers.into_iter().flatten() {
            for plane in 0..self.geometry.planes() {
                for block in self.frontiers.close_all(&mut self.blocks, plane, frontier) {
                    self.counters.placement.blocks_closed += 1;
                    self.report_candidate(now, block);
                }
            }
        }
    }

    /// The frontier to which a planned program goes now, as the unit that it was planned for may have another handle since: that
    /// of the handle, or where it has none any more, that of cold writes without one.
    pub(crate) fn frontier_now(&self, planned: Frontier, program: PendingProgram) -> Frontier {
        let Some(placement) = &self.placement else {
            return planned;
        };
        match program {
            PendingProgram::Write {
                placement: handle, ..
            } => placement
                .frontier_now(planned, handle)
                .map_or(planned, |own| own.unwrap_or(self.frontiers.coldest)),
            PendingProgram::Move { source, .. } if planned != WEAR => {
                self.frontier_of_moves(self.blocks.block_of(source))
            }
            _ => planned,
        }
    }

    /// Passes what is known of handles to a state file or takes it from it. The content of a drive says nothing of them: what is open is
    /// closed when a handle is given its unit.
    pub(super) fn archive_placement(
        &mut self,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        match &mut self.placement {
            Some(placement) if extent == Extent::Everything => placement.archive(archive),
            _ => Ok(()),
        }
    }
}

impl Frontiers {
    /// Closes every open block of a frontier in a plane, as it is; which they were.
    fn close_all(&mut self, blocks: &mut Blocks, plane: u32, frontier: Frontier) -> Vec<u32> {
        let active = self.active(plane, frontier);
        let parked = |block: &u32| {
            blocks.role[*block as usize] == BlockRole::Open && blocks.frontier[*block as usize] == frontier.0
        };
        let open: Vec<u32> = active
            .into_iter()
            .chain(self.available_from(plane, 0).filter(parked))
            .collect();
        for block in &open {
            self.close_early(blocks, *block);
        }
        open
    }
}
