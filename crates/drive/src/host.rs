//! The host side of the drive: clients, queues and link, and the requests on their way.
//!
//! [`clients`] says when the next command comes, [`interface`] when it is in the drive, [`cut`] into which page-sized pieces
//! it is divided, [`acknowledge`] when it is complete.

mod acknowledge;
mod arbiter;
mod beginning;
pub(crate) mod clients;
pub(crate) mod cut;
pub(crate) mod gather;
mod grouping;
pub(crate) mod interface;
mod latency;
mod link;
mod steady;

use std::ops::Range;

use slab::Slab;
use wordline_config::{Acknowledge, Config};
use wordline_ftl::PageRequest;
use wordline_metrics::Status;
use wordline_nand::Geometry;
use wordline_units::{Duration, SECTOR_BYTES, SimTime};
use wordline_workload::{HostCommand, HostOp, SourceError};

use crate::clock::{Clock, Event};
use crate::features::{Features, Optional};
use crate::observe::attribution::Admission;
use crate::operation::{NONE, Owner};
use crate::table::Table;
use clients::{Clients, Tenant};
use cut::Cutter;
use gather::Gather;
use interface::Interface;
use latency::Latencies;

/// Pages that the requests in drive and queues touch at most, so that a run stays small whatever its
/// queue depth and request size; further requests wait at the host.
const MOST_PAGES: u64 = 1 << 20;

/// A host command inside the drive or in its queue.
#[derive(Clone, Copy, Debug)]
struct Request {
    number: u64,
    command: HostCommand,
    /// Pages of the host's request.
    pages: u64,
    client: u32,
    admitted: SimTime,
    /// When it began to be served, as far as that is noted.
    served: SimTime,
    /// Pieces that the acknowledgement still waits for.
    left: u32,
    /// How it ends, as far as is known.
    status: Status,
    /// Firmware time spent on it, in cycles.
    cycles: u32,
    /// Sectors that have not crossed the link.
    unmoved: u32,
    /// The host's request that it is a part of, if that was cut.
    split: u32,
    /// Time from the doorbell to the end of the fetch, ns.
    fetch_ns: u64,
    /// Time from there to admission for which it was held back, ns.
    held_ns: u64,
    /// The same while the drive woke up, ns.
    woke_ns: u64,
}

/// A request of the host that is longer than a command may be.
#[derive(Clone, Copy, Debug)]
struct Split {
    command: HostCommand,
    /// Admission of its first command.
    admitted: Option<SimTime>,
    /// When the first of those that are completed began to be served.
    served: SimTime,
    /// Commands that are not completed.
    left: u32,
    /// How those ended that are.
    status: Status,
    cycles: u32,
}

/// A page-sized piece of a request, or of a page that the write buffer flushes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubRequest {
    pub(crate) owner: Owner,
    pub(crate) page: PageRequest,
    pub(crate) fua: bool,
    /// Account of its time, `NONE` without.
    pub(crate) account: u32,
}

/// A request that is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sent {
    /// As one command, which has this number in the drive.
    Whole(u32),
    /// As several commands, which are to be added.
    Split(SplitRequest),
}

/// A request that is sent as several commands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplitRequest {
    /// What its commands have in common.
    request: Request,
    /// As how many commands it is sent.
    pub(crate) commands: u32,
}

/// What the host side counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HostCounts {
    /// Requests sent, and those completed.
    pub(crate) sent: u64,
    pub(crate) completed: u64,
    /// Commands completed, after cutting.
    pub(crate) commands: u64,
    pub(crate) first_arrival: Option<SimTime>,
    pub(crate) last_arrival: SimTime,
    /// Requests inside when the last command was admitted, and how long that one had waited.
    pub(crate) inside_at_last: u32,
    pub(crate) last_wait: Duration,
}

/// Clients, queues and link, and the requests between host and flash.
pub(crate) struct Host<F: Features> {
    clients: Clients,
    /// Queues and link between host and drive, unless they are ideal.
    interface: Optional<Interface, F::Options>,
    requests: Table<Request>,
    splits: Slab<Split>,
    /// Pieces whose data or whose firmware work are not done.
    pieces: Table<SubRequest>,
    cutter: Cutter,
    /// Time that commands spend in the controller before their first step.
    latencies: Latencies,
    /// Whether a write is acknowledged when its data are in the page registers.
    acknowledges_transfer: bool,
    /// Whether anybody wants to know when requests begin to be served.
    notes_service: bool,
    /// Pages that the requests sent and not completed touch.
    pages: u64,
    /// Requests in the drive.
    inside: u32,
    counts: HostCounts,
    /// Why the source of a client broke off.
    broken: Option<SourceError>,
    /// The user stopped the clients.
    stopped: bool,
}

