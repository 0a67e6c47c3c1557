//! From what clients ask to the share of time that collection takes.
//!
//! A pool inside one die keeps that die to itself while it is collected, but for reads, and a collection takes thousands of
//! operations. So the number of dies that serve host writes changes slowly. With n dies being collected the clients are
//! served at a rate that a queueing network of the others gives, with lambda(n) pages written a second, and each page
//! written costs tau of collection in the end: collections begin and end as births and deaths do, and in equilibrium
//! p(n + 1) / p(n) = lambda(n) tau / (n + 1).
//!
//! The figures are estimates. A pool whose cycle starts at a wrong phase is right again after one cycle, so that an error of
//! a tenth in the share of the pools that are being collected shifts the first cycle of these by a twentieth of its length.

use wordline_config::Config;
use wordline_ftl::{AllocationMode, GcMode, Pressure, Reclaim};
use wordline_nand::{Geometry, Mode, PageTypes, Select, Timing, Use};

use super::demand::{Demand, Pieces};

/// Share of the dies' time from which collection that gives way to the host finds none.
const SATURATED: f64 = 0.95;
/// Halvings of the interval in which a rate is sought.
const STEPS: u32 = 40;
/// Pages that collection moves together at most (`ftl/jobs/collect.rs`).
const MOST_MOVES: f64 = 32.0;
/// States of the process; of more dies several count as one, since their number hardly fluctuates.
const MOST_STATES: u32 = 256;

/// What clients ask for, and times of the drive in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    demand: Demand,
    dies: f64,
    channels: f64,
    pools: f64,
    /// Pages of the host that one program command takes at most.
    joined: f64,
    /// A page read, data and all: the die is held until they are out.
    read: f64,
    /// Array time of a page program, and of an erase.
    program: f64,
    erase: f64,
    /// Bus times of a page.
    data_out: f64,
    data_in: f64,
    /// A page moved by collection, and the time of the bus in it.
    moved: f64,
    moved_on_bus: f64,
    /// Whether a host write waits for the die that its address gives.
    bound: bool,
    /// Whether a pool lies in one die, which it keeps to itself while it is collected.
    blocking: bool,
    mode: GcMode,
    idle: f64,
}

/// What collection takes of the drive while clients are served.
#[derive(Clone, Copy, Debug)]
struct Collection {
    reclaim: Reclaim,
    /// Time that a page written by the host costs.
    tau: f64,
    /// Dies that are kept from host writes.
    blocked: f64,
    /// Whether it takes a share of all dies for each page written, instead.
    beside: bool,
}

impl Model {
    /// Of a drive with so many pools, whose planes are `in_step` whatever its age or are not.
    pub(crate) fn new(
        config: &Config,
        geometry: &Geometry,
        types: &PageTypes,
        timing: &Timing,
        (pools, in_step): (u32, bool),
        demand: Demand,
    ) -> Self {
        let (commands, _) = config.commands.resolve(geometry);
        let b = geometry.pages_per_block;
        let mean = |time: &dyn Fn(u32) -> f64| (0..b).map(time).sum::<f64>() / f64::from(b);
        let bytes = timing.bytes(geometry.sectors_per_page());
        let data_out = timing.data_out(bytes, Select::default()).as_secs();
        let data_in = timing.program_setup(bytes).as_secs();
        let sense = timing.read_setup().as_secs()
            + mean(&|page| timing.read_array(Mode::NORMAL, types.of(page)).as_secs());
        let program = mean(&|page| timing.program_array(Mode::NORMAL, types.of(page)).as_secs());
        // Open blocks of an aged drive are out of step: where planes have to agree, only skipped pages bring them together.
        let agree = config.restrictions.multi_plane_same_block || config.restrictions.multi_plane_same_page;
        let joined = match commands.multi_plane_write {
            Use::Wise if !agree || in_step => f64::from(geometry.planes_per_die),
            Use::Blind => f64::from(geometry.planes_per_die),
            Use::Off | Use::Wise => 1.0,
        };
        // Programs of a pool of several dies, or planes that join, run side by side.
        let planes = f64::from(geometry.planes()) / f64::from(pools);
        let together = planes.min(MOST_MOVES);
        let at_once = (planes / f64::from(geometry.planes_per_die)).max(1.0) * joined;
        let programs = program * (together / at_once).ceil() / together;
        let moved_on_bus = if commands.copyback == Use::Off {
            data_out + data_in
        } else {
            0.0
        };
        Self {
            demand,
            dies: f64::from(geometry.dies()),
            channels: f64::from(geometry.channels),
            pools: f64::from(pools),
            joined,
            read: sense + data_out,
            program,
            erase: timing.erase_array().as_secs(),
            data_out,
            data_in,
            moved: sense + moved_on_bus + programs,
            moved_on_bus,
            bound: config.allocation.mode == AllocationMode::Static,
            blocking: pools >= geometry.dies(),
            mode: config.ftl.gc.mode,
            idle: config.ftl.gc.idle.as_secs(),
        }
    }

