//! WHAT flash operations serve a command: mapping, allocation, garbage collection, wear levelling.
//!
//! An FTL answers with plans (`plan`); the drive, or the functional mode, executes them. The FTL
//! is told what time it is, never how long an operation takes.

pub mod ageing;
mod allocation;
pub mod analytic;
pub mod archive;
mod build;
mod config;
pub mod container;
mod contract;
mod error;
mod facts;
pub mod functional;
mod gc;
mod page;
mod permutation;
mod plan;
pub mod snapshot;
mod turns;
mod wear;

pub use ageing::{AgeConfig, AgeError, AgeMethod, Aged, Load, Pressure, Reclaim, age, age_watched};
pub use allocation::{
    ActiveBlock, AllocationConfig, AllocationMode, DynamicMode, DynamicOrder, Level, Order, OrderError,
    StaticOrder,
};
pub use build::{build, check_filled, exported_pages};
pub use config::{
    AgeBasis, DynamicWear, FtlConfig, GcConfig, GcFrontier, GcMode, Mapping, OverProvisioningBasis, Pool,
    StaticWear, TrimConfig, Victim, WatermarkBasis, WearConfig,
};
pub use contract::{
    Answer, Bind, BlockFacts, BlockRole, Bound, Census, CleanSpace, Ftl, JobId, JobNotice, JobState, Outcome,
    PageOp, PageRequest, Refusal, Relocated, TimedRequest, Urgency,
};
pub use error::FtlError;
pub use facts::Facts;
pub use page::{CollectionLevels, FillError, PageFtl, PageFtlState};
pub use plan::{Cause, Frontier, Lpn, Plan, Route, Scope, Step, Target, Unit, Work};
pub use turns::Turns;
