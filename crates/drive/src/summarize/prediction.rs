//! The write amplification of a run beside the one that its drive was aged for.

use super::collected::collected_geometry;
use wordline_config::Config;
use wordline_ftl::GcMode;
use wordline_metrics::{Note, Summary};
use wordline_workload::WorkloadKind;

use crate::features::Features;
use crate::kernel::Drive;

/// Whether the write amplification is the one that the drive was aged for, once each plane has been collected.
pub(super) fn note<F: Features>(
    config: &Config,
    drive: &Drive<F>,
    summary: &Summary,
    predicted: Option<f64>,
) -> Option<Note> {
    let measured = summary.number("ftl.write_amplification")?;
    if drive.ftl_counters().gc_victims < u64::from(collected_geometry(drive.control().ftl()).planes()) {
        return None;
    }
    if drive.control().ftl().facts().pages_per_unit > 1 {
        // the prediction is one of units: how many pages of one the host writes together is not part of it
        return None;
    }
    let mut reasons = Vec::new();
    let workload = &config.workload;
    if !config.tenants.is_empty() || workload.kind != WorkloadKind::Random {
        reasons.push("the writes are not uniformly random (workload.kind)");
    } else if workload.region.is_some() {
        reasons.push("the writes go to a part of the user space (workload.region)");
    }
    if workload.trim_fraction > 0.0 {
        reasons.push("pages are trimmed (workload.trim_fraction)");
    }
    if config.ftl.slc_cache.mode.is_some() {
        reasons.push("writes went to the SLC cache, which is collected later (ftl.slc_cache)");
    }
    if config.buffer.is_present() {
        reasons.push("the buffer changes what reaches flash (buffer.policy)");
    }
    if config.ftl.gc.mode != GcMode::Foreground {
        reasons.push("collection depends on the time that the host leaves (ftl.gc.mode)");
    }
    if config.ftl.wear.static_.row().is_ok_and(|row| row.moves_data) {
        reasons.push("wear levelling moves pages (ftl.wear)");
    }
    Note::amplification_differs(predicted?, measured, &reasons)
}