    /// How hard the load presses on the pools where a page written costs so much to reclaim.
    pub(crate) fn pressure(&self, reclaim: Reclaim) -> Pressure {
        let collection = Collection {
            reclaim,
            tau: reclaim.moves * self.moved + reclaim.erases * self.erase,
            blocked: 0.0,
            beside: !self.blocking,
        };
        let (rate, collecting) = if self.blocking {
            self.in_equilibrium(&collection)
        } else {
            let rate = self.rate(&collection);
            (rate, rate.writes * collection.tau / self.pools)
        };
        let of_host = self.read_share(&rate) + rate.writes * self.program / self.joined / self.dies;
        let needed = rate.writes * collection.tau / self.dies;
        let keeps_up = match self.mode {
            GcMode::Background | GcMode::OneBlock => {
                // the share of time in which a die has had no operation of the host for long enough
                let quiet = (-self.idle * rate.of_all() / self.dies).exp();
                needed < quiet * (1.0 - of_host)
            }
            GcMode::Foreground | GcMode::Preemptible | GcMode::Partial => of_host + needed < SATURATED,
        };
        Pressure { collecting, keeps_up }
    }

    /// Mean rate, and the mean share of the pools that are being collected, where each collection blocks a die.
    fn in_equilibrium(&self, collection: &Collection) -> (Pieces, f64) {
        let states = (self.dies as u32).clamp(1, MOST_STATES);
        let dies = self.dies / f64::from(states);
        // logarithms of the probabilities, but for a factor
        let mut log = 0.0;
        let mut found: Vec<(f64, Pieces, f64)> = Vec::with_capacity(states as usize + 1);
        for state in 0..=states {
            let blocked = f64::from(state) * dies;
            let rate = self.rate(&Collection {
                blocked,
                ..*collection
            });
            found.push((log, rate, blocked));
            let births = rate.writes * self.wait_for_reads(&rate) * collection.tau;
            if births <= 0.0 {
                break;
            }
            log += dies * (births / (blocked + dies)).ln();
        }
        let largest = found.iter().fold(f64::MIN, |most, (log, ..)| most.max(*log));
        let (mut all, mut rates, mut blocked) = (0.0, Pieces::default(), 0.0);
        for (log, rate, dies) in found {
            // What a run leaves after its last request is a state in proportion to the requests that are served in it.
            let weight = (log - largest).exp() * rate.of_all();
            all += weight;
            rates = rates.plus(&rate.scaled(weight));
            blocked += weight * dies;
        }
        let all = all.max(f64::MIN_POSITIVE);
        (rates.scaled(1.0 / all), blocked / all / self.pools)
    }

    /// Share of the dies' time that reads of the host take.
    fn read_share(&self, rate: &Pieces) -> f64 {
        (rate.reads + rate.partial) * self.read / self.dies
    }

    /// How much longer work in a die takes beside reads, which are served between its operations.
    fn wait_for_reads(&self, rate: &Pieces) -> f64 {
        1.0 / (1.0 - self.read_share(rate)).max(0.01)
    }

