//! Executors of plans: the rules that each of them follows, each stated once, and those without a clock.
//!
//! `progress` says which steps of a plan may start, `fixed` in which order programs with fixed pages do, `gate` when
//! an erase does, and `jobs` when a job is asked for its next plan. The timed drive follows the same rules.

mod admit;
pub mod any_order;
mod fixed;
pub mod functional;
mod gate;
mod jobs;
mod progress;

pub use crate::contract::PlanError;
pub use fixed::FixedPrograms;
pub use gate::EraseGate;
pub use jobs::{JobSlot, JobTable};
pub use progress::{PlanProgress, check_plan};
