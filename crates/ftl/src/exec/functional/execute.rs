//! Plans, executed step by step.

use wordline_nand::{BlockId, Ppn};

use super::open::{OpenPlan, StepId};
use super::{Functional, FunctionalError, Observer};
use crate::contract::Ftl;
use crate::exec::{PlanProgress, check_plan};
use crate::notice::JobId;
use crate::plan::{Bind, Bound, Outcome, Plan};
use crate::plan::{Cause, Scope, Step, Target, Work};
use crate::request::TimedRequest;

impl<F: Ftl + ?Sized, O: Observer> Functional<'_, F, O> {
    /// Executes a plan, and what grows from it.
    pub(super) fn run(&mut self, plan: Plan) -> Result<(), FunctionalError> {
        match plan[..] {
            [] => {}
            [step] => {
                check_plan(&plan)?;
                self.step(&step, None)?;
            }
            _ => return self.run_several(plan),
        }
        self.recycle_plan(plan);
        Ok(())
    }

    fn run_several(&mut self, steps: Plan) -> Result<(), FunctionalError> {
        let progress = PlanProgress::new(&steps)?;
        let plan = self.open.len();
        for (at, step) in steps.iter().enumerate() {
            if let Some(page) = step.work.planned_page() {
                let block = self.geometry.block_of(page);
                self.gate.add(block);
                if matches!(step.work, Work::Program { .. }) {
                    self.fixed.plan(block, (plan, at));
                }
            }
        }
        self.open.push(OpenPlan { steps, progress });
        let mut candidates = progress.unstarted();
        loop {
            let OpenPlan { steps, progress } = &mut self.open[plan];
            // some may have run ahead of their turn
            candidates &= progress.unstarted();
            let Some(at) = progress.start_next(&mut candidates, |at| steps[at].after) else {
                break;
            };
            let step = steps[at];
            self.step(&step, Some((plan, at)))?;
        }
        if let Some(plan) = self.open.pop() {
            self.recycle_plan(plan.steps);
        }
        Ok(())
    }

    /// Writes pages without plans, as far as the FTL can; how many.
    pub(super) fn write_at_once(&mut self, requests: &[TimedRequest]) -> Result<usize, FunctionalError> {
        let mut written = std::mem::take(&mut self.written);
        self.ftl
            .write_at_once(self.now, requests, &mut self.turns, &mut written);
        let count = written.len();
        self.collect_notices();
        self.operations += count as u64;
        self.counts.host_writes += count as u64;
        self.counts.programmed[Cause::Host as usize] += count as u64;
        for (request, page) in requests.iter().zip(written.drain(..)) {
            self.advance_to(request.at);
            self.observer.program(self.now, Bound { page, skipped: 0 })?;
        }
        self.written = written;
        Ok(count)
    }

    /// Moves pages for a job without plans, as far as the FTL can; whether it did.
    pub(super) fn relocate_at_once(&mut self, job: JobId) -> Result<bool, FunctionalError> {
        let mut relocated = std::mem::take(&mut self.relocated);
        self.ftl
            .relocate_at_once(self.now, job, &mut self.turns, &mut relocated);
        self.collect_notices();
        let cause = Cause::Gc as usize;
        let count = relocated.from.len() as u64;
        self.operations += 2 * count;
        self.counts.read[cause] += count;
        self.counts.programmed[cause] += count;
        let mut from = &relocated.from[..];
        for (to, pages) in relocated.to.drain(..) {
            let (run, rest) = from.split_at(pages as usize);
            self.observer.relocate(self.now, run, to)?;
            from = rest;
        }
        relocated.from.clear();
        self.relocated = relocated;
        Ok(count > 0)
    }

    /// Executes a step; `id` says which, where its plan has several.
    fn step(&mut self, step: &Step, id: Option<StepId>) -> Result<(), FunctionalError> {
        let cause = step.cause as usize;
        match step.work {
            Work::Read { page, .. } => {
                self.observer.read(self.now, page)?;
                self.counts.read[cause] += 1;
                self.done(step, id, None, Outcome::Good)
            }
            Work::Program { target, .. } => {
                if let Target::Page(page) = target {
                    self.run_programs_before(page, id)?;
                }
                let Some(bound) = self.place(step, target, None)? else {
                    return self.decline(step, id);
                };
                self.observer.program(self.now, bound)?;
                self.counts.programmed[cause] += 1;
                self.counts.skipped += u64::from(bound.skipped);
                self.done(step, id, Some(bound.page), Outcome::Good)
            }
            Work::CopyBack { source, target, .. } => {
                // an open plan holds the source already
                let block = id.is_none().then(|| self.geometry.block_of(source));
                block.inspect(|block| self.gate.add(*block));
                let placed = self.place(step, target, Some(source))?;
                block.inspect(|block| _ = self.gate.remove(*block));
                let Some(bound) = placed else {
                    return self.decline(step, id);
                };
                self.observer.copy_back(self.now, source, bound)?;
                self.counts.read[cause] += 1;
                self.counts.programmed[cause] += 1;
                self.counts.copied_back += 1;
                self.counts.skipped += u64::from(bound.skipped);
                self.done(step, id, Some(bound.page), Outcome::Good)
            }
            Work::Erase { block } => {
                if !self.gate.is_open(block) {
                    self.run_steps_on(block)?;
                }
                self.observer.erase(self.now, block)?;
                self.counts.erased[cause] += 1;
                self.done(step, id, None, Outcome::Good)
            }
            Work::Compute { .. } => self.done(step, id, None, Outcome::Good),
            Work::Local { .. } => Err(FunctionalError::Stuck(
                "a step for a local controller, which this drive does not have",
            )),
        }
    }

    #[cold]
    fn decline(&mut self, step: &Step, id: Option<StepId>) -> Result<(), FunctionalError> {
        self.done(step, id, None, Outcome::Declined)
    }

    fn done(
        &mut self,
        step: &Step,
        id: Option<StepId>,
        page: Option<Ppn>,
        outcome: Outcome,
    ) -> Result<(), FunctionalError> {
        self.operations += 1;
        self.ftl.done(self.now, step, page, outcome, &mut self.grown);
        self.collect_notices();
        if let Some((plan, at)) = id {
            self.open[plan].progress.end(at);
            if let Some(page) = step.work.planned_page() {
                let block = self.geometry.block_of(page);
                self.gate.remove(block);
                if matches!(step.work, Work::Program { .. }) {
                    self.fixed.end(block);
                }
            }
        }
        if self.grown.is_empty() {
            return Ok(());
        }
        let grown = std::mem::replace(&mut self.grown, self.spare.pop().unwrap_or_default());
        self.run(grown)
    }

    /// The page that a program goes to; `None` if the FTL declines the step.
    #[inline]
    fn place(
        &mut self,
        step: &Step,
        target: Target,
        source: Option<Ppn>,
    ) -> Result<Option<Bound>, FunctionalError> {
        let scope = match target {
            Target::Page(page) => return Ok(Some(Bound { page, skipped: 0 })),
            Target::Frontier { scope, .. } => scope,
        };
        // A copy-back stays in its plane.
        let scope = source.map_or(scope, |source| {
            Scope::Plane(self.geometry.plane_of(self.geometry.block_of(source)))
        });
        let limit = self.operations + 4 * self.geometry.pages();
        loop {
            for _ in 0..self.turns.planes(scope) {
                let plane = self.turns.next(scope);
                self.turns.pass(scope);
                match self.ftl.bind(self.now, step, plane) {
                    Bind::Page(bound) => return Ok(Some(bound)),
                    Bind::Declined => return Ok(None),
                    Bind::NoSpace => {}
                }
            }
            if self.operations >= limit {
                return Err(FunctionalError::NoReclaimableSpace);
            }
            self.collect_notices();
            self.make_space()?;
        }
    }

    /// Executes the steps that are outstanding on a block that is about to be erased.
    #[cold]
    fn run_steps_on(&mut self, block: BlockId) -> Result<(), FunctionalError> {
        for plan in 0..self.open.len() {
            for at in 0..self.open[plan].steps.len() {
                let OpenPlan { steps, progress } = &self.open[plan];
                let page = steps[at].work.planned_page();
                if progress.unstarted() >> at & 1 == 1
                    && page.is_some_and(|page| self.geometry.block_of(page) == block)
                {
                    self.run_ahead((plan, at))?;
                }
            }
        }
        if self.gate.is_open(block) {
            Ok(())
        } else {
            Err(FunctionalError::Stuck(
                "a block is to be erased while a step that waits for space still reads it",
            ))
        }
    }

    /// Executes the programs that are planned in the block of a fixed page before the one that is about to start.
    #[inline]
    fn run_programs_before(&mut self, page: Ppn, id: Option<StepId>) -> Result<(), FunctionalError> {
        let block = self.geometry.block_of(page);
        while let Some(next) = self.fixed.next(block)
            && Some(next) != id
        {
            self.run_ahead(next)?;
        }
        Ok(())
    }

    /// Executes a step of an open plan ahead of its turn.
    #[cold]
    fn run_ahead(&mut self, (plan, at): StepId) -> Result<(), FunctionalError> {
        let OpenPlan { steps, progress } = &mut self.open[plan];
        let step = steps[at];
        if !progress.is_ready(at, step.after) {
            return Err(FunctionalError::Stuck(
                "an erase or a program must go after a step of another plan that cannot start",
            ));
        }
        progress.start(at);
        self.step(&step, Some((plan, at)))
    }
}
