//! The way of a command of the host: from its client to page-sized pieces, and from the last piece back to its client.

use wordline_ftl::{PageOp, PageRequest};
use wordline_metrics::{Part, Status};
use wordline_units::{Duration, SimTime};
use wordline_workload::{HostCommand, HostOp};

use super::Drive;
use super::submit::status_of;
use crate::buffer::WriteBuffer;
use crate::clock::Event;
use crate::error::RunError;
use crate::features::Features;
use crate::host::clients::NextCommand;
use crate::host::{Sent, SplitRequest, SubRequest};
use crate::operation::{NONE, OpId, Owner};

impl<F: Features> Drive<F> {
    /// Sends what clients have and may send now.
    pub(super) fn pull(&mut self) -> Result<(), RunError> {
        while let Some(client) = self.host.next_awake() {
            while let Some(next) = self.host.next_command(client, &mut self.clock) {
                self.send(client, &next);
                if next.is_closed_loop {
                    self.look_ahead(client);
                }
            }
            self.host.check_sources()?;
        }
        Ok(())
    }

    /// Gets commands ahead of their admission, so that what they will look at is in the cache by then.
    fn look_ahead(&mut self, client: u32) {
        while let Some(lpn) = self.host.draw_ahead(client) {
            self.control.prefetch(lpn);
        }
        if self.host.looks_far_ahead() {
            self.look_closer(client);
        }
    }

    /// The further steps of looking ahead.
    fn look_closer(&self, client: u32) {
        if let Some(lpn) = self.host.page_ahead(client, 1) {
            self.control.prefetch_next(lpn);
        }
        if let Some(lpn) = self.host.page_ahead(client, 0)
            && let Some(block) = self.control.block_of(lpn)
        {
            self.array.prefetch(block);
        }
    }

    fn send(&mut self, client: u32, next: &NextCommand) {
        let now = self.clock.now();
        match self.host.send(now, client, next.command, next.pages) {
            Sent::Whole(id) => self.hand_over(id),
            Sent::Split(split) => self.hand_over_split(&split),
        }
    }

    /// The commands of a request that is sent as several go to their queue, or straight into the drive.
    #[inline(never)]
    fn hand_over_split(&mut self, split: &SplitRequest) {
        for index in 0..split.commands {
            let id = self.host.add_command(split, index);
            self.hand_over(id);
        }
    }

    /// A command goes to its queue, or straight into the drive.
    #[inline]
    fn hand_over(&mut self, id: u32) {
        if self.observe.follows_requests() {
            self.observe.request_sent(id, self.host.number_of(id));
        }
        if self.host.hand_over(id, &mut self.clock) {
            self.take_up(id);
        }
    }

    /// The commands that were being fetched are in the drive.
    pub(super) fn commands_fetched(&mut self) {
        let fetched = self.host.take_fetched(self.clock.now());
        for &id in &fetched {
            self.take_up(id);
        }
        self.host.fetched(fetched, &mut self.clock);
    }

    /// A command is in the drive.
    pub(super) fn admit(&mut self, id: u32) {
        let now = self.clock.now();
        if self.host.admit(now, id) {
            self.observe.request_admitted(now);
        }
        if self.host.delays_commands() {
            self.delay_command(id);
        } else {
            self.begin(id);
        }
    }

    /// A command begins after its time in the controller.
    #[inline(never)]
    fn delay_command(&mut self, id: u32) {
        let latency = self.host.latency_of(id);
        if latency > Duration::ZERO {
            let begins = self.clock.now() + latency;
            self.clock.schedule(begins, Event::CommandBegins(id));
        } else {
            self.begin(id);
        }
    }

    /// A command that is in the drive begins.
    #[inline]
    pub(super) fn begin(&mut self, id: u32) {
        let begun = self.host.begin(id);
        let command = begun.command;
        let is_write = matches!(command.op, HostOp::Write | HostOp::ZoneAppend);
        let cycles = self.control.firmware().cycles_of_command(is_write);
        let fetched = self.charge_request(id, cycles);
        if begun.has_several_pages {
            self.observe.has_several_pages(id);
        }
        let op = self.host.cutter().op_of(&command);
        match op {
            _ if begun.is_beyond => self.host.ends_with(id, Status::Refused),
            Some(PageOp::Write | PageOp::Trim) if self.control.is_read_only() => {
                self.host.ends_with(id, Status::Refused);
            }
            // a drive without zones has no pointer to write at
            _ if command.op == HostOp::ZoneAppend && !self.control.admits() => {
                self.host.ends_with(id, Status::InvalidField);
            }
            Some(op) if self.control.admits() => self.admit_whole(id, &command, op, fetched),
            Some(op) => self.cut(id, &command, op, fetched),
            None => self.flush(id),
        }
        self.acknowledge(id);
    }

    /// Has a command admitted as a whole, and cuts it where it is written.
    #[inline(never)]
    fn admit_whole(&mut self, id: u32, command: &HostCommand, op: PageOp, fetched: SimTime) {
        let access = self.host.cutter().access(command, op);
        match self.control.admit(self.clock.now(), &access) {
            Ok((page, head)) => {
                let mut command = *command;
                let sector = self.host.cutter().sector_of(page) + u64::from(head);
                if command.op == HostOp::ZoneAppend && sector != command.sector {
                    command.sector = sector;
                    self.host.place(id, sector);
                }
                self.cut(id, &command, op, fetched);
            }
            Err(refusal) => self.host.ends_with(id, status_of(refusal)),
        }
    }

