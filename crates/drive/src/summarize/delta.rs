//! Overwrites as deltas, in a summary.

use wordline_ftl::FtlCounters;
use wordline_metrics::Summary;

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `ftl.delta.*`, where the mapping keeps deltas.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>, facts: &FtlCounters) {
    let Some(utilization) = drive.control().codec().utilization(drive.now()) else {
        return;
    };
    let page = f64::from(drive.array().geometry().page_bytes);
    let delta = &facts.delta;
    let ratio = |part: u64, all: u64| (all > 0).then(|| part as f64 / all as f64);
    let pages = |bytes: u64, count: u64| ratio(bytes, count).map(|bytes| bytes / page);
    let writes = facts.first_writes + facts.covered_writes + facts.uncovered_writes;
    summary.set("ftl.delta.codec_utilization", utilization);
    for (key, value) in [
        ("ftl.delta.candidates", delta.candidates),
        ("ftl.delta.turned_away", delta.turned_away),
        ("ftl.delta.without_room", delta.without_room),
        ("ftl.delta.encoded", delta.encoded),
        ("ftl.delta.too_large", delta.too_large),
        ("ftl.delta.writes", delta.deltas),
        ("ftl.delta.superseded", delta.superseded),
        ("ftl.delta.dropped", delta.dropped),
        ("ftl.delta.log_programs", delta.log_programs),
        ("ftl.delta.repacked_pages", delta.repacked_pages),
        ("ftl.delta.repacked_from", delta.repacked_from),
        ("ftl.delta.merge_programs", delta.merge_programs),
        ("ftl.delta.merges.read_hot", delta.merged_reads),
        ("ftl.delta.merges.write_cold", delta.merged_cold),
        ("ftl.delta.merges.page_victim", delta.merged_pages),
        ("ftl.delta.merges.log_victim", delta.merged_logs),
        ("ftl.delta.log_victims", delta.log_victims),
        ("ftl.delta.reads", delta.reads),
        ("ftl.delta.reads_in_memory", delta.reads_in_memory),
        ("ftl.delta.pages", delta.kept),
        ("ftl.delta.log_pages", delta.log_pages),
    ] {
        summary.set(key, value);
    }
    if delta.has_content {
        summary.set("ftl.delta.reads_checked", delta.reads_checked);
    }
    summary.set("ftl.delta.ratio", pages(delta.encoded_bytes, delta.encoded));
    summary.set("ftl.delta.write_share", ratio(delta.deltas, writes));
    summary.set(
        "ftl.delta.pages_per_delta",
        ratio(delta.log_programs, delta.deltas),
    );
    summary.set("ftl.delta.log_fill", pages(delta.log_bytes, delta.log_programs));
    summary.set(
        "ftl.delta.victim_gain",
        pages(delta.victim_gain_bytes, facts.gc_victims),
    );
    summary.set(
        "ftl.delta.log_victim_gain",
        pages(delta.log_victim_gain_bytes, delta.log_victims),
    );
}
