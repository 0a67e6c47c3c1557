//! Every block, after the same time.

use wordline_units::SimTime;

use super::{RefreshRow, RefreshRule};

/// `ftl.refresh.policy = "periodic"`.
pub(crate) const PERIODIC: RefreshRow = RefreshRow::new(
    "periodic",
    "Every block when its data are as old as the required retention, as flash correct-and-refresh does (Cai et al. 2012).",
    Some(RefreshRule {
        due: |held, required| SimTime(held.programmed.ns().saturating_add(required.ns())),
        place: |held, required| held.programmed.ns().saturating_add(required.ns()),
        takes_all: true,
        is_free: false,
    }),
);
