//! The SLC cache, in a summary.

use wordline_config::Config;
use wordline_ftl::{SlcCounters, WhenFull};
use wordline_metrics::Summary;
use wordline_units::SimTime;

/// Sets `ftl.slc_cache.*`, where there is a cache.
pub(super) fn set(summary: &mut Summary, config: &Config, counts: &SlcCounters, full: Option<SimTime>) {
    let cache = &config.ftl.slc_cache;
    if !cache.is_on() {
        return;
    }
    let written = counts.cached_pages + counts.direct_pages;
    let share = (written > 0).then(|| counts.cached_pages as f64 / written as f64);
    summary.set("ftl.slc_cache.pages_written", counts.cached_pages);
    summary.set("ftl.slc_cache.pages_bypassed", counts.direct_pages);
    summary.set("ftl.slc_cache.share", share);
    summary.set("ftl.slc_cache.pages_folded", counts.folded_pages);
    summary.set("ftl.slc_cache.blocks_folded", counts.folded_blocks);
    let at = full.map(|full| full.since(SimTime::ZERO).as_secs());
    summary.set("ftl.slc_cache.full_at_s", at);
    if cache.when_full == WhenFull::Fold {
        summary.set("ftl.slc_cache.waits", counts.waits);
    }
}
