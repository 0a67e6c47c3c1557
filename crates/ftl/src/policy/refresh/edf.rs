//! Earliest deadline first.

use super::{RefreshRow, RefreshRule};

/// `ftl.refresh.policy = "edf"`.
pub(crate) const EDF: RefreshRow = RefreshRow::new(
    "edf",
    "Before its data fade, in the order of deadlines (Mohan 2015, 4.3).",
    Some(RefreshRule {
        due: |held, _| held.deadline(),
        place: |held, _| held.deadline().ns(),
        takes_all: false,
        is_free: false,
        is_by_date: true,
    }),
);
