//! Completion of requests: what each still waits for, and its answer to the host.

use wordline_metrics::{FinishedRequest, Part, RequestClass};
use wordline_workload::HostOp;

use super::Request;
use crate::drive::{Drive, Event};
use crate::operation::{Kind, NONE, Op, OpId, Owner};

impl Drive {
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
        self.host.commands += 1;
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
        self.host.clients.completed(request.client, command.op, &finished);
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
        if self.warm_up.is_some() {
            self.warms_up(&finished);
        }
    }
}
