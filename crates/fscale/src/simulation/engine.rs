//! The event loop.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::drive::{Design, Drive};
use crate::local::StaleCopies;
use crate::mapping::{Draw, Job, Mapping, Target};
use crate::paths::{Kind, Paths, Step};
use crate::simulation::observed::{Observer, Simulated};
use crate::simulation::operations::{NONE, Operation, UnderWay};
use crate::simulation::settings::{Arrivals, Placement, RunSettings, Scheduling};
use crate::simulation::stations::Stations;

/// The event of an arrival, in place of the number of an operation.
const ARRIVAL: u32 = u32::MAX;

/// A drive under way. Each draw has a stream of its own.
struct Engine<'a, M> {
    drive: &'a Drive,
    settings: &'a RunSettings,
    paths: Paths,
    /// Whether a write reads the old copy first, on its die.
    rewrites: bool,
    mapping: M,
    stations: Stations,
    operations: UnderWay,
    /// Time, order of insertion and operation of each event.
    events: BinaryHeap<Reverse<u128>>,
    inserted: u32,
    now: u64,
    observer: Observer,
    hit_rate: f64,
    pages: u64,
    dies: u64,
    turn: u64,
    moves: u32,
    /// Writes that wait until there are fewer moves, with the moment at which they were sent.
    held: VecDeque<u64>,
    /// Requests that the host sent.
    sent: u64,
    answered: u64,
    /// Programs of nodes that are due.
    nodes: f64,
    /// Questions of collection about pages that are due.
    checks: f64,
    jobs: Vec<Job>,
    address: Draw,
    mix: Draw,
    hit: Draw,
    die: Draw,
    table_die: Draw,
    escalation: Draw,
    arrival: Draw,
}

/// Simulates a drive with a mapping.
pub(crate) fn run<M: Mapping>(drive: &Drive, settings: &RunSettings, mapping: M) -> Simulated {
    let seed = settings.seed;
    let warm_up = (settings.operations as f64 * settings.warm_up) as u64;
    let paths = drive.paths();
    let mut engine = Engine {
        drive,
        settings,
        rewrites: paths.of(Kind::HostWrite).contains(&Step::OtherDie),
        paths,
        mapping,
        stations: Stations::new(drive),
        operations: UnderWay::default(),
        events: BinaryHeap::new(),
        inserted: 0,
        now: 0,
        observer: Observer::new(settings.operations - warm_up),
        hit_rate: drive.hit_rate(),
        pages: drive.logical_pages(),
        dies: drive.dies(),
        turn: 0,
        moves: 0,
        held: VecDeque::new(),
        sent: 0,
        answered: 0,
        nodes: 0.0,
        checks: 0.0,
        jobs: Vec::new(),
        address: Draw::new(seed, "fscale.address"),
        mix: Draw::new(seed, "fscale.mix"),
        hit: Draw::new(seed, "fscale.hit"),
        die: Draw::new(seed, "fscale.placement"),
        table_die: Draw::new(seed, "fscale.table_die"),
        escalation: Draw::new(seed, "fscale.escalation"),
        arrival: Draw::new(seed, "fscale.arrival"),
    };
    engine.start();
    engine.until(warm_up);
    engine.stations.restart();
    engine.observer.restart(engine.now);
    engine.until(settings.operations);
    let bytes = engine.mapping.resident_bytes()
        + engine.stations.resident_bytes()
        + engine.operations.resident_bytes();
    engine.observer.report(engine.now, &engine.stations, bytes)
}

