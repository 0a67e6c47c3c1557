//! The way of a plan: its steps become operations, and what follows when one has ended.

use smallvec::SmallVec;
use wordline_ftl::{
    Cause, Outcome, PlanError, PlanProgress, Route, Scope, Step, Subjects, Unit, Work, check_plan,
};
use wordline_metrics::{Holder, Part, Status};
use wordline_nand::Mode;
use wordline_units::{Duration, SimTime};

use super::Drive;
use crate::array::Planned;
use crate::clock::Event;
use crate::control::codec::{Asked, Coding};
use crate::error::RunError;
use crate::features::Features;
use crate::operation::{Kind, Level, NONE, Op, OpId, Owner};

/// The cause that a step has for its owner: what completes a group of the buffer is padding, but not what the FTL does beside it, such as reading its map.
fn cause_for(step: &Step, owner: Owner) -> Cause {
    if matches!(owner, Owner::Padding(_)) && step.cause == Cause::Host {
        Cause::Padding
    } else {
        step.cause
    }
}

impl<F: Features> Drive<F> {
    /// Starts the plan that the FTL has just filled: its steps become operations, those without
    /// dependencies become ready. Empties the plan. Tells how many steps acknowledge.
    ///
    /// `account` is that of the piece which the plan serves; the steps take it over.
    #[inline]
    pub(crate) fn start_plan(&mut self, owner: Owner, level: Level, account: u32) -> u32 {
        if self.control.planned() == 0 {
            return 0;
        }
        self.start_steps(owner, level, account)
    }

    fn start_steps(&mut self, owner: Owner, level: Level, account: u32) -> u32 {
        let started = if self.control.planned() == 1 {
            self.start_only_step(owner, level, account)
        } else {
            self.start_several_steps(owner, level, account)
        };
        started.unwrap_or_else(|problem| {
            self.refuse_plan(problem);
            0
        })
    }

    /// Starts a plan of one step, which has no record.
    #[inline]
    fn start_only_step(&mut self, owner: Owner, level: Level, account: u32) -> Result<u32, PlanError> {
        let checked = check_plan(self.control.plan());
        if checked.is_err() {
            self.control.plan_started();
            return checked.map(|()| 0);
        }
        let (op, acknowledging) = self.plan_step(0, owner, level, (NONE, 0), account);
        self.control.plan_started();
        self.ready(op);
        Ok(acknowledging)
    }

    /// Starts a plan whose steps wait for each other.
    #[inline(never)]
    fn start_several_steps(&mut self, owner: Owner, level: Level, account: u32) -> Result<u32, PlanError> {
        let progress = match PlanProgress::new(self.control.plan()) {
            Ok(progress) => progress,
            Err(problem) => {
                self.control.plan_started();
                return Err(problem);
            }
        };
        let record = self.control.plans_mut().open(progress);
        let steps = self.control.planned();
        let mut acknowledging = 0;
        for index in 0..steps {
            let own = self.observe.fork_account(account, steps - 1 - index);
            let (op, acknowledges) = self.plan_step(index, owner, level, (record, index as u8), own);
            self.control.record_step(record, index, op);
            acknowledging += acknowledges;
        }
        self.control.plan_started();
        let ready = self.control.plans_mut().start_ready(record);
        self.steps_ready(record, ready, NONE);
        Ok(acknowledging)
    }

    /// The run ends: the FTL broke the contract of plans.
    #[cold]
    pub(super) fn refuse_plan(&mut self, problem: PlanError) {
        self.failure = Some(RunError::Plan {
            at: self.clock.now(),
            problem,
        });
    }

    /// Makes a step of the plan an operation. Tells how many acknowledgements it brings: one or none.
    #[inline]
    fn plan_step(
        &mut self,
        index: usize,
        owner: Owner,
        level: Level,
        place: (u32, u8),
        account: u32,
    ) -> (OpId, u32) {
        self.control.jobs_mut().operation_planned(owner);
        let step = &self.control.plan()[index];
        let planned = Planned {
            owner,
            cause: cause_for(step, owner),
            level,
            place,
            account,
            acknowledges_transfer: self.host.acknowledges_transfer(step, owner),
        };
        let op = self.array.plan(self.clock.now(), step, &planned);
        (op, u32::from(step.acknowledges))
    }

