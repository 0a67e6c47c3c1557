//! When data are about to be lost.

use super::{Admission, RefreshRow, RefreshRule};

/// `ftl.refresh.policy = "last_moment"`.
pub(crate) const LAST_MOMENT: RefreshRow = RefreshRow::new(
    "last_moment",
    "When the data of a block are about to fade, the earliest deadline first; which blocks, `mode` says.",
    Some(RefreshRule {
        due: |held, _| held.deadline(),
        place: |held, _| held.deadline().ns(),
        admission: Admission::ByRetention,
        takes_all: false,
        is_free: false,
        is_by_date: true,
    }),
);
