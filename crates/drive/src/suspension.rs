//! Suspension (`policy = "pes"`): which operation leaves its die for another one, and when it goes on
//! (Wu and He, FAST 2012; section 4 of the suspension specification).
//!
//! All of its state is here, beside what every drive has: a drive that suspends nothing has no
//! `Suspension`. `leave.rs` takes operations out of the arrays, `resume.rs` puts them back,
//! `shadow.rs` reads what a program still holds.

mod leave;
mod resume;
mod shadow;

use smallvec::SmallVec;
use wordline_metrics::{Array, SuspensionLedger};
use wordline_nand::{
    ConfigError, DieId, Method, Operation, PageTypes, Progress, Stack, SuspendRules, SuspendStyle,
    Suspendable, Timing,
};
use wordline_units::{Duration, Seed, SimTime};

use crate::config::{Config, ProgramSuspend};
use crate::drive::Drive;
use crate::flash::Flash;
use crate::operation::{Kind, Level, NONE, OpId};
use crate::scheduler::class;
use shadow::Shadow;

/// The classes that a unit takes while something is suspended in it: reads of the host.
const HOST_READS: u16 = 1 << class(Kind::Read, Level::Host);
/// The same, where a write may go before an erase.
const HOST_PROGRAMS: u16 = 1 << class(Kind::Program, Level::Host);

/// How a part suspends, by configuration.
///
/// # Errors
/// Phases that do not fit their operation.
pub(crate) fn rules_of(
    config: &Config,
    timing: &Timing,
    page_types: &PageTypes,
) -> Result<SuspendRules, ConfigError> {
    let suspension = &config.scheduler.suspension;
    let program = match suspension.program_suspend {
        ProgramSuspend::Ips => Method::PhaseEnd,
        _ => Method::Cancel(suspension.redo),
    };
    SuspendRules::new(&config.timing, &config.nand, timing, page_types, program)
}

/// What a command does in one die.
#[derive(Clone, Debug)]
struct Part {
    die: DieId,
    /// Its operations, threaded through `Op::next`.
    first: OpId,
    progress: Progress,
    /// When it came into the array last, and what it had done of its own work then.
    since: SimTime,
    worked: Duration,
    /// When it left the array, or will: not after its unit has.
    leaves: SimTime,
    /// When it would have ended, had it not been asked to leave; `NEVER` where it was not.
    would_end: SimTime,
    /// Time outside the array.
    away: Duration,
}

/// A program or erase: a part for each of its dies.
#[derive(Clone, Debug)]
struct Frame {
    kind: Suspendable,
    parts: SmallVec<[Part; 1]>,
}

/// What a unit does, and what is suspended in it.
#[derive(Debug, Default)]
struct SuspendUnit {
    running: Option<Frame>,
    /// It was asked to leave and has not yet.
    asked: bool,
    stack: Stack<Frame>,
    /// The top waits for the bus to be loaded again.
    reload: bool,
}

/// Suspended operations, and when to suspend.
#[derive(Debug)]
pub(crate) struct Suspension {
    rules: SuspendRules,
    programs: bool,
    erases: bool,
    /// Whether the data of a suspended program stay in the part.
    keeps_data: bool,
    /// Most suspensions of one operation.
    most: u32,
    overhead_limit: Option<f64>,
    writes_suspend_erases: bool,
    clean_watermark: Option<f64>,
    seed: Seed,
    units: Vec<SuspendUnit>,
    /// Units whose array is free and in which something is suspended.
    held: Vec<u32>,
    /// By die, the ends of array steps that are scheduled and will not be.
    cancelled: Vec<SmallVec<[SimTime; 2]>>,
    /// What programs hold, where it can be read.
    shadow: Option<Shadow>,
}

