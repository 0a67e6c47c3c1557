//! Requests of the host that wait to be let into the flash, where a scheduler chooses among them.

use std::ops::Range;

use wordline_config::{Config, RequestMetadata};
use wordline_ftl::{Lpn, StaticOrder};
use wordline_keys::RefusedValue;
use wordline_nand::{Geometry, PlaneId};
use wordline_scheduler::{
    RequestKind, RequestScheduler, RequestsView, StrongPages, UnitLoad, UnitShare, WaitingRequest,
};
use wordline_units::{Duration, SimTime};

/// What was let into the flash, of reads and of writes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestCounts {
    /// Requests.
    pub(crate) all: [u64; 2],
    /// Of these, past their deadline.
    pub(crate) expired: [u64; 2],
    /// Of these, before one of their kind that came earlier and could have gone.
    pub(crate) reordered: [u64; 2],
}

/// A request that waits, as the drive knows it.
#[derive(Clone, Debug)]
struct Entry {
    /// Its number in the drive.
    id: u32,
    /// Its logical pages.
    pages: Range<u64>,
}

/// Requests that wait, in the order in which they came, and what chooses among them.
#[derive(Debug)]
pub(crate) struct RequestQueue {
    scheduler: Box<dyn RequestScheduler>,
    requests: Vec<WaitingRequest>,
    /// The same requests.
    entries: Vec<Entry>,
    /// How busy the units are at the present look.
    units: Vec<UnitLoad>,
    /// By how much a program in strong blocks of each class takes less time; empty where blocks are of one class.
    savings: Vec<Duration>,
    /// Pages in strong blocks for the request that was taken out last, by its shares.
    strong: Vec<StrongPages>,
    /// The units of these shares.
    strong_units: Vec<u32>,
    /// The plane of every logical page.
    order: StaticOrder,
    /// Whether a request came since the last look.
    has_new: bool,
    counts: RequestCounts,
    metadata: RequestMetadata,
}

/// The place of reads and writes in counts.
const fn counted(kind: RequestKind) -> Option<usize> {
    match kind {
        RequestKind::Read => Some(0),
        RequestKind::Write => Some(1),
        RequestKind::Other => None,
    }
}

impl RequestQueue {
    /// The queue of a drive; none where requests go to the flash as they come. `savings` says by how much a program takes less time in
    /// strong blocks of each class.
    ///
    /// # Errors
    /// There is no scheduler of the name.
    pub(crate) fn new(
        config: &Config,
        geometry: &Geometry,
        savings: &[Duration],
    ) -> Result<Option<Self>, RefusedValue> {
        let row = config.scheduler.policy.row()?;
        Ok(row.requests.map(|build| Self {
            scheduler: build(&config.scheduler.keys),
            requests: Vec::new(),
            entries: Vec::new(),
            units: Vec::new(),
            savings: savings.to_vec(),
            strong: Vec::new(),
            strong_units: Vec::new(),
            order: StaticOrder::new(geometry, config.array_allocation().order),
            has_new: false,
            counts: RequestCounts::default(),
            metadata: config.request_metadata(geometry),
        }))
    }

    /// The plane of a logical page.
    pub(crate) fn plane(&self, page: u64) -> PlaneId {
        self.order.plane(Lpn(page))
    }

    /// What was let into the flash.
    pub(crate) const fn counts(&self) -> &RequestCounts {
        &self.counts
    }

    /// What the controller keeps for it.
    pub(crate) const fn metadata(&self) -> &RequestMetadata {
        &self.metadata
    }

    /// Counts afresh.
    pub(crate) fn restart_counts(&mut self) {
        self.counts = RequestCounts::default();
    }

