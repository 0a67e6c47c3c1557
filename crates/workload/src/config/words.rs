//! The words that keys of `[workload]` choose from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where host commands come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkloadKind {
    /// Addresses uniform over the region.
    #[default]
    Random,
    /// Consecutive addresses, starting again from the start of the region at its end.
    Sequential,
    /// The k-th most popular address is requested in proportion to 1/k^theta; popular addresses are
    /// scattered over the region.
    Zipf,
    /// A share of the region is hot: uniform inside the hot part and inside the cold part.
    HotCold,
    /// Uniform addresses, a weighted list of request classes, each with its size and read share.
    Mixed,
    /// A log-structured store: commit log, flushed tables, tiered compaction.
    LogStructured,
    /// A recorded block trace.
    Trace,
    /// A fio job file, run as it is: each job is a client of its own.
    Fio,
    /// A surrogate made from the published figures of a trace that is not at hand.
    Profile,
}

/// How the gaps between open-loop requests are made from `interarrival`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArrivalLaw {
    /// Every gap is `interarrival`, or the share `gap_fraction` of them.
    #[default]
    Fixed,
    /// Exponential gaps with mean `interarrival`.
    Poisson,
    /// Poisson arrivals with mean gap `interarrival` for a time `on`, none for a time `off`, and
    /// so on.
    OnOff,
    /// Bursts within bursts with mean gap `interarrival` (`burst_bias`).
    SelfSimilar,
}

/// When the requests of a trace are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Replay {
    /// At the recorded times (open loop); the first arrival becomes time 0.
    #[default]
    Recorded,
    /// As soon as fewer than `queue_depth` are outstanding; the recorded times are ignored, the
    /// order is kept.
    ClosedLoop,
}

/// Which events of a trace are requests, where it holds several events of each request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum TraceAction {
    /// Issued to the driver.
    #[default]
    #[serde(rename = "D")]
    Issued,
    /// Queued by the file system or the application.
    #[serde(rename = "Q")]
    Queued,
    /// Completed.
    #[serde(rename = "C")]
    Completed,
}

impl TraceAction {
    /// Its letter in configuration and in traces.
    #[must_use]
    pub const fn letter(self) -> u8 {
        match self {
            Self::Issued => b'D',
            Self::Queued => b'Q',
            Self::Completed => b'C',
        }
    }
}

/// What happens to requests beyond the drive's capacity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    /// The trace is refused before anything runs.
    #[default]
    Refuse,
    /// The address wraps around at the capacity. A request that would extend beyond the end is
    /// moved so that it ends there.
    Modulo,
}

/// How the devices of a trace share the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceLayout {
    /// Each device has its own part of the drive, in the order of the device numbers.
    #[default]
    SideBySide,
    /// All devices share the same addresses.
    Fold,
}

/// What happens to rows whose time is before that of a previous row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disorder {
    /// They are sorted by time; rows with the same time keep their order. A row that is more than
    /// 65,536 requests late is given the time of the request before it.
    #[default]
    Sort,
    /// The trace is refused.
    Refuse,
}

/// What happens to requests of length zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ZeroLength {
    /// The trace is refused.
    #[default]
    Refuse,
    /// They are left out and counted.
    Skip,
}