impl<M: Mapping> Engine<'_, M> {
    fn start(&mut self) {
        match self.settings.arrivals {
            Arrivals::Closed => {
                for _ in 0..self.drive.workload.queue_depth {
                    self.send();
                }
            }
            Arrivals::Open(rate) => self.next_arrival(rate),
        }
    }

    /// Runs until so many requests of the host are answered.
    fn until(&mut self, requests: u64) {
        while self.answered < requests
            && let Some(Reverse(event)) = self.events.pop()
        {
            self.now = (event >> 64) as u64;
            let number = event as u32;
            if number == ARRIVAL {
                self.send();
                if let Arrivals::Open(rate) = self.settings.arrivals {
                    self.next_arrival(rate);
                }
                continue;
            }
            let operation = self.operations.all[number as usize];
            let next = self
                .stations
                .leave(operation.at, operation.unit, operation.ns, &self.operations.all);
            if let Some(next) = next {
                let waiting = &self.operations.all[next as usize];
                self.stations.groups[waiting.unit as usize].waited_ns += self.now - waiting.since;
                self.serve(next);
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

    fn serve(&mut self, number: u32) {
        let end = self.now + self.operations.all[number as usize].ns;
        self.schedule(end, number);
    }

    fn next_arrival(&mut self, rate: f64) {
        let pause = -libm::log1p(-self.arrival.unit()) / rate * 1e9;
        self.schedule(self.now + pause.round() as u64, ARRIVAL);
    }

    /// The host sends a request.
    fn send(&mut self) {
        self.sent += 1;
        if self.mix.chance(self.drive.workload.write_fraction) {
            if self.moves >= self.settings.max_moves || !self.held.is_empty() {
                self.held.push_back(self.now);
            } else {
                self.write(self.now);
            }
        } else {
            let page = self.page();
            let die = self.mapping.locate(page);
            self.begin(Operation::new(Kind::HostRead, die, die, self.now));
        }
    }

    fn page(&mut self) -> u64 {
        let load = &self.drive.workload;
        let hot = ((self.pages as f64 * load.hot_pages) as u64).min(self.pages);
        if hot == 0 || hot == self.pages {
            self.address.below(self.pages)
        } else if self.address.chance(load.hot_accesses) {
            self.address.below(hot)
        } else {
            hot + self.address.below(self.pages - hot)
        }
    }

    fn target(&mut self) -> Target {
        if self.drive.design == Design::FScale && self.drive.local.stale == StaleCopies::Sticky {
            return Target::Same;
        }
        match self.settings.placement {
            Placement::Uniform => Target::Die(self.die.below(self.dies) as u32),
            Placement::RoundRobin => {
                let (in_package, packages) =
                    (u64::from(self.drive.nand.dies_per_package), self.drive.packages());
                loop {
                    let turn = self.turn;
                    self.turn += 1;
                    let die = turn % packages * in_package + turn / packages % in_package;
                    // the last package may have fewer dies
                    if die < self.dies {
                        return Target::Die(die as u32);
                    }
                }
            }
        }
    }

    /// A write of the host begins, and the collection that it makes necessary.
    fn write(&mut self, sent: u64) {
        let page = self.page();
        let target = self.target();
        let mut jobs = std::mem::take(&mut self.jobs);
        let written = self.mapping.write(page, target, &mut jobs);
        let (first, then) = if self.rewrites {
            (written.old, written.die)
        } else {
            (written.die, written.old)
        };
        self.begin(Operation::new(Kind::HostWrite, first, then, sent));
        let local = &self.drive.local;
        if self.drive.design == Design::FScale {
            let moved = jobs.iter().filter(|job| matches!(job, Job::Move { .. })).count();
            self.nodes += 1.0 / f64::from(local.flush_entries);
            if local.stale == StaleCopies::Lazy {
                self.checks += 1.0 + moved as f64;
            }
        }
        for job in jobs.drain(..) {
            match job {
                Job::Move { from, to } => {
                    self.moves += 1;
                    self.begin(Operation::new(Kind::Move, from, to, self.now));
                }
                Job::Erase { die } => self.begin(Operation::new(Kind::Erase, die, die, self.now)),
            }
        }
        self.jobs = jobs;
        while self.nodes >= 1.0 {
            self.nodes -= 1.0;
            self.begin(Operation::new(
                Kind::NodeProgram,
                written.die,
                written.die,
                self.now,
            ));
        }
        while self.checks >= 1.0 {
            self.checks -= 1.0;
            self.begin(Operation::new(
                Kind::DirectoryCheck,
                written.old,
                written.old,
                self.now,
            ));
        }
    }

    fn begin(&mut self, operation: Operation) {
        let number = self.operations.add(operation);
        self.advance(number);
    }

    /// Takes the steps of an operation until it has to wait or has ended.
    fn advance(&mut self, number: u32) {
        loop {
            let operation = &mut self.operations.all[number as usize];
            let kind = operation.kind;
            let Some(step) = self.paths.of(kind).get(usize::from(operation.cursor)).copied() else {
                return self.end(number);
            };
            operation.cursor += 1;
            match step {
                Step::Visit { unit, ns, cycles } => {
                    let at = self.stations.index(unit, operation.die);
                    operation.at = at;
                    operation.unit = unit;
                    operation.ns = ns;
                    operation.cycles = cycles;
                    operation.since = self.now;
                    let class = match self.settings.scheduling {
                        Scheduling::Fifo => 0,
                        Scheduling::Priority => class(kind),
                    };
                    if self.stations.arrive(at, class, number, &mut self.operations.all) {
                        self.serve(number);
                    }
                    return;
                }
                Step::Entry { changes } => {
                    self.observer.look_ups += 1;
                    if !self.hit.chance(self.hit_rate) {
                        self.observer.misses += 1;
                        let die = self.table_die.below(self.dies) as u32;
                        let page_in = Operation {
                            waiting: number,
                            evicts: changes,
                            ..Operation::new(Kind::PageIn, die, die, self.now)
                        };
                        return self.begin(page_in);
                    }
                }
                Step::OtherDie => std::mem::swap(&mut operation.die, &mut operation.other),
                Step::Escalation { probability, steps } => {
                    if !self.escalation.chance(probability) {
                        operation.cursor += steps as u16;
                    }
                }
            }
        }
    }

    /// An operation has taken all of its steps.
    fn end(&mut self, number: u32) {
        let operation = self.operations.all[number as usize];
        self.operations.remove(number);
        self.observer.completed(operation.kind);
        match operation.kind {
            Kind::HostRead | Kind::HostWrite => {
                self.observer.answered(self.now, operation.sent);
                self.answered += 1;
                if operation.kind == Kind::HostWrite && !self.paths.of(Kind::Invalidate).is_empty() {
                    let old = operation.other;
                    self.begin(Operation::new(Kind::Invalidate, old, old, self.now));
                }
                if self.settings.arrivals == Arrivals::Closed {
                    self.send();
                }
            }
            Kind::PageIn => {
                if operation.evicts {
                    let die = self.table_die.below(self.dies) as u32;
                    self.begin(Operation::new(Kind::PageOut, die, die, self.now));
                }
                if operation.waiting != NONE {
                    self.advance(operation.waiting);
                }
            }
            Kind::Move => {
                self.moves -= 1;
                while self.moves < self.settings.max_moves
                    && let Some(sent) = self.held.pop_front()
                {
                    self.write(sent);
                }
            }
            Kind::PageOut | Kind::Erase | Kind::Invalidate | Kind::NodeProgram | Kind::DirectoryCheck => {}
        }
    }
}

/// The priority class: host, table, collection.
fn class(kind: Kind) -> usize {
    match kind {
        Kind::HostRead | Kind::HostWrite => 0,
        Kind::PageIn | Kind::PageOut | Kind::Invalidate | Kind::NodeProgram | Kind::DirectoryCheck => 1,
        Kind::Move | Kind::Erase => 2,
    }
}
