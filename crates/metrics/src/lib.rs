//! What is observed: probes, latency histograms, time series, ledgers of operations, tables, and
//! the summary and notes made of them.

mod blocks;
mod config;
mod keys;
mod latency;
mod ledger;
mod notes;
mod probe;
mod process;
mod recorder;
mod requests;
mod series;
mod summary;

pub use blocks::{BlockTable, EraseCounts, ROLE_NAMES};
pub use config::{OutputConfig, OutputError};
pub use keys::{KEYS, Key, documented, names_of};
pub use latency::{Latency, Percentiles};
pub use ledger::{COMMAND_NAMES, Ledger, Utilization, Waits, command_index};
pub use notes::{Load, Note, Resource, Severity};
pub use probe::{
    Array, BusUse, CommandKind, Constituent, FinishedRequest, IssuedCommand, Probe, RequestClass,
};
pub use process::{Stopwatch, cpu_time, peak_rss_bytes};
pub use recorder::Recorder;
pub use requests::{RequestLog, Slowest};
pub use series::{Series, SeriesColumns};
pub use summary::{RunCost, Summary, Value, little_residual};
