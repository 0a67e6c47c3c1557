//! Plans executed without a clock in any order that the contract of [`Ftl`] allows, drawn at random.
//!
//! Steps stay in flight: any number of commands and jobs are under way, steps that are ready start in any order and end
//! in any order, several programs may be aligned into one command, programs and erases may fail. [`AnyOrder::cut`] stops
//! it where it stands, as a power cut would: what is in flight then is torn, and the FTL and the medium are left as
//! they were.

mod asking;
mod observer;
mod start;

use rand::Rng;
use rustc_hash::FxHashMap;
use wordline_nand::{Geometry, Ppn};
use wordline_units::{Duration, Seed, SimTime, Stream};

pub use observer::{Origin, Started, StepId, StepObserver};

use super::functional::FunctionalError;
use super::{EraseGate, FixedPrograms, JobTable, PlanProgress};
use crate::contract::{Ftl, Subjects};
use crate::notice::{JobId, JobNotice};
use crate::plan::{Bound, Cause, Lpn, Outcome, Plan, Step, Target, Work};
use crate::request::{Answer, PageRequest, Refusal};
use crate::zone::HostAccess;

/// How steps are executed in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyOrderOptions {
    /// What the order follows from.
    pub seed: Seed,
    /// Whether programs of a die are tried as one multi-plane command.
    pub aligned: bool,
    /// One program or erase in so many fails; 0 for none.
    pub fails_one_in: u32,
    /// Failures after which there are no more.
    pub most_failures: u32,
    /// One read of data in so many, but of those that bring back what could not be read, cannot be corrected; 0 for none.
    pub unreadable_one_in: u32,
    /// Time that passes with each start, end or question.
    pub time_per_turn: Duration,
}

#[derive(Clone, Debug)]
struct OpenPlan {
    steps: Plan,
    progress: PlanProgress,
    origin: Origin,
}

/// An FTL whose plans are executed in any order.
///
/// `F` may be `dyn Ftl`. `O` is told of everything; a `wordline_nand::Medium` in its place enforces the restrictions of
/// flash.
pub struct AnyOrder<'a, F: Ftl + ?Sized, O: StepObserver = ()> {
    ftl: &'a mut F,
    geometry: Geometry,
    observer: O,
    options: AnyOrderOptions,
    random: Stream,
    now: SimTime,
    plans: FxHashMap<u64, OpenPlan>,
    opened: u64,
    accepted: u64,
    ended: u64,
    failures: u32,
    /// Steps whose dependencies have ended, oldest first.
    ready: Vec<StepId>,
    running: Vec<Started>,
    gate: EraseGate,
    fixed: FixedPrograms<StepId>,
    /// Programs that have been placed and not ended.
    placed: FxHashMap<StepId, Bound>,
    jobs: JobTable<()>,
    /// How often a job was asked and gave no step since a request was accepted, or a step has started or ended.
    in_vain: FxHashMap<JobId, u32>,
    notices: Vec<JobNotice>,
}

