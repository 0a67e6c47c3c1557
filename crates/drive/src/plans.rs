//! Plans in execution: which step is ready, which waits, and what follows when one is done.

use smallvec::SmallVec;
use wordline_ftl::{Cause, Outcome, PlanError, PlanProgress, Route, Step, Target, Unit, Work, check_plan};
use wordline_metrics::Status;
use wordline_nand::{BlockId, DieId, Ppn};
use wordline_units::SECTOR_BYTES;

use crate::drive::{Drive, Event};
use crate::error::RunError;
use crate::operation::{Kind, Level, NONE, Op, OpId, Owner};
use crate::reliability::Sensing;
use crate::scheduler::issue::constituent;
use crate::scheduler::{LEVELS, class};

/// A plan with more than one step.
#[derive(Debug, Default)]
struct PlanRecord {
    /// Operation of each step, and the steps that it waits for: bit i stands for step i.
    steps: SmallVec<[(OpId, u64); 8]>,
    progress: PlanProgress,
}

/// The plans of several steps in execution. A record that is free keeps its place for the next plan.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    records: Vec<PlanRecord>,
    free: Vec<u32>,
}

impl Plans {
    /// A record for a plan, without its steps.
    fn open(&mut self, progress: PlanProgress) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.records.push(PlanRecord::default());
            (self.records.len() - 1) as u32
        });
        let record = &mut self.records[number as usize];
        record.steps.clear();
        record.progress = progress;
        number
    }

    /// Whether none is in execution.
    pub(crate) fn is_empty(&self) -> bool {
        self.free.len() == self.records.len()
    }
}

/// Bits of the classes of erases.
const ERASES: u16 = ((1 << LEVELS) - 1) << class(Kind::Erase, Level::Urgent);

impl Drive {
    /// Block and die of a page.
    pub(crate) fn place_of(&self, page: Ppn) -> (BlockId, DieId) {
        let geometry = &self.flash.geometry;
        let block = geometry.block_of(page);
        (block, geometry.die_of(geometry.plane_of(block)))
    }

    /// Starts the plan that the FTL has just filled: its steps become operations, those without
    /// dependencies become ready. Empties the plan. Tells how many steps acknowledge.
    ///
    /// `account` is that of the piece which the plan serves; the steps take it over.
    #[inline]
    pub(crate) fn start_plan(&mut self, owner: Owner, level: Level, account: u32) -> u32 {
        if self.plan.is_empty() {
            return 0;
        }
        self.start_steps(owner, level, account)
    }

    fn start_steps(&mut self, owner: Owner, level: Level, account: u32) -> u32 {
        if matches!(owner, Owner::Padding(_)) {
            for step in &mut self.plan {
                step.cause = Cause::Padding;
            }
        }
        let acknowledging;
        if let [step] = self.plan[..] {
            if let Err(problem) = check_plan(&[step]) {
                return self.refuse_plan(problem);
            }
            acknowledging = u32::from(step.acknowledges);
            let op = self.plan_step(step, owner, level, (NONE, 0), account);
            self.ready(op);
        } else {
            let progress = match PlanProgress::new(&self.plan) {
                Ok(progress) => progress,
                Err(problem) => return self.refuse_plan(problem),
            };
            acknowledging = self.plan.iter().filter(|step| step.acknowledges).count() as u32;
            let record = self.plans.open(progress);
            for index in 0..self.plan.len() {
                let step = self.plan[index];
                let place = (record, index as u8);
                let own = self.hand_on(account, self.plan.len() - 1 - index);
                let op = self.plan_step(step, owner, level, place, own);
                self.plans.records[record as usize].steps.push((op, step.after));
            }
            self.start_ready_steps(record, NONE);
        }
        self.plan.clear();
        acknowledging
    }

    /// The run ends: the FTL broke the contract of plans. Tells that no step acknowledges.
    #[cold]
    pub(crate) fn refuse_plan(&mut self, problem: PlanError) -> u32 {
        self.plan.clear();
        self.failure = Some(RunError::Plan {
            at: self.now,
            problem,
        });
        0
    }

