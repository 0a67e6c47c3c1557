//! The use of modes, in a summary.

use wordline_ftl::Lpn;
use wordline_metrics::{Summary, summarize_idle};

use crate::features::Features;
use crate::kernel::Drive;

/// Sets `modes.*` and `units.*`, where pages have modes beside the normal one.
pub(super) fn set<F: Features>(summary: &mut Summary, drive: &Drive<F>) {
    let Some(modes) = drive.observe().modes() else {
        return;
    };
    let ftl = drive.control().ftl();
    let mut held = vec![0; ftl.modes().len() + 1];
    for page in (0..ftl.user_pages()).filter_map(|lpn| ftl.lookup(Lpn(lpn))) {
        held[ftl.mode_of(page).index()] += 1;
    }
    modes.summarize(summary, &held, drive.observe().recorder().energy.as_deref());
    if let Some(lengths) = drive.array().idle_lengths() {
        summarize_idle(summary, lengths);
    }
}
