//! Plans, executed step by step.

use wordline_nand::{BlockId, Geometry, Ppn};
use wordline_units::SimTime;

use super::die_times::Duty;
use super::open::{OpenPlan, StepId};
use super::{Functional, FunctionalError, Observer};
use crate::contract::{Ftl, Relocated, Subjects};
use crate::exec::{PlanProgress, check_plan};
use crate::notice::JobNotice;
use crate::plan::{Bind, Bound, Outcome, Plan};
use crate::plan::{Cause, Scope, Step, Target, Work};
use crate::request::{PageRequest, TimedRequest};

impl<F: Ftl + ?Sized, O: Observer> Functional<'_, F, O> {
    /// Executes a plan, and what grows from it; notices given with the plan are collected.
    pub(super) fn run(&mut self, plan: Plan) -> Result<(), FunctionalError> {
        match plan[..] {
            [] => self.collect_notices(),
            [step] => {
                check_plan(&[step])?;
                self.step(&plan, 0, &mut PlanProgress::of_one())?;
            }
            _ => {
                let mut progress = PlanProgress::new(&plan)?;
                let mut candidates = progress.unstarted();
                while let Some(at) = progress.start_next(&mut candidates, |at| plan[at].after) {
                    self.step(&plan, at, &mut progress)?;
                    // some may have run ahead of their turn
                    candidates &= progress.unstarted();
                }
            }
        }
        self.recycle_plan(plan);
        Ok(())
    }

    /// Writes pages without plans, as far as the FTL can; how many.
    pub(super) fn write_at_once(&mut self, requests: &[TimedRequest]) -> Result<usize, FunctionalError> {
        let mut written = std::mem::take(&mut self.written);
        let mut count = self.write_to_idle(requests, self.now, &mut written);
        if count == 0 && self.dies.are_kept() {
            let free = self.dies.next_free(self.now);
            if free > self.now {
                count = self.write_to_idle(requests, free, &mut written);
            }
        }
        self.collect_notices();
        // a request that only joined others in the controller is an operation too
        self.operations += count as u64;
        self.counts.host_writes += count as u64;
        self.counts.programmed[Cause::Host as usize] += written.len() as u64;
        self.turns.programs_issued(written.len() as u64);
        if written.len() == count {
            for (request, page) in requests.iter().zip(written.drain(..)) {
                self.advance_to(request.at);
                self.observer.program(self.now, Bound { page, skipped: 0 })?;
                self.serve_host(Cause::Host, page, Duty::Program);
            }
        } else {
            self.observe_shared(&requests[..count], &mut written)?;
        }
        self.written = written;
        Ok(count)
    }

    /// Writes pages to dies that no job keeps, and no command beyond `free`; all where dies take no time.
    #[inline]
    fn write_to_idle(&mut self, requests: &[TimedRequest], free: SimTime, written: &mut Vec<Ppn>) -> usize {
        let kept = self.dies.kept(&self.geometry, self.now, free);
        match self.ftl.batches_mut() {
            Some(batches) => batches.write_at_once(self.now, requests, kept, &mut self.turns, written),
            None => 0,
        }
    }

    /// Pages were programmed that several requests share, with the last of these.
    fn observe_shared(
        &mut self,
        requests: &[TimedRequest],
        written: &mut Vec<Ppn>,
    ) -> Result<(), FunctionalError> {
        if let Some(last) = requests.last() {
            self.advance_to(last.at);
        }
        for page in written.drain(..) {
            self.observer.program(self.now, Bound { page, skipped: 0 })?;
        }
        Ok(())
    }

    /// Reads a page without a plan, if the FTL can; whether it did.
    #[inline]
    pub(super) fn read_at_once(&mut self, request: &PageRequest) -> Result<bool, FunctionalError> {
        let (now, batches) = (self.now, self.ftl.batches_mut());
        let Some(page) = batches.and_then(|batches| batches.read_at_once(now, request.lpn, request.bitmap))
        else {
            return Ok(false);
        };
        self.operations += 1;
        self.counts.request(request);
        self.count_read(Cause::Host, page)?;
        Ok(true)
    }

    /// A page is read.
    #[inline]
    fn count_read(&mut self, cause: Cause, page: Ppn) -> Result<(), FunctionalError> {
        self.observer.read(self.now, page)?;
        self.counts.read[cause as usize] += 1;
        self.serve_host(cause, page, Duty::Read);
        Ok(())
    }

    /// Moves pages for a job without plans, as far as the FTL can and a job may that takes time; whether it did.
    // `relocated` stays where it is: to copy it waits until the entries of the map that were changed are out of the processor's queue of stores, most of which miss its cache
    pub(super) fn relocate_at_once(&mut self, notice: &JobNotice) -> Result<bool, FunctionalError> {
        let most = self.moves_at_once();
        let (turns, relocated) = (&mut self.turns, &mut self.relocated);
        if let Some(batches) = self.ftl.batches_mut() {
            batches.relocate_at_once(self.now, notice.job, most, turns, relocated);
        }
        self.collect_notices();
        self.keep_busy_with_moves(notice);
        let cause = Cause::Gc as usize;
        let Relocated { from, to, .. } = &mut self.relocated;
        if from.is_empty() {
            let moved = !to.is_empty();
            if moved {
                self.observe_packed()?;
            }
            return Ok(moved);
        }
        let count = from.len() as u64;
        self.operations += count;
        self.counts.read[cause] += count;
        self.counts.programmed[cause] += count;
        self.turns.programs_issued(count);
        let mut left = &from[..];
        for to in to.drain(..) {
            let (run, rest) = left.split_at(to.pages as usize);
            if to.copied_back {
                self.counts.copied_back += u64::from(to.pages);
                self.observer.copy_back_run(self.now, run, to.first)?;
            } else {
                self.operations += u64::from(to.pages);
                self.observer.relocate(self.now, run, to.first)?;
            }
            left = rest;
        }
        from.clear();
        Ok(true)
    }

    /// Parts of pages were read and packed into others.
    fn observe_packed(&mut self) -> Result<(), FunctionalError> {
        let cause = Cause::Gc as usize;
        let Relocated { read, to, .. } = &mut self.relocated;
        let count = read.len() as u64;
        self.operations += count;
        self.counts.read[cause] += count;
        for page in read.drain(..) {
            self.observer.read(self.now, page)?;
        }
        for to in to.drain(..) {
            self.operations += u64::from(to.pages);
            self.counts.programmed[cause] += u64::from(to.pages);
            for page in (to.first.0..).take(to.pages as usize).map(Ppn) {
                self.observer.program(self.now, Bound { page, skipped: 0 })?;
            }
        }
        Ok(())
    }

    /// Executes a step that has been started, after the programs planned in its block where its page is fixed.
    fn step(&mut self, plan: &[Step], at: usize, progress: &mut PlanProgress) -> Result<(), FunctionalError> {
        if let Work::Program {
            target: Target::Page(page),
            ..
        } = plan[at].work
        {
            self.run_programs_before(page)?;
        }
        self.execute(plan, at, progress)
    }

    #[inline]
    fn execute(
        &mut self,
        plan: &[Step],
        at: usize,
        progress: &mut PlanProgress,
    ) -> Result<(), FunctionalError> {
        let step = &plan[at];
        let cause = step.cause as usize;
        let (page, outcome) = match step.work {
            Work::Read { page, .. } => {
                self.count_read(step.cause, page)?;
                (None, Outcome::Good)
            }
            Work::Program { target, .. } => match self.place(plan, at, progress, target, None)? {
                Some(bound) => {
                    self.observer.program(self.now, bound)?;
                    self.counts.programmed[cause] += 1;
                    self.turns.programs_issued(1);
                    self.counts.skipped += u64::from(bound.skipped);
                    self.serve_host(step.cause, bound.page, Duty::Program);
                    (Some(bound.page), Outcome::Good)
                }
                None => (None, Outcome::Declined),
            },
            Work::CopyBack { source, target, .. } => {
                match self.place(plan, at, progress, target, Some(source))? {
                    Some(bound) => {
                        self.observer.copy_back(self.now, source, bound)?;
                        self.counts.read[cause] += 1;
                        self.counts.programmed[cause] += 1;
                        self.counts.copied_back += 1;
                        self.counts.skipped += u64::from(bound.skipped);
                        (Some(bound.page), Outcome::Good)
                    }
                    None => (None, Outcome::Declined),
                }
            }
            Work::Erase { block } => {
                if plan.len() > 1 || !self.gate.is_open(block) {
                    self.interrupt(plan, progress, |run| run.run_steps_on(block))?;
                }
                self.observer.erase(self.now, block)?;
                self.counts.erased[cause] += 1;
                (None, Outcome::Good)
            }
            Work::Compute { .. } | Work::HostMemory { .. } | Work::Local { .. } => (None, Outcome::Good),
        };
        self.operations += 1;
        self.ftl.done(self.now, step, page, outcome, &mut self.grown);
        self.collect_notices();
        progress.end(at);
        if self.grown.is_empty() && self.companions.is_empty() {
            return Ok(());
        }
        let grown = std::mem::replace(&mut self.grown, self.spare.pop().unwrap_or_default());
        let companions = std::mem::take(&mut self.companions);
        self.interrupt(plan, progress, |run| {
            run.run(companions)?;
            run.run(grown)
        })
    }

    /// Executes others while a plan waits: what is left of it counts for the erase gate and the order of fixed pages, and
    /// may run ahead.
    #[cold]
    fn interrupt(
        &mut self,
        plan: &[Step],
        progress: &mut PlanProgress,
        others: impl FnOnce(&mut Self) -> Result<(), FunctionalError>,
    ) -> Result<(), FunctionalError> {
        if progress.is_over() {
            return others(self);
        }
        let number = self.open.len();
        for (at, block, is_program) in outstanding(&self.geometry, plan, *progress) {
            self.gate.add(block);
            if is_program {
                self.fixed.plan(block, (number, at));
            }
        }
        self.open.push(OpenPlan {
            steps: plan.to_vec(),
            progress: *progress,
        });
        others(self)?;
        if let Some(open) = self.open.pop() {
            *progress = open.progress;
        }
        for (_, block, is_program) in outstanding(&self.geometry, plan, *progress) {
            self.gate.remove(block);
            if is_program {
                self.fixed.withdraw(block);
            }
        }
        Ok(())
    }

    /// The page that a program goes to; `None` if the FTL declines the step.
    #[inline(always)]
    fn place(
        &mut self,
        plan: &[Step],
        at: usize,
        progress: &mut PlanProgress,
        target: Target,
        source: Option<Ppn>,
    ) -> Result<Option<Bound>, FunctionalError> {
        let scope = match target {
            Target::Page(page) => return Ok(Some(Bound { page, skipped: 0 })),
            Target::Frontier { scope, .. } => scope,
            Target::Stripe { .. } => return self.place_in_stripe(plan, at, progress),
        };
        // A copy-back stays in its plane.
        let scope = source.map_or(scope, |source| {
            Scope::Plane(self.geometry.plane_of(self.geometry.block_of(source)))
        });
        let start = self.operations;
        let avoids = self.dies.are_kept() && plan[at].cause == Cause::Host;
        loop {
            let idle = avoids.then(|| self.next_idle(scope)).flatten();
            // where no idle plane has a page, all have their turn
            for turn in 0..=self.turns.planes(scope) {
                let plane = match (turn, idle) {
                    (0, None) => continue,
                    (0, Some(plane)) => plane,
                    _ => self.turns.next(scope),
                };
                self.turns.pass(scope);
                match self.ftl.bind(self.now, &plan[at], plane) {
                    Bind::Page(bound) => return Ok(Some(bound)),
                    Bind::Declined => return Ok(None),
                    Bind::NoSpace => {}
                }
            }
            if self.operations - start >= 4 * self.geometry.pages() {
                return Err(FunctionalError::NoReclaimableSpace);
            }
            self.collect_notices();
            self.interrupt(plan, progress, Self::make_space)?;
        }
    }

    /// The page that the mapping chooses for a program, whose further steps follow with those that grow from it; `None` if it declines the step.
    fn place_in_stripe(
        &mut self,
        plan: &[Step],
        at: usize,
        progress: &mut PlanProgress,
    ) -> Result<Option<Bound>, FunctionalError> {
        let start = self.operations;
        loop {
            match self.ftl.place(self.now, &plan[at], &mut self.companions) {
                Bind::Page(bound) => return Ok(Some(bound)),
                Bind::Declined => return Ok(None),
                Bind::NoSpace => {}
            }
            if self.operations - start >= 4 * self.geometry.pages() {
                return Err(FunctionalError::NoReclaimableSpace);
            }
            self.collect_notices();
            self.interrupt(plan, progress, Self::make_space)?;
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

    /// Executes the programs that open plans still have in the block of a fixed page that is about to be programmed.
    #[inline]
    fn run_programs_before(&mut self, page: Ppn) -> Result<(), FunctionalError> {
        let block = self.geometry.block_of(page);
        while let Some(next) = self.fixed.next(block) {
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
        // it is executed at once, and holds its block no longer
        progress.end(at);
        if let Some(page) = step.work.planned_page() {
            let block = self.geometry.block_of(page);
            self.gate.remove(block);
            if matches!(step.work, Work::Program { .. }) {
                self.fixed.end(block);
            }
        }
        self.execute(&[step], 0, &mut PlanProgress::of_one())
    }
}

/// The steps of a plan that have not ended and have a block from their planning on: number, block, and whether the step
/// is a program.
fn outstanding(
    geometry: &Geometry,
    plan: &[Step],
    progress: PlanProgress,
) -> impl Iterator<Item = (usize, BlockId, bool)> {
    let steps = plan
        .iter()
        .enumerate()
        .filter(move |(at, _)| !progress.has_ended(*at));
    steps.filter_map(|(at, step)| {
        let block = geometry.block_of(step.work.planned_page()?);
        Some((at, block, matches!(step.work, Work::Program { .. })))
    })
}
