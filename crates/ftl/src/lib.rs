//! WHAT flash operations serve a command: mapping, allocation, garbage collection, wear levelling.
//!
//! An FTL answers with plans (`plan`); the drive, or the functional mode, executes them. The FTL
//! is told what time it is, never how long an operation takes.

mod contract;
mod plan;

pub use contract::{
    Answer, Bind, BlockFacts, BlockRole, Bound, Census, Ftl, JobId, JobNotice, JobState, Outcome, PageOp,
    PageRequest, Refusal, Urgency,
};
pub use plan::{Cause, Frontier, Lpn, Plan, Route, Scope, Step, Target, Unit, Work};
