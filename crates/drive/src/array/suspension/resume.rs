//! Suspended operations go on.

use wordline_metrics::ResumedArray;
use wordline_nand::{ArrayStep, Part as CommandPart, Suspendable};
use wordline_units::{Duration, SimTime};

use super::leave::is_host_read;
use super::state::Frame;
use super::{HOST_PROGRAMS, HOST_READS, Precedence};
use crate::array::Choice;
use crate::array::FlashArray;
use crate::array::classes::{CLASSES, class};
use crate::clock::{Clock, Event};
use crate::features::Features;
use crate::observe::Observer;
use crate::observe::attribution::Returning;
use crate::operation::{Kind, Level, NONE, OpId};

impl<F: Features> FlashArray<F> {
    /// Looks after the units of a channel in which something is suspended: each waits for what goes
    /// before, or goes on. `tried` are the choices that turned out not to be startable, all others being started.
    #[inline(never)]
    pub(crate) fn tend_suspended(
        &mut self,
        channel: usize,
        tried: &[Choice],
        precedence: &Precedence<'_>,
        clock: &mut Clock,
        observe: &mut Observer<F>,
    ) {
        let mut index = 0;
        while let Some(suspension) = self.suspension.as_ref()
            && let Some(&unit) = suspension.held.get(index)
        {
            let unit = unit as usize;
            let is_here = self.flash.channel_of_unit(unit) == channel;
            if is_here && self.goes_on(unit, tried, precedence) {
                self.resume(unit, &[], clock, observe);
            } else {
                index += 1;
            }
        }
    }

    /// Whether what was suspended last in a unit goes on now; else the unit is kept for what goes before.
    fn goes_on(&mut self, unit: usize, tried: &[Choice], precedence: &Precedence<'_>) -> bool {
        let Some(suspension) = self.suspension.as_ref() else {
            return false;
        };
        let Some((kind, _)) = suspension.units[unit].stack.top() else {
            return false;
        };
        let keeps_data = suspension.keeps_data;
        if self.waiting_host_read(unit).is_some() {
            self.hold_for(unit, Kind::Read, HOST_READS, false);
            return false;
        }
        let may_write = kind == Suspendable::Erase
            && self.writes_suspend_erases(unit, precedence)
            && self.host_write_waits(unit, tried);
        if may_write {
            self.hold_for(unit, Kind::Program, HOST_PROGRAMS, false);
            return false;
        }
        if kind == Suspendable::Program && !keeps_data {
            // the dispatcher gives it the bus
            self.hold_for(unit, Kind::Read, 0, true);
            return false;
        }
        true
    }

    fn hold_for(&mut self, unit: usize, kind: Kind, classes: u16, reload: bool) {
        self.flash.hold(unit, kind, classes);
        if let Some(suspension) = self.suspension.as_mut() {
            suspension.units[unit].reload = reload;
        }
    }

    /// The oldest read that goes before what is suspended and waits for a unit.
    pub(super) fn waiting_host_read(&self, unit: usize) -> Option<OpId> {
        let mut id = self.flash.queues[unit * CLASSES + class(Kind::Read, Level::Host)].head;
        while id != NONE {
            let op = &self.ops[id];
            if is_host_read(op) {
                return Some(id);
            }
            id = op.next;
        }
        None
    }

    /// Whether a host write waits that a unit could take: one of its own, or one that may go elsewhere
    /// too, unless it was `tried` and found no page.
    fn host_write_waits(&self, unit: usize, tried: &[Choice]) -> bool {
        let untried = |choice| !tried.contains(&choice);
        let work = self.flash.units[unit].work;
        let class = class(Kind::Program, Level::Host);
        if work != 0 {
            return work & HOST_PROGRAMS != 0 && untried(Choice::unit(unit, class));
        }
        let waits = |first: usize| {
            let queue = first + Level::Host as usize;
            !self.flash.queues[queue].is_empty() && untried(Choice::wide(queue))
        };
        self.flash.is_roomy(unit) && self.flash.wide_queues(unit).into_iter().any(waits)
    }

    /// Puts what was suspended last in a unit back into the arrays; `loads` says, where its data come
    /// over the bus, when they are in.
    pub(in crate::array) fn resume(
        &mut self,
        unit: usize,
        loads: &[ArrayStep],
        clock: &mut Clock,
        observe: &mut Observer<F>,
    ) {
        let now = clock.now();
        let Some(suspension) = self.suspension.as_mut() else {
            return;
        };
        let entry = &mut suspension.units[unit];
        let Some((_, mut frame)) = entry.stack.pop() else {
            return;
        };
        entry.reload = false;
        suspension.held.retain(|held| *held as usize != unit);
        self.flash.units[unit].barred = 0;
        let kind = frame.flash_kind();
        let reload = match loads {
            [] => suspension.rules.shadow,
            _ => Duration::ZERO,
        };
        let rules = suspension.rules;
        for (index, part) in frame.parts.iter_mut().enumerate() {
            let starts = now + loads.get(index).map_or(Duration::ZERO, |load| load.from);
            part.away += now.since(part.since);
            part.worked = part.progress.worked(now);
            part.since = now;
            part.would_end = SimTime::NEVER;
            part.progress.resume(&rules, starts, reload);
        }
        let parts = frame.parts.clone();
        entry.running = Some(frame);
        for part in parts {
            let end = part.progress.end();
            self.flash.occupy(part.die, kind, part.first, end);
            clock.schedule(end, Event::ArrayDone(part.die.0));
            let returning = Returning {
                first: part.first,
                kind,
                end,
                left: part.progress.left(now),
            };
            let op = &self.ops[part.first];
            let array = ResumedArray {
                kind: op.kind().unwrap_or(kind).into(),
                die: part.die,
                page: op.page,
                at: now,
                to: end,
            };
            observe.array_resumed(&array, &returning, &self.ops);
        }
    }

    /// The oldest program of a channel that waits for its data to be sent again: its unit, and the
    /// sequence number that it has among the operations.
    #[inline(never)]
    pub(in crate::array) fn best_reload(&self, channel: usize) -> Option<(u64, usize)> {
        let suspension = self.suspension.as_ref()?;
        let waiting =
            suspension.held.iter().map(|unit| *unit as usize).filter(|unit| {
                suspension.units[*unit].reload && self.flash.channel_of_unit(*unit) == channel
            });
        waiting
            .filter_map(|unit| {
                let (_, frame) = suspension.units[unit].stack.top()?;
                let first = frame.parts.first()?.first;
                Some((self.ops[first].sequence, unit))
            })
            .min()
    }

    /// The program that is suspended in a unit, to be sent again: its first operation, and the parts of the command.
    pub(in crate::array) fn parts_to_reload(&self, unit: usize) -> Option<(OpId, Vec<CommandPart>)> {
        let (_, frame) = self.suspension.as_ref()?.units[unit].stack.top()?;
        let first = frame.parts.first()?.first;
        Some((first, self.command_parts(frame)))
    }

    /// The parts of the command that would load a suspended program.
    fn command_parts(&self, frame: &Frame) -> Vec<CommandPart> {
        let mut parts = Vec::new();
        for part in &frame.parts {
            let mut id: OpId = part.first;
            while id != NONE {
                let op = &self.ops[id];
                parts.push(self.chips.part(&self.flash.geometry, op, op.mode, true));
                id = op.next;
            }
        }
        parts
    }
}
