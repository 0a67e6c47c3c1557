//! Operations leave the arrays.

use std::cmp::Reverse;
use std::ops::Range;

use wordline_ftl::{Cause, CleanSpace, Mapping, Subjects, Target};
use wordline_metrics::{Note, SuspendedArray};
use wordline_nand::{PlaneId, Suspendable};
use wordline_units::SimTime;

use super::Precedence;
use super::state::{Frame, Suspension};
use crate::array::FlashArray;
use crate::clock::{Clock, Event};
use crate::features::Features;
use crate::observe::Observer;
use crate::observe::attribution::Leaving;
use crate::operation::{Kind, Level, Op, OpId};

/// Whether an operation is a read that a command of the host waits for, and no part of a write.
pub(super) fn is_host_read(op: &Op) -> bool {
    op.kind() == Some(Kind::Read)
        && op.level == Level::Host
        && op.step.acknowledges
        && op.step.cause == Cause::Host
}

impl Suspension {
    /// Whether an operation may be suspended (once more): it has not fallen behind its limits.
    fn may_leave(&self, frame: &Frame, now: SimTime) -> bool {
        frame.parts.iter().all(|part| {
            let progress = &part.progress;
            let behind = progress.behind(now).ns() as f64;
            progress.suspensions() < self.most[frame.kind as usize]
                && self
                    .overhead_limit
                    .is_none_or(|limit| behind < limit * progress.nominal().ns() as f64)
        })
    }
}

impl<F: Features> FlashArray<F> {
    /// An operation waits in a queue: asks what runs where it could start to leave, if it must and may.
    #[inline(never)]
    pub(crate) fn make_way(&mut self, id: OpId, precedence: &Precedence<'_>, clock: &mut Clock) {
        let op = &self.ops[id];
        match self.unit_waited_for(id) {
            Some(unit) => self.ask_to_leave(unit, id, precedence, clock),
            None => {
                if let (Level::Host, Some(Target::Frontier { scope, .. })) = (op.level, op.target()) {
                    self.ask_one_to_leave(self.flash.units_of(scope), precedence, clock);
                }
            }
        }
    }

    /// An operation waits for a unit that is busy: asks what runs there to leave, if it must and may.
    /// A request is sent when the read or write becomes ready; it needs no bus.
    pub(super) fn ask_to_leave(
        &mut self,
        unit: usize,
        id: OpId,
        precedence: &Precedence<'_>,
        clock: &mut Clock,
    ) {
        let op = &self.ops[id];
        let is_read = is_host_read(op);
        let is_write = op.kind() == Some(Kind::Program) && op.level == Level::Host;
        let Some(suspension) = self.suspension.as_ref() else {
            return;
        };
        let entry = &suspension.units[unit];
        let Some(frame) = entry.running.as_ref().filter(|_| !entry.asked) else {
            return;
        };
        let writes_go_on = suspension.gives_way_to_writes && precedence.buffer_is_full;
        let wanted = match frame.kind {
            Suspendable::Program => is_read && !writes_go_on,
            Suspendable::Erase => is_read || (is_write && self.writes_suspend_erases(unit, precedence)),
        };
        if wanted && suspension.may_leave(frame, clock.now()) {
            self.suspend(unit, is_read, clock);
        }
    }

    /// A host write waits that may go to any of `units`. Where none is free, one of their erases is asked to
    /// leave: the one where most blocks are free.
    fn ask_one_to_leave(&mut self, units: Range<usize>, precedence: &Precedence<'_>, clock: &mut Clock) {
        let Some(suspension) = self.suspension.as_ref().filter(|all| all.writes_suspend_erases) else {
            return;
        };
        let can_take = |unit| self.flash.accepts_wide(unit) && self.flash.is_roomy(unit);
        if units.clone().any(can_take) {
            return;
        }
        let may_leave = |unit: &usize| {
            let entry = &suspension.units[*unit];
            let running = entry.running.as_ref().filter(|_| !entry.asked);
            running.is_some_and(|frame| {
                frame.kind == Suspendable::Erase && suspension.may_leave(frame, clock.now())
            }) && self.flash.units[*unit].work == 0
                && self.flash.is_roomy(*unit)
                && self.writes_suspend_erases(*unit, precedence)
        };
        let fewest = |unit: &usize| {
            self.clean_space(*unit, precedence.ftl)
                .map(|(space, _)| Reverse(space.free))
        };
        if let Some(unit) = units.filter(may_leave).min_by_key(fewest) {
            self.suspend(unit, false, clock);
        }
    }