impl<'a, F: Ftl + ?Sized, O: StepObserver> AnyOrder<'a, F, O> {
    /// `observer` is told of everything.
    pub fn new(ftl: &'a mut F, options: AnyOrderOptions, observer: O) -> Self {
        let geometry = *ftl.geometry();
        Self {
            ftl,
            geometry,
            observer,
            options,
            random: options.seed.stream("exec.any_order"),
            now: SimTime::ZERO,
            plans: FxHashMap::default(),
            opened: 0,
            accepted: 0,
            ended: 0,
            failures: 0,
            ready: Vec::new(),
            running: Vec::new(),
            gate: EraseGate::new(geometry.blocks()),
            fixed: FixedPrograms::default(),
            placed: FxHashMap::default(),
            jobs: JobTable::default(),
            in_vain: FxHashMap::default(),
            notices: Vec::new(),
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

    /// Requests accepted so far.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Steps that have ended so far.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// Steps that have started and not ended.
    #[must_use]
    pub fn running(&self) -> &[Started] {
        &self.running
    }

    /// Pages of programs that have their page and have not started.
    pub fn awaited(&self) -> impl Iterator<Item = Ppn> {
        self.ready.iter().filter_map(|id| match self.step(*id).work {
            Work::Program {
                target: Target::Page(page),
                ..
            } => Some(page),
            _ => self.placed.get(id).map(|bound| bound.page),
        })
    }

    /// Plans of requests that are under way.
    #[must_use]
    pub fn requests_under_way(&self) -> usize {
        let of_request = |plan: &&OpenPlan| matches!(plan.origin, Origin::Request(_));
        self.plans.values().filter(of_request).count()
    }

    /// Has the FTL admit a command, before its pieces are submitted, where it admits commands as wholes; see [`ZonedHost::admit`](crate::ZonedHost::admit).
    ///
    /// # Errors
    /// As those of the FTL.
    pub fn admit(&mut self, access: &HostAccess) -> Result<Lpn, Refusal> {
        match self.ftl.zoned_host_mut() {
            Some(zoned) => zoned.admit(self.now, access),
            None => Ok(access.lpn),
        }
    }

    /// Hands a page request to the FTL, whose plan is then under way; one that has to wait is to be handed over again.
    ///
    /// # Errors
    /// A plan that contradicts itself.
    pub fn submit(&mut self, request: &PageRequest) -> Result<Answer, FunctionalError> {
        let mut plan = Plan::new();
        let answer = self.ftl.submit(self.now, request, &mut plan);
        self.collect_notices();
        if matches!(answer, Answer::Wait | Answer::WaitFor(_) | Answer::Refused(_)) {
            if !plan.is_empty() {
                return Err(FunctionalError::Stuck("a request that is not accepted has steps"));
            }
            return Ok(answer);
        }
        let origin = Origin::Request(self.accepted);
        self.accepted += 1;
        self.in_vain.clear();
        self.open(plan, origin, None)?;
        Ok(answer)
    }

    /// Has everything that waits in the controller for company in its page programmed, as a request.
    ///
    /// # Errors
    /// A plan that contradicts itself.
    pub fn flush(&mut self) -> Result<(), FunctionalError> {
        loop {
            let mut plan = Plan::new();
            let flushing = self.ftl.flush(self.now, &mut plan);
            let origin = Origin::Request(self.accepted);
            self.accepted += 1;
            self.in_vain.clear();
            self.open(plan, origin, None)?;
            if !flushing.goes_on {
                return Ok(());
            }
        }
    }

    /// Starts or ends a step, or asks a job, as drawn; false where nothing is left to do.
    ///
    /// # Errors
    /// An FTL that breaks its contract, a violation of the medium.
    pub fn turn(&mut self) -> Result<bool, FunctionalError> {
        self.now += self.options.time_per_turn;
        let drawn = match self.below(4) {
            0 => self.ask_one()?,
            1 => self.end_one()?,
            _ => self.start_one()?,
        };
        // a step that finds no page may give a job notice, which can be asked at once
        Ok(drawn
            || self.end_one()?
            || self.ask_one()?
            || self.start_any()?
            || self.ask_one()?
            || self.wait_for_job())
    }

    /// Goes on until nothing is left to do: no step in flight, and no job that wants to be asked.
    ///
    /// # Errors
    /// As for `turn`; a step that never starts.
    pub fn drain(&mut self) -> Result<(), FunctionalError> {
        while self.turn()? {}
        if self.plans.is_empty() {
            Ok(())
        } else if self.ready.is_empty() {
            Err(FunctionalError::Stuck("steps wait and none is in flight"))
        } else {
            Err(FunctionalError::NoReclaimableSpace)
        }
    }

    /// Stops where it stands: the observer is told of the steps in flight, and is returned.
    pub fn cut(mut self) -> O {
        for started in &self.running {
            self.observer.interrupted(started);
        }
        self.observer
    }

    fn below(&mut self, below: usize) -> usize {
        ((u128::from(self.random.next_u64()) * below as u128) >> 64) as usize
    }

    fn collect_notices(&mut self) {
        self.ftl.notices(&mut self.notices);
        for notice in self.notices.drain(..) {
            self.jobs.notify(notice);
        }
    }

    /// Begins a plan, which grew from a step where `from` says so.
    fn open(&mut self, steps: Plan, origin: Origin, from: Option<StepId>) -> Result<(), FunctionalError> {
        if steps.is_empty() {
            return Ok(());
        }
        let plan = self.opened;
        self.opened += 1;
        let progress = PlanProgress::new(&steps)?;
        self.observer.opened(plan, origin, from, &steps);
        for (at, step) in steps.iter().enumerate() {
            if let Some(page) = step.work.planned_page() {
                let block = self.geometry.block_of(page);
                self.gate.add(block);
                if matches!(step.work, Work::Program { .. }) {
                    self.fixed.plan(block, StepId { plan, at });
                }
            }
        }
        let open = OpenPlan {
            steps,
            progress,
            origin,
        };
        self.plans.insert(plan, open);
        self.find_ready(plan);
        Ok(())
    }

    /// Begins a plan beside the step that it came with.
    fn open_beside(&mut self, steps: Plan, id: StepId) -> Result<(), FunctionalError> {
        let Some(open) = self.plans.get(&id.plan) else {
            return Ok(());
        };
        let origin = open.origin;
        if let Origin::Job(job) = origin {
            self.jobs.steps_added(job, steps.len() as u32);
        }
        self.open(steps, origin, Some(id))
    }

    /// Notes which steps of a plan may start.
    fn find_ready(&mut self, plan: u64) {
        let Some(open) = self.plans.get_mut(&plan) else {
            return;
        };
        let OpenPlan { steps, progress, .. } = open;
        let mut candidates = progress.unstarted();
        while let Some(at) = progress.start_next(&mut candidates, |at| steps[at].after) {
            self.ready.push(StepId { plan, at });
        }
    }

    fn step(&self, id: StepId) -> Step {
        self.plans[&id.plan].steps[id.at]
    }

    /// Ends one of the steps in flight; whether there is one.
    fn end_one(&mut self) -> Result<bool, FunctionalError> {
        if self.running.is_empty() {
            return Ok(false);
        }
        let which = self.below(self.running.len());
        let started = self.running.swap_remove(which);
        let may_fail = !matches!(
            started.step.work,
            Work::Read { .. } | Work::Compute { .. } | Work::HostMemory { .. }
        ) && self
            .ftl
            .recoverable()
            .is_none_or(|recoverable| recoverable.may_fail(&started.step))
            && self.failures < self.options.most_failures
            && self.options.fails_one_in > 0;
        let fails = may_fail && self.below(self.options.fails_one_in as usize) == 0;
        self.failures += u32::from(fails);
        let outcome = if fails {
            Outcome::Failed
        } else if self.is_unreadable(&started.step) {
            Outcome::Uncorrectable
        } else {
            Outcome::Good
        };
        self.end(&started, outcome)?;
        Ok(true)
    }

    /// Whether a read that ends cannot be corrected.
    fn is_unreadable(&mut self, step: &Step) -> bool {
        let one_in = self.options.unreadable_one_in as usize;
        one_in > 0 && step.work.brings_data() && step.cause != Cause::Parity && self.below(one_in) == 0
    }

    /// The FTL hears that a step has ended; then start what it grew and what waited for it.
    fn end(&mut self, started: &Started, outcome: Outcome) -> Result<(), FunctionalError> {
        let Started { id, step, bound } = started;
        self.observer.ended(started, outcome)?;
        let placed = self.placed.remove(id).map(|bound| bound.page);
        let is_fixed = step
            .work
            .planned_page()
            .filter(|_| matches!(step.work, Work::Program { .. }))
            .or(placed);
        let chosen = bound.map(|bound| bound.page).filter(|_| is_fixed.is_none());
        for page in [step.work.planned_page().or(placed), chosen]
            .into_iter()
            .flatten()
        {
            self.gate.remove(self.geometry.block_of(page));
        }
        if let Some(page) = is_fixed {
            self.fixed.end(self.geometry.block_of(page));
        }
        self.ended += 1;
        self.in_vain.clear();
        let mut grown = Plan::new();
        let page: Option<Ppn> = bound.map(|bound| bound.page);
        self.ftl.done(self.now, step, page, outcome, &mut grown);
        self.collect_notices();
        let Some(open) = self.plans.get_mut(&id.plan) else {
            return Ok(());
        };
        open.progress.end(id.at);
        let (origin, is_over) = (open.origin, open.progress.is_over());
        if let Origin::Job(job) = origin {
            self.jobs.step_done(job, grown.len() as u32);
        }
        self.open(grown, origin, Some(*id))?;
        if is_over {
            self.plans.remove(&id.plan);
        } else {
            self.find_ready(id.plan);
        }
        Ok(())
    }
}
