//! What executors find wrong with a plan, or with an FTL that does not go on.

use thiserror::Error;
use wordline_nand::Violation;

use crate::plan::MOST_STEPS;

/// Why a plan or its job is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// More steps than `Step::after` has bits.
    #[error("a plan of {0} steps; {MOST_STEPS} is the most")]
    TooLong(usize),
    /// Nothing says when such a step starts.
    #[error("step {0} of a plan waits for itself, for a later step or for one that the plan does not have")]
    WaitsForLater(usize),
    /// Asking it again at once would never end.
    #[error("a job says that it gave steps, and gave none")]
    YieldsNothing,
}

/// Why the functional mode cannot go on.
#[derive(Clone, Debug, Error)]
pub enum FunctionalError {
    /// A write needs a page and no job can free one.
    #[error(
        "no reclaimable space: every block that could be collected is full of valid pages; \
         raise ftl.over_provisioning"
    )]
    NoReclaimableSpace,
    /// The FTL broke its contract.
    #[error("the FTL does not go on: {0}")]
    Stuck(&'static str),
    /// The FTL broke the contract of plans.
    #[error("the FTL broke the contract of plans: {0}")]
    Plan(#[from] PlanError),
    /// The FTL broke a rule of the medium.
    #[error("{0}")]
    Medium(#[from] Box<Violation>),
}