    /// Whether host writes may go before an erase in a unit: there is clean space for a while.
    pub(super) fn writes_suspend_erases(&self, unit: usize, precedence: &Precedence<'_>) -> bool {
        self.clean_space(unit, precedence.ftl)
            .is_some_and(|(space, watermark)| f64::from(space.free) > watermark)
    }

    /// The free space of a unit's pool, and the free blocks above which writes suspend erases, if they
    /// ever may.
    fn clean_space(&self, unit: usize, ftl: &dyn Mapping) -> Option<(CleanSpace, f64)> {
        let suspension = self.suspension.as_ref()?;
        if !suspension.writes_suspend_erases {
            return None;
        }
        let planes = self.flash.geometry.planes_per_die * self.flash.dies_per_unit;
        let plane = PlaneId(unit as u32 * planes);
        let space = ftl.collected_space()?.clean_space(plane);
        let watermark = suspension
            .clean_watermark
            .map_or(f64::from(space.trigger) / 2.0, |share| {
                share * f64::from(space.blocks)
            });
        Some((space, watermark))
    }

    /// Says so where writes can never suspend an erase: collection starts below the watermark.
    pub(crate) fn watermark_note(&self, ftl: &dyn Mapping) -> Option<Note> {
        let (space, watermark) = self.clean_space(0, ftl)?;
        (watermark >= f64::from(space.trigger)).then(|| {
            let text = format!(
                "No write will suspend an erase: that takes more than {watermark} free blocks of a pool \
                 (scheduler.suspension.clean_watermark), and collection starts below {}.",
                space.trigger
            );
            Note::remark("scheduler", text)
        })
    }

    fn suspend(&mut self, unit: usize, for_read: bool, clock: &mut Clock) {
        let now = clock.now();
        let Some(suspension) = self.suspension.as_mut() else {
            return;
        };
        let entry = &mut suspension.units[unit];
        let Some(frame) = &mut entry.running else { return };
        let mut last = now;
        for part in &mut frame.parts {
            let end = part.progress.end();
            // the draw belongs to the operation and the suspension
            let sequence = self.ops[part.first].sequence;
            let index = (sequence << 16) ^ u64::from(part.progress.suspensions());
            let chance = suspension.seed.draw("scheduler.suspension", index);
            match part.progress.suspend(&suspension.rules, now, chance) {
                Some(at) => {
                    (entry.asked, entry.asked_by_read) = (true, for_read);
                    part.leaves = at;
                    part.would_end = end;
                    suspension.cancelled[part.die.index()].push(end);
                    last = last.max(at);
                }
                // the others wait for it outside the array
                None => last = last.max(end),
            }
        }
        if entry.asked {
            clock.schedule(last, Event::Suspended(unit as u32));
        }
    }

    /// What ran in a unit has left the arrays. Tells whether the unit has come free by that.
    ///
    /// # Errors
    /// As many operations are suspended in the unit as can be.
    pub(crate) fn suspended(
        &mut self,
        unit: usize,
        clock: &Clock,
        observe: &mut Observer<F>,
    ) -> Result<bool, String> {
        let now = clock.now();
        let mut is_freed = false;
        let Some(suspension) = self.suspension.as_mut() else {
            return Ok(false);
        };
        let entry = &mut suspension.units[unit];
        entry.asked = false;
        if entry.asked_by_read
            && let Some(ledger) = observe.suspensions()
        {
            ledger.read_suspended();
        }
        let Some(mut frame) = entry.running.take() else {
            return Ok(false);
        };
        let kind = frame.flash_kind();
        let leaving = frame.parts.clone();
        for part in &mut frame.parts {
            part.since = now;
        }
        if entry.stack.push(frame.kind, frame).is_err() {
            return Err(format!(
                "unit {unit} has no place for another suspended operation"
            ));
        }
        for part in leaving {
            let leaving = Leaving {
                first: part.first,
                since: part.since,
                worked: part.progress.worked(now) - part.worked,
            };
            let op = &self.ops[part.first];
            let array = SuspendedArray {
                kind: op.kind().unwrap_or(kind).into(),
                die: part.die,
                page: op.page,
                at: now,
                left: part.leaves,
                would_end: part.would_end,
            };
            observe.array_left(&array, &leaving, &self.ops);
            self.flash.dies[part.die.index()].array_end = now;
            self.flash.units[unit].arrays_left -= 1;
            is_freed |= self.free_die(part.die, clock, observe).is_some();
        }
        Ok(is_freed)
    }
}
