//! Open blocks by the handles of host writes: which handle a unit of open blocks belongs to now, and whose data a block holds.
//!
//! Handles are placement identifiers: of the reclaim group and the handle in it. A drive without reclaim groups is one group.

use std::ops::Range;

use wordline_units::SimTime;

use super::group_room::GroupRoom;
use crate::config::MappingInput;
use crate::counters::PlacementCounters;
use crate::error::FtlError;
use crate::plan::{Frontier, Scope};
use crate::policy::placement::groups::{NO_HANDLE, ReclaimGroups};
use crate::policy::placement::{Directive, Placing};
use crate::space::units::UnitFrontiers;
use crate::space::{Capacity, Frontiers};
use crate::state::archive::{Archive, ArchiveError};

/// No block of a pool is being emptied.
pub(in crate::space::tenants) const NOT_MOVING: (u32, Option<u8>) = (u32::MAX, None);

/// A mapping that separates host writes by placement handles.
pub trait PlacedWrites {
    /// The handles by which writes were separated, 0 for writes without one, and what was written with each.
    fn handles(&self) -> Vec<(u16, HandleCounters)>;

    /// What was written to each reclaim group, in their order; none of a drive with one.
    fn reclaim_groups(&self) -> Vec<GroupCounters>;

    /// The host releases a handle: what it writes with it from now on is kept apart from what it wrote before.
    fn release_handle(&mut self, now: SimTime, handle: u16);

    /// Counting begins anew.
    fn restart_counts(&mut self);
}

/// What was written with a handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HandleCounters {
    /// Pages that the host wrote.
    pub host_pages: u64,
    /// Pages that collection moved out of its blocks.
    pub moved_pages: u64,
}

impl HandleCounters {
    /// Pages written and moved for each page that the host wrote.
    #[must_use]
    pub fn write_amplification(&self) -> Option<f64> {
        let all = self.host_pages + self.moved_pages;
        (self.host_pages > 0).then(|| all as f64 / self.host_pages as f64)
    }
}

/// What was written to a reclaim group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupCounters {
    /// Pages that the host wrote.
    pub host_pages: u64,
    /// Pages that collection moved out of its blocks, to others of the group.
    pub moved_pages: u64,
    /// Pages written to another group, as this one was full.
    pub redirected_pages: u64,
}

/// The handles of host writes and their open blocks.
pub(crate) struct Placement {
    groups: ReclaimGroups,
    /// Of each reclaim group.
    directives: Vec<Box<dyn Directive>>,
    /// What each reclaim group has room for; none of a drive with one.
    pub(in crate::space::tenants) room: Option<GroupRoom>,
    blocks_per_group: u32,
    pools_per_group: u32,
    /// Whether collection keeps the data of each handle apart.
    isolated: bool,
    pub(in crate::space::tenants) frontiers: UnitFrontiers,
    /// By reclaim group and unit: the handle that has it.
    pub(in crate::space::tenants) handles: Vec<u16>,
    units: u8,
    /// By block: the handle whose data it holds; of none in particular where writes without a handle went.
    pub(in crate::space::tenants) owners: Vec<u16>,
    /// By pool: the block that is being emptied, and the unit that its pages go to. It stays the same until all are moved, or
    /// collection could need more free blocks than it has.
    pub(in crate::space::tenants) moving: Vec<(u32, Option<u8>)>,
    /// By handle, as far as handles were used.
    counters: Vec<HandleCounters>,
    /// By reclaim group.
    pub(in crate::space::tenants) of_groups: Vec<GroupCounters>,
}

impl Placement {
    /// What a configuration asks for; none where handles are ignored.
    ///
    /// # Errors
    /// There is no such directive, values that it refuses, reclaim groups that are not possible.
    pub(crate) fn new(
        input: &MappingInput<'_>,
        frontiers: &Frontiers,
        capacity: &Capacity,
    ) -> Result<Option<Box<Self>>, FtlError> {
        let (geometry, placement) = (input.geometry, &input.config.placement);
        let planes_per_pool = capacity.planes_per_pool;
        let units = placement.units()?;
        let groups = placement.groups(geometry, planes_per_pool, input.allocation)?;
        let build = placement.directive.row()?.build;
        let directives = (0..groups.count()).map(|_| build(&placement.keys));
        let directives: Option<Vec<Box<dyn Directive>>> = directives.collect();
        let pools_per_group = groups.planes() / planes_per_pool;
        let limits = capacity.group_limits(geometry, pools_per_group, input.config.failures.is_on());
        Ok(directives.map(|directives| {
            Box::new(Self {
                groups,
                directives,
                room: (groups.count() > 1).then(|| GroupRoom::new(groups, limits)),
                blocks_per_group: groups.planes() * geometry.blocks_per_plane,
                pools_per_group,
                isolated: units.isolated,
                frontiers: frontiers.units,
                handles: vec![NO_HANDLE; usize::from(units.count) * groups.count() as usize],
                units: units.count,
                owners: vec![NO_HANDLE; geometry.blocks() as usize],
                moving: vec![NOT_MOVING; (geometry.planes() / planes_per_pool) as usize],
                counters: Vec::new(),
                of_groups: vec![GroupCounters::default(); groups.count() as usize],
            })
        }))
    }

