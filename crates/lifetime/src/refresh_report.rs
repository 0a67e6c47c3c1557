//! What refresh did in a study.

use wordline_ftl::functional::Counts;
use wordline_ftl::{Cause, RefreshTotals};
use wordline_units::SimTime;

/// What refresh did in a study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefreshReport {
    /// What was counted.
    pub totals: RefreshTotals,
    /// Seconds until data were lost or too few blocks could be used; `None` beyond the horizon.
    pub life: Option<f64>,
    /// Pages programmed for each page that the host wrote: by collection, by wear levelling, by refresh.
    pub write_amplification: [f64; 3],
}

impl RefreshReport {
    /// The report of a study that began at `epoch`.
    pub(crate) fn new(totals: RefreshTotals, counts: &Counts, epoch: SimTime) -> Self {
        let ends = [totals.first_missed, totals.space_ended];
        let end = ends.into_iter().flatten().min();
        let per_write = |cause: Cause| match counts.host_writes {
            0 => 0.0,
            writes => counts.programmed(cause) as f64 / writes as f64,
        };
        Self {
            totals,
            life: end.map(|end| end.since(epoch).as_secs()),
            write_amplification: [Cause::Gc, Cause::Wear, Cause::Refresh].map(per_write),
        }
    }
}
