//! How steady a run was.

use wordline_metrics::{Course, Note, SeriesColumns, Steadiness, Summary};
use wordline_units::SimTime;

use crate::features::Features;
use crate::kernel::Drive;

/// Adds how steady throughput was.
pub(super) fn set(summary: &mut Summary, series: &SeriesColumns, last_completion: SimTime) {
    let steadiness = Course::steadiness(series, last_completion);
    summary.set("sim.snia_steady", steadiness.map(Steadiness::meets_snia));
    summary.set("sim.snia_spread", steadiness.map(|found| found.spread));
    summary.set("sim.snia_slope", steadiness.map(|found| found.slope));
}

/// Whether the run changed on the way, or varied too much to tell. Throughput tells of the drive in closed loops only.
pub(super) fn notes<F: Features>(drive: &Drive<F>, series: &SeriesColumns) -> impl Iterator<Item = Note> {
    let last_completion = drive.observe().recorder().last_completion;
    let [throughput, amplification] = Course::drifts(series, last_completion);
    let throughput = throughput.filter(|_| !drive.host().clients().any_open_loop());
    let drifts = [throughput, amplification];
    [Note::drifted(drifts), Note::unsteady(drifts)]
        .into_iter()
        .flatten()
}