impl Suspension {
    /// The suspension of a configuration, if it has any.
    ///
    /// # Errors
    /// As `rules_of`.
    pub(crate) fn new(
        config: &Config,
        timing: &Timing,
        page_types: &PageTypes,
        flash: &Flash,
    ) -> Result<Option<Box<Self>>, ConfigError> {
        if !config.scheduler.suspends() {
            return Ok(None);
        }
        let keys = &config.scheduler.suspension;
        let vendor = config.nand.suspend_style == SuspendStyle::Vendor;
        let limits = [
            keys.max_suspends_per_op,
            if vendor { config.nand.vendor.limit } else { 0 },
        ];
        let most = limits.into_iter().filter(|limit| *limit > 0).min();
        let programs = keys.program_suspend != ProgramSuspend::None;
        Ok(Some(Box::new(Self {
            rules: rules_of(config, timing, page_types)?,
            programs,
            erases: keys.erase_suspend,
            keeps_data: vendor || config.nand.shadow_buffer,
            most: most.unwrap_or(u32::MAX),
            overhead_limit: keys.overhead_limit,
            writes_suspend_erases: keys.write_suspend_erase,
            clean_watermark: keys.clean_watermark,
            seed: Seed(config.seed),
            units: flash.units.iter().map(|_| SuspendUnit::default()).collect(),
            held: Vec::new(),
            cancelled: flash.dies.iter().map(|_| SmallVec::new()).collect(),
            shadow: (programs && !vendor && config.nand.shadow_buffer).then(Shadow::default),
        })))
    }

    /// Whether programs, and erases, can be suspended.
    pub(crate) fn suspends(&self) -> (bool, bool) {
        (self.programs, self.erases)
    }

    /// Whether the end of an array step that has come was put off: an operation was suspended.
    pub(crate) fn was_put_off(&mut self, die: DieId, now: SimTime) -> bool {
        let ends = &mut self.cancelled[die.index()];
        match ends.iter().position(|end| *end == now) {
            Some(index) => {
                ends.swap_remove(index);
                true
            }
            None => false,
        }
    }

    /// Whether nothing is suspended and nothing put off is forgotten.
    pub(crate) fn is_settled(&self) -> bool {
        self.held.is_empty()
            && self
                .units
                .iter()
                .all(|unit| unit.stack.is_empty() && unit.running.is_none() && !unit.asked)
    }

    /// An array step of a command begins in a die.
    fn begun(
        &mut self,
        unit: usize,
        (kind, die, first): (Kind, DieId, OpId),
        progress: Progress,
        from: SimTime,
    ) {
        self.held.retain(|held| *held as usize != unit);
        let kind = match kind {
            Kind::Program if self.programs => Suspendable::Program,
            Kind::Erase if self.erases => Suspendable::Erase,
            _ => return,
        };
        let part = Part {
            die,
            first,
            progress,
            since: from,
            worked: Duration::ZERO,
            leaves: SimTime::NEVER,
            would_end: SimTime::NEVER,
            away: Duration::ZERO,
        };
        let frame = self.units[unit].running.get_or_insert_with(|| Frame {
            kind,
            parts: SmallVec::new(),
        });
        frame.parts.push(part);
    }

    /// The array step of a command is over in a die. Tells the first of its operations, and how many
    /// program phases were done again.
    fn ended(
        &mut self,
        unit: usize,
        die: DieId,
        now: SimTime,
        ledger: &mut SuspensionLedger,
    ) -> Option<(OpId, u32)> {
        let entry = &mut self.units[unit];
        let frame = entry.running.as_mut()?;
        let index = frame.parts.iter().position(|part| part.die == die)?;
        let part = frame.parts.remove(index);
        ledger.done(frame.kind, &part.progress, now, part.away);
        if frame.parts.is_empty() {
            entry.running = None;
        }
        Some((part.first, part.progress.redone()))
    }

    /// When the operation that was suspended last would have ended in a unit, if there is one.
    fn would_have_ended(&self, unit: usize) -> Option<SimTime> {
        let (_, frame) = self.units[unit].stack.top()?;
        frame.parts.iter().map(|part| part.would_end).max()
    }
}

impl Frame {
    fn flash_kind(&self) -> Kind {
        match self.kind {
            Suspendable::Program => Kind::Program,
            Suspendable::Erase => Kind::Erase,
        }
    }
}

