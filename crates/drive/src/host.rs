//! The host side: admission of commands, cutting into page-sized pieces, acknowledgement.

use wordline_ftl::{Answer, Lpn, PageOp, PageRequest};
use wordline_metrics::{FinishedRequest, RequestClass};
use wordline_units::{Duration, SimTime};
use wordline_workload::{Admission, HostCommand, HostOp, Source};

use crate::drive::{Drive, Event};
use crate::error::RunError;
use crate::operation::{Level, Owner};

/// Requests inside the drive at once in an open loop, where the user sets no limit: NVMe's
/// largest queue. Later arrivals wait at the host, so that an overloaded run stays small.
const DEFAULT_OPEN_LIMIT: u32 = 65_536;

/// A host command inside the drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) number: u64,
    pub(crate) command: HostCommand,
    pub(crate) admitted: SimTime,
    /// Pieces that the acknowledgement still waits for.
    pub(crate) left: u32,
    /// Firmware time spent on it, in cycles.
    pub(crate) cycles: u32,
}

/// A page-sized piece of a request, or of a page that the write buffer flushes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubRequest {
    pub(crate) owner: Owner,
    pub(crate) page: PageRequest,
    pub(crate) fua: bool,
}

/// Admission, and what it counts.
#[derive(Debug)]
pub(crate) struct Host {
    sectors_per_page: u64,
    closed_loop: bool,
    limit: u32,
    pub(crate) inside: u32,
    /// The next command of an open loop, arrived or not.
    next: Option<HostCommand>,
    pub(crate) arrival_due: bool,
    exhausted: bool,
    pub(crate) admitted: u64,
    pub(crate) completed: u64,
    pub(crate) first_arrival: Option<SimTime>,
    pub(crate) last_arrival: SimTime,
    /// Requests inside when the last command was admitted, and how long that one had waited.
    pub(crate) inside_at_last: u32,
    pub(crate) last_wait: Duration,
    pub(crate) unmapped_reads: u64,
    pub(crate) in_memory_reads: u64,
    pub(crate) refused: u64,
}

impl Host {
    pub(crate) fn new(sectors_per_page: u32) -> Self {
        Self {
            sectors_per_page: u64::from(sectors_per_page),
            closed_loop: false,
            limit: DEFAULT_OPEN_LIMIT,
            inside: 0,
            next: None,
            arrival_due: false,
            exhausted: false,
            admitted: 0,
            completed: 0,
            first_arrival: None,
            last_arrival: SimTime::ZERO,
            inside_at_last: 0,
            last_wait: Duration::ZERO,
            unmapped_reads: 0,
            in_memory_reads: 0,
            refused: 0,
        }
    }

    pub(crate) fn start(&mut self, admission: Admission) {
        match admission {
            Admission::ClosedLoop { depth } => {
                self.closed_loop = true;
                self.limit = depth.max(1);
            }
            Admission::Paced { depth, .. } => {
                self.closed_loop = true;
                self.limit = depth.max(1);
            }
            Admission::OpenLoop { limit } => self.limit = limit.unwrap_or(DEFAULT_OPEN_LIMIT).max(1),
        }
    }

    pub(crate) fn is_closed_loop(&self) -> bool {
        self.closed_loop
    }

    /// Whether a command could be admitted now, or its arrival scheduled.
    pub(crate) fn wants_more(&self) -> bool {
        let more = self.next.is_some() || !self.exhausted;
        more && self.inside < self.limit && (self.closed_loop || self.arrival_due || self.next.is_none())
    }

    /// Every command of the source was admitted and acknowledged.
    pub(crate) fn finished(&self) -> bool {
        self.exhausted && self.inside == 0 && self.next.is_none()
    }
}

impl Drive {
    /// Admits what the source has and the drive may hold now.
    pub(crate) fn pull(&mut self, source: &mut dyn Source) -> Result<(), RunError> {
        while self.host.wants_more() {
            let Some(command) = self.take_next(source)? else {
                break;
            };
            if self.host.closed_loop {
                self.admit(HostCommand {
                    arrival: self.now,
                    ..command
                });
                self.look_ahead(source)?;
            } else if command.arrival <= self.now {
                self.host.arrival_due = false;
                self.admit(command);
            } else {
                self.host.arrival_due = false;
                self.host.next = Some(command);
                self.schedule(command.arrival, Event::Arrival);
            }
        }
        Ok(())
    }

    fn take_next(&mut self, source: &mut dyn Source) -> Result<Option<HostCommand>, RunError> {
        if let Some(next) = self.host.next.take() {
            return Ok(Some(next));
        }
        let next = if self.host.exhausted {
            None
        } else {
            source.next_command()?
        };
        self.host.exhausted |= next.is_none();
        Ok(next)
    }