    /// The dependencies of some steps of a plan, a bit each, are done; their time before is that of `after`.
    fn steps_ready(&mut self, record: u32, mut steps: u64, after: u32) {
        while steps != 0 {
            let op = self.control.plans_mut().operation(record, steps.trailing_zeros());
            steps &= steps - 1;
            if self.observe.attributes() {
                self.observe.inherit(self.array.ops()[op].account, after);
            }
            self.ready(op);
        }
    }

    /// The dependencies of an operation are done: the firmware prepares the flash command.
    // once: see "Busy code is compiled once" in crates/drive/DESIGN.md
    #[inline(never)]
    fn ready(&mut self, op: OpId) {
        let work = self.array.ops()[op].step.work;
        match work {
            Work::Compute {
                unit: Unit::Core,
                amount,
            } => {
                let done = self.control.firmware_mut().charge(self.clock.now(), amount);
                self.clock.schedule(done, Event::ComputeDone(op));
            }
            Work::HostMemory { access, bytes } => {
                match self.host.access_memory(self.clock.now(), access, bytes) {
                    Some(done) => self.clock.schedule(done, Event::ComputeDone(op)),
                    None => self.refuse_step(op),
                }
            }
            Work::Compute {
                unit: Unit::Codec { sectors, group },
                amount,
            } => {
                let coding = Coding {
                    op,
                    work: Duration(amount.into()),
                    is_read: sectors > 0,
                };
                let now = self.clock.now();
                match self.control.codec_mut().ask(now, group, coding) {
                    Asked::Begins(done) => self.begin_coding(coding, done),
                    Asked::Waits => {}
                    // what takes no time is done as the data come in, without one of them
                    Asked::Nobody if amount == 0 => self.begin_coding(coding, now),
                    Asked::Nobody => self.refuse_step(op),
                }
            }
            Work::Local { chip, cycles } => self.begin_local_work(op, chip, cycles),
            Work::Compute { .. } => self.refuse_step(op),
            Work::Read {
                route: Route::Package,
                ..
            } => self.read_in_package(op),
            Work::Program {
                route: Route::Package,
                ..
            } => self.enqueue(op),
            _ if self.array.is_in_package(op) => self.enqueue(op),
            _ if self.reads_open_word_line(op) => {
                self.serve_request_of(op);
                let done = self.clock.now() + self.control.memory_access();
                self.clock.schedule(done, Event::ComputeDone(op));
            }
            _ => self.prepare(op),
        }
    }

    /// An operation begins, and with it perhaps the service of the request that waits for it. What no request waits for may begin after its request is gone.
    #[inline(always)]
    pub(super) fn serve_request_of(&mut self, id: OpId) {
        let op = &self.array.ops()[id];
        match op.owner {
            Owner::Request(request) if op.step.acknowledges => self.host.serve(self.clock.now(), request),
            // most operations of a drive that collects
            Owner::Job(_) => {}
            _ => self.serve_request_behind(id),
        }
    }

    /// The same of an operation that its request waits for with others of its plan, or that the buffer wants.
    #[inline(never)]
    fn serve_request_behind(&mut self, id: OpId) {
        let ops = self.array.ops();
        let op = &ops[id];
        let (owner, plan) = (op.owner, op.plan);
        let is_awaited = op.step.acknowledges
            || plan != NONE
                && self
                    .control
                    .plans_mut()
                    .any_left(plan, |other| ops[other].step.acknowledges);
        if is_awaited && let Some(request) = self.request_of(owner) {
            self.host.serve(self.clock.now(), request);
        }
    }

