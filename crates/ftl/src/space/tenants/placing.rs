//! Writes that the host places: which frontier each goes to by its handle, and what is closed for that.

use std::borrow::Cow;

use wordline_nand::PlaneId;
use wordline_units::SimTime;

use super::Tenants;
use super::placement::{NoUnit, UnitInGroup};
use crate::block::BlockRole;
use crate::blocks::Blocks;
use crate::inflight::{InFlight, PendingProgram};
use crate::plan::{Frontier, Scope, Step};
use crate::policy::placement::groups::NO_HANDLE;
use crate::space::{FlashSpace, Frontiers, Ground};

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

/// Where a host write with a placement identifier goes, which may open a unit for its handle.
///
/// # Errors
/// The directive refuses it.
pub(crate) fn place_write(
    space: &mut FlashSpace,
    now: SimTime,
    identifier: u16,
    inflight: &InFlight,
) -> Result<WritePlace, NoUnit> {
    let FlashSpace { ground, tenants } = space;
    let Some(placement) = &mut tenants.placement else {
        return Ok(WritePlace {
            identifier,
            ..WritePlace::default()
        });
    };
    if let Some(room) = &mut placement.room
        && room.needs_count(identifier)
    {
        room.count(ground.blocks.in_use(), inflight);
    }
    let placed = placement.place(identifier, &mut ground.counters.placement)?;
    if let Some(unit) = placed.closes {
        close_unit(space, now, &unit);
    }
    Ok(WritePlace {
        frontier: placed.frontier,
        identifier: placed.identifier,
        scope: placed.scope,
    })
}

/// The host releases a handle: its open blocks are closed, or where collection moves pages to them, once another handle needs
/// their unit.
pub(crate) fn release_handle(space: &mut FlashSpace, now: SimTime, handle: u16) {
    let FlashSpace { ground, tenants } = space;
    let placement = tenants.placement.as_mut();
    if let Some(unit) =
        placement.and_then(|placement| placement.release(handle, &mut ground.counters.placement))
    {
        close_unit(space, now, &unit);
    }
}

/// Closes what is open in a unit: what another handle writes must not share a block with it.
fn close_unit(space: &mut FlashSpace, now: SimTime, unit: &UnitInGroup) {
    let placement = space.tenants.placement.as_ref();
    let frontiers = placement.map(|placement| placement.frontiers_of(unit.unit));
    for frontier in frontiers.into_iter().flatten() {
        for plane in unit.planes.clone() {
            let ground = &mut space.ground;
            for block in ground.frontiers.close_all(&mut ground.blocks, plane, frontier) {
                space.counters.placement.blocks_closed += 1;
                space.report_candidate(now, block);
            }
        }
    }
}

/// What mappings ask whether or not the host places writes.
impl Tenants {
    /// The frontier to which a planned program goes now.
    pub(crate) fn frontier_now(
        &self,
        ground: &Ground,
        planned: Frontier,
        program: PendingProgram,
    ) -> Frontier {
        let placement = self.placement.as_ref();
        placement.map_or(planned, |placement| {
            placement.frontier_now(ground, planned, program)
        })
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
    pub(crate) fn may_move_together(&self, ground: &Ground, one: u32, other: u32) -> bool {
        self.placement.as_ref().is_none_or(|placement| {
            placement.target_of_moves(ground, one) == placement.target_of_moves(ground, other)
        })
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
