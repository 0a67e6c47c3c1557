//! Every block, after the same time.

use super::{Admission, RefreshRow, RefreshRule};

/// `ftl.refresh.policy = "periodic"`.
pub(crate) const PERIODIC: RefreshRow = RefreshRow::new(
    "periodic",
    "Every block when its data are as old as the required retention, as flash correct-and-refresh does (Cai et al. 2012).",
    Some(RefreshRule {
        due: |held, required| held.at_age(required),
        place: |held, required| held.at_age(required).ns(),
        admission: Admission::All,
        takes_all: true,
        is_free: false,
        is_by_date: true,
    }),
);