    /// A codec works on a page.
    fn begin_coding(&mut self, coding: Coding, done: SimTime) {
        let Coding { op, work, .. } = coding;
        self.serve_request_of(op);
        self.observe.codec_works(self.clock.now(), work);
        self.observe
            .charge_firmware(self.array.ops()[op].account, work, done);
        self.clock.schedule(done, Event::ComputeDone(op));
    }

    /// Work of the controller has ended: the codec that did it begins what waits for it.
    pub(super) fn computed(&mut self, op: OpId) {
        if let Work::Compute {
            unit: Unit::Codec { group, .. },
            ..
        } = self.array.ops()[op].step.work
            && let Some((next, done)) = self.control.codec_mut().ended(self.clock.now(), group, op)
        {
            self.begin_coding(next, done);
        }
        self.op_done(op, Outcome::Good);
    }

    /// Whether an operation reads a page of a word line that is not complete. Pages in another mode than the normal one, those of an SLC cache, are
    /// programmed one by one.
    #[inline]
    fn reads_open_word_line(&mut self, op: OpId) -> bool {
        if !self.array.has_word_lines() {
            return false;
        }
        let entry = &self.array.ops()[op];
        matches!(entry.step.work, Work::Read { .. })
            && self.control.ftl().mode_of(entry.page) == Mode::NORMAL
            && self.array.reads_open_word_line(op)
    }

    /// The firmware prepares a flash command, where its time is modelled.
    #[inline(always)]
    pub(super) fn prepare(&mut self, op: OpId) {
        if self.has_firmware() {
            let step = self.array.ops()[op].step;
            let cycles = self.control.firmware().cycles_of(&step);
            if let Some(request) = self.request_of(self.array.ops()[op].owner) {
                self.host.add_cycles(request, cycles);
            }
            let done = self.control.firmware_mut().charge(self.clock.now(), cycles);
            let work = self.control.firmware().time_of(cycles);
            self.observe
                .charge_firmware(self.array.ops()[op].account, work, done);
            self.clock.schedule(done, Event::OpReady(op));
        } else {
            self.enqueue(op);
        }
    }

    /// The run ends: the drive has nothing that does what an operation asks for.
    #[cold]
    pub(super) fn refuse_step(&mut self, op: OpId) {
        self.failure = Some(RunError::NoUnit {
            at: self.clock.now(),
            step: format!("{:?}", self.array.ops()[op].step.work),
        });
    }

