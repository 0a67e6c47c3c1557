//! The functional mode: an FTL at work without a clock.
//!
//! Steps are executed at once, in the order of their plan (ahead of it where an erase or a program with a fixed page
//! would otherwise have to wait for them); frontiers are bound round-robin over
//! the planes of their scope; blocking jobs are finished before the next command, other jobs get
//! a few plans between commands. The time that the FTL is told advances by configuration, so
//! that ages exist. Preconditioning, ageing, endurance runs and property tests use it.

mod counts;
mod die_times;
mod execute;
mod jobs;
mod observer;
mod open;
mod options;
mod pace;

use wordline_nand::{Geometry, Ppn};
use wordline_units::{Duration, SimTime};

pub use crate::contract::FunctionalError;
pub use counts::Counts;
pub use die_times::{BusyDies, DieTimes};
pub use observer::Observer;
pub use options::{FunctionalOptions, Pace};

use crate::allocation::RoundRobin;
use crate::contract::{Ftl, Relocated};
use crate::exec::admit::admit;
use crate::exec::{EraseGate, FixedPrograms};
use crate::notice::{JobNotice, Urgency};
use crate::plan::{Lpn, Plan};
use crate::request::{Answer, PageOp, PageRequest, TimedRequest};
use crate::state::archive::{Archive, ArchiveError};
use jobs::Jobs;
use open::{OpenPlan, StepId};