    fn plan_step(
        &mut self,
        step: Step,
        owner: Owner,
        level: Level,
        (plan, index): (u32, u8),
        account: u32,
    ) -> OpId {
        let planned = step.work.planned_page();
        let page = match step.work {
            Work::Erase { block } => Some(self.flash.geometry.page(block, 0)),
            _ => planned,
        };
        let (block, die) = page.map_or_else(Default::default, |page| self.place_of(page));
        if planned.is_some() {
            self.flash.erase_gate.add(block);
        }
        let op = Op {
            step,
            owner,
            level,
            plan,
            index,
            sequence: 0,
            ready: self.now,
            page: page.unwrap_or(Ppn(u64::MAX)),
            block,
            die,
            skipped: 0,
            sensing: Sensing::default(),
            queue: NONE,
            account,
            next: NONE,
            previous: NONE,
        };
        if !matches!(owner, Owner::Job(_)) {
            self.jobs.clients += 1;
        }
        let id = self.ops.insert(op);
        if self.suspension.is_some() {
            self.tell_shadow(id);
        }
        if let Work::Program {
            target: Target::Page(_),
            ..
        } = step.work
        {
            self.fixed.plan(block, id);
        }
        id
    }

    /// Starts the steps whose dependencies are done; their time before is that of `after`.
    fn start_ready_steps(&mut self, record: u32, after: u32) {
        let mut candidates = self.plans.records[record as usize].progress.unstarted();
        loop {
            let PlanRecord { steps, progress } = &mut self.plans.records[record as usize];
            let Some(step) = progress.start_next(&mut candidates, |step| steps[step].1) else {
                break;
            };
            let op = steps[step].0;
            self.inherit(op, after);
            self.ready(op);
        }
    }

    /// The dependencies of an operation are done: the firmware prepares the flash command.
    // once: see "Busy code is compiled once" in docs/architecture.md
    #[inline(never)]
    fn ready(&mut self, op: OpId) {
        match self.ops[op].step.work {
            Work::Compute {
                unit: Unit::Core,
                amount,
            } => {
                let done = self.firmware.charge(self.now, amount);
                self.schedule(done, Event::ComputeDone(op));
            }
            Work::Compute { .. }
            | Work::Local { .. }
            | Work::Read {
                route: Route::Package,
                ..
            } => {
                self.failure = Some(RunError::NoUnit {
                    at: self.now,
                    step: format!("{:?}", self.ops[op].step.work),
                });
            }
            _ if self.firmware.enabled() => {
                let step = self.ops[op].step;
                let cycles = self.firmware_cycles(&step);
                if let Some(request) = self.request_of(self.ops[op].owner)
                    && let Some(request) = self.requests.get_mut(request)
                {
                    request.cycles += cycles;
                }
                let done = self.firmware.charge(self.now, cycles);
                self.charge_firmware(self.ops[op].account, cycles, done);
                self.schedule(done, Event::OpReady(op));
            }
            _ => self.enqueue(op),
        }
    }

    /// Cycles that the firmware spends on a step: issuing the flash command, and what belongs to
    /// it (choosing a victim, moving a page, merging an un-covered update).
    fn firmware_cycles(&self, step: &Step) -> u32 {
        let cost = &self.firmware.cost;
        let more = match step.work {
            Work::Erase { .. } => cost.gc_victim,
            Work::Program { .. } | Work::CopyBack { .. } if step.cause != Cause::Host => cost.gc_per_page,
            // a host read that no one is answered with: the old part of an un-covered update
            Work::Read { bitmap, .. } if step.cause == Cause::Host && !step.acknowledges => {
                let merged = f64::from(bitmap.count_ones() * SECTOR_BYTES) * cost.merge_per_byte;
                cost.merge + merged.ceil() as u32
            }
            _ => 0,
        };
        cost.flash_command + more
    }

