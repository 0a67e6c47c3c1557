//! The functional mode: an FTL at work without a clock.
//!
//! Steps are executed at once, in the order of their plan; frontiers are bound round-robin over
//! the planes of their scope; blocking jobs are finished before the next command, other jobs get
//! a few plans between commands. The time that the FTL is told advances by configuration, so
//! that ages exist. Preconditioning, ageing, endurance runs and property tests use it.

mod counts;
mod error;
mod jobs;
mod observer;
mod rotation;

use wordline_nand::{BlockId, Ppn};
use wordline_units::{Duration, SimTime};

pub use counts::Counts;
pub use error::FunctionalError;
pub use observer::Observer;

use crate::allocation::Order;
use crate::contract::{Answer, Bind, Bound, Ftl, JobNotice, JobState, Outcome, PageOp, PageRequest, Urgency};
use crate::plan::{Lpn, Plan, Scope, Step, Target, Work};
use jobs::Jobs;
use rotation::Rotation;

/// How the functional mode goes about its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionalOptions {
    /// Time that passes with each page written by the host.
    pub time_per_write: Duration,
    /// Plans that jobs of normal or idle urgency get after each command, together.
    pub background_plans: u32,
    /// In which order the planes of a scope take turns, fastest level first.
    pub order: Order,
}

impl Default for FunctionalOptions {
    /// 100 us a write, one background plan a command.
    fn default() -> Self {
        Self {
            time_per_write: Duration::from_us(100),
            background_plans: 1,
            order: Order::default(),
        }
    }
}

/// A plan that waits for space in the middle: what of it still reads which page matters to the
/// erases that happen meanwhile.
struct Suspended {
    plan: Plan,
    /// The step that waits.
    at: usize,
    /// Later steps that were executed ahead of their turn: bit i stands for step i.
    early: u64,
}

/// An FTL, executed at once.
///
/// `F` may be `dyn Ftl`. `O` observes every operation; a `wordline_nand::Medium` in its place
/// enforces the restrictions of flash.
pub struct Functional<'a, F: Ftl + ?Sized, O: Observer = ()> {
    ftl: &'a mut F,
    observer: O,
    options: FunctionalOptions,
    now: SimTime,
    rotation: Rotation,
    jobs: Jobs,
    counts: Counts,
    /// Flash operations executed so far.
    operations: u64,
    suspended: Vec<Suspended>,
    grown: Plan,
    notices: Vec<JobNotice>,
    spare: Vec<Plan>,
    full: u64,
}

impl<'a, F: Ftl + ?Sized> Functional<'a, F> {
    /// Nobody observes.
    pub fn new(ftl: &'a mut F, options: FunctionalOptions) -> Self {
        Self::observed(ftl, options, ())
    }
}

impl<'a, F: Ftl + ?Sized, O: Observer> Functional<'a, F, O> {
    /// `observer` is told of every operation.
    pub fn observed(ftl: &'a mut F, options: FunctionalOptions, observer: O) -> Self {
        let geometry = *ftl.geometry();
        Self {
            ftl,
            observer,
            options,
            now: SimTime::ZERO,
            rotation: Rotation::new(geometry, options.order),
            jobs: Jobs::default(),
            counts: Counts::default(),
            operations: 0,
            suspended: Vec::new(),
            grown: Plan::new(),
            notices: Vec::new(),
            spare: Vec::new(),
            full: geometry.full_bitmap(),
        }
    }

    /// The FTL.
    #[must_use]
    pub fn ftl(&self) -> &F {
        self.ftl
    }

    /// The observer.
    #[must_use]
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// The observer, to be changed.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// The time that the FTL is told.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Sets the time that the FTL is told; it never goes back.
    pub fn advance_to(&mut self, now: SimTime) {
        self.now = self.now.max(now);
    }