    /// Pieces of each second that clients are served, beside a collection.
    fn rate(&self, collection: &Collection) -> Pieces {
        let Demand { depth, closed, open } = self.demand;
        // The most of the open loops that can be served; what comes beyond waits for ever.
        let served = largest(1.0, |share| {
            self.response(&open.scaled(share), collection).is_some()
        });
        let open = open.scaled(served);
        if depth == 0.0 || closed.of_all() == 0.0 {
            return open;
        }
        // As many requests are outstanding as come round in the time of one.
        let fastest = depth / self.read.min(self.program);
        let rounds = largest(fastest, |rounds| {
            self.response(&open.plus(&closed.scaled(rounds)), collection)
                .is_some_and(|time| rounds * time < depth)
        });
        open.plus(&closed.scaled(rounds))
    }

    /// Mean time of a request of the closed loops at a rate of pieces; `None` where the drive cannot serve so many.
    fn response(&self, rate: &Pieces, collection: &Collection) -> Option<f64> {
        let Collection {
            reclaim,
            tau,
            blocked,
            beside,
        } = *collection;
        let reads = rate.reads + rate.partial;
        let of_reads = self.read_share(rate);
        let servers = self.dies - blocked;
        let moves = if beside {
            rate.writes * reclaim.moves
        } else {
            blocked / tau * reclaim.moves
        };
        let bus =
            (reads * self.data_out + rate.writes * self.data_in + moves * self.moved_on_bus) / self.channels;
        // Programs of one page, and of as many as can join, take so much of the time that reads leave.
        let open = servers * (1.0 - of_reads);
        let extra = if beside { rate.writes * tau } else { 0.0 };
        let load = |joined: f64| (rate.writes * (self.program / joined + self.data_in) + extra) / open;
        let (alone, together) = (load(1.0), load(self.joined));
        if of_reads >= 1.0 || bus >= 1.0 || (rate.writes > 0.0 && !(0.0..1.0).contains(&together)) {
            return None;
        }
        // Mean rest of what a die is at when a read comes.
        let half_square = |rate: f64, time: f64| rate * time * time / 2.0 / self.dies;
        let programs = rate.writes / alone.clamp(1.0, self.joined);
        let erases = moves / reclaim.moves.max(f64::MIN_POSITIVE) * reclaim.erases;
        let rest = half_square(reads + moves, self.read)
            + half_square(programs + moves, self.program)
            + half_square(erases, self.erase);
        let wait_for_die = rest / (1.0 - of_reads);
        let wait_for_any = if rate.writes == 0.0 {
            0.0
        } else if self.bound {
            let rest_of_collection = reclaim.regained * tau / 2.0;
            blocked / self.dies * rest_of_collection + wait_for_die / (1.0 - together)
        } else {
            // Sakasegawa's approximation for several servers, of service times that hardly vary; what joins the next
            // command waits for half of one at least.
            let power = (2.0 * (servers + 1.0)).sqrt();
            let busy = if self.joined > 1.0 {
                alone.min(1.0).powf(power)
            } else {
                0.0
            };
            let queue = together.powf(power - 1.0) / (servers * (1.0 - together));
            self.program / 2.0 * (busy + queue)
        };
        let wait_for_bus = bus / (1.0 - bus) / 2.0;
        let read = self.read + wait_for_die + wait_for_bus * self.data_out;
        let write = self.program + wait_for_any + (1.0 + wait_for_bus) * self.data_in;
        let Pieces {
            reads,
            writes,
            partial,
            ..
        } = self.demand.closed;
        let pieces = self.demand.closed.of_all();
        let time = ((reads + partial) * read + writes * write) / pieces.max(f64::MIN_POSITIVE);
        Some(time)
    }
}

/// The largest value from 0 to `most` at which something holds that holds up to some value only.
fn largest(most: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if holds(most) {
        return most;
    }
    let (mut low, mut high) = (0.0, most);
    for _ in 0..STEPS {
        let middle = (low + high) / 2.0;
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
