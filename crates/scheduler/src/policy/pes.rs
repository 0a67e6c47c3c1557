//! `pes`: the order of `reads_first`; reads (and, where that is allowed, writes) need not wait for the
//! program or erase that is in their die, which is suspended.

use super::{SchedulerRow, reads_first};

/// `scheduler.policy = "pes"`.
pub(crate) const PES: SchedulerRow = SchedulerRow {
    suspends: true,
    ..SchedulerRow::new(
        "pes",
        "As `reads_first`, and reads suspend programs and erases (Wu and He 2012).",
        reads_first::ORDER,
    )
};
