//! The host side: requests on their way into the drive. `cut.rs` divides them into page-sized pieces, `submit.rs` hands
//! these to the FTL, and `acknowledge.rs` completes requests.

mod acknowledge;
mod arbiter;
pub(crate) mod clients;
mod cut;
pub(crate) mod gather;
pub(crate) mod interface;
mod link;
mod steady;
mod submit;

use slab::Slab;
use wordline_ftl::{PageOp, PageRequest};
use wordline_metrics::Status;
use wordline_nand::Geometry;
use wordline_units::{Divider, Duration, SECTOR_BYTES, SimTime};
use wordline_workload::{HostCommand, HostOp};

use crate::config::{Acknowledge, Config, ReadInFlight};
use crate::drive::Drive;
use crate::operation::{NONE, Owner};
use clients::{Clients, Tenant};

/// Pages that the requests in drive and queues touch at most, so that a run stays small whatever its
/// queue depth and request size; further requests wait at the host.
const MOST_PAGES: u64 = 1 << 20;

/// A host command inside the drive or in its queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) number: u64,
    pub(crate) command: HostCommand,
    /// Pages of the host's request.
    pages: u64,
    pub(crate) client: u32,
    pub(crate) admitted: SimTime,
    /// Pieces that the acknowledgement still waits for.
    pub(crate) left: u32,
    /// How it ends, as far as is known.
    pub(crate) status: Status,
    /// Firmware time spent on it, in cycles.
    pub(crate) cycles: u32,
    /// Sectors that have not crossed the link.
    unmoved: u32,
    /// The host's request that it is a part of, if that was cut.
    split: u32,
    /// Time from the doorbell to admission, ns.
    pub(crate) fetch_ns: u64,
    /// Account of the piece that was done last, and its operations as they see each other.
    pub(crate) critical: u32,
    pub(crate) family: u32,
}

/// A request of the host that is longer than a command may be.
#[derive(Clone, Copy, Debug)]
struct Split {
    command: HostCommand,
    /// Admission of its first command.
    admitted: Option<SimTime>,
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

/// Clients, and what the host side counts.
pub(crate) struct Host {
    pub(crate) clients: Clients,
    sectors_per_page: u64,
    /// Sectors that the drive exports.
    user_sectors: u64,
    per_page: Divider,
    /// Longest command, in sectors.
    longest: u32,
    /// Whether a read of a page whose program has not ended waits for that.
    reads_after_program: bool,
    /// Whether a write is acknowledged when its data are in the page registers.
    acknowledges_transfer: bool,
    /// Whether TRIM deallocates.
    trims: bool,
    splits: Slab<Split>,
    /// Pages that the requests sent and not completed touch.
    pages: u64,
    /// Requests in the drive.
    pub(crate) inside: u32,
    pub(crate) sent: u64,
    pub(crate) completed: u64,
    /// Commands completed, after cutting.
    pub(crate) commands: u64,
    pub(crate) first_arrival: Option<SimTime>,
    pub(crate) last_arrival: SimTime,
    /// Requests inside when the last command was admitted, and how long that one had waited.
    pub(crate) inside_at_last: u32,
    pub(crate) last_wait: Duration,
    pub(crate) unmapped_reads: u64,
    pub(crate) in_memory_reads: u64,
}

impl Host {
    pub(crate) fn new(config: &Config, geometry: &Geometry, user_pages: u64, tenants: Vec<Tenant>) -> Self {
        let sectors_per_page = geometry.sectors_per_page();
        let longest = config
            .host
            .max_transfer
            .map_or(u64::MAX, |size| size.bytes() / u64::from(SECTOR_BYTES));
        Self {
            clients: Clients::new(tenants, geometry.pages()),
            sectors_per_page: u64::from(sectors_per_page),
            user_sectors: user_pages * u64::from(sectors_per_page),
            per_page: Divider::new(sectors_per_page),
            longest: u32::try_from(longest).unwrap_or(u32::MAX),
            reads_after_program: config.scheduler.read_in_flight == ReadInFlight::AfterProgram,
            acknowledges_transfer: config.host.write_acknowledge == Acknowledge::Transferred
                && !config.buffer.is_present(),
            trims: config.ftl.trim.enabled,
            splits: Slab::new(),
            pages: 0,
            inside: 0,
            sent: 0,
            completed: 0,
            commands: 0,
            first_arrival: None,
            last_arrival: SimTime::ZERO,
            inside_at_last: 0,
            last_wait: Duration::ZERO,
            unmapped_reads: 0,
            in_memory_reads: 0,
        }
    }
}

impl Host {
    /// Counts afresh, but for what numbers requests and holds them back.
    pub(crate) fn restart_counts(&mut self) {
        self.commands = 0;
        self.first_arrival = None;
        self.unmapped_reads = 0;
        self.in_memory_reads = 0;
    }