    /// Charges firmware cycles to a request; tells when the core has done them.
    fn charge_request(&mut self, request: u32, cycles: u32) -> SimTime {
        if !self.has_firmware() {
            return self.clock.now();
        }
        self.host.add_cycles(request, cycles);
        self.control.firmware_mut().charge(self.clock.now(), cycles)
    }

    /// Cuts a command into page-sized pieces and hands them on.
    #[inline]
    fn cut(&mut self, request: u32, command: &HostCommand, op: PageOp, fetched: SimTime) {
        let now = self.clock.now();
        for page in self.host.cutter().pieces(command, op) {
            let page = self.with_class(page);
            let moved = self.host.data_in(now, request, &page);
            if self.host.gathers(now, moved) {
                if !self.host.gather(page, moved) {
                    self.release_group(request, command.fua, fetched);
                    self.host.gather(page, moved);
                }
            } else {
                self.piece(request, page, command.fua, fetched, moved);
            }
        }
        self.release_group(request, command.fua, fetched);
    }

    /// Hands the pages of a group on together, when the data of the last are there.
    #[inline]
    fn release_group(&mut self, request: u32, fua: bool, fetched: SimTime) {
        let Some(group) = self.host.take_group() else {
            return;
        };
        if let Some(&(_, last)) = group.last() {
            for &(page, _) in &group {
                self.piece(request, page, fua, fetched, last);
            }
        }
        self.host.give_back_group(group);
    }

    /// Hands one page-sized piece on, after the firmware has looked it up; its data are in the drive at `moved`.
    fn piece(&mut self, request: u32, page: PageRequest, fua: bool, fetched: SimTime, moved: SimTime) {
        self.host.waits_for(request, 1);
        let account = if self.observe.attributes() {
            self.observe.open_account(&self.host.admission(request))
        } else {
            NONE
        };
        let sub = SubRequest {
            owner: Owner::Request(request),
            page,
            fua,
            account,
        };
        if self.has_firmware() {
            let is_write = page.op == PageOp::Write;
            let cost = &self.control.firmware().cost;
            let allocation = if is_write { cost.allocation } else { 0 };
            let cycles = cost.buffer + cost.map_lookup + allocation;
            let cost_of_fetch = self.control.firmware().cycles_of_command(is_write);
            let ready = self.charge_request(request, cycles).max(fetched);
            if moved <= ready {
                let work = self.control.firmware().time_of(cycles + cost_of_fetch);
                self.observe.charge_firmware(account, work, ready);
            }
            self.observe.charge(account, Part::Link, moved);
            self.host.delay_piece(sub, ready.max(moved), &mut self.clock);
        } else if moved > self.clock.now() {
            self.observe.charge(account, Part::Link, moved);
            self.host.delay_piece(sub, moved, &mut self.clock);
        } else {
            self.serve(&sub);
        }
    }

    /// The data of a program are in the page register: the request that it serves waits for it no longer.
    pub(super) fn transferred(&mut self, id: OpId) {
        let op = self.array.detach(id);
        let Owner::Request(request) = op.owner else {
            return;
        };
        self.observe.transferred(self.clock.now(), id, &op);
        self.observe.settle_account(request, op.account);
        self.acknowledge(request);
    }

    /// One thing that a request waited for is done; with the last one the request completes.
    #[inline]
    pub(crate) fn acknowledge(&mut self, id: u32) {
        self.exchange(id, 0);
    }

    /// A request waits for `pieces` others in place of one thing that is done.
    #[inline]
    pub(crate) fn exchange(&mut self, id: u32, pieces: u32) {
        if self.host.exchange(id, pieces) {
            self.complete(id);
        }
    }

    /// Nothing is left that a request waits for.
    // once: see "Busy code is compiled once" in crates/drive/DESIGN.md
    #[inline(never)]
    fn complete(&mut self, id: u32) {
        if self.observe.attributes() {
            let admission = self.host.admission(id);
            self.observe
                .close_account(self.clock.now(), id, &admission, self.control.memory_access());
        }
        if self.has_firmware() {
            let cycles = self.control.firmware().cost.completion;
            let done = self.charge_request(id, cycles);
            let work = self.control.firmware().time_of(cycles);
            self.observe.charge_completion(id, work, done);
            self.clock.schedule(done, Event::RequestDone(id));
        } else {
            self.answer(id);
        }
    }

    /// The drive has done what a command asked for: its completion goes to the host.
    #[inline]
    pub(super) fn answer(&mut self, id: u32) {
        if self.host.answer(id, &mut self.clock) {
            self.finish_command(id);
        }
    }

    /// The host has its answer to a command.
    #[inline]
    pub(super) fn finish_command(&mut self, id: u32) {
        let now = self.clock.now();
        let (client, completed) = self.host.finish_command(now, id);
        self.observe.command_completed(now, id);
        match completed {
            None => self.observe.drop_request(id),
            Some(completed) => {
                let finished = &completed.finished;
                if self.has_firmware() {
                    let response = now.since(finished.arrival);
                    self.control
                        .firmware_mut()
                        .attribute(finished.class, completed.cycles, response);
                }
                let dirty = self.buffer.as_ref().map(WriteBuffer::dirty);
                self.observe.request_done(id, finished, dirty);
                if self.observe.warms_up(finished, self.host.counts().completed) {
                    // what else happens at this moment belongs to the warm-up
                    self.clock.schedule(now, Event::Measure);
                }
            }
        }
        self.host.free_slot(client, &mut self.clock);
    }
}
