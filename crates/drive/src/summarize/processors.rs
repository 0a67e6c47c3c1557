//! Work of the controller's CPU, and of controllers in packages.

use wordline_metrics::{RequestClass, Summary};

use crate::features::Features;
use crate::kernel::Drive;

/// Adds the figures of all that compute.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
    if drive.control().firmware().enabled() {
        summary.set(
            "firmware.utilization",
            drive.control().firmware().utilization(drive.now()),
        );
        for (class, name) in [(RequestClass::Read, "read"), (RequestClass::Write, "write")] {
            let share = drive.control().firmware().share(class);
            summary.set(&format!("firmware.share.{name}"), share.map(|(mean, _)| mean));
            summary.set(
                &format!("firmware.share_max.{name}"),
                share.map(|(_, largest)| largest),
            );
        }
    }
    set_packages(summary, drive);
}

/// Adds the figures of packages, where these have controllers.
fn set_packages<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
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