    /// A request comes: its pages, and those of them that take time of a unit, each with the unit and its time.
    pub(crate) fn push(
        &mut self,
        (id, kind, arrival): (u32, RequestKind, SimTime),
        pages: Range<u64>,
        times: impl Iterator<Item = (u32, Duration)>,
    ) {
        let mut shares: Vec<UnitShare> = Vec::new();
        for (unit, time) in times {
            match shares.iter_mut().find(|share| share.unit == unit) {
                Some(share) => {
                    share.time += time;
                    share.pages += 1;
                }
                None => shares.push(UnitShare { unit, pages: 1, time }),
            }
        }
        let before = self.requests.iter().zip(&self.entries);
        let behind = before
            .filter(|(request, entry)| conflict((request.kind, &entry.pages), (kind, &pages)))
            .count() as u32;
        self.requests.push(WaitingRequest {
            kind,
            arrival,
            shares,
            behind,
        });
        self.entries.push(Entry { id, pages });
        self.has_new = true;
    }

    /// Whether requests wait and one came since the last look, or something has `changed` in the flash.
    pub(crate) fn begin_look(&mut self, changed: bool) -> bool {
        !self.requests.is_empty() && (std::mem::take(&mut self.has_new) || changed)
    }

    /// How busy the units are; to be filled at the beginning of a look.
    pub(crate) fn units_mut(&mut self) -> &mut Vec<UnitLoad> {
        &mut self.units
    }

    /// Takes out the request that goes next, if one does: its number in the drive, and its units.
    pub(crate) fn take_next(&mut self, now: SimTime) -> Option<(u32, Vec<UnitShare>)> {
        self.strong.clear();
        let view = RequestsView {
            now,
            units: &self.units,
            requests: &self.requests,
            savings: &self.savings,
        };
        let place = self.scheduler.pick(&view)?;
        self.scheduler.place(&view, place, &mut self.strong);
        Some(self.take(place, now))
    }

    /// Takes out the first request that is behind no other.
    pub(crate) fn take_first(&mut self, now: SimTime) -> Option<(u32, Vec<UnitShare>)> {
        self.strong.clear();
        let place = self.requests.iter().position(|request| request.behind == 0)?;
        Some(self.take(place, now))
    }

    fn take(&mut self, place: usize, now: SimTime) -> (u32, Vec<UnitShare>) {
        self.count(place, now);
        let request = self.requests.remove(place);
        let Entry { id, pages } = self.entries.remove(place);
        for (later, entry) in self.requests[place..].iter_mut().zip(&self.entries[place..]) {
            later.behind -= u32::from(conflict((request.kind, &pages), (later.kind, &entry.pages)));
        }
        self.strong_units.clear();
        self.strong_units
            .extend(request.shares.iter().map(|share| share.unit));
        (id, request.shares)
    }

    /// By how much a program in strong blocks of each class takes less time, the fastest first.
    pub(crate) fn savings(&self) -> &[Duration] {
        &self.savings
    }

    /// The class of blocks for the next page in a unit that is written for the request that was taken out last: 0 is the normal one, 1
    /// the fastest.
    pub(crate) fn take_class(&mut self, unit: u32) -> u8 {
        if self.strong.is_empty() {
            return 0;
        }
        let of_unit = self.strong_units.iter().position(|other| *other == unit);
        let Some(left) = of_unit.and_then(|place| self.strong.get_mut(place)) else {
            return 0;
        };
        match left.iter().position(|pages| *pages > 0) {
            Some(class) => {
                left[class] -= 1;
                class as u8 + 1
            }
            None => 0,
        }
    }

    fn count(&mut self, place: usize, now: SimTime) {
        let request = &self.requests[place];
        let Some(kind) = counted(request.kind) else {
            return;
        };
        let collects = |share: &UnitShare| self.units[share.unit as usize].is_collecting;
        let could_go = |earlier: &WaitingRequest| {
            earlier.kind == request.kind
                && earlier.behind == 0
                && (earlier.kind == RequestKind::Read || !earlier.shares.iter().any(collects))
        };
        self.counts.all[kind] += 1;
        self.counts.expired[kind] += u64::from(self.scheduler.is_expired(request, now));
        self.counts.reordered[kind] += u64::from(self.requests[..place].iter().any(could_go));
    }
}

/// Whether two requests have a page in common that one of them changes.
fn conflict(one: (RequestKind, &Range<u64>), other: (RequestKind, &Range<u64>)) -> bool {
    let only_read = one.0 == RequestKind::Read && other.0 == RequestKind::Read;
    !only_read && one.1.start < other.1.end && other.1.start < one.1.end
}
