//! What the tests of whole drives share: commands from a list, and small drives.

mod audited;
pub(crate) mod cut_drives;
pub(crate) mod spare_areas;
pub(crate) mod timeline;

use wordline_config::Config;
use wordline_drive::RunOutput;
use wordline_workload::{Admission, HostCommand};

pub(crate) use audited::*;

/// Runs commands at their arrival times, audited.
pub(crate) fn replay(config: &Config, commands: Vec<HostCommand>) -> RunOutput {
    run(config, commands, Admission::OpenLoop { limit: None })
}

/// Latency of every request in nanoseconds, in order of admission.
pub(crate) fn latencies(output: &RunOutput) -> Vec<u64> {
    let log = &output.requests;
    let mut rows: Vec<_> = (0..log.number.len())
        .map(|row| (log.number[row], log.completed_ns[row] - log.arrival_ns[row]))
        .collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, latency)| latency).collect()
}
