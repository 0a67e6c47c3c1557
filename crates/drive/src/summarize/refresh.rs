//! Blocks that were refreshed, in a summary.

use wordline_ftl::Subjects;
use wordline_metrics::Summary;

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `ftl.refresh.*`, where blocks are refreshed.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
    let Some(refreshing) = drive.control().ftl().refreshing() else {
        return;
    };
    let totals = refreshing.totals();
    summary.set("ftl.refresh.blocks", totals.blocks);
    summary.set("ftl.refresh.pages", totals.pages);
    summary.set("ftl.refresh.missed", totals.missed);
    summary.set("ftl.refresh.left_to_fade", totals.left);
    summary.set("ftl.refresh.retired_blocks", totals.retired);
    summary.set("ftl.refresh.most_queued", totals.most_queued);
    if let Some(disturbed) = totals.disturbed {
        summary.set("ftl.refresh.disturbed", disturbed);
    }
}
