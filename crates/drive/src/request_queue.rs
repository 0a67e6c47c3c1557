//! Requests of the host that wait to be let into the flash, where a scheduler chooses among them.

mod able;
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
    WaitingRequests, add_page,
};
use wordline_units::{Duration, SimTime};

use crate::array::UnitState;
use crate::host::SubRequest;
use able::Able;
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
    /// Its pieces, where these come to the queue and not commands.
    pub(crate) pieces: Vec<SubRequest>,
}

/// Requests that wait, in the order in which they came, and what chooses among them.
#[derive(Debug)]
pub(crate) struct RequestQueue {
    scheduler: Box<dyn RequestScheduler>,
    requests: WaitingRequests,
    /// Until then at least all of them are chosen only while one of their units could begin with them.
    wait_for_units_until: SimTime,
    /// The requests that could begin now, and some that could before.
    able: Able,
    /// The places of the requests among which the next choice is.
    candidates: Vec<usize>,
    /// The same requests as the drive knows them.
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
    /// The queue of a drive; none where requests go to the flash as they come. It has so many `units`; `savings` says by how much a program
    /// takes less time in strong blocks of each class.
    ///
    /// # Errors
    /// There is no scheduler of the name.
    pub(crate) fn new(
        config: &Config,
        geometry: &Geometry,
        (units, savings): (usize, &[Duration]),
    ) -> Result<Option<Self>, RefusedValue> {
        let row = config.scheduler.policy.row()?;
        Ok(row.requests.map(|build| Self {
            scheduler: build(&config.scheduler.keys),
            requests: WaitingRequests::default(),
            wait_for_units_until: SimTime::NEVER,
            able: Able::default(),
            candidates: Vec::new(),
            entries: Vec::new(),
            takes_pieces: config.requests_wait_in_pieces(),
            outside: VecDeque::new(),
            units: Units::new(units),
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
        let request = WaitingRequest {
            kind,
            arrival,
            deadline,
            shares,
            behind,
        };
        let entry = Entry {
            id,
            pages,
            came: arrival,
            pieces: Vec::new(),
            missing: 0,
        };
        self.enter(request, entry);
    }

    /// A request joins those that wait.
    fn enter(&mut self, request: WaitingRequest, entry: Entry) {
        self.wait_for_units_until = self
            .wait_for_units_until
            .min(self.waits_for_units_until(&request));
        self.requests.push(request);
        self.entries.push(entry);
        self.judge(self.requests.len() - 1);
        self.has_new = true;
    }

    /// Until when a request is chosen only while one of its units could begin with it.
    fn waits_for_units_until(&self, request: &WaitingRequest) -> SimTime {
        if request.shares.is_empty() {
            SimTime::ZERO
        } else {
            self.scheduler.waits_for_units_until(request)
        }
    }

    /// How many of the first `count` requests a request of these pages must not overtake.
    fn conflicts(&self, count: usize, kind: RequestKind, pages: &Range<u64>) -> u32 {
        let before = self.requests.all()[..count].iter().zip(&self.entries);
        before
            .filter(|(request, entry)| conflict((request.kind, &entry.pages), (kind, pages)))
            .count() as u32
    }

    /// Whether none waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.outside.is_empty()
    }

    /// Whether requests wait and one came since the last look, or something has `changed` in the flash that one of them waits for: a unit, or anything
    /// where one waits no longer for its units.
    pub(crate) fn begin_look(&mut self, now: SimTime, changed: bool, unit_changed: bool) -> bool {
        let matters = unit_changed || changed && now >= self.wait_for_units_until;
        !self.requests.is_empty() && (std::mem::take(&mut self.has_new) || matters)
    }

    /// Learns of the state of a unit that has changed, at the beginning of a look and when a request has been let in.
    pub(crate) fn learn_state(&mut self, unit: u32, now: SimTime, state: UnitState) {
        if !self.units.set_state(unit, now, state) || self.requests.is_empty() {
            return;
        }
        // a request may name a unit that is idle without being able to begin, so each is judged
        for index in 0..self.requests.count_of_unit(unit) {
            self.judge(self.requests.of_unit_at(unit, index));
        }
    }

    /// The request at a place may have become able to begin.
    fn judge(&mut self, place: usize) {
        let could_begin = self.units.could_go(&self.requests.all()[place]);
        self.able.set(self.requests.number(place), could_begin);
    }

    /// Finds the requests among which the next choice is, and how busy their units are: those that could begin; all, where one waits no longer
    /// for its units. `load` tells all of a unit.
    pub(crate) fn find_candidates(
        &mut self,
        now: SimTime,
        begins_look: bool,
        load: impl Fn(usize, &[Duration]) -> UnitLoad,
    ) {
        if begins_look {
            self.units.begin_look();
        }
        self.candidates.clear();
        if self.able.is_empty() && now < self.wait_for_units_until {
            return;
        }
        if now >= self.wait_for_units_until {
            // that of a request which has left may still stand there
            let all = self.requests.all().iter();
            let first = all.map(|request| self.waits_for_units_until(request)).min();
            self.wait_for_units_until = first.unwrap_or(SimTime::NEVER);
        }
        if now >= self.wait_for_units_until {
            self.candidates.extend(0..self.requests.len());
        } else {
            self.find_able();
        }
        let only_able = self.scheduler.compares_what_could_begin();
        for place in &self.candidates {
            let request = &self.requests.all()[*place];
            if !only_able || self.units.could_begin(request) {
                self.units
                    .ask_all(&request.shares, |unit| load(unit, &self.savings));
            }
        }
    }

    /// Takes for candidates the requests that could begin, and forgets those that no longer could.
    fn find_able(&mut self) {
        let Self {
            able,
            requests,
            units,
            candidates,
            ..
        } = self;
        able.retain(|number| {
            let place = requests.place(number);
            let could_go = units.could_go(&requests.all()[place]);
            if could_go {
                candidates.push(place);
            }
            could_go
        });
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
        if self.candidates.is_empty() {
            return None;
        }
        let place = self.scheduler.pick(&RequestsView {
            now,
            units: self.units.loads(),
            requests: &self.requests,
            candidates: &self.candidates,
            savings: &self.savings,
        })?;
        self.units.ask_all(&self.requests.all()[place].shares, |unit| {
            load(unit, &self.savings)
        });
        let view = RequestsView {
            now,
            units: self.units.loads(),
            requests: &self.requests,
            candidates: &self.candidates,
            savings: &self.savings,
        };
        self.scheduler.place(&view, place, &mut self.strong);
        Some(self.take(place, now))
    }

    /// Takes out the first request that is behind no other.
    pub(crate) fn take_first(&mut self, now: SimTime) -> Option<LetIn> {
        self.strong.clear();
        let place = self
            .requests
            .all()
            .iter()
            .position(|request| request.behind == 0)?;
        Some(self.take(place, now))
    }

    fn take(&mut self, place: usize, now: SimTime) -> LetIn {
        self.count(place, now);
        self.able.set(self.requests.number(place), false);
        let request = self.requests.remove(place);
        self.units.forget(&request.shares);
        let Entry {
            id, pages, pieces, ..
        } = self.entries.remove(place);
        for later in place..self.requests.len() {
            let other = &self.requests.all()[later];
            if other.behind > 0 && conflict((request.kind, &pages), (other.kind, &self.entries[later].pages))
            {
                *self.requests.behind_mut(later) -= 1;
                self.judge(later);
            }
        }
        self.strong_units.clear();
        self.strong_units
            .extend(request.shares.iter().map(|share| share.unit));
        LetIn { id, pieces }
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
        let (earlier, request) = (&self.requests.all()[..place], &self.requests.all()[place]);
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
        self.counts.reordered[kind] += u64::from(earlier.iter().any(could_go));
    }
}

/// Whether two requests have a page in common that one of them changes.
fn conflict(one: (RequestKind, &Range<u64>), other: (RequestKind, &Range<u64>)) -> bool {
    let only_read = one.0 == RequestKind::Read && other.0 == RequestKind::Read;
    !only_read && one.1.start < other.1.end && other.1.start < one.1.end
}
