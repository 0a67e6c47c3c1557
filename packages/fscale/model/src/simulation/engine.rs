//! The event loop.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wordline_workload::SourceError;

use crate::drive::{Design, Drive};
use crate::local::StaleCopies;
use crate::mapping::{Draw, Job, Mapping};
use crate::paths::{Kind, Paths, Step, Unit};
use crate::simulation::admission::{Admission, PageWrite};
use crate::simulation::host::{Host, Parts, Request};
use crate::simulation::lru::Lru;
use crate::simulation::observed::{Observer, Simulated};
use crate::simulation::operations::{NONE, Operation, UnderWay};
use crate::simulation::requests::Requests;
use crate::simulation::settings::{Arrivals, RunSettings, Scheduling};
use crate::simulation::stations::{Stations, class};
use crate::simulation::table_cache::TableCache;

/// Pages of requests that are not yet answered, at most: requests that come faster than a drive answers them would fill any memory.
const MOST_PAGES: u64 = 1 << 20;

/// The event of an arrival, in place of the number of an operation.
const ARRIVAL: u32 = u32::MAX;

/// A drive under way. Each draw has a stream of its own.
pub(super) struct Engine<'a, M> {
    pub(super) drive: &'a Drive,
    pub(super) settings: &'a RunSettings,
    pub(super) paths: Paths,
    pub(super) mapping: M,
    stations: Stations,
    pub(super) operations: UnderWay,
    /// Time, order of insertion and operation of each event.
    events: BinaryHeap<Reverse<u128>>,
    inserted: u32,
    pub(super) now: u64,
    pub(super) observer: Observer,
    pub(super) table: TableCache,
    host: Host,
    /// The request that comes next, where requests come at their time.
    next: Option<Request>,
    /// Why the host sends nothing more.
    failure: Option<SourceError>,
    /// Requests that were sent and not yet answered, and their pages.
    outstanding: u64,
    outstanding_pages: u64,
    pub(super) requests: Requests,
    pub(super) admission: Admission,
    /// Logical pages whose parts gather.
    pub(super) window: Option<Lru<Parts>>,
    pub(super) dies: u64,
    pub(super) turn: u64,
    answered: u64,
    /// Programs of nodes that are due.
    pub(super) nodes: f64,
    /// Questions of collection about pages that are due.
    pub(super) checks: f64,
    pub(super) due: Vec<Job>,
    pub(super) die: Draw,
    pub(super) checked: Draw,
    pub(super) table_die: Draw,
    chance: Draw,
    arrival: Draw,
}

/// Simulates a drive with a mapping.
///
/// # Errors
/// The source of requests failed.
pub(super) fn run<M: Mapping>(
    drive: &Drive,
    settings: &RunSettings,
    host: Host,
    requests: u64,
    mapping: M,
) -> Result<Simulated, SourceError> {
    let seed = settings.seed;
    let warm_up = (requests as f64 * settings.warm_up) as u64;
    let window = drive.workload.coalesce_window;
    let mut engine = Engine {
        drive,
        settings,
        paths: drive.paths(),
        mapping,
        stations: Stations::new(drive),
        operations: UnderWay::default(),
        events: BinaryHeap::new(),
        inserted: 0,
        now: 0,
        observer: Observer::new(requests - warm_up),
        table: TableCache::new(drive, seed),
        window: (window > 0).then(|| host.gathered(drive, seed)),
        host,
        next: None,
        failure: None,
        outstanding: 0,
        outstanding_pages: 0,
        requests: Requests::default(),
        admission: Admission::new(drive),
        dies: drive.dies(),
        turn: 0,
        answered: 0,
        nodes: 0.0,
        checks: 0.0,
        due: Vec::new(),
        die: Draw::new(seed, "fscale.placement"),
        checked: Draw::new(seed, "fscale.checked"),
        table_die: Draw::new(seed, "fscale.table_die"),
        chance: Draw::new(seed, "fscale.escalation"),
        arrival: Draw::new(seed, "fscale.arrival"),
    };
    engine.start();
    engine.until(warm_up);
    engine.stations.restart(engine.now);
    engine.observer.restart(engine.now);
    engine.until(requests);
    if let Some(failure) = engine.failure {
        return Err(failure);
    }
    let bytes = engine.mapping.resident_bytes()
        + engine.stations.resident_bytes()
        + engine.operations.resident_bytes()
        + engine.table.resident_bytes()
        + engine.window.as_ref().map_or(0, Lru::resident_bytes);
    let skipped = engine.host.skipped();
    Ok(engine
        .observer
        .report(engine.now, &engine.stations, bytes, skipped))
}

