//! Placement by the host, in a summary.

mod zones;

use wordline_config::Config;
use wordline_ftl::{PlacementCounters, Subjects};
use wordline_metrics::Summary;

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `ftl.placement.*`, where the drive heeds placement handles, and what there is of zones.
pub(super) fn set<F: Features>(
    summary: &mut Summary,
    config: &Config,
    drive: &Drive<F>,
    counters: &PlacementCounters,
) {
    zones::set(summary, drive, config.ftl.failures.is_on());
    if config.ftl.placement.directive.name() == "none" {
        return;
    }
    summary.set("ftl.placement.opened", counters.opened);
    summary.set("ftl.placement.evicted", counters.evicted);
    summary.set("ftl.placement.released", counters.released);
    summary.set("ftl.placement.blocks_opened", counters.blocks_opened);
    summary.set("ftl.placement.blocks_closed", counters.blocks_closed);
    summary.set("ftl.placement.defaulted", counters.defaulted);
    summary.set("ftl.placement.refused", counters.refused);
    if config.ftl.placement.directive.name() == "fdp" {
        let (array, ledger) = (
            drive.control().ftl().geometry(),
            &drive.observe().recorder().ledger,
        );
        let page = u64::from(array.page_bytes);
        let block = page * u64::from(array.pages_per_block);
        summary.set("ftl.placement.fdp.host_bytes", ledger.host_page_writes() * page);
        summary.set("ftl.placement.fdp.media_bytes", ledger.all_programmed() * page);
        summary.set("ftl.placement.fdp.erased_bytes", ledger.all_erased() * block);
    }
    let Some(placed) = drive.control().ftl().placed_writes() else {
        return;
    };
    for (group, counted) in placed.reclaim_groups().into_iter().enumerate() {
        let prefix = format!("ftl.placement.group.{group}");
        summary.set(&format!("{prefix}.host_pages"), counted.host_pages);
        summary.set(&format!("{prefix}.pages_moved"), counted.moved_pages);
        summary.set(&format!("{prefix}.redirected_pages"), counted.redirected_pages);
    }
    for (handle, counted) in placed.handles() {
        let prefix = format!("ftl.placement.handle.{handle}");
        summary.set(&format!("{prefix}.host_pages"), counted.host_pages);
        summary.set(&format!("{prefix}.pages_moved"), counted.moved_pages);
        summary.set(
            &format!("{prefix}.write_amplification"),
            counted.write_amplification(),
        );
    }
}
