//! The way of an operation into its queue and out of it.

use super::{Drive, precedence};
use crate::features::Features;
use crate::operation::OpId;

impl<F: Features> Drive<F> {
    /// Puts an operation that is ready into the queue that it belongs to.
    pub(super) fn enqueue(&mut self, id: OpId) {
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
            let precedence = precedence(&self.schedule, &self.control);
            self.array.make_way(id, &precedence, &mut self.clock);
        }
        if self.schedule.limit_writes(&self.array.ops()[id], 1) {
            self.array.look_after_suspended();
        }
    }

    /// Takes a waiting operation out of its queue.
    #[inline]
    pub(super) fn dequeue(&mut self, id: OpId) {
        let were_wide = self.array.dequeue(id);
        self.schedule.limit_writes(&self.array.ops()[id], -1);
        if were_wide {
            self.control.jobs_mut().wide_queues_emptied();
        }
    }
}