impl<M: Mapping> Engine<'_, M> {
    fn start(&mut self) {
        match self.settings.arrivals {
            Arrivals::Closed => {
                for _ in 0..self.drive.workload.queue_depth {
                    self.send();
                }
            }
            Arrivals::Open(_) | Arrivals::Recorded => self.await_request(),
        }
    }

    /// Runs until so many requests of the host are answered, or until no more come.
    fn until(&mut self, requests: u64) {
        while self.answered < requests
            && self.failure.is_none()
            && (self.outstanding > 0 || self.next.is_some())
            && let Some(Reverse(event)) = self.events.pop()
        {
            self.now = (event >> 64) as u64;
            let number = event as u32;
            if number == ARRIVAL {
                if let Some(request) = self.next.take() {
                    self.admit(request);
                }
                self.await_request();
                continue;
            }
            let operation = self.operations.all[number as usize];
            if operation.keeps {
                let this = &mut self.operations.all[number as usize];
                (this.keeps, this.kept, this.kept_since) = (false, operation.at, self.now - operation.ns);
            } else if operation.kept == operation.at {
                self.free_kept(number);
            } else {
                self.free(operation.at, operation.unit, self.now - operation.ns);
            }
            self.observer
                .served(operation.kind, operation.unit, operation.cycles);
            self.advance(number);
        }
    }

    fn schedule(&mut self, time: u64, number: u32) {
        self.inserted = self.inserted.wrapping_add(1);
        let event = u128::from(time) << 64 | u128::from(self.inserted) << 32 | u128::from(number);
        self.events.push(Reverse(event));
    }

    /// A server that was busy from `since` on serves the next operation, if any waits.
    fn free(&mut self, at: u32, unit: Unit, since: u64) {
        let next = self
            .stations
            .leave(at, unit, since, self.now, &self.operations.all);
        if let Some(next) = next {
            self.serve(next);
        }
    }

    /// An operation gives back the core that it kept, if it did.
    pub(super) fn free_kept(&mut self, number: u32) {
        let operation = &mut self.operations.all[number as usize];
        let (kept, since) = (std::mem::replace(&mut operation.kept, NONE), operation.kept_since);
        if kept != NONE {
            self.free(kept, Unit::Processor, since);
        }
    }

    fn serve(&mut self, number: u32) {
        let end = self.now + self.operations.all[number as usize].ns;
        self.schedule(end, number);
    }

    /// The next request of the host; none at the end of a trace.
    fn next_request(&mut self) -> Option<Request> {
        self.host.next(&mut self.mapping).unwrap_or_else(|error| {
            self.failure = Some(error);
            None
        })
    }

    /// The next request will come at its time.
    fn await_request(&mut self) {
        self.next = self.next_request();
        let Some(request) = &self.next else { return };
        let time = match self.settings.arrivals {
            Arrivals::Open(rate) => {
                let pause = -libm::log1p(-self.arrival.unit()) / rate * 1e9;
                self.now + pause.round() as u64
            }
            Arrivals::Recorded | Arrivals::Closed => request.arrival.0.max(self.now),
        };
        self.schedule(time, ARRIVAL);
    }

    /// The host sends a request as another one is answered.
    fn send(&mut self) {
        if let Some(request) = self.next_request() {
            self.admit(request);
        }
    }

    /// A request of the host comes to the drive.
    fn admit(&mut self, request: Request) {
        self.outstanding += 1;
        self.outstanding_pages += request.pages;
        if self.outstanding_pages > MOST_PAGES {
            self.failure = Some(SourceError(format!(
                "so many requests that more than {MOST_PAGES} pages are not yet answered"
            )));
            return;
        }
        let number = match request.pages {
            1 => NONE,
            pages => self.requests.add(pages),
        };
        let division = self.host.division();
        for page in 0..request.pages {
            let (at, is_hot) = (request.first + page, request.is_hot);
            if request.writes {
                let write = PageWrite {
                    page: at,
                    parts: request.parts(page, division),
                    request: number,
                    is_hot,
                    sent: self.now,
                    admitted: self.now,
                };
                if let Some(write) = self.admission.takes_place(write) {
                    self.write(write);
                }
            } else {
                let die = self.mapping.locate(at);
                self.begin(Operation {
                    request: number,
                    is_hot,
                    ..Operation::new(Kind::HostRead, at, die, die, self.now)
                });
            }
        }
    }

    /// The parts of a whole page.
    pub(super) fn whole_page(&self) -> Parts {
        self.host.division().whole()
    }

    pub(super) fn begin(&mut self, operation: Operation) {
        let number = self.operations.add(operation);
        self.advance(number);
    }

    /// Takes the steps of an operation until it has to wait or has ended.
    pub(super) fn advance(&mut self, number: u32) {
        loop {
            let operation = &mut self.operations.all[number as usize];
            let kind = operation.kind;
            let Some(step) = self.paths.of(kind).get(usize::from(operation.cursor)).copied() else {
                return self.end(number);
            };
            operation.cursor += 1;
            match step {
                Step::Visit { unit, ns, cycles } => return self.visit(number, unit, ns, cycles),
                Step::Entry { changes } => {
                    self.observer.look_ups += 1;
                    if self.look_up(number, changes) {
                        return;
                    }
                }
                Step::Keep => operation.keeps = true,
                Step::Acknowledge => self.answer(number),
                Step::OtherDie => std::mem::swap(&mut operation.die, &mut operation.other),
                Step::Chance { probability, steps } => {
                    if !self.chance.chance(probability) {
                        operation.cursor += steps as u16;
                    }
                }
            }
        }
    }

    /// An operation comes to a unit.
    fn visit(&mut self, number: u32, unit: Unit, ns: u64, cycles: u32) {
        let operation = &mut self.operations.all[number as usize];
        let at = self.stations.index(unit, operation.die, operation.page);
        operation.at = at;
        operation.unit = unit;
        operation.ns = ns;
        operation.cycles = cycles;
        operation.since = self.now;
        if operation.kept == at {
            return self.serve(number);
        }
        let class = match self.settings.scheduling {
            Scheduling::Fifo => 0,
            Scheduling::Priority => class(operation.kind),
        };
        if self.stations.arrive(at, class, number, &mut self.operations.all) {
            self.serve(number);
        }
    }

    /// The host is answered, unless it was before or other pages of the request are under way.
    fn answer(&mut self, number: u32) {
        let operation = &mut self.operations.all[number as usize];
        if std::mem::replace(&mut operation.is_answered, true) {
            return;
        }
        let operation = *operation;
        self.outstanding_pages -= 1;
        if operation.request != NONE && !self.requests.page_done(operation.request) {
            return;
        }
        let writes = operation.kind != Kind::HostRead;
        self.observer
            .answered(self.now, operation.sent, writes, operation.is_hot);
        self.answered += 1;
        self.outstanding -= 1;
        if self.settings.arrivals == Arrivals::Closed {
            self.send();
        }
    }

    /// An operation has taken all of its steps.
    fn end(&mut self, number: u32) {
        let operation = self.operations.all[number as usize];
        self.observer.completed(operation.kind);
        match operation.kind {
            Kind::HostRead => self.answer(number),
            Kind::HostWrite | Kind::PartialWrite | Kind::MergedWrite => {
                self.answer(number);
                if operation.kind != Kind::MergedWrite {
                    self.admission.program_ended(operation.from);
                }
                if operation.kind != Kind::MergedWrite && !self.paths.of(Kind::Invalidate).is_empty() {
                    let (page, old) = (operation.page, operation.other);
                    self.begin(Operation::new(Kind::Invalidate, page, old, old, self.now));
                }
                if self.admission.has_buffer() {
                    self.admission.leaves_buffer();
                    self.stations
                        .place_left(Unit::Buffer, 0, operation.admitted, self.now);
                    while let Some(write) = self.admission.next_with_place() {
                        self.write(write);
                    }
                }
            }
            Kind::PageIn => {
                if self.table.install(operation.page, operation.changes) {
                    let die = self.table_die.below(self.dies) as u32;
                    self.begin(Operation::new(Kind::PageOut, operation.page, die, die, self.now));
                }
                self.wake(operation.waiting);
            }
            Kind::SramLookUp | Kind::DramLookUp | Kind::CxlLookUp | Kind::HostMemoryLookUp => {
                self.wake(operation.waiting);
            }
            Kind::Move => {
                let from = operation.from;
                self.stations
                    .place_left(Unit::Moves, from, operation.admitted, self.now);
                if let Some(next) = self.admission.move_ended(from) {
                    self.begin_move(next);
                }
                while let Some(program) = self.admission.next_program(from) {
                    self.program(program);
                }
            }
            Kind::PageOut | Kind::Erase | Kind::Invalidate | Kind::NodeProgram | Kind::DirectoryCheck => {}
        }
        self.operations.remove(number);
    }

    pub(super) fn is_fscale(&self) -> bool {
        self.drive.design == Design::FScale
    }

    pub(super) fn stays_on_die(&self) -> bool {
        self.is_fscale() && self.drive.local.stale == StaleCopies::Sticky
    }
}
