//! Open blocks by the handles of host writes: which handle a unit of open blocks belongs to now, and whose data a block holds.

use super::frontiers::Frontiers;
use super::units::UnitFrontiers;
use crate::config::{FtlConfig, GcFrontier};
use crate::counters::PlacementCounters;
use crate::error::FtlError;
use crate::plan::Frontier;
use crate::policy::placement::{Directive, Placing};
use crate::state::archive::{Archive, ArchiveError, require};

/// Writes without a handle, and data of no handle in particular.
const NO_HANDLE: u16 = 0;
/// No block of a pool is being emptied.
const NOT_MOVING: (u32, Option<u8>) = (u32::MAX, None);

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

/// The handles of host writes and their open blocks.
pub(crate) struct Placement {
    directive: Box<dyn Directive>,
    /// Whether collection keeps the data of each handle apart.
    isolated: bool,
    frontiers: UnitFrontiers,
    /// By unit: the handle that has it.
    handles: Vec<u16>,
    /// By block: the handle whose data it holds; of none in particular where writes without a handle went.
    owners: Vec<u16>,
    /// By pool: the block that is being emptied, and the unit that its pages go to. It stays the same until all are moved, or
    /// collection could need more free blocks than it has.
    moving: Vec<(u32, Option<u8>)>,
    /// By handle, as far as handles were used.
    counters: Vec<HandleCounters>,
}

impl Placement {
    /// What a configuration asks for; none where handles are ignored.
    ///
    /// # Errors
    /// There is no such directive, values that it refuses.
    pub(crate) fn new(
        config: &FtlConfig,
        frontiers: &Frontiers,
        (blocks, pools): (u32, usize),
    ) -> Result<Option<Box<Self>>, FtlError> {
        let placement = &config.placement;
        let units = placement.units()?;
        let directive = (placement.directive.row()?.build)(&placement.keys);
        Ok(directive.map(|directive| {
            Box::new(Self {
                directive,
                isolated: units.isolated,
                frontiers: frontiers.units,
                handles: vec![NO_HANDLE; usize::from(units.count)],
                owners: vec![NO_HANDLE; blocks as usize],
                moving: vec![NOT_MOVING; pools],
                counters: Vec::new(),
            })
        }))
    }

    /// The unit that a handle has now.
    fn unit_of(&self, handle: u16) -> Option<u8> {
        if handle == NO_HANDLE {
            return None;
        }
        let unit = self.handles.iter().position(|held| *held == handle)?;
        Some(unit as u8)
    }

    /// The frontier to which a planned write with a handle goes now: that of the unit that the handle has, if any; none where it
    /// was not planned for a unit.
    pub(super) fn frontier_now(&self, planned: Frontier, handle: u16) -> Option<Option<Frontier>> {
        let is_of_unit = self.frontiers.of_writes().contains(&planned.0);
        is_of_unit.then(|| self.unit_of(handle).map(|unit| self.frontiers.of_host(unit)))
    }

    /// Where a write with a handle goes, which may give it a unit; of no handle where it has none.
    ///
    /// # Errors
    /// The directive refuses it.
    pub(super) fn place(&mut self, handle: u16, counters: &mut PlacementCounters) -> Result<Placed, NoUnit> {
        let Self {
            directive, moving, ..
        } = self;
        let placing = match handle {
            NO_HANDLE => None,
            _ => Some(directive.place(handle, &|unit| is_still(moving, unit))),
        };
        let (unit, closes) = match placing {
            None => (None, None),
            Some(Placing::Default) => {
                counters.defaulted += 1;
                (None, None)
            }
            Some(Placing::Unit(unit)) => (Some(unit), None),
            Some(Placing::NewUnit(unit)) => {
                let former = std::mem::replace(&mut self.handles[usize::from(unit)], handle);
                counters.opened += 1;
                counters.evicted += u64::from(former != NO_HANDLE);
                (Some(unit), Some(unit))
            }
            Some(Placing::Refused) => {
                counters.refused += 1;
                return Err(NoUnit);
            }
        };
        self.of_handle(handle).host_pages += 1;
        Ok(Placed {
            frontier: unit.map(|unit| self.frontiers.of_host(unit)),
            closes,
        })
    }

