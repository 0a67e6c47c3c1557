//! Programs and erases that have failed, in a summary.

use wordline_config::Config;
use wordline_ftl::FtlCounters;
use wordline_metrics::Summary;
use wordline_units::SimTime;

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `ftl.failures.*`, where something can fail.
pub(super) fn set<F: Features>(
    summary: &mut Summary,
    config: &Config,
    drive: &Drive<F>,
    counters: &FtlCounters,
) {
    if !config.ftl.failures.is_on() {
        return;
    }
    summary.set("ftl.failures.programs", counters.failed_programs);
    summary.set("ftl.failures.erases", counters.failed_erases);
    summary.set("ftl.failures.retired_blocks", counters.retired_blocks);
    let since = drive.control().read_only_since();
    let at = since.map(|since| since.since(SimTime::ZERO).as_secs());
    summary.set("ftl.failures.read_only_at_s", at);
}
