//! Where host commands come from: traces, synthetic generators, and statistics over both.

mod command;
mod config;
mod error;
mod open;
mod stats;
mod synthetic;
mod trace;

pub use command::{HostCommand, HostOp, Source, SourceError};
pub use config::{
    Admission, ArrivalLaw, DEFAULT_QUEUE_DEPTH, DEFAULT_REQUESTS, DeviceLayout, Disorder, Extent, Fold,
    ProfileName, Region, Replay, RequestClass, Sizes, TimeUnit, WorkloadConfig, WorkloadKind, ZeroLength,
    admission,
};
pub use error::{KeyError, WorkloadError};
pub use open::open;
pub use stats::{Bucket, TraceStats, trace_stats};
pub use trace::{Format, formats};
