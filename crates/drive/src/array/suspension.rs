//! Suspension (`policy = "pes"`): which operation leaves its die for another one, and when it goes on
//! (Wu and He, FAST 2012; section 4 of the suspension specification).
//!
//! All of its state is in `state.rs`, beside what every drive has: a drive that suspends nothing has no
//! `Suspension`. `leave.rs` takes operations out of the arrays, `resume.rs` puts them back,
//! `shadow.rs` knows what programs still hold, and `shadow_reads.rs` reads it; `word_lines.rs` knows what cells do not hold yet.

mod leave;
mod precedence;
mod resume;
mod shadow;
mod shadow_reads;
mod state;
mod word_lines;

pub(crate) use precedence::Precedence;
pub(crate) use state::Suspension;

use wordline_metrics::Array;
use wordline_nand::{DieId, Progress};
use wordline_units::{Duration, SimTime};

use super::FlashArray;
use super::classes::class;
use crate::clock::Clock;
use crate::features::Features;
use crate::observe::Observer;
use crate::operation::{Kind, Level, NONE, OpId};
use leave::is_host_read;
use shadow::Shadow;

/// The classes that a unit takes while something is suspended in it: reads of the host.
const HOST_READS: u16 = 1 << class(Kind::Read, Level::Host);
/// The same, where a write may go before an erase.
const HOST_PROGRAMS: u16 = 1 << class(Kind::Program, Level::Host);

impl<F: Features> FlashArray<F> {
    /// Whether anything can be suspended.
    #[inline(always)]
    pub(crate) fn suspends(&self) -> bool {
        self.suspension.is_some()
    }

    /// Whether reads of the host have what a unit executes suspended, or something is suspended in it. Limits of suspension count for nothing here.
    pub(super) fn gives_way(&self, unit: usize) -> bool {
        let unit = self.suspension.as_ref().map(|suspension| &suspension.units[unit]);
        unit.is_some_and(|unit| unit.running.is_some() || !unit.stack.is_empty())
    }

    /// A unit has come free: where something is suspended in it, it is kept for that.
    pub(super) fn hold_for_suspended(&mut self, unit: usize) {
        if let Some(suspension) = self.suspension.as_mut()
            && !suspension.units[unit].stack.is_empty()
        {
            suspension.held.push(unit as u32);
            self.flash.hold(unit, Kind::Read, HOST_READS);
        }
    }

    /// What programs hold, where it can be read.
    #[inline(always)]
    pub(super) fn shadow(&mut self) -> Option<&mut Shadow> {
        self.suspension.as_mut()?.shadow.as_mut()
    }

    /// Whether nothing is suspended and nothing put off is forgotten.
    pub(crate) fn is_settled(&self) -> bool {
        self.suspension.as_ref().is_none_or(|all| all.is_settled())
    }

    /// A command begins in a die: keeps account of what can be suspended. Returns how long the array
    /// works, which is less than `length` for a read of the shadow buffer.
    pub(super) fn array_with_suspension(
        &mut self,
        (kind, die, members): (Kind, DieId, &[OpId]),
        from: SimTime,
        length: Duration,
        now: SimTime,
        observe: &mut Observer<F>,
    ) -> Duration {
        let unit = self.flash.unit_of(die);
        let mut length = length;
        if kind == Kind::Read {
            let of_member = |id: &OpId| self.shadow_time(unit, self.ops[*id].page).unwrap_or(length);
            length = members.iter().map(of_member).max().unwrap_or(length);
            self.count_reads_ahead(unit, members.len(), now, observe);
            let of_host = members
                .iter()
                .filter(|id| is_host_read(&self.ops[**id]) && !self.ops[**id].sensing.is_retry());
            let of_host = of_host.count() as u64;
            if let Some(ledger) = observe.suspensions() {
                ledger.host_reads(of_host);
            }
        }
        if kind == Kind::Program && self.shadow().is_some() {
            for id in members {
                let lpn = self.ops[*id].step.lpn;
                if let Some(shadow) = self.shadow() {
                    shadow.issued(lpn, *id);
                }
            }
        }
        let shape = match kind {
            Kind::Erase => self.chips.timing.erase_shape(),
            _ => self.chips.timing.program_shape(),
        };
        let progress = Progress::new(shape, length, from);
        if let Some(suspension) = self.suspension.as_mut() {
            suspension.begun(unit, (kind, die, members[0]), progress, from);
        }
        length
    }

    /// The second half of a copy-back begins in a die: a program, which can be suspended where its data stay
    /// in the part, since the controller never had them. Reads may have waited for it.
    pub(super) fn copy_back_programs(
        &mut self,
        id: OpId,
        array: &Array,
        precedence: &Precedence<'_>,
        clock: &mut Clock,
    ) {
        let unit = self.flash.unit_of(array.die);
        let shape = self.chips.timing.program_shape();
        let progress = Progress::new(shape, array.to.since(array.from), array.from);
        match self.suspension.as_mut() {
            Some(suspension) if suspension.keeps_data => {
                suspension.begun(unit, (Kind::Program, array.die, id), progress, array.from);
            }
            _ => return,
        }
        self.flash.note_change(unit);
        if let Some(read) = self.waiting_host_read(unit) {
            self.ask_to_leave(unit, read, precedence, clock);
        }
    }

    /// An array step that could be suspended is over.
    pub(super) fn array_ended(&mut self, unit: usize, die: DieId, now: SimTime, observe: &mut Observer<F>) {
        if let (Some(suspension), Some(ledger)) = (self.suspension.as_mut(), observe.suspensions())
            && let Some((mut id, phases @ 1..)) = suspension.ended(unit, die, now, ledger)
            && let Some(reliability) = self.reliability.as_mut()
        {
            while id != NONE {
                let op = &self.ops[id];
                reliability.redone(op.page, phases);
                id = op.next;
            }
        }
        observe.array_ended(die);
    }

    /// Reads start in a unit, over what is suspended there.
    fn count_reads_ahead(&mut self, unit: usize, reads: usize, now: SimTime, observe: &mut Observer<F>) {
        let end = self
            .suspension
            .as_ref()
            .and_then(|all| all.would_have_ended(unit));
        if let (Some(end), Some(ledger)) = (end, observe.suspensions()) {
            for _ in 0..reads {
                ledger.read_ahead(end.since(now));
            }
        }
    }
}
