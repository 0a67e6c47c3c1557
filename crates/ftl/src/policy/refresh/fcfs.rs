//! First come, first served.

use super::{Admission, RefreshRow, RefreshRule};

/// `ftl.refresh.policy = "fcfs"`.
pub(crate) const FCFS: RefreshRow = RefreshRow::new(
    "fcfs",
    "As `remaining`, but in the order in which blocks were written: a block is not refreshed before those that were written earlier.",
    Some(RefreshRule {
        due: |held, required| held.due_by_remaining(required),
        place: |held, _| held.arrival,
        admission: Admission::ByRemaining,
        takes_all: true,
        is_free: false,
        is_by_date: false,
    }),
);
