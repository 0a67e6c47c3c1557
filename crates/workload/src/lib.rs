//! Where host commands come from: traces, synthetic generators, and statistics over both.

mod client;
mod clients;
mod command;
mod conduct;
mod config;
mod error;
mod facts;
mod fio;
mod fit;
mod open;
mod over_zones;
mod profile;
mod rounded;
mod stats;
mod steady_state;
mod synthetic;
mod time_unit;
mod trace;

pub use client::{Admission, Client, Think};
pub use clients::{admission, clients, clients_over_zones, clients_watched};
pub use command::{Collection, HostCommand, HostOp, Source, SourceError};
pub use conduct::{Batch, Conduct, Ends, Floor};
pub use config::{
    ArrivalLaw, CsvColumn, CsvConfig, DEFAULT_QUEUE_DEPTH, DEFAULT_REQUESTS, DeviceLayout, Disorder, Extent,
    Fold, HostZonesConfig, Region, Replay, RequestClass, Sizes, StoreConfig, StorePlacement, TraceAction,
    Translation, WorkloadConfig, WorkloadKind, ZeroLength,
};
pub use error::{JobError, WorkloadError};
pub use facts::{ArrivalGaps, TraceFacts};
pub use fio::{
    DriveZones, FioDrive, FioOption, FioZones, fio_clients, fio_command_line, fio_job_file, fio_options,
    is_job_file, variables_of,
};
pub use fit::{Compared, Fit, fit, fit_watched};
pub use open::{open, open_watched};
pub use over_zones::ZonedSpace;
pub use profile::{
    ArrivalProfile, Band, GapShare, Profile, RequestProfile, SizeShare,
    builtin::{Named, SOURCES, profiles},
};
pub use stats::{
    Bucket, Dispersion, Gaps, Growth, Part, Point, Popularity, Reuse, Sequentiality, SizeCount, StartOffsets,
    TraceStats, trace_stats, trace_stats_watched,
};
pub use steady_state::{Collected, SteadyState};
pub use time_unit::TimeUnit;
pub use trace::{
    Converted, Format, Measured, TableError, TableFiles, TableText, TraceOptions, TraceWriter, convert,
    formats, measured, set_table_files,
};
