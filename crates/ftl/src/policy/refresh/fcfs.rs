//! First come, first served.

use super::{RefreshRow, RefreshRule};

/// `ftl.refresh.policy = "fcfs"`.
pub(crate) const FCFS: RefreshRow = RefreshRow::new(
    "fcfs",
    "Before its data fade, in the order in which blocks were written: a block is not refreshed before those that were written earlier.",
    Some(RefreshRule {
        due: |held, _| held.deadline(),
        place: |held, _| held.arrival,
        takes_all: false,
        is_free: false,
        is_by_date: false,
    }),
);