impl<F: Features> Host<F> {
    pub(crate) fn new(
        config: &Config,
        geometry: &Geometry,
        user_pages: u64,
        tenants: Vec<Tenant>,
        gather: Option<Gather>,
    ) -> Self {
        Self {
            interface: Optional::new(Interface::new(&config.host, &tenants, gather)),
            clients: Clients::new(tenants, geometry.pages()),
            requests: Table::new(),
            splits: Slab::new(),
            pieces: Table::new(),
            cutter: Cutter::new(config, geometry, user_pages),
            latencies: Latencies::new(&config.firmware),
            acknowledges_transfer: config.host.write_acknowledge == Acknowledge::Transferred
                && !config.buffer.is_present(),
            notes_service: config.output.request_log > 0,
            pages: 0,
            inside: 0,
            counts: HostCounts::default(),
            broken: None,
            stopped: false,
        }
    }

    /// Counts afresh from `now` on, but for what numbers requests and holds them back.
    pub(crate) fn restart_counts(&mut self, now: SimTime) {
        let counts = &mut self.counts;
        counts.commands = 0;
        counts.first_arrival = None;
        self.clients.restart_counts();
        if let Some(interface) = self.interface.as_mut() {
            interface.link.restart_counts(now);
        }
    }

    /// What was counted so far.
    pub(crate) fn counts(&self) -> &HostCounts {
        &self.counts
    }

    /// The same, for a test to put wrong.
    #[cfg(test)]
    pub(crate) fn counts_mut(&mut self) -> &mut HostCounts {
        &mut self.counts
    }

    /// Opens a client to injected commands.
    pub(crate) fn open_client(&mut self, client: u32) {
        self.clients.open(client);
    }

    /// An open client has one more command to send, which arrives no earlier than those before.
    pub(crate) fn inject(&mut self, client: u32, command: HostCommand) {
        self.clients.inject(client, command);
    }

    /// No more commands are injected into a client.
    pub(crate) fn shut_client(&mut self, client: u32) {
        self.clients.shut(client);
    }

    /// The clients.
    pub(crate) fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Requests that are not completed.
    pub(crate) fn requests_left(&self) -> u64 {
        self.requests.len() as u64
    }

    /// How commands are divided.
    #[inline]
    pub(crate) fn cutter(&self) -> &Cutter {
        &self.cutter
    }

    /// Nobody sends anything more. False where that was so before.
    pub(crate) fn stop(&mut self) -> bool {
        let stops = !std::mem::replace(&mut self.stopped, true);
        if stops {
            self.clients.stop();
        }
        stops
    }

    /// Whether the user stopped the clients.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// A command that is to enter the drive, with the logical pages that it touches; none where it touches none or reaches beyond
    /// the last sector.
    pub(crate) fn pages_of_command(&self, id: u32) -> Option<(HostCommand, Range<u64>)> {
        let command = self.requests[id].command;
        if command.sectors == 0 || self.cutter.is_beyond(&command) {
            return None;
        }
        let last = command.sector + u64::from(command.sectors) - 1;
        Some((
            command,
            self.cutter.page_of(command.sector)..self.cutter.page_of(last) + 1,
        ))
    }

    /// Time since its arrival after which a command goes before all others, where the host says one.
    pub(crate) fn deadline_of(&self, command: u32) -> Option<Duration> {
        self.clients
            .deadline_of(self.requests.get(command)?.command.queue)
    }

    /// Whether a request of so many pages may be sent beside those that are.
    #[inline]
    fn has_room(&self, pages: u64) -> bool {
        self.pages == 0 || self.pages + pages <= MOST_PAGES
    }

    /// A client sends a request of so many pages: as one command, or as several where it is longer than one may be.
    #[inline]
    pub(crate) fn send(&mut self, now: SimTime, client: u32, command: HostCommand, pages: u64) -> Sent {
        self.counts.first_arrival.get_or_insert(command.arrival);
        self.counts.last_arrival = command.arrival;
        let number = self.counts.sent;
        self.counts.sent += 1;
        self.pages += pages;
        let commands = self.cutter.commands_in(&command);
        let request = || Request {
            number,
            command,
            pages,
            client,
            admitted: now,
            served: SimTime::NEVER,
            left: 1,
            status: Status::Good,
            cycles: 0,
            unmoved: command.sectors,
            split: NONE,
            fetch_ns: 0,
            held_ns: 0,
            woke_ns: 0,
        };
        if commands > 1 {
            Sent::Split(self.split(request(), commands))
        } else {
            Sent::Whole(self.requests.insert_with(request))
        }
    }

