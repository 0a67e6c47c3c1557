//! Why the functional mode cannot go on.

use thiserror::Error;
use wordline_nand::Violation;

use crate::exec::PlanError;

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
