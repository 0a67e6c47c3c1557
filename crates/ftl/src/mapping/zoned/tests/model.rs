//! Zones as NVM Express describes them, written down once more: a list of states and pointers, and rules that look at all of it.

use crate::plan::Lpn;
use crate::request::Refusal;
use crate::zone::{AccessKind, HostAccess, ZoneAction, ZoneFacts, ZoneLayout, ZoneState};

#[derive(Clone, Debug)]
pub(super) struct ModelZone {
    pub(super) state: ZoneState,
    pub(super) pointer: u64,
    /// When it was opened.
    opened: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Zones {
    layout: ZoneLayout,
    pub(super) zones: Vec<ModelZone>,
    time: u64,
}

impl Zones {
    pub(super) fn new(layout: ZoneLayout) -> Self {
        let zone = ModelZone {
            state: ZoneState::Empty,
            pointer: 0,
            opened: 0,
        };
        Self {
            layout,
            zones: vec![zone; layout.zones as usize],
            time: 0,
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.zones.len() as u64
    }

    pub(super) fn size(&self) -> u64 {
        self.layout.zone_pages
    }

    pub(super) fn start(&self, zone: u64) -> u64 {
        zone * self.layout.zone_pages
    }

    pub(super) fn pointer(&self, zone: u64) -> u64 {
        self.zones[zone as usize].pointer
    }

    pub(super) fn open_and_active(&self) -> (u32, u32) {
        let open = self.zones.iter().filter(|zone| is_open(zone.state)).count();
        let closed = self
            .zones
            .iter()
            .filter(|zone| zone.state == ZoneState::Closed)
            .count();
        (open as u32, (open + closed) as u32)
    }

    pub(super) fn facts(&self) -> Vec<ZoneFacts> {
        let zones = (0..).zip(&self.zones);
        zones
            .map(|(number, zone)| ZoneFacts {
                state: zone.state,
                start: Lpn(self.start(number)),
                capacity: self.layout.capacity_pages,
                write_pointer: Lpn(self.start(number)
                    + if zone.state == ZoneState::Full {
                        self.layout.capacity_pages
                    } else {
                        zone.pointer
                    }),
            })
            .collect()
    }

    pub(super) fn admit(&mut self, access: &HostAccess) -> Result<Lpn, Refusal> {
        if access.lpn.0 + access.pages > self.count() * self.size() {
            return Err(Refusal::OutOfRange);
        }
        self.time += 1;
        let number = access.lpn.0 / self.size();
        let offset = access.lpn.0 % self.size();
        match access.kind {
            AccessKind::Read | AccessKind::Deallocate => Ok(access.lpn),
            AccessKind::Append => self.write(number, self.pointer(number), access.pages),
            AccessKind::Write => self.write(number, offset, access.pages),
            AccessKind::Manage(action) => self.manage(number, action),
        }
    }

    fn write(&mut self, number: u64, offset: u64, pages: u64) -> Result<Lpn, Refusal> {
        let before = self.zones[number as usize].clone();
        if before.state == ZoneState::Full {
            return Err(Refusal::ZoneFull);
        }
        if offset + pages > self.layout.capacity_pages {
            return Err(Refusal::ZoneBoundary);
        }
        if offset != before.pointer {
            return Err(Refusal::InvalidWrite);
        }
        if !is_open(before.state) {
            self.open(number, ZoneState::ImplicitlyOpen)?;
        }
        let zone = &mut self.zones[number as usize];
        zone.pointer += pages;
        if zone.pointer == self.layout.capacity_pages {
            zone.state = ZoneState::Full;
        }
        Ok(Lpn(self.start(number) + offset))
    }

    fn open(&mut self, number: u64, state: ZoneState) -> Result<(), Refusal> {
        let (open, active) = self.open_and_active();
        let is_active = self.zones[number as usize].state == ZoneState::Closed;
        if !is_active && self.layout.max_active == Some(active) {
            return Err(Refusal::TooManyActive);
        }
        if self.layout.max_open == Some(open) {
            let zones = self.zones.iter_mut();
            let implicit = zones.filter(|zone| zone.state == ZoneState::ImplicitlyOpen);
            match implicit.min_by_key(|zone| zone.opened) {
                Some(zone) => zone.state = ZoneState::Closed,
                None => return Err(Refusal::TooManyOpen),
            }
        }
        let zone = &mut self.zones[number as usize];
        zone.state = state;
        zone.opened = self.time;
        Ok(())
    }

    fn manage(&mut self, number: u64, action: ZoneAction) -> Result<Lpn, Refusal> {
        use ZoneState::{Closed, Empty, ExplicitlyOpen, Full, ImplicitlyOpen};
        let state = self.zones[number as usize].state;
        match (action, state) {
            (ZoneAction::Open, Empty | Closed) => self.open(number, ExplicitlyOpen)?,
            (ZoneAction::Open, ImplicitlyOpen) => self.zones[number as usize].state = ExplicitlyOpen,
            (ZoneAction::Open, ExplicitlyOpen) | (ZoneAction::Close, Closed) => {}
            (ZoneAction::Close, ImplicitlyOpen | ExplicitlyOpen) => {
                let zone = &mut self.zones[number as usize];
                zone.state = if zone.pointer == 0 { Empty } else { Closed };
            }
            (ZoneAction::Finish, _) => self.zones[number as usize].state = Full,
            (ZoneAction::Reset, _) => {
                let zone = &mut self.zones[number as usize];
                (zone.state, zone.pointer) = (Empty, 0);
            }
            _ => return Err(Refusal::InvalidTransition),
        }
        Ok(Lpn(self.start(number)))
    }
}

fn is_open(state: ZoneState) -> bool {
    matches!(state, ZoneState::ImplicitlyOpen | ZoneState::ExplicitlyOpen)
}
