//! The dependencies of a plan: which steps may start, and which plans are refused.

use crate::contract::PlanError;
use crate::plan::{MOST_STEPS, Step};

/// Checks that each step of a plan waits for earlier ones only.
///
/// # Errors
/// A step that waits for itself or a later one, more than 64 steps.
#[inline]
pub fn check_plan(plan: &[Step]) -> Result<(), PlanError> {
    if plan.len() > MOST_STEPS {
        return Err(PlanError::TooLong(plan.len()));
    }
    for (at, step) in plan.iter().enumerate() {
        if step.after >> at != 0 {
            return Err(PlanError::WaitsForLater(at));
        }
    }
    Ok(())
}

/// How far a plan has come: step i stands in bit i.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanProgress {
    unstarted: u64,
    /// Steps that have not ended.
    left: u64,
}

impl PlanProgress {
    /// A plan of which nothing has started.
    ///
    /// # Errors
    /// As for `check_plan`.
    #[inline]
    pub fn new(plan: &[Step]) -> Result<Self, PlanError> {
        check_plan(plan)?;
        let all = if plan.is_empty() {
            0
        } else {
            u64::MAX >> (MOST_STEPS - plan.len())
        };
        Ok(Self {
            unstarted: all,
            left: all,
        })
    }

    /// A plan of one step, which has started.
    pub(crate) const fn of_one() -> Self {
        Self {
            unstarted: 0,
            left: 1,
        }
    }

    /// The steps that have not started.
    #[inline]
    #[must_use]
    pub fn unstarted(&self) -> u64 {
        self.unstarted
    }

    /// Whether a step has not started and everything that it waits for (`after`) has ended.
    #[inline]
    #[must_use]
    pub fn is_ready(&self, step: usize, after: u64) -> bool {
        self.unstarted >> step & 1 == 1 && after & self.left == 0
    }

    /// Starts the first step of `candidates` (unstarted ones) that is ready, and takes it and those before it from
    /// there. `after` tells what a step waits for.
    #[inline]
    pub fn start_next(&mut self, candidates: &mut u64, after: impl Fn(usize) -> u64) -> Option<usize> {
        while *candidates != 0 {
            let step = candidates.trailing_zeros() as usize;
            *candidates &= *candidates - 1;
            if after(step) & self.left == 0 {
                self.start(step);
                return Some(step);
            }
        }
        None
    }

    /// Starts all steps that are ready: a bit for each. `after` tells what a step waits for.
    #[inline]
    pub fn start_ready(&mut self, after: impl Fn(usize) -> u64) -> u64 {
        let (mut candidates, mut ready) = (self.unstarted, 0);
        while let Some(step) = self.start_next(&mut candidates, &after) {
            ready |= 1 << step;
        }
        ready
    }

    /// A step that is ready starts.
    #[inline]
    pub fn start(&mut self, step: usize) {
        self.unstarted &= !(1 << step);
    }

    /// A step has ended.
    #[inline]
    pub fn end(&mut self, step: usize) {
        self.left &= !(1 << step);
    }

    /// Whether a step has ended.
    #[inline]
    #[must_use]
    pub fn has_ended(&self, step: usize) -> bool {
        self.left >> step & 1 == 0
    }

    /// Whether every step has ended.
    #[inline]
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Cause, Lpn, Unit, Work};

    fn plan(after: &[u64]) -> Vec<Step> {
        let step = |after: &u64| Step {
            work: Work::Compute {
                unit: Unit::Core,
                amount: 1,
            },
            cause: Cause::Host,
            acknowledges: false,
            after: *after,
            lpn: Lpn(0),
            token: 0,
        };
        after.iter().map(step).collect()
    }

    #[test]
    fn plans_that_contradict_themselves_are_refused() {
        assert_eq!(check_plan(&plan(&[0, 1, 0b11])), Ok(()));
        assert_eq!(check_plan(&plan(&[0; 64])), Ok(()));
        assert_eq!(check_plan(&plan(&[0; 65])), Err(PlanError::TooLong(65)));
        assert_eq!(check_plan(&plan(&[1])), Err(PlanError::WaitsForLater(0)));
        assert_eq!(
            check_plan(&plan(&[0, 1, 0b1001])),
            Err(PlanError::WaitsForLater(2))
        );
        assert!(PlanProgress::new(&plan(&[0, 0b100])).is_err());
    }

    #[test]
    fn steps_start_when_what_they_wait_for_has_ended() {
        let after = [0, 0b1, 0, 0b101];
        let mut progress = PlanProgress::new(&plan(&after)).unwrap();
        let ready = |progress: &mut PlanProgress| {
            let mut candidates = progress.unstarted();
            std::iter::from_fn(|| progress.start_next(&mut candidates, |step| after[step]))
                .collect::<Vec<_>>()
        };
        assert_eq!(ready(&mut progress), [0, 2]);
        assert!(!progress.is_ready(0, 0), "it has started");
        progress.end(2);
        assert!(ready(&mut progress).is_empty());
        progress.end(0);
        assert!(progress.is_ready(1, 0b1));
        assert_eq!(ready(&mut progress), [1, 3]);
        progress.end(3);
        assert!(!progress.is_over());
        progress.end(1);
        assert!(progress.is_over());
        let mut progress = PlanProgress::new(&plan(&after)).unwrap();
        assert_eq!(progress.start_ready(|step| after[step]), 0b101);
        progress.end(0);
        assert_eq!(progress.start_ready(|step| after[step]), 0b10);
        assert_eq!(progress.start_ready(|step| after[step]), 0);
        let full = PlanProgress::new(&plan(&[0; 64])).unwrap();
        assert_eq!(full.unstarted(), u64::MAX);
    }
}
