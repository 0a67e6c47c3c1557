//! The states of zones, their write pointers, and the limits of open and active zones.

use serde::{Deserialize, Serialize};

use crate::plan::Lpn;
use crate::request::Refusal;
use crate::zone::{AccessKind, HostAccess, ZoneAction, ZoneLayout, ZoneState, ZoneTotals};

/// Sectors of a logical block, where the page is no smaller: writes are of whole blocks of 4 KiB, as drives with zones have them (assumed).
const LOGICAL_BLOCK: u32 = 8;

/// One zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Zone {
    pub(super) state: ZoneState,
    /// Sectors that commands were admitted for since the last reset: the next one is written there.
    pub(super) pointer: u64,
    /// When it was opened, counted in openings.
    opened: u64,
}

/// What a command that was admitted changes beside the zone itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Admitted {
    /// The first sector of the zone that it concerns, counted from the start of the zone.
    pub(super) offset: u64,
    /// The write pointer that the zone had before it was reset, in sectors; none where it was not, or was empty.
    pub(super) reset_at: Option<u64>,
}

/// All zones.
#[derive(Clone, Debug)]
pub(super) struct ZoneTable {
    layout: ZoneLayout,
    /// Sectors of a page, and of a logical block.
    per_page: u64,
    block: u64,
    pub(super) zones: Vec<Zone>,
    pub(super) totals: ZoneTotals,
    openings: u64,
    open: u32,
    active: u32,
}

impl ZoneTable {
    /// Empty zones, but for those that are read-only or offline from the start.
    pub(super) fn new(
        layout: ZoneLayout,
        per_page: u32,
        lost: impl Iterator<Item = (u32, ZoneState)>,
    ) -> Self {
        let mut zones = vec![Zone::default(); layout.zones as usize];
        for (zone, state) in lost {
            zones[zone as usize].state = state;
        }
        Self {
            layout,
            per_page: u64::from(per_page),
            block: u64::from(per_page.min(LOGICAL_BLOCK)),
            zones,
            totals: ZoneTotals::default(),
            openings: 0,
            open: 0,
            active: 0,
        }
    }

    /// Admits a command that touches the zone in which its first page lies, and changes the zone as the command does.
    ///
    /// # Errors
    /// What the rules of zones do not allow; nothing is changed then.
    pub(super) fn admit(&mut self, access: &HostAccess) -> Result<Admitted, Refusal> {
        let admitted = self.decide(access);
        self.totals.refused += u64::from(admitted.is_err());
        admitted
    }

    fn decide(&mut self, access: &HostAccess) -> Result<Admitted, Refusal> {
        let (zone, page) = self.layout.split(access.lpn);
        let offset = page * self.per_page + u64::from(access.head);
        let unchanged = Admitted {
            offset,
            reset_at: None,
        };
        match access.kind {
            AccessKind::Deallocate => Ok(unchanged),
            AccessKind::Read => {
                let last = Lpn(access.lpn.0 + access.pages.max(1) - 1);
                let (last, _) = self.layout.split(last);
                let mut read = (zone..=last).map(|zone| self.zones[zone as usize].state);
                if read.any(|state| state == ZoneState::Offline) {
                    return Err(Refusal::ZoneOffline);
                }
                Ok(unchanged)
            }
            AccessKind::Write => self.write(zone, offset, access),
            AccessKind::Append if offset != 0 => Err(Refusal::InvalidField),
            AccessKind::Append => {
                let pointer = self.zones[zone as usize].pointer;
                self.write(zone, pointer, access)
            }
            AccessKind::Manage(_) if page != 0 => Err(Refusal::InvalidField),
            AccessKind::Manage(action) => self.manage(zone, action),
        }
    }

    fn write(&mut self, zone: u32, offset: u64, access: &HostAccess) -> Result<Admitted, Refusal> {
        let Zone { state, pointer, .. } = self.zones[zone as usize];
        match state {
            ZoneState::Full => return Err(Refusal::ZoneFull),
            ZoneState::ReadOnly => return Err(Refusal::ZoneReadOnly),
            ZoneState::Offline => return Err(Refusal::ZoneOffline),
            _ => {}
        }
        let parts = u64::from(access.head) + u64::from(access.tail);
        let sectors = (access.pages * self.per_page).saturating_sub(parts);
        if !sectors.is_multiple_of(self.block) || !offset.is_multiple_of(self.block) {
            return Err(Refusal::InvalidField);
        }
        let capacity = self.layout.capacity_pages * self.per_page;
        if sectors > capacity.saturating_sub(offset) {
            return Err(Refusal::ZoneBoundary);
        }
        if offset != pointer {
            return Err(Refusal::InvalidWrite);
        }
        if !state.is_open() {
            self.make_room(state)?;
            self.enter(zone, ZoneState::ImplicitlyOpen);
        }
        let pointer = pointer + sectors;
        self.zones[zone as usize].pointer = pointer;
        if pointer == capacity {
            self.enter(zone, ZoneState::Full);
        }
        match access.kind {
            AccessKind::Append => self.totals.appends += 1,
            _ => self.totals.writes += 1,
        }
        Ok(Admitted {
            offset,
            reset_at: None,
        })
    }

