//! What the parity of superpages has brought back, in a summary.

use wordline_ftl::{ParityCounters, Subjects};
use wordline_metrics::Summary;

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `ftl.parity.*`, where superpages have parity.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>, counters: &ParityCounters) {
    let ftl = drive.control().ftl();
    if ftl.facts().own_pages == 0 || ftl.facts().own_pages_hold != "parity" {
        return;
    }
    summary.set("ftl.parity.recovered_reads", counters.recovered);
    summary.set("ftl.parity.unrecovered_reads", counters.unrecovered);
    summary.set("ftl.parity.padded_pages", counters.padded);
    if ftl.read_repair().is_some_and(|repair| repair.repairs_flash()) {
        summary.set("ftl.parity.degraded_reads", counters.degraded);
        summary.set("ftl.parity.unreadable_blocks", counters.unreadable_members);
        summary.set("ftl.parity.rebuilt_blocks", counters.rebuilt_members);
        summary.set("ftl.parity.rebuilt_pages", counters.rebuilt_pages);
        summary.set("ftl.parity.rewritten_pages", counters.rewritten);
    }
}
