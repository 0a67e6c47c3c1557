//! `fcfs`: first come, first served on every channel.
//!
//! The oldest operation of a channel goes next; while its die is busy, younger operations of the
//! channel wait behind it. Only what cannot start for want of space (or, for an erase, because its
//! block is still in use) is passed over, lest the garbage collection that would help it be held up.

use super::{Order, Ranking, SchedulerRow};

/// `scheduler.policy = "fcfs"`.
pub(crate) const FCFS: SchedulerRow = SchedulerRow::new(
    "fcfs",
    "Strictly first come, first served on each channel.",
    Order::Ranks(Ranking {
        in_order: true,
        ..Ranking::BY_AGE
    }),
);
