//! What the table of the mapping took: the use of a map on flash, memory, and reads after a loss of power.

use wordline_ftl::analytic::recovery::{PageRead, read_all};
use wordline_ftl::{Cause, LookupTable, Subjects, TableCounters};
use wordline_metrics::Summary;

use crate::features::Features;
use crate::kernel::Drive;

/// Sets the keys of the table.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>, counters: &TableCounters) {
    if !counters.is_empty() {
        set_counters(summary, counters);
    }
    let Some(cost) = drive.control().ftl().lookup_table().map(LookupTable::table_cost) else {
        return;
    };
    let ledger = &drive.observe().recorder().ledger;
    summary.set("ftl.table.memory_bytes", cost.memory_bytes);
    summary.set("ftl.table.host_memory_bytes", cost.host_memory_bytes);
    summary.set("ftl.table.flash_bytes", cost.flash_bytes);
    summary.set(
        "ftl.table.programs_per_write",
        ledger.per_host_write(ledger.pages_programmed(Cause::Mapping)),
    );
    let geometry = drive.array().geometry();
    let recovery = (geometry.spare_bytes > 0).then(|| {
        let (timing, types) = (drive.array().timing(), drive.array().page_types());
        let each = PageRead::of(geometry, timing, types, u64::from(geometry.spare_bytes));
        read_all(geometry, &cost.recovery_reads, each).as_secs()
    });
    summary.set("ftl.table.recovery_time_s", recovery);
}

/// The use of a map on flash.
fn set_counters(summary: &mut Summary, table: &TableCounters) {
    summary.set("ftl.table.lookups", table.lookups);
    let hits = (table.lookups > 0).then(|| table.hits as f64 / table.lookups as f64);
    summary.set("ftl.table.hit_ratio", hits);
    summary.set("ftl.table.pages_fetched", table.fetched_pages);
    summary.set("ftl.table.prefetched", table.prefetched);
    summary.set("ftl.table.evicted", table.evicted);
    summary.set("ftl.table.evicted_dirty", table.evicted_dirty);
    summary.set("ftl.table.collection_updates", table.collection_updates);
    summary.set("ftl.table.late_updates", table.late_updates);
    summary.set("ftl.table.host_memory_bytes_read", table.host_bytes_read);
    summary.set("ftl.table.host_memory_bytes_written", table.host_bytes_written);
}
