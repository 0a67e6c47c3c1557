//! The host side: sending of commands, cutting into page-sized pieces, completion.

mod arbiter;
pub(crate) mod clients;
pub(crate) mod gather;
pub(crate) mod interface;
mod link;

use slab::Slab;
use wordline_ftl::{Answer, Lpn, PageOp, PageRequest};
use wordline_metrics::{FinishedRequest, Part, RequestClass, Status};
use wordline_nand::Geometry;
use wordline_units::{Divider, Duration, SECTOR_BYTES, SimTime};
use wordline_workload::{HostCommand, HostOp};

use crate::config::{Acknowledge, BufferPolicy, Config, ReadInFlight};
use crate::drive::{Drive, Event};
use crate::operation::{Kind, Level, NONE, Op, OpId, Owner};
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
    /// Commands after cutting.
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
                && config.buffer.policy == BufferPolicy::None,
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
        host.commands += 1;
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

    /// Cuts a read or write into the pages that it touches.
    fn cut(&mut self, request: u32, command: &HostCommand, op: PageOp, fetched: SimTime) {
        let per_page = self.host.sectors_per_page;
        let mut sector = command.sector;
        let end = sector + u64::from(command.sectors);
        while sector < end {
            let lpn = self.host.page_of(sector);
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
            let moved = self.data_in(request, op, page.bitmap.count_ones());
            match self
                .interface
                .as_mut()
                .and_then(|interface| interface.gather.as_mut())
            {
                Some(gather) if moved > self.now => {
                    if gather.is_over(moved) {
                        self.release_group(request, command.fua, fetched);
                    }
                    self.gather(page, moved);
                }
                _ => self.piece(request, page, command.fua, fetched, moved),
            }
            sector += count;
        }
        self.release_group(request, command.fua, fetched);
    }

    /// Adds a page whose data are in the drive at `moved` to the group that is being made.
    fn gather(&mut self, page: PageRequest, moved: SimTime) {
        if let Some(gather) = self
            .interface
            .as_mut()
            .and_then(|interface| interface.gather.as_mut())
        {
            gather.add(page, moved);
        }
    }

    /// Hands the pages of a group on together, when the data of the last are there.
    fn release_group(&mut self, request: u32, fua: bool, fetched: SimTime) {
        let Some(gather) = self
            .interface
            .as_mut()
            .and_then(|interface| interface.gather.as_mut())
        else {
            return;
        };
        let group = gather.take();
        if let Some(&(_, last)) = group.last() {
            for &(page, _) in &group {
                self.piece(request, page, fua, fetched, last);
            }
        }
        if let Some(gather) = self
            .interface
            .as_mut()
            .and_then(|interface| interface.gather.as_mut())
        {
            gather.give_back(group);
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
            self.piece(request, page, false, fetched, self.now);
            sector = (lpn + pages) * per_page;
        }
    }

    /// Hands one page-sized piece on, after the firmware has looked it up; its data are in the drive at `moved`.
    fn piece(&mut self, request: u32, page: PageRequest, fua: bool, fetched: SimTime, moved: SimTime) {
        self.requests_wait_for(request, 1);
        let account = self.open_account(request);
        let sub = SubRequest {
            owner: Owner::Request(request),
            page,
            fua,
            account,
        };
        if self.firmware.enabled() {
            let cost = &self.firmware.cost;
            let allocation = if page.op == PageOp::Write {
                cost.allocation
            } else {
                0
            };
            let cycles = cost.buffer + cost.map_lookup + allocation;
            let cost_of_fetch = cost.fetch_and_split;
            let ready = self.charge_request(request, cycles).max(fetched);
            if moved <= ready {
                let all = cycles + cost_of_fetch;
                self.charge_firmware(account, all, ready);
            }
            self.charge(account, Part::Link, moved);
            let ready = ready.max(moved);
            let id = self.sub_requests.insert(sub);
            self.schedule(ready, Event::SubRequestReady(id));
        } else if moved > self.now {
            self.charge(account, Part::Link, moved);
            let id = self.sub_requests.insert(sub);
            self.schedule(moved, Event::SubRequestReady(id));
        } else {
            self.serve(&sub);
        }
    }

    /// Serves a piece from the write buffer or hands it to the FTL. The piece itself counts as
    /// one thing that the acknowledgement waits for.
    #[inline]
    pub(crate) fn serve(&mut self, sub: &SubRequest) {
        if self.buffer.is_some() {
            self.serve_buffered(*sub)
        } else {
            self.submit(sub)
        }
    }

    /// Submits a piece to the FTL, or parks it behind an earlier write of its page.
    #[inline]
    pub(crate) fn submit(&mut self, sub: &SubRequest) {
        let behind_another = !self.parked.is_empty() && self.parked.contains_key(&sub.page.lpn);
        if behind_another || !self.try_submit(sub) {
            self.park(*sub);
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
        // zero unless it was parked
        self.charge(sub.account, Part::SamePage, self.now);
        let now = self.ftl_now();
        self.ftl_called = true;
        let answer = self.ftl.submit(now, &sub.page, &mut self.plan);
        if matches!(answer, Answer::InMemory | Answer::Wait) && self.read_shadow(sub) {
            return true;
        }
        if answer == Answer::InMemory && self.host.reads_after_program {
            return false;
        }
        if answer == Answer::Accepted {
            match sub.page.op {
                PageOp::Write if !matches!(sub.owner, Owner::Padding(_)) => {
                    self.recorder.ledger.host_wrote(1)
                }
                PageOp::Trim => self.trimmed(&sub.page),
                _ => {}
            }
        }
        match answer {
            Answer::Accepted if self.plan.is_empty() => {
                self.served_from_memory(sub);
            }
            Answer::Accepted => {
                let acknowledging = self.start_plan(sub.owner, Level::Host, sub.account);
                self.piece_waits_for(sub.owner, acknowledging);
            }
            other => {
                match other {
                    Answer::Wait => return false,
                    Answer::InMemory => self.host.in_memory_reads += 1,
                    Answer::Unmapped => self.host.unmapped_reads += 1,
                    Answer::Refused(_) => self.ends_with(sub.owner, Status::Refused),
                    Answer::Accepted => {}
                }
                self.served_from_memory(sub);
            }
        }
        true
    }

    /// A piece of a request, or a step of one, ended so.
    pub(crate) fn ends_with(&mut self, owner: Owner, status: Status) {
        if let Some(request) = self.request_of(owner)
            && let Some(request) = self.requests.get_mut(request)
        {
            request.status = request.status.max(status);
        }
    }

    /// The piece is done as soon as the controller's memory was accessed.
    fn served_from_memory(&mut self, sub: &SubRequest) {
        match sub.owner {
            Owner::Request(request) => {
                let done = self.now + self.memory_access;
                self.charge(sub.account, Part::Memory, done);
                self.settle_account(request, sub.account);
                self.schedule(done, Event::MemoryDone(request));
            }
            Owner::Job(_) => {}
            owner => {
                if let Some(request) = self.request_of(owner) {
                    self.settle_account(request, sub.account);
                }
                self.buffer_served_from_memory(owner);
            }
        }
    }

    /// Exchanges the piece itself for the steps that its acknowledgement waits for.
    pub(crate) fn piece_waits_for(&mut self, owner: Owner, acknowledging: u32) {
        match owner {
            // one for one
            Owner::Request(_) if acknowledging == 1 => {}
            Owner::Request(request) => self.exchange(request, acknowledging),
            Owner::Job(_) => {}
            owner => self.buffer_step_done(owner, acknowledging, true),
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

    /// Whether a program acknowledges its part of a request when its data are in the page register.
    #[inline]
    pub(crate) fn acknowledges_transfer(&self, op: &Op) -> bool {
        self.host.acknowledges_transfer && self.is_acknowledged_early(op)
    }

    #[inline(never)]
    fn is_acknowledged_early(&self, op: &Op) -> bool {
        let Owner::Request(request) = op.owner else {
            return false;
        };
        let is_forced = |request: &Request| request.command.fua;
        op.step.acknowledges
            && op.kind() == Some(Kind::Program)
            && !self.requests.get(request).is_none_or(is_forced)
    }

    /// The data of a program are in the page register: the request that it serves waits for it no longer.
    pub(crate) fn transferred(&mut self, id: OpId) {
        let op = self.ops[id];
        let Owner::Request(request) = op.owner else {
            return;
        };
        self.watch_done(id, &op, Kind::Program);
        let entry = &mut self.ops[id];
        entry.step.acknowledges = false;
        entry.owner = Owner::Request(NONE);
        entry.account = NONE;
        self.settle_account(request, op.account);
        self.acknowledge(request);
    }

    pub(crate) fn requests_wait_for(&mut self, request: u32, pieces: u32) {
        if pieces > 0 {
            self.requests[request].left += pieces;
        }
    }

    /// One thing that a request waited for is done; with the last one the request completes.
    #[inline]
    pub(crate) fn acknowledge(&mut self, id: u32) {
        self.exchange(id, 0);
    }

    /// A request waits for `pieces` others in place of one thing that is done.
    #[inline]
    pub(crate) fn exchange(&mut self, id: u32, pieces: u32) {
        let request = &mut self.requests[id];
        request.left = request.left + pieces - 1;
        if request.left == 0 {
            self.complete(id);
        }
    }

    /// Nothing is left that a request waits for.
    // once: see "Busy code is compiled once" in docs/architecture.md
    #[inline(never)]
    fn complete(&mut self, id: u32) {
        self.close_account(id);
        if self.firmware.enabled() {
            let cycles = self.firmware.cost.completion;
            let done = self.charge_request(id, cycles);
            let account = self.requests[id].critical;
            self.charge_firmware(account, cycles, done);
            self.schedule(done, Event::RequestDone(id));
        } else {
            self.answer(id);
        }
    }

    /// The host has its answer to a command.
    pub(crate) fn finish_command(&mut self, id: u32) {
        let mut request = self.requests.remove(id);
        let client = request.client;
        self.charge(request.critical, Part::Link, self.now);
        self.part_family(request.family);
        if request.split == NONE {
            self.finish_request(id, &request);
        } else {
            let split = &mut self.host.splits[request.split as usize];
            split.left -= 1;
            split.status = split.status.max(request.status);
            split.cycles += request.cycles;
            if split.left > 0 {
                self.drop_account(request.critical);
            } else {
                let split = self.host.splits.remove(request.split as usize);
                request.command = split.command;
                request.admitted = split.admitted.unwrap_or(request.admitted);
                request.cycles = split.cycles;
                request.status = split.status;
                self.finish_request(id, &request);
            }
        }
        self.free_slot(client);
    }

    /// The host has all that it asked for.
    fn finish_request(&mut self, slot: u32, request: &Request) {
        let command = &request.command;
        self.host.inside -= 1;
        self.host.completed += 1;
        self.host.pages -= request.pages;
        self.host.clients.completed(request.client);
        let class = match command.op {
            HostOp::Read => RequestClass::Read,
            HostOp::Write => RequestClass::Write,
            HostOp::Trim | HostOp::WriteZeroes | HostOp::Flush => RequestClass::Other,
        };
        let finished = FinishedRequest {
            number: request.number,
            class,
            status: request.status,
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
        let parts = self.take_account(request.critical);
        self.recorder.request(&finished, &parts);
        if let Some(watch) = &mut self.watch {
            watch.request(slot, &finished, &parts);
        }
        self.watch_buffer();
        self.recorder.series.left(self.now);
        for probe in &mut self.probes {
            probe.request_done(&finished);
        }
    }
}
