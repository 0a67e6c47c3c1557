//! The way of an operation into its queue and out of it.

use wordline_ftl::{Bind, Outcome};

use super::{Drive, precedence};
use crate::control::unplaced::Class;
use crate::features::Features;
use crate::operation::{Op, OpId, Owner};

impl<F: Features> Drive<F> {
    /// Puts an operation that is ready into the queue that it belongs to; a program that is to be placed gets its page before, or waits for one.
    pub(super) fn enqueue(&mut self, id: OpId) {
        if self.array.ops()[id].awaits_place() {
            if !self.place(id) {
                let class = self.place_class(id);
                self.control.unplaced_mut().push(id, class);
            }
            return;
        }
        self.make_ready(id);
    }

    /// Has the FTL place a program, and puts it into its queue; false where there is no page.
    #[inline(never)]
    fn place(&mut self, id: OpId) -> bool {
        let op = self.array.ops()[id];
        match self.control.place(self.clock.now(), &op.step) {
            Bind::NoSpace => return false,
            Bind::Declined => self.op_done(id, Outcome::Declined),
            Bind::Page(bound) => {
                self.array.place(id, bound.page);
                let companions = self.control.planned() as u32;
                if companions > 0 {
                    self.start_companions(&op, companions);
                }
                self.make_ready(id);
            }
        }
        true
    }

    /// Starts the steps that came with the page of a program.
    fn start_companions(&mut self, op: &Op, companions: u32) {
        let account = self.observe.fork_account(op.account, companions as usize);
        let acknowledging = self.start_plan(op.owner, op.level, account);
        match op.owner {
            Owner::Request(request) => self.host.waits_for(request, acknowledging),
            Owner::Job(job) => self.control.jobs_mut().steps_added(job, companions),
            owner => self.buffer_step_done(owner, acknowledging, false),
        }
    }

    /// Tries to place programs that wait for a page.
    #[inline(never)]
    pub(super) fn place_waiting(&mut self) {
        while let Some(waiting) = self.control.unplaced_mut().take_oldest() {
            // a program that was placed may be another operation by then
            let class = self.place_class(waiting.op);
            if !self.place(waiting.op) {
                self.control.unplaced_mut().decline(waiting, class);
            }
        }
    }

    fn place_class(&self, id: OpId) -> Class {
        let op = &self.array.ops()[id];
        (op.target(), op.step.cause)
    }

    fn make_ready(&mut self, id: OpId) {
        if self.array.shares_reads() && self.array.share_read(id) {
            return;
        }
        self.array.make_ready(id, self.clock.now());
        self.queue_up(id);
        if self.observe.attributes() {
            let unit = self.array.unit_waited_for(id);
            self.observe
                .begin_wait(self.clock.now(), &self.array.ops()[id], unit);
        }
    }

    /// Puts an operation that has its place in the order into its queue.
    #[inline]
    pub(super) fn queue_up(&mut self, id: OpId) {
        self.array.queue_up(id, self.clock.now());
        if self.array.suspends() {
            let precedence = precedence(self.buffer.as_ref(), &self.control);
            self.array.make_way(id, &precedence, &mut self.clock);
        }
        if let Some(door) = self.door.as_mut() {
            door.queued(&self.array.ops()[id]);
        }
    }

    /// Takes a waiting operation out of its queue.
    #[inline]
    pub(super) fn dequeue(&mut self, id: OpId) {
        let were_wide = self.array.dequeue(id);
        if let Some(door) = self.door.as_mut() {
            door.dequeued(&self.array.ops()[id]);
        }
        if were_wide {
            self.control.jobs_mut().wide_queues_emptied();
        }
    }
}