    /// The unit that a handle has now.
    fn unit_of(&self, handle: u16) -> Option<u8> {
        if self.is_none(handle) {
            return None;
        }
        let slot = self.handles.iter().position(|held| *held == handle)?;
        Some((slot % usize::from(self.units)) as u8)
    }

    /// Whether an identifier is that of writes without a handle, in any reclaim group.
    fn is_none(&self, identifier: u16) -> bool {
        let split = self.groups.split(identifier);
        split.is_none_or(|(_, handle)| handle == NO_HANDLE)
    }

    pub(in crate::space::tenants) fn slot(&self, group: u32, unit: u8) -> usize {
        group as usize * usize::from(self.units) + usize::from(unit)
    }

    pub(in crate::space::tenants) fn group_of_block(&self, block: u32) -> u32 {
        block / self.blocks_per_group
    }

    /// Blocks of each reclaim group; none of a drive with one.
    pub(crate) fn blocks_per_group(&self) -> Option<u32> {
        self.room.as_ref().map(|_| self.blocks_per_group)
    }

    /// The frontier of the unit that a handle has now.
    pub(in crate::space::tenants) fn frontier_of(&self, handle: u16) -> Option<Frontier> {
        self.unit_of(handle).map(|unit| self.frontiers.of_host(unit))
    }

    /// The identifier of the handle that has a frontier of host writes, of a drive with one reclaim group.
    pub(in crate::space::tenants) fn identifier_of(&self, frontier: Frontier) -> u16 {
        let is_of_unit = self.frontiers.is_of_writes(frontier);
        let unit = self.frontiers.unit(frontier).filter(|_| is_of_unit);
        unit.map_or(NO_HANDLE, |unit| self.handles[usize::from(unit)])
    }

    /// Where a write with an identifier goes, which may give its handle a unit; of no handle where it has none.
    ///
    /// # Errors
    /// The directive refuses it.
    pub(in crate::space::tenants) fn place(
        &mut self,
        identifier: u16,
        counters: &mut PlacementCounters,
    ) -> Result<Placed, NoUnit> {
        let asked = self.groups.asked(identifier);
        let group = match &mut self.room {
            None => 0,
            Some(room) => room.take(asked.map(|(group, _)| group)),
        };
        let handle = asked.map_or(NO_HANDLE, |(_, handle)| handle);
        counters.defaulted += u64::from(asked.is_none() && identifier != NO_HANDLE);
        let identifier = self.groups.join(group, handle);
        let (directives, moving) = (&mut self.directives, &self.moving);
        let of_group = pools(group, self.pools_per_group);
        let placing = match handle {
            NO_HANDLE => None,
            _ => Some(
                directives[group as usize].place(handle, &|unit| is_still(&moving[of_group.clone()], unit)),
            ),
        };
        let (unit, closes) = match placing {
            None => (None, None),
            Some(Placing::Default) => {
                counters.defaulted += 1;
                (None, None)
            }
            Some(Placing::Unit(unit)) => (Some(unit), None),
            Some(Placing::NewUnit(unit)) => {
                let slot = self.slot(group, unit);
                let former = std::mem::replace(&mut self.handles[slot], identifier);
                counters.opened += 1;
                counters.evicted += u64::from(former != NO_HANDLE);
                (Some(unit), Some(self.in_group(group, unit)))
            }
            Some(Placing::Refused) => {
                counters.refused += 1;
                return Err(NoUnit);
            }
        };
        self.count_write(asked.map(|(group, _)| group), (group, identifier));
        Ok(Placed {
            frontier: unit.map(|unit| self.frontiers.of_host(unit)),
            closes,
            identifier,
            scope: self.room.is_some().then(|| self.groups.scope(group)),
        })
    }

    fn count_write(&mut self, asked: Option<u32>, (group, identifier): (u32, u16)) {
        let counted = if self.is_none(identifier) {
            NO_HANDLE
        } else {
            identifier
        };
        self.of_handle(counted).host_pages += 1;
        self.of_groups[group as usize].host_pages += 1;
        if let Some(asked) = asked.filter(|asked| *asked != group) {
            self.of_groups[asked as usize].redirected_pages += 1;
        }
    }

    fn in_group(&self, group: u32, unit: u8) -> UnitInGroup {
        let planes = self.groups.planes();
        UnitInGroup {
            unit,
            planes: group * planes..(group + 1) * planes,
        }
    }