    /// The host releases a handle; the unit that can be closed now.
    pub(super) fn release(&mut self, handle: u16, counters: &mut PlacementCounters) -> Option<u8> {
        let unit = self.directive.release(handle)?;
        self.handles[usize::from(unit)] = NO_HANDLE;
        counters.released += 1;
        is_still(&self.moving, unit).then_some(unit)
    }

    /// The frontiers of a unit.
    pub(super) fn frontiers_of(&self, unit: u8) -> Vec<Frontier> {
        self.frontiers.of_unit(unit).collect()
    }

    /// The frontier to which the pages of a block are moved, where those of its handle are kept apart.
    pub(super) fn frontier_of_moves(&self, pool: u32, victim: u32, gc: GcFrontier) -> Option<Frontier> {
        let unit = match self.moving[pool as usize] {
            (block, unit) if block == victim => unit,
            _ => self.unit_of_moves(victim),
        };
        unit.map(|unit| match gc {
            GcFrontier::Shared => self.frontiers.of_host(unit),
            GcFrontier::Separate => self.frontiers.of_moves(unit),
        })
    }

    fn unit_of_moves(&self, victim: u32) -> Option<u8> {
        let handle = Some(self.owners[victim as usize]).filter(|_| self.isolated);
        handle.and_then(|handle| self.unit_of(handle))
    }

    /// A block of a pool is going to be emptied.
    pub(super) fn begin_moving(&mut self, pool: u32, victim: u32) {
        self.moving[pool as usize] = (victim, self.unit_of_moves(victim));
    }

    /// The block of a pool that was emptied is erased, or bad.
    pub(crate) fn end_moving(&mut self, pool: u32) {
        self.moving[pool as usize] = NOT_MOVING;
    }

    /// A block was opened for a frontier.
    pub(super) fn opened(&mut self, block: u32, frontier: Frontier, counters: &mut PlacementCounters) {
        let unit = self.frontiers.unit(frontier);
        counters.blocks_opened += u64::from(unit.is_some());
        self.owners[block as usize] = unit.map_or(NO_HANDLE, |unit| self.handles[usize::from(unit)]);
    }

    /// All that a block holds is moved to another one.
    pub(crate) fn moves_whole(&mut self, from: u32, to: u32) {
        self.owners[to as usize] = self.owners[from as usize];
    }

    /// Counts pages that were moved out of a block.
    pub(crate) fn count_moves(&mut self, from: u32, pages: u64) {
        let handle = self.owners[from as usize];
        self.of_handle(handle).moved_pages += pages;
    }

    fn of_handle(&mut self, handle: u16) -> &mut HandleCounters {
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

    /// Counts from zero again.
    pub(crate) fn restart_counts(&mut self) {
        self.counters.clear();
    }

    /// Passes the units and the owners of blocks to a state file, or takes them from it.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        self.directive.archive(archive)?;
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
            require(counters.len() <= 1 << 16, "more handles than there can be")?;
            let counted = |(host_pages, moved_pages)| HandleCounters {
                host_pages,
                moved_pages,
            };
            self.counters = counters.into_iter().map(counted).collect();
        }
        Ok(())
    }
}

/// Whether no pool moves pages to a unit, so that it can be another handle's.
fn is_still(moving: &[(u32, Option<u8>)], unit: u8) -> bool {
    moving.iter().all(|(_, to)| *to != Some(unit))
}

/// Where a host write goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// The frontier of its handle; none where it goes among the writes without one.
    pub(super) frontier: Option<Frontier>,
    /// The unit whose open blocks are to be closed before.
    pub(super) closes: Option<u8>,
}

/// A host write was refused: its handle has no unit and gets none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoUnit;