    /// What was done since the start or the last `reset_counts`.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Counts from zero again.
    pub fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }

    /// Writes a whole logical page.
    ///
    /// # Errors
    /// No reclaimable space; an FTL that breaks its contract; a violation of the medium.
    #[inline]
    pub fn write(&mut self, lpn: Lpn) -> Result<Answer, FunctionalError> {
        self.submit(&self.whole_page(PageOp::Write, lpn, 1))
    }

    /// Reads a whole logical page.
    ///
    /// # Errors
    /// As for `write`.
    pub fn read(&mut self, lpn: Lpn) -> Result<Answer, FunctionalError> {
        self.submit(&self.whole_page(PageOp::Read, lpn, 1))
    }

    /// Forgets `pages` whole logical pages from `lpn` on.
    ///
    /// # Errors
    /// As for `write`.
    pub fn trim(&mut self, lpn: Lpn, pages: u64) -> Result<Answer, FunctionalError> {
        self.submit(&self.whole_page(PageOp::Trim, lpn, pages))
    }

    fn whole_page(&self, op: PageOp, lpn: Lpn, pages: u64) -> PageRequest {
        PageRequest {
            op,
            lpn,
            pages,
            bitmap: self.full,
            placement: 0,
            command_sectors: self.full.count_ones(),
        }
    }

    /// Serves one page request to the end.
    ///
    /// # Errors
    /// As for `write`.
    pub fn submit(&mut self, request: &PageRequest) -> Result<Answer, FunctionalError> {
        self.finish_blocking()?;
        if request.op == PageOp::Write {
            self.now += self.options.time_per_write;
        }
        let mut plan = self.spare.pop().unwrap_or_default();
        let mut answer = self.ftl.submit(self.now, request, &mut plan);
        while answer == Answer::Wait {
            // Nothing is under way between commands: only a job can make the wait end.
            self.make_space()
                .map_err(|_| FunctionalError::Stuck("a request waits and nothing is under way"))?;
            plan.clear();
            answer = self.ftl.submit(self.now, request, &mut plan);
        }
        self.collect_notices();
        if !matches!(answer, Answer::Refused(_)) {
            self.counts.request(request);
        }
        self.run(&plan)?;
        self.give_back(plan);
        for _ in 0..self.options.background_plans {
            if !self.background_plan()? {
                break;
            }
        }
        Ok(answer)
    }

    /// Runs every job until none has work: those of a later hour too, to which time advances.
    ///
    /// # Errors
    /// As for `write`.
    pub fn settle(&mut self) -> Result<(), FunctionalError> {
        loop {
            self.finish_blocking()?;
            if self.background_plan()? {
                continue;
            }
            match self.jobs.next_hour() {
                Some(hour) if hour > self.now => self.now = hour,
                _ => return Ok(()),
            }
        }
    }

    fn give_back(&mut self, mut plan: Plan) {
        plan.clear();
        self.spare.push(plan);
    }

    fn collect_notices(&mut self) {
        self.ftl.notices(&mut self.notices);
        if !self.notices.is_empty() {
            for notice in self.notices.drain(..) {
                self.jobs.notify(notice);
            }
        }
    }

    /// Finishes the blocking jobs that may run now.
    fn finish_blocking(&mut self) -> Result<(), FunctionalError> {
        while let Some(notice) = self.jobs.take(Urgency::Blocking, self.now) {
            self.advance(notice)?;
        }
        Ok(())
    }

    /// Gives one plan to a normal or, failing that, an idle job; whether one had work.
    fn background_plan(&mut self) -> Result<bool, FunctionalError> {
        for urgency in [Urgency::Normal, Urgency::Idle] {
            if let Some(notice) = self.jobs.take(urgency, self.now) {
                self.advance(notice)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Asks a job for its next plan and executes it.
    fn advance(&mut self, notice: JobNotice) -> Result<(), FunctionalError> {
        let mut plan = self.spare.pop().unwrap_or_default();
        let before = self.operations;
        let state = self.ftl.advance(self.now, notice.job, &mut plan);
        let idle = state == JobState::Yielded && plan.is_empty();
        if state != JobState::Yielded {
            self.jobs.end(notice.job);
        }
        self.collect_notices();
        self.run(&plan)?;
        self.give_back(plan);
        if state == JobState::Yielded {
            self.jobs.resume(notice.job);
        }
        if idle && self.operations == before {
            return Err(FunctionalError::Stuck("a job yields without steps"));
        }
        Ok(())
    }

    /// Executes a plan, and what grows from it.
    fn run(&mut self, plan: &[Step]) -> Result<(), FunctionalError> {
        let mut early = 0_u64;
        for at in 0..plan.len() {
            if early == 0 || early >> at & 1 == 0 {
                self.step(plan, at, &mut early)?;
            }
        }
        Ok(())
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
                self.observer.program(step, bound)?;
                self.counts.programmed[cause] += 1;
                self.counts.skipped += u64::from(bound.skipped);
                self.done(step, Some(bound.page), Outcome::Good)
            }
            Work::CopyBack { source, target, .. } => {
                let Some(bound) = self.place(plan, at, early, target, Some(source))? else {
                    return self.decline(step);
                };
                self.observer.copy_back(step, source, bound)?;
                self.counts.read[cause] += 1;
                self.counts.programmed[cause] += 1;
                self.counts.copied_back += 1;
                self.counts.skipped += u64::from(bound.skipped);
                self.done(step, Some(bound.page), Outcome::Good)
            }
            Work::Erase { block } => {
                self.read_ahead(block)?;
                self.observer.erase(step, block)?;
                self.counts.erased[cause] += 1;
                self.done(step, None, Outcome::Good)
            }
            Work::Compute { .. } => self.done(step, None, Outcome::Good),
            Work::Local { .. } => Err(FunctionalError::Stuck(
                "a local controller is asked for and there is none",
            )),
        }
    }

    fn read_page(&mut self, step: &Step, page: Ppn) -> Result<(), FunctionalError> {
        self.observer.read(step, page)?;
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
            for _ in 0..self.rotation.planes(scope) {
                let plane = self.rotation.next(scope);
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

    /// Lets jobs work, the most pressing first, until one has done something.
    #[cold]
    fn make_space(&mut self) -> Result<(), FunctionalError> {
        let before = self.operations;
        loop {
            self.finish_blocking()?;
            if self.operations > before {
                return Ok(());
            }
            if self.background_plan()? {
                continue;
            }
            match self.jobs.next_hour() {
                Some(hour) if hour > self.now => self.now = hour,
                _ => return Err(FunctionalError::NoReclaimableSpace),
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

#[cfg(test)]
mod tests;