    fn split(&mut self, mut request: Request, commands: u32) -> SplitRequest {
        request.split = self.splits.insert(Split {
            command: request.command,
            admitted: None,
            served: SimTime::NEVER,
            left: commands,
            status: Status::Good,
            cycles: 0,
        }) as u32;
        SplitRequest { request, commands }
    }

    /// Adds a command of a request that is sent as several, counted from 0. Tells its number in the drive.
    pub(crate) fn add_command(&mut self, split: &SplitRequest, index: u32) -> u32 {
        let mut request = split.request;
        request.command = self.cutter.part(request.command, index);
        request.unmoved = request.command.sectors;
        self.requests.insert(request)
    }

    /// The number of a command's request among all that were sent.
    pub(crate) fn number_of(&self, id: u32) -> u64 {
        self.requests[id].number
    }

    /// Bytes of data that a command moves.
    pub(crate) fn bytes_of(&self, id: u32) -> u64 {
        let command = self.requests[id].command;
        if command.op == HostOp::Read || command.op.sends_data() {
            u64::from(command.sectors) * u64::from(SECTOR_BYTES)
        } else {
            0
        }
    }

    /// A command waited so long for the drive to wake up.
    pub(crate) fn waited_for_waking(&mut self, id: u32, waited: Duration) {
        self.requests[id].woke_ns = waited.ns();
    }

    /// A command was held back for so long before it is in the drive.
    pub(crate) fn held_back(&mut self, id: u32, held: Duration) {
        self.requests[id].held_ns = held.ns();
    }

    /// A command is in the drive. Tells whether its request was outside until now.
    #[inline]
    pub(crate) fn admit(&mut self, now: SimTime, id: u32) -> bool {
        let request = &mut self.requests[id];
        request.admitted = now;
        let arrival = request.command.arrival;
        let is_first = match self.splits.get_mut(request.split as usize) {
            None => true,
            Some(split) if split.admitted.is_none() => {
                split.admitted = Some(now);
                true
            }
            Some(_) => false,
        };
        if is_first {
            self.inside += 1;
            self.counts.inside_at_last = self.inside;
            self.counts.last_wait = now.since(arrival);
        }
        is_first
    }

    /// How a request came into the drive.
    pub(crate) fn admission(&self, request: u32) -> Admission {
        let request = &self.requests[request];
        Admission {
            arrival: request.command.arrival,
            admitted: request.admitted,
            fetch_ns: request.fetch_ns,
            held_ns: request.held_ns,
            woke_ns: request.woke_ns,
            controller_ns: self.latencies.of(request.command.op).ns(),
        }
    }

    /// When the request that something is done for arrived, if a request waits for it.
    pub(crate) fn arrival_of(&self, owner: Owner) -> Option<SimTime> {
        let Owner::Request(request) = owner else {
            return None;
        };
        self.requests.get(request).map(|request| request.command.arrival)
    }

    /// The firmware works for a request, if that is still in the drive.
    #[inline]
    pub(crate) fn add_cycles(&mut self, request: u32, cycles: u32) {
        if let Some(request) = self.requests.get_mut(request) {
            request.cycles += cycles;
        }
    }

    /// The drive writes a command at this sector: the address that its completion returns.
    pub(crate) fn place(&mut self, request: u32, sector: u64) {
        self.requests[request].command.sector = sector;
    }

    /// A piece of a request ended so.
    pub(crate) fn ends_with(&mut self, request: u32, status: Status) {
        if let Some(request) = self.requests.get_mut(request) {
            request.status = request.status.max(status);
        }
    }

    /// Keeps a piece until `ready`.
    pub(crate) fn delay_piece(&mut self, piece: SubRequest, ready: SimTime, clock: &mut Clock) {
        let id = self.pieces.insert(piece);
        clock.schedule(ready, Event::SubRequestReady(id));
    }

    /// A piece whose time has come.
    pub(crate) fn take_piece(&mut self, id: u32) -> SubRequest {
        *self.pieces.remove(id)
    }

    /// Whether pieces are kept.
    #[inline]
    pub(crate) fn keeps_pieces(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Pieces whose data or whose firmware work are not done.
    pub(crate) fn pieces_kept(&self) -> u64 {
        self.pieces.len() as u64
    }
}
