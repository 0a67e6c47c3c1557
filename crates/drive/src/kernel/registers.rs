//! Registers in which mapping units wait for company in their page, or pages for the others of their unit: what a request that asks for
//! flash waits for.

use wordline_ftl::{Cause, Step, Work};

use super::Drive;
use crate::features::Features;
use crate::host::SubRequest;
use crate::operation::{Level, NONE, OpId, Owner};

/// Sectors that a plan programs for the host, and those that it reads to complete what is programmed.
fn host_sectors(plan: &[Step]) -> (u32, u32) {
    let of_host = plan.iter().filter(|step| step.cause == Cause::Host);
    of_host.fold((0, 0), |(programmed, read), step| match step.work {
        Work::Program { sectors, .. } => (programmed + u32::from(sectors), read),
        Work::Read { bitmap, .. } => (programmed, read + bitmap.count_ones()),
        _ => (programmed, read),
    })
}

impl<F: Features> Drive<F> {
    /// A piece of a request was served by the controller's memory.
    #[inline]
    pub(super) fn memory_accessed(&mut self, request: u32) {
        if self.control.programs_on_flush() && self.host.asks_for_flash(request) {
            self.program_registers(request);
        }
        self.acknowledge(request);
    }

    /// What a request waited for has left the buffer: it may be in a page register.
    pub(super) fn acknowledge_saved(&mut self, request: u32) {
        if self.control.programs_on_flush() && self.host.asks_for_flash(request) {
            self.answer_from_memory(request);
        } else {
            self.acknowledge(request);
        }
    }

    /// What was planned for a write may be the program of another unit, whose register it takes: one with forced unit access waits for
    /// its own too.
    #[inline]
    pub(super) fn force_unit(&mut self, sub: &SubRequest) {
        if self.control.gathers_writes()
            && self.control.ftl().facts().pages_per_unit > 1
            && let Owner::Request(request) = sub.owner
            && self.host.asks_for_flash(request)
        {
            self.program_registers(request);
        }
    }

    /// A plan is about to start for `owner`, which waits for it: where that is a page of the buffer, what is programmed with it takes room there.
    #[inline]
    pub(super) fn hold_gathered(&mut self, owner: Owner) {
        if let Owner::Buffer(slot) = owner
            && self.control.gathers_writes()
            && let Some(buffer) = self.buffer.as_mut()
        {
            let (programmed, read) = host_sectors(self.control.plan());
            buffer.plan_starts(self.clock.now(), slot, programmed, read);
        }
    }

    /// Has what is in the page registers programmed; a request waits for that, and for what left them before.
    pub(super) fn program_registers(&mut self, request: u32) {
        loop {
            let flushing = self.control.flush(self.clock.now());
            let acknowledging = self.start_plan(Owner::Request(request), Level::Host, NONE);
            self.host.waits_for(request, acknowledging);
            if flushing.goes_on {
                continue;
            }
            if self.control.awaits_flush(request, flushing.mark) {
                self.host.waits_for(request, 1);
            }
            return;
        }
    }

    /// Acknowledges the requests whose data have all left the registers and are on flash.
    pub(super) fn end_flushes(&mut self) {
        while let Some(request) = self.control.take_flushed() {
            self.acknowledge(request);
        }
    }

    /// Tells those that watch what a program has brought.
    #[inline(never)]
    pub(super) fn tell_units(&mut self, id: OpId) {
        if self.observe.has_probes() {
            let op = &self.array.ops()[id];
            let mut units = Vec::new();
            self.control.ftl().units_of(&op.step, &mut units);
            self.observe.units_programmed(op.page, &units);
        }
    }
}
