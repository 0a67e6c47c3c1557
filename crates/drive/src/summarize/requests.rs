//! Requests that waited until the scheduler let them into the flash, in a summary.

use wordline_metrics::Summary;

use crate::request_queue::RequestCounts;

/// Sets `scheduler.reordered.*` and `scheduler.expired.*`.
pub(super) fn set(summary: &mut Summary, counts: &RequestCounts) {
    for (kind, name) in ["read", "write"].into_iter().enumerate() {
        let all = counts.all[kind];
        let share = |part: u64| (all > 0).then(|| part as f64 / all as f64);
        summary.set(
            &format!("scheduler.reordered.{name}"),
            share(counts.reordered[kind]),
        );
        summary.set(&format!("scheduler.expired.{name}"), share(counts.expired[kind]));
    }
}
