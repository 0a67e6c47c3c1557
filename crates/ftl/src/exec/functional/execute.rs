//! Plans, executed step by step.

use wordline_nand::{BlockId, Ppn};

use super::{Functional, FunctionalError, Observer, Suspended};
use crate::contract::Ftl;
use crate::notice::JobId;
use crate::plan::{Bind, Bound, Outcome};
use crate::plan::{Cause, Scope, Step, Target, Work};
use crate::request::TimedRequest;

impl<F: Ftl + ?Sized, O: Observer> Functional<'_, F, O> {
    /// Executes a plan, and what grows from it.
    pub(super) fn run(&mut self, plan: &[Step]) -> Result<(), FunctionalError> {
        let mut early = 0_u64;
        for at in 0..plan.len() {
            if early == 0 || early >> at & 1 == 0 {
                self.step(plan, at, &mut early)?;
            }
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

    fn step(&mut self, plan: &[Step], at: usize, early: &mut u64) -> Result<(), FunctionalError> {
        let step = &plan[at];
        if at < 64 && step.after >> at != 0 {
            return Err(FunctionalError::Stuck("a step waits for a later one of its plan"));
        }
        let cause = step.cause as usize;
        match step.work {
            Work::Read { page, .. } => self.read_page(step, page),
            Work::Program { target, .. } => {
                let Some(bound) = self.place(plan, at, early, target, None)? else {
                    return self.decline(step);
                };
                self.observer.program(self.now, bound)?;
                self.counts.programmed[cause] += 1;
                self.counts.skipped += u64::from(bound.skipped);
                self.done(step, Some(bound.page), Outcome::Good)
            }
            Work::CopyBack { source, target, .. } => {
                let Some(bound) = self.place(plan, at, early, target, Some(source))? else {
                    return self.decline(step);
                };
                self.observer.copy_back(self.now, source, bound)?;
                self.counts.read[cause] += 1;
                self.counts.programmed[cause] += 1;
                self.counts.copied_back += 1;
                self.counts.skipped += u64::from(bound.skipped);
                self.done(step, Some(bound.page), Outcome::Good)
            }
            Work::Erase { block } => {
                self.read_ahead(block)?;
                self.observer.erase(self.now, block)?;
                self.counts.erased[cause] += 1;
                self.done(step, None, Outcome::Good)
            }
            Work::Compute { .. } => self.done(step, None, Outcome::Good),
            Work::Local { .. } => Err(FunctionalError::Stuck(
                "a step for a local controller, which this drive does not have",
            )),
        }
    }

    fn read_page(&mut self, step: &Step, page: Ppn) -> Result<(), FunctionalError> {
        self.observer.read(self.now, page)?;
        self.counts.read[step.cause as usize] += 1;
        self.done(step, None, Outcome::Good)
    }

    #[cold]
    fn decline(&mut self, step: &Step) -> Result<(), FunctionalError> {
        self.done(step, None, Outcome::Declined)
    }

    fn done(&mut self, step: &Step, page: Option<Ppn>, outcome: Outcome) -> Result<(), FunctionalError> {
        self.operations += 1;
        self.ftl.done(self.now, step, page, outcome, &mut self.grown);
        self.collect_notices();
        if self.grown.is_empty() {
            return Ok(());
        }
        let grown = std::mem::replace(&mut self.grown, self.spare.pop().unwrap_or_default());
        self.run(&grown)?;
        self.give_back(grown);
        Ok(())
    }

    /// The page that a program goes to; `None` if the FTL declines the step.
    #[inline]
    fn place(
        &mut self,
        plan: &[Step],
        at: usize,
        early: &mut u64,
        target: Target,
        source: Option<Ppn>,
    ) -> Result<Option<Bound>, FunctionalError> {
        let scope = match target {
            Target::Page(page) => return Ok(Some(Bound { page, skipped: 0 })),
            Target::Frontier { scope, .. } => scope,
        };
        // A copy-back stays in its plane.
        let scope = source.map_or(scope, |source| {
            let geometry = self.ftl.geometry();
            Scope::Plane(geometry.plane_of(geometry.block_of(source)))
        });
        let limit = self.operations + 4 * self.ftl.geometry().pages();
        loop {
            for _ in 0..self.turns.planes(scope) {
                let plane = self.turns.next(scope);
                self.turns.pass(scope);
                match self.ftl.bind(self.now, &plan[at], plane) {
                    Bind::Page(bound) => return Ok(Some(bound)),
                    Bind::Declined => return Ok(None),
                    Bind::NoSpace => {}
                }
            }
            if self.operations >= limit {
                return Err(FunctionalError::NoReclaimableSpace);
            }
            self.collect_notices();
            self.suspended.push(Suspended {
                plan: plan.to_vec(),
                at,
                early: *early,
            });
            self.make_space()?;
            if let Some(suspended) = self.suspended.pop() {
                *early = suspended.early;
            }
        }
    }

    /// Executes the planned reads of a block that is about to be erased: an erase starts only
    /// when nothing is outstanding on its block.
    #[inline]
    fn read_ahead(&mut self, block: BlockId) -> Result<(), FunctionalError> {
        for index in 0..self.suspended.len() {
            self.read_ahead_of(index, block)?;
        }
        Ok(())
    }

    #[cold]
    fn read_ahead_of(&mut self, index: usize, block: BlockId) -> Result<(), FunctionalError> {
        let geometry = *self.ftl.geometry();
        let first = self.suspended[index].at;
        for at in first..self.suspended[index].plan.len() {
            let Suspended { plan, early, .. } = &self.suspended[index];
            let (step, early) = (plan[at], *early);
            let read = match step.work {
                Work::Read { page, .. } | Work::CopyBack { source: page, .. } => page,
                _ => continue,
            };
            if early >> at & 1 == 1 || geometry.block_of(read) != block {
                continue;
            }
            let executed = ((1_u64 << first) - 1) | early;
            if step.after & !executed != 0 || !matches!(step.work, Work::Read { .. }) {
                return Err(FunctionalError::Stuck(
                    "a block is to be erased while a step that waits for space still reads it",
                ));
            }
            self.suspended[index].early |= 1 << at;
            self.read_page(&step, read)?;
        }
        Ok(())
    }
}
