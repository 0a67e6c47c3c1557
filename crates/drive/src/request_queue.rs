//! Requests of the host that wait to be let into the flash, where a scheduler chooses among them.

mod pieces;
mod units;

use std::collections::VecDeque;
use std::ops::Range;

use wordline_config::{Config, RequestMetadata};
use wordline_ftl::{Lpn, StaticOrder};
use wordline_keys::RefusedValue;
use wordline_nand::{Geometry, PlaneId};
use wordline_scheduler::{
    RequestKind, RequestScheduler, RequestsView, StrongPages, UnitLoad, UnitShare, WaitingRequest,
};
use wordline_units::{Duration, SimTime};

use crate::host::SubRequest;
pub(crate) use pieces::NewPiece;
use units::Units;

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
    /// The number of its command in the drive; `NONE` for what the buffer writes back.
    id: u32,
    /// Its logical pages.
    pages: Range<u64>,
    /// When it came to the queue.
    came: SimTime,
    /// Its pieces, where these come to the queue and not commands.
    pieces: Vec<SubRequest>,
    /// Pieces that are still to come; meanwhile it counts as behind another request.
    missing: u32,
}

/// A request that is let in.
#[derive(Debug)]
pub(crate) struct LetIn {
    /// The number of its command in the drive.
    pub(crate) id: u32,
    /// Its pages by unit.
    pub(crate) shares: Vec<UnitShare>,
    /// Its pieces, where these come to the queue and not commands.
    pub(crate) pieces: Vec<SubRequest>,
}

/// Requests that wait, in the order in which they came, and what chooses among them.
#[derive(Debug)]
pub(crate) struct RequestQueue {
    scheduler: Box<dyn RequestScheduler>,
    requests: Vec<WaitingRequest>,
    /// The same requests.
    entries: Vec<Entry>,
    /// Whether pieces come to the queue: those behind the buffer, or behind link and firmware. Else whole commands come.
    takes_pieces: bool,
    /// Pieces that wait for a place in the queue, the oldest first.
    outside: VecDeque<SubRequest>,
    /// How busy the units are at the present look.
    units: Units,
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
            takes_pieces: config.requests_wait_in_pieces(),
            outside: VecDeque::new(),
            units: Units::default(),
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
        (id, kind, arrival, deadline): (u32, RequestKind, SimTime, Option<Duration>),
        pages: Range<u64>,
        times: impl Iterator<Item = (u32, Duration)>,
    ) {
        let mut shares: Vec<UnitShare> = Vec::new();
        for (unit, time) in times {
            add_page(&mut shares, unit, time);
        }
        let behind = self.conflicts(self.entries.len(), kind, &pages);
        self.requests.push(WaitingRequest {
            kind,
            arrival,
            deadline,
            shares,
            behind,
        });
        self.entries.push(Entry {
            id,
            pages,
            came: arrival,
            pieces: Vec::new(),
            missing: 0,
        });
        self.has_new = true;
    }

    /// How many of the first `count` requests a request of these pages must not overtake.
    fn conflicts(&self, count: usize, kind: RequestKind, pages: &Range<u64>) -> u32 {
        let before = self.requests[..count].iter().zip(&self.entries);
        before
            .filter(|(request, entry)| conflict((request.kind, &entry.pages), (kind, pages)))
            .count() as u32
    }

    /// Whether none waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.outside.is_empty()
    }

    /// Whether requests wait and one came since the last look, or something has `changed` in the flash.
    pub(crate) fn begin_look(&mut self, changed: bool) -> bool {
        !self.requests.is_empty() && (std::mem::take(&mut self.has_new) || changed)
    }

    /// Learns how busy the units are, at the beginning of a look or when requests have come since: `state` tells whether a unit of the
    /// `count` is idle and makes space, `load` tells all.
    pub(crate) fn ask_units(
        &mut self,
        count: usize,
        state: impl Fn(usize) -> UnitLoad,
        load: impl Fn(usize, &[Duration]) -> UnitLoad,
    ) {
        self.units.forget(count);
        self.units.ask_states(&self.requests, state);
        let only_idle = self.scheduler.compares_what_could_begin();
        for request in &self.requests {
            if !only_idle || self.units.could_begin(request) {
                self.units
                    .ask_all(&request.shares, |unit| load(unit, &self.savings));
            }
        }
    }

    /// Learns how busy the units of a request that was let in are now.
    pub(crate) fn ask_units_again(
        &mut self,
        shares: &[UnitShare],
        load: impl Fn(usize, &[Duration]) -> UnitLoad,
    ) {
        self.units.ask_again(shares, |unit| load(unit, &self.savings));
    }

    /// Whether a request came since the last look began.
    pub(crate) const fn has_new(&self) -> bool {
        self.has_new
    }

    /// Takes out the request that goes next, if one does; `load` tells how busy a unit is.
    pub(crate) fn take_next(
        &mut self,
        now: SimTime,
        load: impl Fn(usize, &[Duration]) -> UnitLoad,
    ) -> Option<LetIn> {
        self.strong.clear();
        let place = self.scheduler.pick(&RequestsView {
            now,
            units: self.units.loads(),
            requests: &self.requests,
            savings: &self.savings,
        })?;
        self.units
            .ask_all(&self.requests[place].shares, |unit| load(unit, &self.savings));
        let view = RequestsView {
            now,
            units: self.units.loads(),
            requests: &self.requests,
            savings: &self.savings,
        };
        self.scheduler.place(&view, place, &mut self.strong);
        Some(self.take(place, now))
    }

    /// Takes out the first request that is behind no other.
    pub(crate) fn take_first(&mut self, now: SimTime) -> Option<LetIn> {
        self.strong.clear();
        let place = self.requests.iter().position(|request| request.behind == 0)?;
        Some(self.take(place, now))
    }

    fn take(&mut self, place: usize, now: SimTime) -> LetIn {
        self.count(place, now);
        let request = self.requests.remove(place);
        let Entry {
            id, pages, pieces, ..
        } = self.entries.remove(place);
        for (later, entry) in self.requests[place..].iter_mut().zip(&self.entries[place..]) {
            later.behind -= u32::from(conflict((request.kind, &pages), (later.kind, &entry.pages)));
        }
        self.strong_units.clear();
        self.strong_units
            .extend(request.shares.iter().map(|share| share.unit));
        LetIn {
            id,
            shares: request.shares,
            pieces,
        }
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
        let collects = |share: &UnitShare| self.units.loads()[share.unit as usize].is_collecting;
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

/// A page in a unit, beside those that a request has.
fn add_page(shares: &mut Vec<UnitShare>, unit: u32, time: Duration) {
    match shares.iter_mut().find(|share| share.unit == unit) {
        Some(share) => {
            share.time += time;
            share.pages += 1;
        }
        None => shares.push(UnitShare { unit, pages: 1, time }),
    }
}

/// Whether two requests have a page in common that one of them changes.
fn conflict(one: (RequestKind, &Range<u64>), other: (RequestKind, &Range<u64>)) -> bool {
    let only_read = one.0 == RequestKind::Read && other.0 == RequestKind::Read;
    !only_read && one.1.start < other.1.end && other.1.start < one.1.end
}
