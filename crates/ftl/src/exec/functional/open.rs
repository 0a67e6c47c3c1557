//! Plans that wait for others.

use crate::exec::PlanProgress;
use crate::plan::Plan;

/// A plan that has begun, while one of its steps waits for space or for those that it grew.
pub(super) struct OpenPlan {
    pub(super) steps: Plan,
    pub(super) progress: PlanProgress,
}

/// A step of an open plan: the number of the plan among the open ones, and its own.
pub(super) type StepId = (usize, usize);
