//! Steps start: planes are drawn, pages bound.

use wordline_nand::PlaneId;

use super::{AnyOrder, FunctionalError, Started, StepId, StepObserver};
use crate::contract::{Ftl, Subjects};
use crate::plan::{Bind, Bound, Outcome, Plan, Scope, Step, Target, Work};

impl<F: Ftl + ?Sized, O: StepObserver> AnyOrder<'_, F, O> {
    /// Starts a step drawn from those that are ready, if it may; whether it did.
    pub(super) fn start_one(&mut self) -> Result<bool, FunctionalError> {
        if self.ready.is_empty() {
            return Ok(false);
        }
        let which = self.below(self.ready.len());
        self.try_start(which)
    }

    /// Starts the oldest step that may start; whether there is one.
    pub(super) fn start_any(&mut self) -> Result<bool, FunctionalError> {
        for which in 0..self.ready.len() {
            if self.try_start(which)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn try_start(&mut self, which: usize) -> Result<bool, FunctionalError> {
        let id = self.ready[which];
        let step = self.step(id);
        let at_once = match step.work {
            Work::Read { .. } | Work::Compute { .. } | Work::HostMemory { .. } | Work::Local { .. } => true,
            Work::Erase { block } => self.gate.is_open(block),
            Work::Program {
                target: Target::Page(page),
                ..
            } => self.fixed.next(self.geometry.block_of(page)) == Some(id),
            Work::CopyBack {
                target: Target::Page(_),
                ..
            } => true,
            Work::Program {
                target: Target::Stripe { .. },
                ..
            } => return self.start_placed(which, id, &step),
            Work::Program {
                target: Target::Frontier { scope, .. },
                ..
            } => return self.bind_in(scope, which, id, &step),
            Work::CopyBack { source, .. } => {
                let plane = self.geometry.plane_of(self.geometry.block_of(source));
                return self.bind_in(Scope::Plane(plane), which, id, &step);
            }
        };
        if at_once {
            let bound = match step.work {
                Work::Program { target, .. } | Work::CopyBack { target, .. } => fixed_page(target),
                _ => None,
            };
            self.start(&[Started { id, step, bound }])?;
        }
        Ok(at_once)
    }

    /// Tries the planes of a scope from a drawn one on, alone or with programs of other planes of the die.
    fn bind_in(
        &mut self,
        scope: Scope,
        which: usize,
        id: StepId,
        step: &Step,
    ) -> Result<bool, FunctionalError> {
        let planes = scope.planes(&self.geometry);
        let count = planes.len();
        let first = self.below(count);
        let plane_at = |turn: usize| PlaneId(planes.start + ((first + turn) % count) as u32);
        if self.options.aligned
            && matches!(step.work, Work::Program { .. })
            && self.below(2) == 0
            && self.start_aligned(plane_at(0), id, step)?
        {
            return Ok(true);
        }
        for plane in (0..count).map(plane_at) {
            match self.ftl.bind(self.now, step, plane) {
                Bind::Page(bound) => {
                    self.collect_notices();
                    self.start(&[Started {
                        id,
                        step: *step,
                        bound: Some(bound),
                    }])?;
                    return Ok(true);
                }
                Bind::Declined => {
                    self.collect_notices();
                    return self.decline(which, id, step);
                }
                Bind::NoSpace => self.collect_notices(),
            }
        }
        Ok(false)
    }

    /// Places a program where it is not, and starts it if it is its turn in its block; whether anything has changed.
    fn start_placed(&mut self, which: usize, id: StepId, step: &Step) -> Result<bool, FunctionalError> {
        let bound = match self.placed.get(&id) {
            Some(bound) => *bound,
            None => {
                let mut companions = Plan::new();
                let bind = self.ftl.place(self.now, step, &mut companions);
                self.collect_notices();
                match bind {
                    Bind::Page(bound) => {
                        let block = self.geometry.block_of(bound.page);
                        self.gate.add(block);
                        self.fixed.plan(block, id);
                        self.placed.insert(id, bound);
                        self.open_beside(companions, id)?;
                        return Ok(true);
                    }
                    Bind::NoSpace => return Ok(false),
                    Bind::Declined => return self.decline(which, id, step),
                }
            }
        };
        if self.fixed.next(self.geometry.block_of(bound.page)) != Some(id) {
            return Ok(false);
        }
        let bound = Some(bound);
        self.start(&[Started {
            id,
            step: *step,
            bound,
        }])?;
        Ok(true)
    }

    /// A step is never started.
    fn decline(&mut self, which: usize, id: StepId, step: &Step) -> Result<bool, FunctionalError> {
        self.ready.remove(which);
        let never = Started {
            id,
            step: *step,
            bound: None,
        };
        self.end(&never, Outcome::Declined)?;
        Ok(true)
    }

    /// Tries one multi-plane program: the step in its plane, and one that is ready in each other plane of the die.
    fn start_aligned(&mut self, plane: PlaneId, id: StepId, step: &Step) -> Result<bool, FunctionalError> {
        let mut ids = vec![id];
        let mut pairs = vec![(*step, plane)];
        let die = self.geometry.die_of(plane);
        for sibling in Scope::Die(die).planes(&self.geometry).map(PlaneId) {
            let fits = |other: &&StepId| {
                let Work::Program {
                    target: Target::Frontier { scope, .. },
                    ..
                } = self.step(**other).work
                else {
                    return false;
                };
                scope.planes(&self.geometry).contains(&sibling.0) && !ids.contains(other)
            };
            if sibling != plane
                && let Some(other) = self.ready.iter().find(fits).copied()
            {
                ids.push(other);
                pairs.push((self.step(other), sibling));
            }
        }
        let mut bound: Vec<Option<Bound>> = Vec::new();
        if pairs.len() < 2 || !self.ftl.bind_aligned(self.now, &pairs, &mut bound) {
            return Ok(false);
        }
        self.collect_notices();
        let started: Vec<Started> = ids
            .into_iter()
            .zip(pairs)
            .zip(bound)
            .filter(|(_, bound)| bound.is_some())
            .map(|((id, (step, _)), bound)| Started { id, step, bound })
            .collect();
        if started.len() < 2 {
            return Err(FunctionalError::Stuck(
                "a multi-plane program of fewer than two pages",
            ));
        }
        self.start(&started)?;
        Ok(true)
    }

    /// Steps are in flight from now on.
    fn start(&mut self, steps: &[Started]) -> Result<(), FunctionalError> {
        for started in steps {
            let recoverable = self.ftl.recoverable();
            let written = started
                .bound
                .and_then(|bound| recoverable?.written(&started.step, bound.page));
            if let Some(written) = written {
                self.observer.wrote(started, written);
            }
        }
        self.observer.started(steps)?;
        self.in_vain.clear();
        for started in steps {
            self.ready.retain(|id| *id != started.id);
            if let Some(bound) = started.bound
                && started.step.work.planned_page() != Some(bound.page)
                && !self.placed.contains_key(&started.id)
            {
                self.gate.add(self.geometry.block_of(bound.page));
            }
            self.running.push(*started);
        }
        Ok(())
    }
}

fn fixed_page(target: Target) -> Option<Bound> {
    match target {
        Target::Page(page) => Some(Bound { page, skipped: 0 }),
        Target::Frontier { .. } | Target::Stripe { .. } => None,
    }
}