    /// An operation has ended: the FTL hears of it first, then those that wait for it.
    // once: see "Busy code is compiled once" in crates/drive/DESIGN.md
    #[inline(never)]
    pub(crate) fn op_done(&mut self, id: OpId, outcome: Outcome) {
        let now = self.clock.now();
        if self.observe.attributes() {
            self.observe.charge_controller(now, &self.array.ops()[id]);
        }
        let sharing = self.sharing(id);
        let op = &self.array.ops()[id];
        let Op {
            owner,
            level,
            plan,
            index,
            account,
            ..
        } = *op;
        let (work, cause, lpn, acknowledges) =
            (op.step.work, op.step.cause, op.step.lpn, op.step.acknowledges);
        let flash_work = op.kind();
        let started = outcome != Outcome::Declined;
        self.control.jobs_mut().operation_ended(owner);
        self.array.release(now, id, flash_work, started);
        match flash_work {
            Some(Kind::Erase) => self.space_freed(owner),
            Some(Kind::Program) => {
                self.array.written(id, self.control.ftl());
                if started && self.control.gathers_writes() {
                    self.tell_units(id);
                }
            }
            _ => {}
        }
        let op = &self.array.ops()[id];
        let page = (started && matches!(flash_work, Some(Kind::Program | Kind::CopyBack))).then_some(op.page);
        let has_failed = if self.control.has_failures() {
            self.control.done_or_failed(now, &op.step, page, outcome)
        } else {
            self.control.done(now, &op.step, page, outcome);
            false
        };
        if let (Some(kind), true) = (flash_work, started) {
            if has_failed {
                self.observe.operation_failed(now, op, kind);
            }
            self.observe.operation_done(now, id, op, kind);
        }
        self.array.remove(id);
        let is_fault = self.control.take_write_fault();
        let grown = self.control.planned() as u32;
        let grown_account = self.observe.fork_account(account, grown as usize);
        if acknowledges && grown > 0 {
            self.hold_gathered(owner);
        }
        let acknowledging = self.start_plan(owner, level, grown_account);
        if plan != NONE {
            self.step_done(plan, index, account);
        }
        if is_fault && acknowledges {
            self.ends_with(owner, Status::WriteFault);
        }
        // what steps that follow bring back is not lost
        let is_recovered = outcome.is_unreadable() && acknowledging > 0;
        if outcome.is_unreadable() && acknowledges && !is_recovered {
            self.ends_with(owner, Status::Uncorrectable);
        }
        // what nothing waits for may end after the page that it was a step of
        let request = if acknowledges {
            self.request_of(owner)
        } else {
            None
        };
        match request {
            Some(request) => {
                self.observe.settle_account(request, account);
                match work {
                    // their data are computed from others, or stay in the controller for that
                    Work::Read { .. } if is_recovered || cause == Cause::Parity => {}
                    Work::Read { bitmap, .. } => {
                        self.host.data_out(now, request, bitmap.count_ones());
                    }
                    Work::Compute { unit, .. } => self.coded(request, unit, owner),
                    _ => {}
                }
            }
            None => match owner {
                Owner::Buffer(slot) if acknowledges => self.observe.settle_write_back(slot, account),
                _ => self.observe.drop_account(account),
            },
        }
        match owner {
            Owner::Request(request) => {
                if acknowledges {
                    self.exchange(request, acknowledging);
                } else {
                    self.host.waits_for(request, acknowledging);
                }
            }
            Owner::Job(job) => {
                let jobs = self.control.jobs_mut();
                jobs.step_done(job, grown, self.array.flash(), &mut self.clock);
            }
            owner => self.buffer_step_done(owner, acknowledging, acknowledges),
        }
        if !self.control.parked_mut().is_empty() {
            self.resubmit(lpn);
        }
        if self.control.has_flushes() {
            self.end_flushes();
        }
        for sharing in sharing {
            self.op_done(sharing, outcome);
        }
    }

    /// The reads that shared one that has ended: their time was that of this one.
    #[inline]
    fn sharing(&mut self, id: OpId) -> SmallVec<[OpId; 4]> {
        if !self.array.shares_reads() {
            return SmallVec::new();
        }
        let sharing = self.array.take_sharing(id);
        for other in &sharing {
            let (own, lead) = (&self.array.ops()[*other], &self.array.ops()[id]);
            match own.owner {
                Owner::Request(_) => self.observe.inherit(own.account, lead.account),
                // it may be for another request, which came at another time
                _ => self
                    .observe
                    .charge(own.account, Part::Die(Holder::HostRead), self.clock.now()),
            }
        }
        sharing
    }

    /// What a request waits for was computed: data for the host, or for pages that are filled in the controller, which it may want to be on flash.
    #[inline(never)]
    fn coded(&mut self, request: u32, unit: Unit, owner: Owner) {
        let Unit::Codec { sectors, .. } = unit else { return };
        if sectors > 0 {
            self.host.data_out(self.clock.now(), request, u32::from(sectors));
        } else if matches!(owner, Owner::Request(_)) && self.host.asks_for_flash(request) {
            self.program_registers(request);
        }
    }

    /// An erase has ended, or moves that host programs waited for are planned: there is room in the scope of a job.
    #[inline(never)]
    pub(super) fn space_freed(&mut self, owner: Owner) {
        let scope = match owner {
            Owner::Job(job) => self.control.jobs().scope_of(job),
            _ => Scope::Drive,
        };
        self.array.space_freed(scope);
        self.control.unplaced_mut().space_freed();
    }

    fn step_done(&mut self, record: u32, index: u8, account: u32) {
        let ready = self.control.plans_mut().end_step(record, index);
        self.steps_ready(record, ready, account);
    }
}