    /// Fetches the next command of a closed loop ahead of its admission, so that its map entry is in
    /// the cache by then.
    fn look_ahead(&mut self, source: &mut dyn Source) -> Result<(), RunError> {
        self.host.next = self.take_next(source)?;
        if let Some(next) = &self.host.next {
            self.ftl.expect(Lpn(next.sector / self.host.sectors_per_page));
        }
        Ok(())
    }

    fn admit(&mut self, command: HostCommand) {
        let host = &mut self.host;
        host.inside += 1;
        host.inside_at_last = host.inside;
        host.last_wait = self.now.since(command.arrival);
        host.first_arrival.get_or_insert(command.arrival);
        host.last_arrival = command.arrival;
        let number = host.admitted;
        host.admitted += 1;
        let request = Request {
            number,
            command,
            admitted: self.now,
            left: 1,
            cycles: 0,
        };
        let id = self.requests.insert(request) as u32;
        self.recorder
            .series
            .outstanding(self.now, u64::from(self.host.inside));
        let fetched = self.charge_request(id, self.firmware.cost.fetch_and_split);
        match command.op {
            HostOp::Flush => self.flush(id),
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
        self.requests[request as usize].cycles += cycles;
        self.firmware.charge(self.now, cycles)
    }

    /// Cuts a read or write into the pages that it touches.
    fn cut(&mut self, request: u32, command: &HostCommand, op: PageOp, fetched: SimTime) {
        let per_page = self.host.sectors_per_page;
        let mut sector = command.sector;
        let end = sector + u64::from(command.sectors);
        while sector < end {
            let lpn = sector / per_page;
            let first = sector - lpn * per_page;
            let count = (per_page - first).min(end - sector);
            let page = PageRequest {
                op,
                lpn: Lpn(lpn),
                pages: 1,
                bitmap: (u64::MAX >> (64 - count)) << first,
                placement: command.placement,
                command_sectors: command.sectors,
            };
            self.piece(request, page, command.fua, fetched);
            sector += count;
        }
    }

    /// Cuts a TRIM into its partial first and last page and the run of whole pages between.
    fn cut_trim(&mut self, request: u32, command: &HostCommand, fetched: SimTime) {
        let per_page = self.host.sectors_per_page;
        let whole = self.flash.geometry.full_bitmap();
        let end = command.sector + u64::from(command.sectors);
        let mut sector = command.sector;
        while sector < end {
            let lpn = sector / per_page;
            let first = sector - lpn * per_page;
            let (pages, bitmap) = if first == 0 && end - sector >= per_page {
                ((end - sector) / per_page, whole)
            } else {
                let count = (per_page - first).min(end - sector);
                (1, (u64::MAX >> (64 - count)) << first)
            };
            let page = PageRequest {
                op: PageOp::Trim,
                lpn: Lpn(lpn),
                pages,
                bitmap,
                placement: command.placement,
                command_sectors: command.sectors,
            };
            self.piece(request, page, false, fetched);
            sector = (lpn + pages) * per_page;
        }
    }

    /// Hands one page-sized piece on, after the firmware has looked it up.
    fn piece(&mut self, request: u32, page: PageRequest, fua: bool, fetched: SimTime) {
        self.requests_wait_for(request, 1);
        let sub = SubRequest {
            owner: Owner::Request(request),
            page,
            fua,
        };
        if self.firmware.enabled() {
            let cost = &self.firmware.cost;
            let allocation = if page.op == PageOp::Write {
                cost.allocation
            } else {
                0
            };
            let cycles = cost.buffer + cost.map_lookup + allocation;
            let ready = self.charge_request(request, cycles).max(fetched);
            let id = self.sub_requests.insert(sub) as u32;
            self.schedule(ready, Event::SubRequestReady(id));
        } else {
            self.serve(sub);
        }
    }

    /// Serves a piece from the write buffer or hands it to the FTL. The piece itself counts as
    /// one thing that the acknowledgement waits for.
    pub(crate) fn serve(&mut self, sub: SubRequest) {
        if self.buffer.is_some() {
            self.serve_buffered(sub)
        } else {
            self.submit(sub)
        }
    }

    /// Submits a piece to the FTL, or parks it behind an earlier write of its page.
    pub(crate) fn submit(&mut self, sub: SubRequest) {
        let behind_another = !self.parked.is_empty() && self.parked.contains_key(&sub.page.lpn);
        if behind_another || !self.try_submit(&sub) {
            self.park(sub);
        }
    }

    fn park(&mut self, sub: SubRequest) {
        if sub.page.pages == 1 {
            self.parked.entry(sub.page.lpn).or_default().push(sub);
        } else {
            self.parked_ranges.push(sub);
        }
    }

    /// Submits a piece to the FTL; false if it has to wait for an earlier write of its page.
    fn try_submit(&mut self, sub: &SubRequest) -> bool {
        let now = self.ftl_now();
        self.ftl_called = true;
        let answer = self.ftl.submit(now, &sub.page, &mut self.plan);
        if sub.page.op == PageOp::Write && answer == Answer::Accepted {
            self.recorder.ledger.host_wrote(1);
        }
        match answer {
            Answer::Accepted if self.plan.is_empty() => {
                self.served_from_memory(sub.owner);
            }
            Answer::Accepted => {
                let acknowledging = self.start_plan(sub.owner, Level::Host);
                self.piece_waits_for(sub.owner, acknowledging);
            }
            other => {
                match other {
                    Answer::Wait => return false,
                    Answer::InMemory => self.host.in_memory_reads += 1,
                    Answer::Unmapped => self.host.unmapped_reads += 1,
                    Answer::Refused(_) => {
                        self.host.refused += 1;
                    }
                    Answer::Accepted => {}
                }
                self.served_from_memory(sub.owner);
            }
        }
        true
    }

    /// The piece is done as soon as the controller's memory was accessed.
    fn served_from_memory(&mut self, owner: Owner) {
        match owner {
            Owner::Request(request) => {
                let done = self.now + self.memory_access;
                self.schedule(done, Event::MemoryDone(request));
            }
            Owner::Buffer(slot) => self.flush_step_done(slot, 0, true),
            Owner::Job(_) => {}
        }
    }

    /// Exchanges the piece itself for the steps that its acknowledgement waits for.
    fn piece_waits_for(&mut self, owner: Owner, acknowledging: u32) {
        match owner {
            Owner::Request(request) => {
                self.requests_wait_for(request, acknowledging);
                self.acknowledge(request);
            }
            Owner::Buffer(slot) => self.flush_waits_for(slot, acknowledging),
            Owner::Job(_) => {}
        }
    }

    /// Submits again what waited for a step of `lpn`.
    pub(crate) fn resubmit(&mut self, lpn: Lpn) {
        if let Some(mut waiting) = self.parked.remove(&lpn) {
            let mut served = 0;
            while served < waiting.len() && self.try_submit(&waiting[served]) {
                served += 1;
            }
            waiting.drain(..served);
            if !waiting.is_empty() {
                self.parked.insert(lpn, waiting);
            }
        }
        if !self.parked_ranges.is_empty() {
            let waiting = std::mem::take(&mut self.parked_ranges);
            for sub in waiting {
                if !self.try_submit(&sub) {
                    self.parked_ranges.push(sub);
                }
            }
        }
    }

    pub(crate) fn requests_wait_for(&mut self, request: u32, pieces: u32) {
        if pieces > 0 {
            self.requests[request as usize].left += pieces;
        }
    }

    /// One thing that a request waited for is done; with the last one the request completes.
    pub(crate) fn acknowledge(&mut self, id: u32) {
        let request = &mut self.requests[id as usize];
        request.left -= 1;
        if request.left > 0 {
            return;
        }
        if self.firmware.enabled() {
            let done = self.charge_request(id, self.firmware.cost.completion);
            self.schedule(done, Event::RequestDone(id));
        } else {
            self.finish_request(id);
        }
    }

    /// The host has its answer.
    pub(crate) fn finish_request(&mut self, id: u32) {
        let request = self.requests.remove(id as usize);
        let command = &request.command;
        self.host.inside -= 1;
        self.host.completed += 1;
        let class = match command.op {
            HostOp::Read => RequestClass::Read,
            HostOp::Write => RequestClass::Write,
            HostOp::Trim | HostOp::WriteZeroes | HostOp::Flush => RequestClass::Other,
        };
        let finished = FinishedRequest {
            number: request.number,
            class,
            arrival: command.arrival,
            admitted: request.admitted,
            completed: self.now,
            sector: command.sector,
            sectors: command.sectors,
            queue: command.queue,
        };
        if self.firmware.enabled() {
            self.firmware
                .attribute(class, request.cycles, self.now.since(command.arrival));
        }
        self.recorder.request(&finished);
        self.recorder
            .series
            .outstanding(self.now, u64::from(self.host.inside));
        for probe in &mut self.probes {
            probe.request_done(&finished);
        }
    }
}
