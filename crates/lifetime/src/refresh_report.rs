//! What refresh did in a study.

use wordline_ftl::functional::Counts;
use wordline_ftl::{Cause, RefreshTotals};
use wordline_units::SimTime;

/// What refresh did in a study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefreshReport {
    /// What was counted.
    pub totals: RefreshTotals,
    /// Seconds until the first data were lost that were to be refreshed; `None` where none were.
    pub first_lost: Option<f64>,
    /// The same, or until too few blocks could be used.
    pub ended: Option<f64>,
    /// Pages programmed for each page that the host wrote: by collection, by wear levelling, by refresh.
    pub write_amplification: [f64; 3],
}

impl RefreshReport {
    /// The report of a study that began at `epoch`.
    pub(crate) fn new(totals: RefreshTotals, counts: &Counts, epoch: SimTime) -> Self {
        let ends = [totals.first_missed, totals.space_ended];
        let per_write = |cause: Cause| match counts.host_writes {
            0 => 0.0,
            writes => counts.programmed(cause) as f64 / writes as f64,
        };
        Self {
            totals,
            first_lost: totals.first_missed.map(|lost| lost.since(epoch).as_secs()),
            ended: ends
                .into_iter()
                .flatten()
                .min()
                .map(|end| end.since(epoch).as_secs()),
            write_amplification: [Cause::Gc, Cause::Wear, Cause::Refresh].map(per_write),
        }
    }
}
