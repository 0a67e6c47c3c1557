//! What is observed: probes, latency histograms, time series, ledgers of operations, tables, and
//! the summary and notes made of them.

mod attribution;
mod blocks;
mod commands;
mod config;
mod course;
mod energy;
mod gauge;
mod key_names;
mod keys;
mod latency;
mod ledger;
mod modes;
mod notes;
mod others;
mod probe;
mod process;
mod read_ages;
mod recorder;
mod reliability;
mod requests;
mod series;
mod series_columns;
mod series_window;
mod start_levels;
mod steady_from;
mod steady_power;
mod summary;
mod suspension;
mod tenants;
mod thermal;
mod timeline;
mod under_way;
mod window_power;

pub use attribution::{AttributionColumns, BAND_NAMES, Band, Breakdown, Holder, PARTS, Part, Segment};
pub use blocks::{BlockTable, EraseCounts};
pub use commands::{COMMAND_NAMES, command_index};
pub use config::OutputConfig;
pub use course::{Course, Drift, Measure, Steadiness};
pub use energy::{BitPattern, EnergyLedger, SuppliedEnergy};
pub use keys::{KEYS, Key, PLACEHOLDERS, documented, names_of};
pub use latency::{Latency, Percentiles};
pub use ledger::{Ledger, Utilization, Waits};
pub use modes::{ModeColumns, ModeLedger, summarize_idle};
pub use notes::{Load, NOTE_KEYS, Note, Resource, Severity, WarmUpLength};
pub use probe::{
    Array, BusUse, CommandKind, Constituent, FinishedRequest, IssuedCommand, Other, PackageBusUse, Probe,
    RequestClass, ResumedArray, Status, SuspendedArray,
};
pub use process::{Stopwatch, available_memory_bytes, cpu_time, peak_rss_bytes};
pub use recorder::Recorder;
pub use reliability::{DecodedRead, ReliabilityRecord};
pub use requests::RequestLog;
pub use series::Series;
pub use series_columns::SeriesColumns;
pub use start_levels::{StartLevelColumns, StartLevels};
pub use steady_from::SteadyFrom;
pub use steady_power::{IDLE_STATES, SteadyPower};
pub use summary::{RunCost, Summary, Value, little_residual};
pub use suspension::SuspensionLedger;
pub use tenants::{TenantRecord, fairness};
pub use thermal::{ThermalColumns, ThermalRecord, ThermalState, ThermalStep};
pub use timeline::{
    Activity, LastOperation, Serves, Span, SpanColumns, StoryColumns, Timeline, TimelineTables, Track,
    UtilisationColumns,
};
pub use under_way::UnderWay;