    /// The logical page that a sector lies in.
    #[inline]
    fn page_of(&self, sector: u64) -> u64 {
        // within any drive there is; what lies beyond it is refused later
        if sector < 1 << 57 {
            self.per_page.divide(sector)
        } else {
            sector / self.sectors_per_page
        }
    }

    /// Pages of a request, in each of which it has a piece; a TRIM has three pieces at most.
    fn pages_of(&self, command: &HostCommand) -> u64 {
        match command.op {
            HostOp::Read | HostOp::Write => self.page_of(u64::from(command.sectors)) + 1,
            HostOp::WriteZeroes if !self.trims => self.page_of(u64::from(command.sectors)) + 1,
            HostOp::Trim | HostOp::WriteZeroes | HostOp::Flush => 3,
        }
    }

    /// Whether a command reaches beyond the last sector.
    #[inline]
    fn is_beyond(&self, command: &HostCommand) -> bool {
        let end = command.sector.saturating_add(u64::from(command.sectors));
        end > self.user_sectors
    }

    /// Whether a request of so many pages may be sent beside those that are.
    #[inline]
    fn has_room(&self, pages: u64) -> bool {
        self.pages == 0 || self.pages + pages <= MOST_PAGES
    }
}

impl Drive {
    /// A client sends a request of so many pages: as one command, or as several where it is longer than one may be.
    fn send(&mut self, client: u32, command: HostCommand, pages: u64) {
        let host = &mut self.host;
        host.first_arrival.get_or_insert(command.arrival);
        host.last_arrival = command.arrival;
        let number = host.sent;
        host.sent += 1;
        host.pages += pages;
        let moves_data = matches!(command.op, HostOp::Read | HostOp::Write);
        let mut request = Request {
            number,
            command,
            pages,
            client,
            admitted: self.now,
            left: 1,
            status: Status::Good,
            cycles: 0,
            unmoved: command.sectors,
            split: NONE,
            fetch_ns: 0,
            critical: NONE,
            family: NONE,
        };
        if !moves_data || command.sectors <= host.longest {
            let id = self.requests.insert(request);
            self.hand_over(id);
            return;
        }
        let parts = command.sectors.div_ceil(host.longest);
        request.split = host.splits.insert(Split {
            command,
            admitted: None,
            left: parts,
            status: Status::Good,
            cycles: 0,
        }) as u32;
        for part in 0..parts {
            let done = part * self.host.longest;
            let sectors = (command.sectors - done).min(self.host.longest);
            let id = self.requests.insert(Request {
                command: HostCommand {
                    sector: command.sector + u64::from(done),
                    sectors,
                    ..command
                },
                unmoved: sectors,
                ..request
            });
            self.hand_over(id);
        }
    }

    /// A command is in the drive.
    fn admit(&mut self, id: u32) {
        let now = self.now;
        let request = &mut self.requests[id];
        request.admitted = now;
        let command = request.command;
        let host = &mut self.host;
        let first = match host.splits.get_mut(request.split as usize) {
            None => true,
            Some(split) if split.admitted.is_none() => {
                split.admitted = Some(now);
                true
            }
            Some(_) => false,
        };
        if first {
            host.inside += 1;
            host.inside_at_last = host.inside;
            host.last_wait = now.since(command.arrival);
            self.recorder.series.admitted(now);
        }
        let fetched = self.charge_request(id, self.firmware.cost.fetch_and_split);
        if u64::from(command.sectors) > self.host.sectors_per_page {
            self.found_family(id);
        }
        match command.op {
            HostOp::Flush => self.flush(id),
            _ if self.host.is_beyond(&command) => self.requests[id].status = Status::Refused,
            // zeroes must be written where nothing is deallocated
            HostOp::WriteZeroes if !self.host.trims => self.cut(id, &command, PageOp::Write, fetched),
            // pages that are not mapped read as zeroes
            HostOp::Trim | HostOp::WriteZeroes => self.cut_trim(id, &command, fetched),
            HostOp::Read => self.cut(id, &command, PageOp::Read, fetched),
            HostOp::Write => self.cut(id, &command, PageOp::Write, fetched),
        }
        self.acknowledge(id);
    }

    /// Charges firmware cycles to a request; tells when the core has done them.
    fn charge_request(&mut self, request: u32, cycles: u32) -> SimTime {
        if !self.firmware.enabled() {
            return self.now;
        }
        self.requests[request].cycles += cycles;
        self.firmware.charge(self.now, cycles)
    }
}
