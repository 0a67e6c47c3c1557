//! Requests of the host that wait to be let into the flash, where a scheduler chooses among them.

mod able;
mod page_index;
mod pieces;
mod units;

use std::collections::VecDeque;
use std::ops::Range;

use rustc_hash::FxHashMap;
use wordline_config::{Config, RequestMetadata};
use wordline_ftl::{Lpn, StaticOrder};
use wordline_keys::RefusedValue;
use wordline_nand::{Geometry, PlaneId};
use wordline_scheduler::{
    RequestGroup, RequestKind, RequestScheduler, RequestsView, StrongPages, UnitLoad, UnitShare,
    WaitingRequest, WaitingRequests, Wanted, add_page,
};
use wordline_units::{Duration, SimTime};

use crate::array::UnitState;
use crate::host::SubRequest;
use able::Able;
use page_index::PageIndex;
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
#[derive(Clone, Debug, Default)]
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
    /// Requests that are behind no other and of a kind that does not wait for its units.
    eager: usize,
    /// The groups of requests that could begin now, and some that could before.
    able: Able,
    /// The places of the groups of requests among which the next choice is.
    candidates: Vec<usize>,
    /// By place: the requests as the drive knows them.
    entries: Vec<Entry>,
    /// Their pages.
    pages: PageIndex,
    /// Requests that may be behind one that leaves; empty between calls.
    behind: Vec<(u64, usize)>,
    /// By command: the place of its request that waits for further pieces.
    incomplete: FxHashMap<u32, usize>,
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
            eager: 0,
            able: Able::default(),
            candidates: Vec::new(),
            entries: Vec::new(),
            pages: PageIndex::default(),
            behind: Vec::new(),
            incomplete: FxHashMap::default(),
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
        let request = WaitingRequest {
            wanted: Wanted { kind, shares },
            arrival,
            deadline,
            behind: self.conflicts(u64::MAX, kind, &pages),
        };
        let entry = Entry {
            id,
            pages,
            came: arrival,
            ..Entry::default()
        };
        self.enter(request, entry);
    }

    /// A request joins those that wait. Its place is told.
    fn enter(&mut self, request: WaitingRequest, entry: Entry) -> usize {
        let due = self.scheduler.due(&request);
        let place = self.requests.push(request, due);
        self.pages
            .insert(&entry.pages, self.requests.number(place), place);
        match self.entries.get_mut(place) {
            Some(unused) => *unused = entry,
            None => self.entries.push(entry),
        }
        self.freed(place);
        self.has_new = true;
        place
    }

    /// The request at a place may be behind no other now.
    fn freed(&mut self, place: usize) {
        self.eager += usize::from(self.is_eager(place));
        if let Some(group) = self.requests.group_of(place) {
            self.judge(group);
        }
    }

    /// Whether a request is behind no other and of a kind that does not wait for its units, or takes time of none.
    fn is_eager(&self, place: usize) -> bool {
        let request = &self.requests[place];
        let waits = !request.shares().is_empty() && self.scheduler.waits_for_units(request.kind());
        request.behind == 0 && !waits
    }

    /// Until when requests are chosen only while one of their units could begin with them.
    fn wait_for_units_until(&self) -> SimTime {
        if self.eager > 0 {
            SimTime::ZERO
        } else {
            self.requests.first_due()
        }
    }

    /// How many of the requests that came before a number a request of these pages must not overtake.
    fn conflicts(&self, number: u64, kind: RequestKind, pages: &Range<u64>) -> u32 {
        let overlapping = self.pages.overlapping(pages);
        let conflicts =
            |(other, place): &(u64, usize)| *other < number && one_writes(self.requests[*place].kind(), kind);
        overlapping.filter(conflicts).count() as u32
    }

    /// Whether none waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.outside.is_empty()
    }

    /// Whether requests wait and one came since the last look, or something has `changed` in the flash that one of them waits for: a unit, or anything
    /// where one waits no longer for its units.
    pub(crate) fn begin_look(&mut self, now: SimTime, changed: bool, unit_changed: bool) -> bool {
        let matters = unit_changed || changed && now >= self.wait_for_units_until();
        !self.requests.is_empty() && (std::mem::take(&mut self.has_new) || matters)
    }

    /// Learns of the state of a unit that has changed, at the beginning of a look and when a request has been let in.
    pub(crate) fn learn_state(&mut self, unit: u32, now: SimTime, state: UnitState) {
        if !self.units.set_state(unit, now, state) || self.requests.is_empty() {
            return;
        }
        // a request may name a unit that is idle without being able to begin, so each group is judged
        for index in 0..self.requests.groups_of_unit(unit).len() {
            self.judge(self.requests.groups_of_unit(unit)[index]);
        }
    }

    /// Requests of a group may have become able to begin.
    fn judge(&mut self, group: usize) {
        if self.units.could_go(&self.requests.groups()[group]) {
            self.able.list(group);
        }
    }

    /// Finds the groups of requests among which the next choice is, and how busy their units are: those that could begin; all, where one
    /// waits no longer for its units. `load` tells all of a unit.
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
        let all = now >= self.wait_for_units_until();
        if self.able.is_empty() && !all {
            return;
        }
        self.requests.expire(now);
        let (units, groups) = (&self.units, self.requests.groups());
        if all {
            let there = |place: &usize| groups[*place].oldest().is_some();
            self.candidates.extend((0..groups.len()).filter(there));
        } else {
            self.able.retain(|place| {
                let group = &groups[place];
                group.oldest().is_some() && units.could_go(group)
            });
            self.candidates.extend(self.able.groups());
        }
        let only_able = self.scheduler.compares_what_could_begin();
        for place in &self.candidates {
            let group = &groups[*place];
            if !only_able || self.units.could_begin(group) {
                self.units
                    .ask_all(group.shares(), |unit| load(unit, &self.savings));
            }
        }
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
        self.units
            .ask_all(self.requests[place].shares(), |unit| load(unit, &self.savings));
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
        let is_behind_none = |place: &usize| self.requests[*place].behind == 0;
        let place = self.requests.places().find(is_behind_none)?;
        Some(self.take(place, now))
    }

    fn take(&mut self, place: usize, now: SimTime) -> LetIn {
        self.count(place, now);
        self.eager -= usize::from(self.is_eager(place));
        let number = self.requests.number(place);
        let request = self.requests.remove(place);
        self.units.forget(request.shares());
        let Entry {
            id,
            pages,
            pieces,
            missing,
            ..
        } = std::mem::take(&mut self.entries[place]);
        if missing > 0 {
            self.incomplete.remove(&id);
        }
        self.pages.remove(&pages, number);
        let mut behind = std::mem::take(&mut self.behind);
        let overlapping = self.pages.overlapping(&pages);
        behind.extend(overlapping.filter(|(other, _)| *other > number));
        for (_, later) in behind.drain(..) {
            let other = &self.requests[later];
            if other.behind > 0 && one_writes(request.kind(), other.kind()) {
                self.requests.set_behind(later, other.behind - 1);
                self.freed(later);
            }
        }
        self.behind = behind;
        self.strong_units.clear();
        self.strong_units
            .extend(request.shares().iter().map(|share| share.unit));
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
        let (request, number) = (&self.requests[place], self.requests.number(place));
        let Some(kind) = counted(request.kind()) else {
            return;
        };
        let could_go = |group: &RequestGroup| {
            group.kind() == request.kind()
                && group.oldest().is_some_and(|(oldest, _)| oldest < number)
                && !self.units.waits_for_space(group)
        };
        self.counts.all[kind] += 1;
        self.counts.expired[kind] += u64::from(now >= self.scheduler.due(request));
        self.counts.reordered[kind] += u64::from(self.requests.groups().iter().any(could_go));
    }
}

/// Whether requests of these kinds must keep their order where they have a page in common: one of them changes it.
fn one_writes(one: RequestKind, other: RequestKind) -> bool {
    one != RequestKind::Read || other != RequestKind::Read
}
