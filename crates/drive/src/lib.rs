//! WHEN each operation runs: the simulated drive.
//!
//! Host commands come in (`host`), pass the write buffer (`buffer`) and the firmware (`firmware`),
//! become operations of plans (`plans`), and are put on channels and dies by the scheduler
//! (`scheduler`). `run` builds a drive from a configuration, ages it and runs its workload.

mod attribution;
mod audit;
pub mod buffer;
mod channels;
mod completion;
pub mod config;
mod drive;
mod energy;
mod error;
mod events;
mod firmware;
mod flash;
mod host;
mod jobs;
pub mod lifetime;
mod load;
mod operation;
mod plans;
mod reliability;
mod run;
mod scheduler;
mod summarize;
mod suspension;
mod table;
mod tenants;
mod timeline;
mod trace_notes;
mod warm_up;

pub use audit::Audit;
pub use drive::{Phase, Progress};
pub use energy::ChipProblem;
pub use error::RunError;
pub use reliability::ReliabilityError;
pub use run::{Cdf, RunOptions, RunOutput, run, run_clients};
pub use trace_notes::recorded_time_notes;