    /// The host releases a handle; the unit that can be closed now.
    pub(in crate::space::tenants) fn release(
        &mut self,
        identifier: u16,
        counters: &mut PlacementCounters,
    ) -> Option<UnitInGroup> {
        let (group, handle) = self.groups.split(identifier)?;
        let unit = self.directives[group as usize].release(handle)?;
        let slot = self.slot(group, unit);
        self.handles[slot] = NO_HANDLE;
        counters.released += 1;
        let moving = &self.moving[pools(group, self.pools_per_group)];
        is_still(moving, unit).then(|| self.in_group(group, unit))
    }

    /// The frontiers of a unit.
    pub(in crate::space::tenants) fn frontiers_of(&self, unit: u8) -> Vec<Frontier> {
        self.frontiers.of_unit(unit).collect()
    }

    pub(in crate::space::tenants) fn unit_of_moves(&self, victim: u32) -> Option<u8> {
        let handle = Some(self.owners[victim as usize]).filter(|_| self.isolated);
        handle.and_then(|handle| self.unit_of(handle))
    }

    pub(in crate::space::tenants) fn of_handle(&mut self, handle: u16) -> &mut HandleCounters {
        let at = usize::from(handle);
        if at >= self.counters.len() {
            self.counters.resize(at + 1, HandleCounters::default());
        }
        &mut self.counters[at]
    }

    /// The handles that were used, 0 for writes without one, and what was written with each.
    pub(crate) fn handles(&self) -> impl Iterator<Item = (u16, HandleCounters)> {
        let used = |counters: &HandleCounters| *counters != HandleCounters::default();
        (0..)
            .zip(self.counters.iter().copied())
            .filter(move |(_, counters)| used(counters))
    }

    /// What was written to each reclaim group; nothing of a drive with one.
    pub(crate) fn groups(&self) -> &[GroupCounters] {
        if self.room.is_some() { &self.of_groups } else { &[] }
    }

    /// Counts from zero again.
    pub(crate) fn restart_counts(&mut self) {
        self.counters.clear();
        self.of_groups.fill(GroupCounters::default());
    }

    /// Passes the units and the owners of blocks to a state file, or takes them from it.
    pub(in crate::space::tenants) fn archive(
        &mut self,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        for directive in &mut self.directives {
            directive.archive(archive)?;
        }
        archive.table(&mut self.handles)?;
        archive.table(&mut self.owners)?;
        archive.table(&mut self.moving)?;
        let mut counters: Vec<(u64, u64)> = self
            .counters
            .iter()
            .map(|counters| (counters.host_pages, counters.moved_pages))
            .collect();
        archive.part(&mut counters)?;
        if archive.is_loading() {
            let counted = |(host_pages, moved_pages)| HandleCounters {
                host_pages,
                moved_pages,
            };
            self.counters = counters.into_iter().map(counted).collect();
        }
        self.archive_groups(archive)
    }

    /// The counts of reclaim groups, of a drive with several; what they have room for is counted anew.
    fn archive_groups(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let Some(room) = &mut self.room else {
            return Ok(());
        };
        let mut counters: Vec<[u64; 3]> = self
            .of_groups
            .iter()
            .map(|counters| {
                [
                    counters.host_pages,
                    counters.moved_pages,
                    counters.redirected_pages,
                ]
            })
            .collect();
        archive.part(&mut counters)?;
        if archive.is_loading() {
            room.forget();
            let counted = |[host_pages, moved_pages, redirected_pages]: [u64; 3]| GroupCounters {
                host_pages,
                moved_pages,
                redirected_pages,
            };
            self.of_groups = counters.into_iter().map(counted).collect();
        }
        Ok(())
    }
}

/// The pools of a reclaim group.
const fn pools(group: u32, per_group: u32) -> Range<usize> {
    let from = (group * per_group) as usize;
    from..from + per_group as usize
}

/// The open blocks of a unit in a reclaim group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::space::tenants) struct UnitInGroup {
    pub(in crate::space::tenants) unit: u8,
    pub(in crate::space::tenants) planes: Range<u32>,
}

/// Whether no pool moves pages to a unit, so that it can be another handle's.
fn is_still(moving: &[(u32, Option<u8>)], unit: u8) -> bool {
    moving.iter().all(|(_, to)| *to != Some(unit))
}

/// Where a host write goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::space::tenants) struct Placed {
    /// The frontier of its handle; none where it goes among the writes without one.
    pub(in crate::space::tenants) frontier: Option<Frontier>,
    /// The unit whose open blocks are to be closed before.
    pub(in crate::space::tenants) closes: Option<UnitInGroup>,
    /// The handle and the reclaim group that it goes to.
    pub(in crate::space::tenants) identifier: u16,
    /// The planes that it may use; none where allocation says.
    pub(in crate::space::tenants) scope: Option<Scope>,
}

/// A host write was refused: its handle has no unit and gets none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoUnit;