impl Drive {
    /// A die has come free. A unit in which something is suspended is kept for that.
    pub(crate) fn free_die(&mut self, die: DieId) {
        self.flash.release(die);
        self.die_released(die);
        let unit = self.flash.unit_of(die);
        if self.flash.units[unit].busy_dies == 0 {
            self.jobs.unit_freed(unit);
        }
        if let Some(suspension) = &mut self.suspension
            && self.flash.units[unit].busy_dies == 0
            && !suspension.units[unit].stack.is_empty()
        {
            suspension.held.push(unit as u32);
            self.flash.hold(unit, Kind::Read, HOST_READS);
        }
    }

    /// What programs hold, where it can be read.
    pub(crate) fn shadow(&mut self) -> Option<&mut Shadow> {
        self.suspension.as_mut()?.shadow.as_mut()
    }

    /// What programs hold knows of an operation that was planned.
    pub(crate) fn tell_shadow(&mut self, id: OpId) {
        let op = self.ops[id];
        if let Some(shadow) = self.shadow() {
            shadow.planned(&op, id);
        }
    }

    /// The order has changed: what is suspended may go on.
    pub(crate) fn look_after_suspended(&mut self) {
        let Some(suspension) = &self.suspension else {
            return;
        };
        for unit in &suspension.held {
            let channel = self.flash.channel_of_unit(*unit as usize);
            self.flash.mark(channel);
        }
    }

    /// A command begins in a die: keeps account of what can be suspended. Returns how long the array
    /// works, which is less than `length` for a read of the shadow buffer.
    pub(crate) fn array_with_suspension(
        &mut self,
        kind: Kind,
        die: DieId,
        members: &[OpId],
        from: SimTime,
        length: Duration,
    ) -> Duration {
        let unit = self.flash.unit_of(die);
        let mut length = length;
        if kind == Kind::Read {
            let of_member = |id: &OpId| self.shadow_time(unit, self.ops[*id].page).unwrap_or(length);
            length = members.iter().map(of_member).max().unwrap_or(length);
            self.count_reads_ahead(unit, members.len());
        }
        if kind == Kind::Program && self.shadow().is_some() {
            for id in members {
                let lpn = self.ops[*id].step.lpn;
                if let Some(shadow) = self.shadow() {
                    shadow.issued(lpn, *id);
                }
            }
        }
        let operation = match kind {
            Kind::Erase => Operation::Erase,
            _ => Operation::Program,
        };
        let progress = Progress::new(self.timing.shape(operation), length, from);
        if let Some(suspension) = &mut self.suspension {
            suspension.begun(unit, (kind, die, members[0]), progress, from);
        }
        length
    }

    /// The second half of a copy-back begins in a die: a program, which can be suspended where its data stay
    /// in the part, since the controller never had them. Reads may have waited for it.
    pub(crate) fn copy_back_programs(&mut self, id: OpId, array: &Array) {
        let unit = self.flash.unit_of(array.die);
        let shape = self.timing.shape(Operation::Program);
        let progress = Progress::new(shape, array.to.since(array.from), array.from);
        match &mut self.suspension {
            Some(suspension) if suspension.keeps_data => {
                suspension.begun(unit, (Kind::Program, array.die, id), progress, array.from);
            }
            _ => return,
        }
        if let Some(read) = self.waiting_host_read(unit) {
            self.ask_to_leave(unit, read);
        }
    }

    /// An array step that could be suspended is over.
    pub(crate) fn array_ended(&mut self, unit: usize, die: DieId) {
        if let (Some(suspension), Some(ledger)) = (&mut self.suspension, &mut self.recorder.suspension)
            && let Some((mut id, phases @ 1..)) = suspension.ended(unit, die, self.now, ledger)
            && let Some(reliability) = &mut self.reliability
        {
            while id != NONE {
                let op = &self.ops[id];
                reliability.redone(op.page, phases);
                id = op.next;
            }
        }
        if let Some(watch) = &mut self.watch {
            watch.array_ended(die);
        }
    }

    /// Reads start in a unit, over what is suspended there.
    fn count_reads_ahead(&mut self, unit: usize, reads: usize) {
        let end = self
            .suspension
            .as_ref()
            .and_then(|all| all.would_have_ended(unit));
        if let (Some(end), Some(ledger)) = (end, &mut self.recorder.suspension) {
            for _ in 0..reads {
                ledger.read_ahead(end.since(self.now));
            }
        }
    }
}
