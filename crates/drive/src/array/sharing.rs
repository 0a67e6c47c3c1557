//! Pages that are read once for several mapping units of a command.
//!
//! With mapping units smaller than a page every unit of a command is a piece of its own. Those that are on the same page are read by one flash command: the first is
//! the read, with the sub-pages of all, and the others share it. They never enter a queue.

use smallvec::SmallVec;
use wordline_ftl::Work;

use super::FlashArray;
use super::classes::{CLASSES, LOOK_AHEAD, class};
use crate::features::Features;
use crate::operation::{Kind, NONE, Op, OpId, Owner};

/// Whether two reads are for the same: a command of the host, or what the buffer keeps.
fn are_together(one: &Op, other: &Op) -> bool {
    match (one.owner, other.owner) {
        (Owner::Request(one), Owner::Request(other)) => one == other,
        (Owner::Fill(_), Owner::Fill(_)) => true,
        _ => false,
    }
}

impl<F: Features> FlashArray<F> {
    /// Whether pages hold several units, so that reads may share one.
    #[inline(always)]
    pub(crate) fn shares_reads(&self) -> bool {
        self.shared_reads.is_some()
    }

    /// Has a read that is ready share one that waits for the same page. False where there is none.
    #[inline(never)]
    pub(crate) fn share_read(&mut self, id: OpId) -> bool {
        let op = &self.ops[id];
        let Work::Read { bitmap, .. } = op.step.work else {
            return false;
        };
        if op.sensing.is_retry() || op.in_package || !op.brings_data() {
            return false;
        }
        let unit = self.flash.unit_of(op.die);
        let mut other = self.flash.queues[unit * CLASSES + class(Kind::Read, op.level)].last();
        let mut found = NONE;
        for _ in 0..LOOK_AHEAD {
            if other == NONE || found != NONE {
                break;
            }
            let waits = &self.ops[other];
            if waits.page == op.page && !waits.sensing.is_retry() && are_together(waits, op) {
                found = other;
            }
            other = waits.previous;
        }
        let Some(shared) = self.shared_reads.as_mut().filter(|_| found != NONE) else {
            return false;
        };
        let Work::Read { bitmap: all, .. } = &mut self.ops[found].step.work else {
            return false;
        };
        *all |= bitmap;
        shared.entry(found).or_default().push(id);
        let op = &mut self.ops[id];
        op.command = None;
        // the read that it shares brings its data
        if let Work::Read { bitmap, .. } = &mut op.step.work {
            *bitmap = 0;
        }
        true
    }

    /// The reads that shared one that has ended.
    #[inline]
    pub(crate) fn take_sharing(&mut self, id: OpId) -> SmallVec<[OpId; 4]> {
        let shared = self.shared_reads.as_mut();
        shared.and_then(|shared| shared.remove(&id)).unwrap_or_default()
    }
}
