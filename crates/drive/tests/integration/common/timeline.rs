//! What must be true of the timeline of any run.

use std::collections::BTreeMap;

use proptest::prelude::*;
use wordline_drive::RunOutput;
use wordline_metrics::{Activity, CommandKind, SpanColumns, Track};

use super::number;

/// Checks the slowest requests, the stretch that is shown in full and the utilisation of a run whose table
/// of requests is complete.
pub(crate) fn check(output: &RunOutput) -> Result<(), TestCaseError> {
    slowest(output)?;
    waiting(output)?;
    // planes that read on their own do so beside each other
    if output.summary.get("nand.reads_beside_reads").is_none() {
        exclusive(&output.timeline.window)?;
    }
    utilisation(output)
}

/// They are the slowest of all, their parts sum to their latencies, and the slowest lies in the stretch.
fn slowest(output: &RunOutput) -> Result<(), TestCaseError> {
    let log = &output.requests;
    let table = &output.timeline.slowest;
    let found: Vec<u64> = (0..table.number.len())
        .map(|row| table.completed_ns[row] - table.arrival_ns[row])
        .collect();
    prop_assert!(found.is_sorted_by(|a, b| a >= b));
    // the log tells apart what the timeline counts as other requests, and has these last
    for class in 0..3 {
        let mut latencies: Vec<u64> = (0..log.number.len())
            .filter(|row| log.class[*row].min(2) == class)
            .map(|row| log.completed_ns[row] - log.arrival_ns[row])
            .collect();
        latencies.sort_unstable_by_key(|latency| std::cmp::Reverse(*latency));
        latencies.truncate(16);
        let rows = (0..found.len()).filter(|row| table.class[*row] == class);
        prop_assert_eq!(rows.map(|row| found[row]).collect::<Vec<_>>(), latencies);
    }
    let mut parts = vec![0; found.len()];
    for (row, ns) in table.part_row.iter().zip(&table.part_ns) {
        parts[*row as usize] += ns;
    }
    prop_assert_eq!(parts, found);
    for (row, span) in table.front_row.iter().zip(0..table.front.from_ns.len()) {
        let row = *row as usize;
        let meanwhile = table.front.from_ns[span] < table.completed_ns[row]
            && table.front.to_ns[span] > table.arrival_ns[row];
        prop_assert!(meanwhile);
    }
    let window = &output.timeline.window;
    if let Some(&first) = table.number.first() {
        let shown = (0..window.track.len())
            .any(|row| window.track[row] == Track::Host(0).code() && window.request[row] == first as i64);
        prop_assert!(shown || table.completed_ns[0] == table.arrival_ns[0]);
    }
    Ok(())
}

/// Every request waits for a part of its response time, and none of its flash commands is issued while it waits.
fn waiting(output: &RunOutput) -> Result<(), TestCaseError> {
    let log = &output.requests;
    let mut served = BTreeMap::new();
    for row in 0..log.number.len() {
        let waiting = log.waiting_ns[row];
        prop_assert!(log.arrival_ns[row] + waiting <= log.completed_ns[row]);
        prop_assert!(log.arrival_ns[row] + waiting >= log.admitted_ns[row]);
        served.insert(log.number[row] as i64, log.arrival_ns[row] + waiting);
    }
    let window = &output.timeline.window;
    let of_flash = |row: &usize| window.activity[*row] < Activity::Data(CommandKind::Read).code();
    for row in (0..window.track.len()).filter(of_flash) {
        if let Some(&served) = served.get(&window.request[row]) {
            prop_assert!(
                served <= window.from_ns[row],
                "request {}: served from {}, a command of it issued at {}",
                window.request[row],
                served,
                window.from_ns[row]
            );
        }
    }
    Ok(())
}

/// A die works on one command at a time, and a bus carries one.
fn exclusive(spans: &SpanColumns) -> Result<(), TestCaseError> {
    let mut busy: BTreeMap<(u8, u32), Vec<(u64, u64)>> = BTreeMap::new();
    let last_command = Activity::Data(CommandKind::Erase).code();
    for row in 0..spans.track.len() {
        prop_assert!(spans.from_ns[row] <= spans.to_ns[row]);
        if spans.activity[row] <= last_command {
            let times = busy.entry((spans.track[row], spans.unit[row])).or_default();
            times.push((spans.from_ns[row], spans.to_ns[row]));
        }
    }
    for (track, mut times) in busy {
        times.sort_unstable();
        for pair in times.windows(2) {
            prop_assert!(pair[0].1 <= pair[1].0, "{:?}: {:?}", track, pair);
        }
    }
    Ok(())
}

/// The busy times are those of the summary.
fn utilisation(output: &RunOutput) -> Result<(), TestCaseError> {
    let table = &output.timeline.utilisation;
    for (code, key) in [(0, "nand.die_utilization"), (1, "nand.channel_utilization")] {
        let rows = || (0..table.track.len()).filter(|row| table.track[*row] == code);
        let busy: f64 = rows()
            .map(|row| table.busy[row] * table.width_ns[row] as f64)
            .sum();
        let time: f64 = rows().map(|row| table.width_ns[row] as f64).sum();
        prop_assert!(rows().all(|row| table.background[row] <= table.busy[row] + 1e-12));
        if time > 0.0 {
            let share = number(output, key);
            prop_assert!(
                (busy / time - share).abs() < 1e-6,
                "{}: {} {}",
                key,
                busy / time,
                share
            );
        }
    }
    Ok(())
}
