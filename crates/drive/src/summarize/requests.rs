//! Requests that waited until the scheduler let them into the flash, in a summary.

use wordline_metrics::Summary;

use crate::request_queue::RequestQueue;

/// Sets `scheduler.reordered.*`, `scheduler.expired.*` and `scheduler.metadata.*`.
pub(super) fn set(summary: &mut Summary, queue: &RequestQueue) {
    let counts = queue.counts();
    for (kind, name) in ["read", "write"].into_iter().enumerate() {
        let all = counts.all[kind];
        let share = |part: u64| (all > 0).then(|| part as f64 / all as f64);
        summary.set(
            &format!("scheduler.reordered.{name}"),
            share(counts.reordered[kind]),
        );
        summary.set(&format!("scheduler.expired.{name}"), share(counts.expired[kind]));
    }
    let metadata = queue.metadata();
    summary.set("scheduler.metadata.class_bytes", metadata.classes);
    summary.set("scheduler.metadata.plane_bytes", metadata.planes);
    summary.set("scheduler.metadata.start_level_bytes", metadata.start_levels);
    summary.set("scheduler.metadata.program_time_bytes", metadata.program_times);
}
