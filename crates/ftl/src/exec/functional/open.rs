//! Plans of several steps under way.

use crate::exec::PlanProgress;
use crate::plan::Plan;

/// A plan of several steps that has begun. Others may begin and end while one of its steps waits for space or grows them.
pub(super) struct OpenPlan {
    pub(super) steps: Plan,
    pub(super) progress: PlanProgress,
}

/// A step of an open plan: the number of the plan among the open ones, and its own.
pub(super) type StepId = (usize, usize);