    /// An operation has ended: the FTL hears of it first, then those that wait for it.
    // once: see "Busy code is compiled once" in docs/architecture.md
    #[inline(never)]
    pub(crate) fn op_done(&mut self, id: OpId, outcome: Outcome) {
        if self.attribution.is_some() {
            self.charge_controller(id);
        }
        let op = self.ops.remove(id);
        if self.suspension.is_some()
            && let Some(shadow) = self.shadow()
        {
            shadow.ended(op.step.lpn, id);
        }
        if !matches!(op.owner, Owner::Job(_)) {
            self.jobs.clients -= 1;
        }
        let flash_work = op.kind();
        let started = outcome != Outcome::Declined;
        match op.step.work {
            Work::Read { .. } => self.release_block(op.block, op.die),
            Work::CopyBack { source, .. } => {
                self.release_block(self.flash.geometry.block_of(source), op.die);
                if started {
                    self.release_block(op.block, op.die);
                }
            }
            Work::Program { target, .. } if started || matches!(target, Target::Page(_)) => {
                self.release_block(op.block, op.die);
                if matches!(target, Target::Page(_)) {
                    self.fixed.end(op.block);
                }
            }
            Work::Erase { .. } => {
                // a block came free: programs that found no page there may find one now
                let units = match op.owner {
                    Owner::Job(job) => self.units_of_job(job),
                    _ => 0..self.flash.units.len(),
                };
                self.flash.space_freed(units);
            }
            _ => {}
        }
        if let (Some(Kind::Program), Some(reliability)) = (flash_work, &mut self.reliability) {
            reliability.written(&op.step);
        }
        if let (Some(kind), true) = (flash_work, started) {
            let constituent = constituent(&op);
            self.recorder.operation(self.now, kind.into(), &constituent);
            for probe in &mut self.probes {
                probe.operation_done(self.now, kind.into(), &constituent);
            }
            self.watch_done(id, &op, kind);
            if op.level == Level::Host {
                let unit = self.flash.unit_of(op.die);
                self.flash.units[unit].last_host = self.now;
            }
        }
        let page = (started && matches!(flash_work, Some(Kind::Program | Kind::CopyBack))).then_some(op.page);
        let now = self.ftl_now();
        self.ftl_called = true;
        self.ftl.done(now, &op.step, page, outcome, &mut self.plan);
        let grown = self.plan.len() as u32;
        let grown_account = self.hand_on(op.account, self.plan.len());
        let acknowledging = self.start_plan(op.owner, op.level, grown_account);
        if op.plan != NONE {
            self.step_done(op.plan, op.index, op.account);
        }
        if outcome == Outcome::Uncorrectable && op.step.acknowledges {
            self.ends_with(op.owner, Status::Uncorrectable);
        }
        match self.request_of(op.owner) {
            Some(request) if op.step.acknowledges => {
                self.settle_account(request, op.account);
                if let Work::Read { bitmap, .. } = op.step.work {
                    self.data_out_to_host(request, bitmap.count_ones());
                }
            }
            _ => self.drop_account(op.account),
        }
        match op.owner {
            Owner::Request(request) => {
                if op.step.acknowledges {
                    self.exchange(request, acknowledging);
                } else {
                    self.requests_wait_for(request, acknowledging);
                }
            }
            Owner::Job(job) => self.job_step_done(job, grown),
            owner => self.buffer_step_done(owner, acknowledging, op.step.acknowledges),
        }
        if !self.parked.is_empty() || !self.parked_ranges.is_empty() {
            self.resubmit(op.step.lpn);
        }
    }

    fn release_block(&mut self, block: BlockId, die: DieId) {
        if self.flash.erase_gate.remove(block) {
            // an erase of this block may have been waiting for this
            let unit = self.flash.unit_of(die);
            if self.flash.units[unit].work & ERASES != 0 && self.flash.is_idle(unit) {
                self.flash.mark(self.flash.channel_of_unit(unit));
            }
        }
    }

    fn step_done(&mut self, record: u32, index: u8, account: u32) {
        let progress = &mut self.plans.records[record as usize].progress;
        progress.end(usize::from(index));
        if progress.is_over() {
            self.plans.free.push(record);
        } else if progress.unstarted() != 0 {
            self.start_ready_steps(record, account);
        }
    }
}