/// An FTL, executed at once.
///
/// `F` may be `dyn Ftl`. `O` observes every operation; a `wordline_nand::Medium` in its place
/// enforces the restrictions of flash.
pub struct Functional<'a, F: Ftl + ?Sized, O: Observer = ()> {
    ftl: &'a mut F,
    geometry: Geometry,
    observer: O,
    options: FunctionalOptions,
    now: SimTime,
    turns: RoundRobin,
    jobs: Jobs,
    counts: Counts,
    /// Flash operations executed so far.
    operations: u64,
    open: Vec<OpenPlan>,
    gate: EraseGate,
    fixed: FixedPrograms<StepId>,
    grown: Plan,
    /// Steps that came with the page of a program, and follow it.
    companions: Plan,
    notices: Vec<JobNotice>,
    spare: Vec<Plan>,
    written: Vec<Ppn>,
    relocated: Relocated,
    full: u64,
    /// Until when dies are busy, where jobs take time.
    dies: DieTimes,
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
        let full = ftl.unit_geometry().full_bitmap();
        Self {
            ftl,
            geometry,
            observer,
            options,
            now: SimTime::ZERO,
            turns: RoundRobin::new(&geometry, options.order),
            jobs: Jobs::default(),
            counts: Counts::default(),
            operations: 0,
            open: Vec::new(),
            gate: EraseGate::new(geometry.blocks()),
            fixed: FixedPrograms::default(),
            grown: Plan::new(),
            companions: Plan::new(),
            notices: Vec::new(),
            spare: Vec::new(),
            written: Vec::new(),
            relocated: Relocated::default(),
            full,
            dies: DieTimes::new(options.pace.map_or(0, |_| geometry.dies()), options.depth),
        }
    }

    /// The FTL.
    #[must_use]
    pub fn ftl(&self) -> &F {
        self.ftl
    }

    /// The FTL, to be changed between commands.
    pub fn ftl_mut(&mut self) -> &mut F {
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

    /// Hands over what changes from command to command; the FTL and the observer are left to their owners. Loading is for
    /// a fresh one of the same drive.
    ///
    /// # Errors
    /// A plan waits for space, or a job takes its time; as for `Archive::part`.
    pub fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        if !self.open.is_empty() || self.jobs.some_are_held() {
            return Err(ArchiveError::Busy);
        }
        archive.part(&mut self.now)?;
        self.turns.archive(archive)?;
        archive.part(&mut self.jobs)?;
        archive.part(&mut self.counts)?;
        archive.part(&mut self.operations)
    }

    /// Takes over the jobs that another executor of the same FTL knows of, which has ended every plan that it began.
    pub fn take_over(&mut self, notices: impl IntoIterator<Item = JobNotice>) {
        for notice in notices {
            self.jobs.notify(notice);
        }
        self.dies.asked = self.now;
    }

    /// The jobs that want to be asked, for the executor that goes on with the FTL.
    pub fn hand_over(mut self) -> Vec<JobNotice> {
        self.waiting_jobs()
    }

    /// The jobs that want to be asked, for an executor that goes on with a copy of the FTL.
    pub fn waiting_jobs(&mut self) -> Vec<JobNotice> {
        self.collect_notices();
        self.jobs.waiting_when_due().collect()
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

    /// Has everything that waits in the controller for company in its page programmed.
    ///
    /// # Errors
    /// As for `write`.
    pub fn flush(&mut self) -> Result<(), FunctionalError> {
        loop {
            self.finish_blocking()?;
            let mut plan = self.spare.pop().unwrap_or_default();
            let flushing = self.ftl.flush(self.now, &mut plan);
            self.run(plan)?;
            if !flushing.goes_on {
                return Ok(());
            }
        }
    }

    fn whole_page(&self, op: PageOp, lpn: Lpn, pages: u64) -> PageRequest {
        PageRequest {
            op,
            lpn,
            pages,
            bitmap: self.full,
            placement: 0,
            class: 0,
            command_sectors: self.full.count_ones(),
        }
    }

    /// Serves one page request to the end.
    ///
    /// # Errors
    /// As for `write`.
    #[inline]
    pub fn submit(&mut self, request: &PageRequest) -> Result<Answer, FunctionalError> {
        self.finish_blocking()?;
        if request.op == PageOp::Write {
            self.now += self.options.time_per_write;
            self.dies.asked = self.now;
            while self.waits_for_an_idle_die() {
                self.finish_blocking()?;
            }
        }
        let whole = TimedRequest {
            at: self.now,
            op: request.op,
            lpn: request.lpn,
            pages: request.pages,
            placement: request.placement,
        };
        let is_plain_write = request.bitmap & self.full == self.full && request.class == 0;
        let is_done = match request.op {
            PageOp::Write => is_plain_write && self.write_at_once(&[whole])? == 1,
            PageOp::Read => self.read_at_once(request)?,
            PageOp::Trim | PageOp::Zone(_) => false,
        };
        let answer = if is_done {
            Answer::Accepted
        } else {
            self.submit_plan(request)?
        };
        self.run_background_plans()?;
        Ok(answer)
    }

    /// Serves requests for whole pages to the end, one after the other, each at its time, or at once where that has passed.
    ///
    /// # Errors
    /// As for `write`.
    pub fn execute_requests(&mut self, requests: &[TimedRequest]) -> Result<(), FunctionalError> {
        let mut left = requests;
        while let [first, rest @ ..] = left {
            self.advance_to(first.at);
            self.finish_blocking()?;
            let options = &self.options;
            let takes_time = options.time_per_write > Duration::ZERO || options.pace.is_some();
            let together = !takes_time && self.jobs.none_queued();
            let done = if together { self.write_at_once(left)? } else { 0 };
            if done == 0 {
                let whole = self.whole_page(first.op, first.lpn, first.pages);
                self.submit(&PageRequest {
                    placement: first.placement,
                    ..whole
                })?;
                left = rest;
            } else {
                self.run_background_plans()?;
                left = &left[done..];
            }
        }
        Ok(())
    }

    /// What jobs do beside requests, after each.
    #[inline]
    fn run_background_plans(&mut self) -> Result<(), FunctionalError> {
        if self.jobs.has_background() {
            for _ in 0..self.options.background_plans {
                if !self.background_plan()? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Serves a page request by its plan.
    fn submit_plan(&mut self, request: &PageRequest) -> Result<Answer, FunctionalError> {
        if let Err(refusal) = admit(self.ftl, self.now, request) {
            return Ok(Answer::Refused(refusal));
        }
        let mut plan = self.spare.pop().unwrap_or_default();
        let mut answer = self.ftl.submit(self.now, request, &mut plan);
        while matches!(answer, Answer::Wait | Answer::WaitFor(_)) {
            // Nothing is under way between commands: only a job can make the wait end.
            self.make_space()
                .map_err(|_| FunctionalError::Stuck("a request waits and nothing is under way"))?;
            plan.clear();
            answer = self.ftl.submit(self.now, request, &mut plan);
        }
        if !matches!(answer, Answer::Refused(_)) {
            self.counts.request(request);
        }
        self.run(plan)?;
        Ok(answer)
    }

    /// Runs every job until none has work: those of a later hour too, to which time advances.
    ///
    /// # Errors
    /// As for `write`.
    pub fn finish_jobs(&mut self) -> Result<(), FunctionalError> {
        loop {
            self.finish_blocking()?;
            if self.background_plan()? {
                continue;
            }
            match self.jobs.next_due_time() {
                Some(hour) if hour > self.now => self.now = hour,
                _ => return Ok(()),
            }
        }
    }

    /// Runs the jobs of blocking and normal urgency that may run now until none has work; no time passes.
    ///
    /// # Errors
    /// As for `write`.
    pub fn settle(&mut self) -> Result<(), FunctionalError> {
        self.collect_notices();
        loop {
            self.finish_blocking()?;
            let Some(notice) = self.jobs.take(Urgency::Normal, self.now) else {
                return Ok(());
            };
            self.advance(notice)?;
        }
    }

    fn recycle_plan(&mut self, mut plan: Plan) {
        plan.clear();
        self.spare.push(plan);
    }

    #[inline]
    fn collect_notices(&mut self) {
        self.ftl.notices(&mut self.notices);
        if !self.notices.is_empty() {
            for notice in self.notices.drain(..) {
                self.jobs.notify(notice);
            }
        }
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
        if self.relocate_at_once(&notice)? {
            self.jobs.plan_done(notice.job);
            return Ok(());
        }
        let mut plan = self.spare.pop().unwrap_or_default();
        let state = self.ftl.advance(self.now, notice.job, &mut plan);
        self.jobs.answered(notice.job, state, &plan)?;
        if plan.is_empty() {
            self.collect_notices();
            self.recycle_plan(plan);
            return Ok(());
        }
        let (length, erase) = self.length_of(&plan, notice.scope);
        self.run(plan)?;
        self.keep_busy(&notice, length, erase);
        self.jobs.plan_done(notice.job);
        Ok(())
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
            match self.jobs.next_due_time() {
                Some(hour) if hour > self.now => self.now = hour,
                _ => return Err(FunctionalError::NoReclaimableSpace),
            }
        }
    }
}

#[cfg(test)]
mod tests;
