//! What is suspended: operations outside the arrays, and what is kept of those inside.

use smallvec::SmallVec;
use wordline_config::{Config, ProgramSuspend, ProgramUnderWrites};
use wordline_metrics::SuspensionLedger;
use wordline_nand::{
    ConfigError, DieId, PageTypes, Progress, Stack, SuspendRules, SuspendStyle, Suspendable, Timing,
};
use wordline_units::{Duration, Seed, SimTime};

use super::shadow::Shadow;
use crate::array::flash::Flash;
use crate::operation::{Kind, OpId};

/// What a command does in one die.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) die: DieId,
    /// Its operations, threaded through `Op::next`.
    pub(super) first: OpId,
    pub(super) progress: Progress,
    /// When it came into the array last, and what it had done of its own work then.
    pub(super) since: SimTime,
    pub(super) worked: Duration,
    /// When it left the array, or will: not after its unit has.
    pub(super) leaves: SimTime,
    /// When it would have ended, had it not been asked to leave; `NEVER` where it was not.
    pub(super) would_end: SimTime,
    /// Time outside the array.
    pub(super) away: Duration,
}

/// A program or erase: a part for each of its dies.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) kind: Suspendable,
    pub(super) parts: SmallVec<[Part; 1]>,
}

/// What a unit does, and what is suspended in it.
#[derive(Debug, Default)]
pub(super) struct SuspendUnit {
    pub(super) running: Option<Frame>,
    /// It was asked to leave and has not yet.
    pub(super) asked: bool,
    /// A read of the host asked.
    pub(super) asked_by_read: bool,
    pub(super) stack: Stack<Frame>,
    /// The top waits for the bus to be loaded again.
    pub(super) reload: bool,
}

/// Suspended operations, and when to suspend.
#[derive(Debug)]
pub(crate) struct Suspension {
    pub(super) rules: SuspendRules,
    pub(super) programs: bool,
    pub(super) erases: bool,
    /// Whether the data of a suspended program stay in the part.
    pub(super) keeps_data: bool,
    /// Most suspensions of one operation, by the order of `Suspendable`.
    pub(super) most: [u32; 2],
    /// Whether programs are not suspended while writes wait for room in the buffer.
    pub(super) gives_way_to_writes: bool,
    pub(super) overhead_limit: Option<f64>,
    pub(super) writes_suspend_erases: bool,
    pub(super) clean_watermark: Option<f64>,
    pub(super) seed: Seed,
    pub(super) units: Vec<SuspendUnit>,
    /// Units whose array is free and in which something is suspended.
    pub(super) held: Vec<u32>,
    /// By die, the ends of array steps that are scheduled and will not be.
    pub(super) cancelled: Vec<SmallVec<[SimTime; 2]>>,
    /// What programs hold, where it can be read.
    pub(super) shadow: Option<Shadow>,
}

impl Suspension {
    /// The suspension of a configuration, if it has any.
    ///
    /// # Errors
    /// As [`Config::suspend_rules`].
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
        let most = [Suspendable::Program, Suspendable::Erase].map(|kind| {
            let of_part = config.nand.vendor.limit_of(kind).filter(|_| vendor);
            let of_policy = Some(keys.max_suspends_per_op).filter(|limit| *limit > 0);
            let limits = of_part.into_iter().chain(of_policy);
            limits.min().unwrap_or(u32::MAX)
        });
        let programs = keys.program_suspend != ProgramSuspend::None;
        Ok(Some(Box::new(Self {
            rules: config.suspend_rules(timing, page_types)?,
            programs,
            erases: keys.erase_suspend,
            keeps_data: vendor || config.nand.shadow_buffer,
            most,
            gives_way_to_writes: keys.program_under_writes == ProgramUnderWrites::NotSaturated,
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
    pub(super) fn begun(
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
    pub(super) fn ended(
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
    pub(super) fn would_have_ended(&self, unit: usize) -> Option<SimTime> {
        let (_, frame) = self.units[unit].stack.top()?;
        frame.parts.iter().map(|part| part.would_end).max()
    }
}

impl Frame {
    pub(super) fn flash_kind(&self) -> Kind {
        match self.kind {
            Suspendable::Program => Kind::Program,
            Suspendable::Erase => Kind::Erase,
        }
    }
}
