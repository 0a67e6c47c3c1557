//! How steady a run was.

use wordline_metrics::{Course, Note, SeriesColumns, Steadiness, Summary};

use crate::features::Features;
use crate::kernel::Drive;

use super::load;

/// Adds how steady throughput was, and whether that is a steady state where throughput tells of the drive.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>, series: &SeriesColumns) {
    let last_completion = drive.observe().recorder().last_completion;
    let steadiness = Course::steadiness(series, last_completion);
    let judged = steadiness.filter(|_| throughput_tells(drive));
    summary.set("sim.snia_steady", judged.map(Steadiness::meets_snia));
    summary.set("sim.snia_spread", steadiness.map(|found| found.spread));
    summary.set("sim.snia_slope", steadiness.map(|found| found.slope));
}

/// Whether throughput tells of the drive: a drive that keeps up with requests that come at times of their own has the rate of its workload.
fn throughput_tells<F: Features>(drive: &Drive<F>) -> bool {
    !drive.host().clients().any_open_loop() || Note::overloaded(&load(drive)).is_some()
}

/// Whether the run changed on the way, or varied too much to tell. A throughput that grows with its backlog is told of as an overload, no drift;
/// one with long pauses (`summary` has the share of the time without them) is that of the workload.
pub(super) fn notes<F: Features>(
    summary: &Summary,
    drive: &Drive<F>,
    series: &SeriesColumns,
) -> impl Iterator<Item = Note> {
    let last_completion = drive.observe().recorder().last_completion;
    let closed = !drive.host().clients().any_open_loop();
    let [throughput, amplification] = Course::drifts(series, last_completion);
    let drifts = [throughput.filter(|_| closed), amplification];
    let is_idle = summary
        .number("host.queue.active_share")
        .is_some_and(|active| Note::mostly_idle(active).is_some());
    let rounds = Course::steadiness(series, last_completion).filter(|_| closed && !is_idle);
    [Note::drifted(drifts), Note::unsteady(drifts, rounds)]
        .into_iter()
        .flatten()
}
