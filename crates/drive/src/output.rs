//! What a run is asked for beside its configuration, and what it gives.

use std::path::PathBuf;

use wordline_metrics::{
    AttributionColumns, BlockTable, ModeColumns, Note, RequestLog, SeriesColumns, StartLevelColumns, Summary,
    ThermalColumns, TimelineTables,
};

/// How to run, beside what the configuration says.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Replay the rules of the medium and the FTL's promises against every operation.
    pub audit: bool,
    /// Where to write the timeline as trace events; compressed where the name ends in `.gz`.
    pub timeline: Option<PathBuf>,
    /// Where to save the state of the drive after the run, for `age.method = "snapshot"`.
    pub save_state: Option<PathBuf>,
}

/// The latency distribution of a class of requests: (microseconds, share of requests at or below).
pub type Cdf = Vec<(f64, f64)>;

/// What a run gives.
#[derive(Debug)]
pub struct RunOutput {
    /// The user stopped it: no request was sent after that, and all that had been sent are completed.
    pub interrupted: bool,
    /// The flat summary.
    pub summary: Summary,
    /// What the user should know.
    pub notes: Vec<Note>,
    /// Every request, up to the configured number.
    pub requests: RequestLog,
    /// The slowest requests, a stretch of the run in full, utilisation over time; empty where the timeline
    /// is off.
    pub timeline: TimelineTables,
    /// Windows over time.
    pub time_series: SeriesColumns,
    /// Modes over time; empty where the drive has one mode only.
    pub modes: ModeColumns,
    /// From which age of the data on reads start at each level, over time; empty where the drive does not learn that.
    pub start_levels: StartLevelColumns,
    /// Temperature over time; empty where the drive has none.
    pub temperature: ThermalColumns,
    /// Every block at the end of the run.
    pub blocks: BlockTable,
    /// Where response times went.
    pub attribution: AttributionColumns,
    /// Latency distributions: reads, writes, all.
    pub latency: [Cdf; 3],
}