    /// Makes sure that a zone in `state`, which is not open, can be opened: where all open zones that the drive may have are
    /// taken, it closes the one that was opened first of those that writes have opened.
    fn make_room(&mut self, state: ZoneState) -> Result<(), Refusal> {
        let is_reached = |limit: Option<u32>, count: u32| limit.is_some_and(|limit| count >= limit);
        if !state.is_active() && is_reached(self.layout.max_active, self.active) {
            return Err(Refusal::TooManyActive);
        }
        if !is_reached(self.layout.max_open, self.open) {
            return Ok(());
        }
        let zones = self.zones.iter().enumerate();
        let oldest = zones
            .filter(|(_, zone)| zone.state == ZoneState::ImplicitlyOpen)
            .min_by_key(|(_, zone)| zone.opened);
        let (oldest, _) = oldest.ok_or(Refusal::TooManyOpen)?;
        self.enter(oldest as u32, ZoneState::Closed);
        self.totals.implicit_closes += 1;
        Ok(())
    }

    /// A zone gets another state.
    fn enter(&mut self, zone: u32, state: ZoneState) {
        let zone = &mut self.zones[zone as usize];
        let before = std::mem::replace(&mut zone.state, state);
        if state.is_open() && !before.is_open() {
            self.openings += 1;
            zone.opened = self.openings;
        }
        self.open = self.open + u32::from(state.is_open()) - u32::from(before.is_open());
        self.active = self.active + u32::from(state.is_active()) - u32::from(before.is_active());
    }

    fn manage(&mut self, zone: u32, action: ZoneAction) -> Result<Admitted, Refusal> {
        let Zone { state, pointer, .. } = self.zones[zone as usize];
        let mut reset_at = None;
        match (action, state) {
            (_, ZoneState::Offline | ZoneState::ReadOnly) => return Err(Refusal::InvalidTransition),
            (ZoneAction::Open, ZoneState::Full) => return Err(Refusal::InvalidTransition),
            (ZoneAction::Open, ZoneState::ExplicitlyOpen) => {}
            (ZoneAction::Open, _) => {
                if !state.is_open() {
                    self.make_room(state)?;
                }
                self.enter(zone, ZoneState::ExplicitlyOpen);
                self.totals.opens += 1;
            }
            (ZoneAction::Close, ZoneState::Empty | ZoneState::Full) => {
                return Err(Refusal::InvalidTransition);
            }
            (ZoneAction::Close, ZoneState::Closed) => {}
            (ZoneAction::Close, _) => {
                let closed = if pointer == 0 {
                    ZoneState::Empty
                } else {
                    ZoneState::Closed
                };
                self.enter(zone, closed);
                self.totals.closes += 1;
            }
            (ZoneAction::Finish, ZoneState::Full) => {}
            (ZoneAction::Finish, _) => {
                self.enter(zone, ZoneState::Full);
                self.totals.finishes += 1;
                self.totals.finished_pages += self.layout.capacity_pages - pointer.div_ceil(self.per_page);
            }
            (ZoneAction::Reset, ZoneState::Empty) => {}
            (ZoneAction::Reset, _) => {
                self.enter(zone, ZoneState::Empty);
                self.zones[zone as usize].pointer = 0;
                self.totals.resets += 1;
                reset_at = Some(pointer);
            }
        }
        Ok(Admitted { offset: 0, reset_at })
    }

    /// Something of a zone has failed: it can be read only from now on, or nothing of it can be accessed.
    pub(super) fn lose(&mut self, zone: u32, state: ZoneState) {
        self.enter(zone, state);
    }

    /// Whether a zone can be written no more.
    pub(super) fn is_lost(&self, zone: u32) -> bool {
        !self.zones[zone as usize].state.is_writable()
    }

    /// Counts the zones that are open and active, after all were loaded; whether the drive may have so many.
    pub(super) fn recount(&mut self) -> bool {
        let count =
            |holds: fn(ZoneState) -> bool| self.zones.iter().filter(|zone| holds(zone.state)).count() as u32;
        (self.open, self.active) = (count(ZoneState::is_open), count(ZoneState::is_active));
        self.openings = self
            .zones
            .iter()
            .map(|zone| zone.opened)
            .max()
            .unwrap_or_default();
        let within = |limit: Option<u32>, count: u32| limit.is_none_or(|limit| count <= limit);
        within(self.layout.max_open, self.open) && within(self.layout.max_active, self.active)
    }

    /// Zones that are open, and zones that are active.
    #[cfg(test)]
    pub(super) fn open_and_active(&self) -> (u32, u32) {
        (self.open, self.active)
    }
}
