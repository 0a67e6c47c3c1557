//! What is left of retention.

use super::{Admission, RefreshRow, RefreshRule};

/// `ftl.refresh.policy = "remaining"`.
pub(crate) const REMAINING: RefreshRow = RefreshRow::new(
    "remaining",
    "When what is left of the retention of a block falls to what is required, the earliest first, all blocks alike (Mohan 2015, 4.3).",
    Some(RefreshRule {
        due: |held, required| held.due_by_remaining(required),
        place: |held, required| held.due_by_remaining(required).ns(),
        admission: Admission::ByRemaining,
        takes_all: true,
        is_free: false,
        is_by_date: true,
    }),
);
