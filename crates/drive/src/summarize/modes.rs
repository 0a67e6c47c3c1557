//! The use of modes, in a summary.

mod slc_cache;

use wordline_config::Config;
use wordline_ftl::Lpn;
use wordline_metrics::{Summary, summarize_idle};
use wordline_nand::Ppn;

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `modes.*`, `units.*` and `ftl.slc_cache.*`, where pages have modes beside the normal one.
pub(super) fn set<F: Features>(summary: &mut Summary, config: &Config, drive: &Drive<F>) {
    let Some(modes) = drive.observe().modes() else {
        return;
    };
    slc_cache::set(
        summary,
        config,
        &drive.ftl_counters().slc,
        drive.control().cache_full_since(),
    );
    let ftl = drive.control().ftl();
    let mut held = vec![0; ftl.modes().len() + 1];
    // where mapping units are parts of pages, their places are numbered
    let per_page = u64::from(ftl.unit_geometry().pages_per_program);
    for place in (0..ftl.user_pages()).filter_map(|lpn| ftl.lookup(Lpn(lpn))) {
        held[ftl.mode_of(Ppn(place.0 / per_page)).index()] += 1;
    }
    modes.summarize(summary, &held, drive.observe().recorder().energy.as_deref());
    if let Some(lengths) = drive.array().idle_lengths() {
        summarize_idle(summary, lengths);
    }
}
