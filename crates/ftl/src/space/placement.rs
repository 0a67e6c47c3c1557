//! Placement by the host: which frontier a write goes to by its handle, and what is closed for that.

use std::borrow::Cow;

use wordline_nand::PlaneId;
use wordline_units::SimTime;

use super::handles::{NoUnit, Placement, UnitInGroup};
use super::{Blocks, FlashSpace, Frontiers, WEAR};
use crate::block::BlockRole;
use crate::inflight::{InFlight, PendingProgram};
use crate::plan::{Frontier, Scope, Step};
use crate::policy::placement::groups::NO_HANDLE;
use crate::state::archive::{Archive, ArchiveError, Extent};

/// Where a host write goes by its placement identifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WritePlace {
    /// The frontier of its handle; none where it goes among those without one.
    pub(crate) frontier: Option<Frontier>,
    /// The identifier of what it goes to.
    pub(crate) identifier: u16,
    /// The planes of its reclaim group; none where allocation says.
    pub(crate) scope: Option<Scope>,
}

impl FlashSpace {
    /// From now on the host may place writes.
    pub(crate) fn place_by_host(&mut self, placement: Option<Box<Placement>>) {
        let groups = placement
            .as_ref()
            .and_then(|placement| placement.blocks_per_group());
        if let Some(blocks) = groups {
            self.blocks.watch_parts(blocks);
        }
        self.placement = placement;
    }

    /// Where a host write with a placement identifier goes, which may open a unit for its handle.
    ///
    /// # Errors
    /// The directive refuses it.
    pub(crate) fn place_write(
        &mut self,
        now: SimTime,
        identifier: u16,
        inflight: &InFlight,
    ) -> Result<WritePlace, NoUnit> {
        let Some(placement) = &mut self.placement else {
            return Ok(WritePlace {
                identifier,
                ..WritePlace::default()
            });
        };
        if let Some(room) = &mut placement.room
            && room.needs_count(identifier)
        {
            room.count(self.blocks.in_use(), inflight);
        }
        let placed = placement.place(identifier, &mut self.counters.placement)?;
        if let Some(unit) = placed.closes {
            self.close_unit(now, &unit);
        }
        Ok(WritePlace {
            frontier: placed.frontier,
            identifier: placed.identifier,
            scope: placed.scope,
        })
    }

    /// What reclaim groups have room for is to be counted anew: more blocks are lost than were.
    pub(super) fn forget_room(&mut self) {
        let placement = self.placement.as_mut();
        if let Some(room) = placement.and_then(|placement| placement.room.as_mut()) {
            room.forget();
        }
    }

    /// The host releases a handle: its open blocks are closed, or where collection moves pages to them, once another handle needs
    /// their unit.
    pub(crate) fn release_handle(&mut self, now: SimTime, handle: u16) {
        let placement = self.placement.as_mut();
        if let Some(unit) =
            placement.and_then(|placement| placement.release(handle, &mut self.counters.placement))
        {
            self.close_unit(now, &unit);
        }
    }

    /// Closes what is open in a unit: what another handle writes must not share a block with it.
    fn close_unit(&mut self, now: SimTime, unit: &UnitInGroup) {
        let frontiers = self
            .placement
            .as_ref()
            .map(|placement| placement.frontiers_of(unit.unit));
        for frontier in frontiers.into_iter().flatten() {
            for plane in unit.planes.clone() {
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

    /// Steps in planes as `placed` has them, where the host may place writes.
    pub(crate) fn place_pairs<'a>(
        &self,
        pairs: &'a [(Step, PlaneId)],
        placed: impl Fn(&Step) -> Step,
    ) -> Cow<'a, [(Step, PlaneId)]> {
        if self.placement.is_none() {
            return Cow::Borrowed(pairs);
        }
        let pairs = pairs.iter().map(|(step, plane)| (placed(step), *plane));
        Cow::Owned(pairs.collect())
    }

    /// Whether pages of two blocks may be moved to the same page: not those of placement handles that are kept apart.
    pub(crate) fn may_move_together(&self, one: u32, other: u32) -> bool {
        self.placement.is_none() || self.frontier_of_moves(one) == self.frontier_of_moves(other)
    }

    /// Where a write with an identifier goes that was placed before, on a drive with one reclaim group: among those without one where its handle has no unit any more.
    pub(crate) fn place_again(&self, identifier: u16) -> WritePlace {
        let placement = self.placement.as_ref();
        WritePlace {
            frontier: placement.and_then(|placement| placement.frontier_of(identifier)),
            identifier,
            scope: None,
        }
    }

    /// The identifier of the handle that has a frontier of host writes now; 0 of frontiers without a handle.
    pub(crate) fn identifier_of(&self, frontier: Frontier) -> u16 {
        let placement = self.placement.as_ref();
        placement.map_or(NO_HANDLE, |placement| placement.identifier_of(frontier))
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
