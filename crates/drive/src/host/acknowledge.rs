//! Completion of requests: what each still waits for, and its answer to the host.

use wordline_ftl::{Step, Work};
use wordline_metrics::{FinishedRequest, Other, RequestClass};
use wordline_units::SimTime;
use wordline_workload::HostOp;

use super::{Host, Request};
use crate::features::{Features, Presence};
use crate::operation::{NONE, Owner};

/// A request that is completed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completed {
    pub(crate) finished: FinishedRequest,
    /// Firmware time spent on it, in cycles.
    pub(crate) cycles: u32,
}

impl<F: Features> Host<F> {
    /// Whether a step acknowledges its part of a request when its data are in the page register: a program does.
    #[inline]
    pub(crate) fn acknowledges_transfer(&self, step: &Step, owner: Owner) -> bool {
        F::Options::IS_POSSIBLE && self.acknowledges_transfer && self.is_acknowledged_early(step, owner)
    }

    #[inline(never)]
    fn is_acknowledged_early(&self, step: &Step, owner: Owner) -> bool {
        let Owner::Request(request) = owner else {
            return false;
        };
        let is_forced = |request: &Request| request.command.fua;
        step.acknowledges
            && matches!(step.work, Work::Program { .. })
            && !self.requests.get(request).is_none_or(is_forced)
    }

    /// Whether a request is acknowledged only when its data are on flash: a flush, or a write with forced unit access.
    pub(crate) fn asks_for_flash(&self, request: u32) -> bool {
        self.requests.get(request).is_some_and(|request| {
            let command = &request.command;
            command.op == HostOp::Flush || (command.fua && command.op.sends_data())
        })
    }

    /// A request waits for so many pieces more.
    #[inline]
    pub(crate) fn waits_for(&mut self, request: u32, pieces: u32) {
        if pieces > 0 {
            self.requests[request].left += pieces;
        }
    }

    /// A request waits for `pieces` others in place of one thing that is done. Tells whether nothing is left.
    #[inline]
    pub(crate) fn exchange(&mut self, request: u32, pieces: u32) -> bool {
        let request = &mut self.requests[request];
        request.left = request.left + pieces - 1;
        request.left == 0
    }

    /// The host has its answer to a command. Tells its client, and the request that is completed with it, if one is.
    #[inline]
    pub(crate) fn finish_command(&mut self, now: SimTime, id: u32) -> (u32, Option<Completed>) {
        let Request { client, split, .. } = self.requests[id];
        self.counts.commands += 1;
        let is_last = split == NONE || self.finish_part(id);
        let completed = is_last.then(|| self.finish_request(now, id));
        self.requests.remove(id);
        (client, completed)
    }

    /// One of the commands of a request is completed. With the last one it stands for the whole request, which is told.
    #[inline(never)]
    fn finish_part(&mut self, id: u32) -> bool {
        let request = &mut self.requests[id];
        let split = &mut self.splits[request.split as usize];
        split.left -= 1;
        split.status = split.status.max(request.status);
        split.cycles += request.cycles;
        split.served = split.served.min(request.served);
        if split.left > 0 {
            return false;
        }
        let split = self.splits.remove(request.split as usize);
        request.command = split.command;
        request.admitted = split.admitted.unwrap_or(request.admitted);
        request.served = split.served;
        request.cycles = split.cycles;
        request.status = split.status;
        true
    }

    /// The host has all that it asked for with a request, the last of whose commands has gone.
    #[inline]
    fn finish_request(&mut self, now: SimTime, id: u32) -> Completed {
        let request = &self.requests[id];
        let command = &request.command;
        self.inside -= 1;
        self.counts.completed += 1;
        self.pages -= request.pages;
        let class = match command.op {
            HostOp::Read => RequestClass::Read,
            op if op.sends_data() => RequestClass::Write,
            _ => RequestClass::Other,
        };
        let other = match command.op {
            HostOp::Trim => Some(Other::Trim),
            HostOp::WriteZeroes => Some(Other::Zeroes),
            HostOp::Flush => Some(Other::Flush),
            op if op.manages_zone() => Some(Other::Zone),
            _ => None,
        };
        let finished = FinishedRequest {
            number: request.number,
            class,
            other,
            status: request.status,
            arrival: command.arrival,
            admitted: request.admitted,
            served: if request.served == SimTime::NEVER {
                request.admitted
            } else {
                request.served
            },
            completed: now,
            sector: command.sector,
            sectors: command.sectors,
            queue: command.queue,
        };
        let cycles = request.cycles;
        self.clients.completed(request.client, command, &finished);
        Completed { finished, cycles }
    }
}
