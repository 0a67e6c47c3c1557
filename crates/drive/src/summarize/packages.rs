//! What was done inside packages with controllers.

use wordline_metrics::Summary;

use crate::features::Features;
use crate::kernel::Drive;

/// Adds the figures of packages, where these have controllers.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
    let (Some(local), Some(packages)) = (drive.control().local(), drive.array().packages()) else {
        return;
    };
    let (mean, most) = local.utilization(drive.now());
    summary.set("local.utilization.mean", mean);
    summary.set("local.utilization.max", most);
    let (mean, most) = packages.utilization(drive.measured_time());
    summary.set("local.bus_utilization.mean", mean);
    summary.set("local.bus_utilization.max", most);
    let counts = packages.counts();
    summary.set("local.pages_corrected", counts.corrected);
    summary.set("local.pages_escalated", counts.escalated);
}
