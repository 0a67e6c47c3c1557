//! WHEN each operation runs: the simulated drive.
//!
//! The kernel (`kernel`) takes events off the clock (`clock`) and leads commands and operations through the parts of the drive.
//! Host commands come in (`host`), wait for their turn where the scheduler has them wait (`request_queue`), pass the write buffer (`buffer`),
//! become operations of plans (`control` asks the FTL for them), and are executed by channels and dies (`array`) in the order of the
//! scheduler (`scheduler`). Its temperature follows from its power, and may hold commands back (`thermal`); it may go to sleep (`idle_states`), and what it takes may be limited (`power_limit`). All of it is observed (`observe`). `run` builds a drive from a configuration, ages it and runs its workload.

mod aged;
mod array;
mod block_health;
mod buffer;
mod channels;
mod clock;
mod control;
mod door;
mod energy;
mod error;
mod features;
mod host;
mod idle_states;
mod interval;
mod kept_flash;
mod kernel;
mod live;
mod load;
mod numbered;
mod observe;
mod operation;
mod output;
mod power_limit;
mod progress;
mod request_queue;
mod run;
mod sample;
mod scheduler;
mod summarize;
mod table;
mod tenants;
mod thermal;
mod timing;
mod trace_notes;

pub use aged::AgedFtl;
pub use block_health::{BlockHealth, KnownWear, kept_for, without_rests};
pub use energy::{OperationEnergy, operation_energies};
pub use error::RunError;
pub use interval::{Interval, Moment, PATIENCE, interval};
pub use kept_flash::{CutFlash, KeptFlash, Torn};
pub use live::{Completion, HoldUp, LiveDrive};
pub use observe::audit::Audit;
pub use output::{Cdf, RunOptions, RunOutput};
pub use progress::{Phase, Progress};
pub use run::sizes::{DriveSizes, sizes};
pub use run::{RecoveryTime, run, run_clients};
pub use sample::{Sample, SamplePlan, Window, Written, sample};
pub use trace_notes::recorded_time_notes;
