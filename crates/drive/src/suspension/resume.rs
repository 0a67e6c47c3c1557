//! Suspended operations go on.

use wordline_metrics::{BusUse, ResumedArray};
use wordline_nand::{ArrayStep, ChannelId, Operation, Part as CommandPart, Suspendable};
use wordline_units::{Duration, SimTime};

use super::leave::is_host_read;
use super::{Frame, HOST_PROGRAMS, HOST_READS};
use crate::drive::{Drive, Event};
use crate::operation::{Kind, Level, NONE, OpId};
use crate::scheduler::dispatch::Choice;
use crate::scheduler::{CLASSES, class};

impl Drive {
    /// Looks after the units of a channel in which something is suspended: each waits for what goes
    /// before, or goes on. `tried` says that the dispatcher has started all that it could.
    #[inline(never)]
    pub(crate) fn tend_suspended(&mut self, channel: usize, tried: bool) {
        let mut index = 0;
        while let Some(suspension) = &self.suspension
            && let Some(&unit) = suspension.held.get(index)
        {
            let unit = unit as usize;
            if self.flash.channel_of_unit(unit) != channel || !self.tend_unit(unit, tried) {
                index += 1;
            }
        }
    }

    /// Whether what was suspended last in a unit went on.
    fn tend_unit(&mut self, unit: usize, tried: bool) -> bool {
        let Some(suspension) = &self.suspension else {
            return false;
        };
        let Some((kind, _)) = suspension.units[unit].stack.top() else {
            return false;
        };
        let keeps_data = suspension.keeps_data;
        let by_age = kind == Suspendable::Program && self.writes_are_many();
        if !by_age && self.waiting_host_read(unit).is_some() {
            self.hold_for(unit, Kind::Read, HOST_READS, false);
            return false;
        }
        let may_write = kind == Suspendable::Erase
            && self.writes_suspend_erases(unit)
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
        self.resume(unit, &[]);
        true
    }

    fn hold_for(&mut self, unit: usize, kind: Kind, classes: u16, reload: bool) {
        self.flash.hold(unit, kind, classes);
        if let Some(suspension) = &mut self.suspension {
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
    /// too; `tried` says that those found no page which the dispatcher has tried.
    fn host_write_waits(&self, unit: usize, tried: bool) -> bool {
        let untried = |choice| !(tried && self.tried.contains(&choice));
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
    fn resume(&mut self, unit: usize, loads: &[ArrayStep]) {
        let now = self.now;
        let Some(suspension) = &mut self.suspension else {
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
            self.schedule(end, Event::ArrayDone(part.die.0));
            self.return_account(part.first, kind, end, part.progress.left(now));
            let op = &self.ops[part.first];
            let array = ResumedArray {
                kind: op.kind().unwrap_or(kind).into(),
                die: part.die,
                page: op.page,
                at: now,
                to: end,
            };
            self.recorder.array_resumed(&array);
            for probe in &mut self.probes {
                probe.resumed(&array);
            }
            if let Some(watch) = &mut self.watch {
                watch.array_resumed(&array);
            }
        }
    }

    /// The oldest program of a channel that waits for its data to be sent again: its unit, and the
    /// sequence number that it has among the operations.
    #[inline(never)]
    pub(crate) fn best_reload(&self, channel: usize) -> Option<(u64, usize)> {
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

    /// Sends the data of a suspended program again, and puts it back into the arrays.
    pub(crate) fn start_reload(&mut self, unit: usize) -> bool {
        let Some(suspension) = &self.suspension else {
            return false;
        };
        let Some((_, frame)) = suspension.units[unit].stack.top() else {
            return false;
        };
        let parts = self.command_parts(frame);
        let Some(first) = frame.parts.first().map(|part| part.first) else {
            return false;
        };
        let mut loads = Vec::with_capacity(frame.parts.len());
        let bus = self.timing.issue(Operation::Program, &parts, &mut loads);
        let to = self.now + bus;
        let channel = self.flash.channel_of_unit(unit);
        self.flash.channels[channel].free_at = to;
        self.take_channel(first, Kind::Program, to);
        let op = &self.ops[first];
        let used = BusUse {
            channel: ChannelId(channel as u32),
            die: op.die,
            page: op.page,
            from: self.now,
            to,
            array: None,
        };
        self.recorder.bus_used(&used);
        for probe in &mut self.probes {
            probe.bus(&used);
        }
        self.watch_bus(&used, first);
        self.resume(unit, &loads);
        true
    }

    /// The parts of the command that would load a suspended program.
    fn command_parts(&self, frame: &Frame) -> Vec<CommandPart> {
        let mut parts = Vec::new();
        for part in &frame.parts {
            let mut id: OpId = part.first;
            while id != NONE {
                let op = &self.ops[id];
                parts.push(CommandPart {
                    die: op.die,
                    bytes: self.timing.bytes(op.sectors()),
                    page_type: self
                        .page_types
                        .of(self.flash.geometry.page_of_block(op.page, op.block)),
                });
                id = op.next;
            }
        }
        parts
    }
}
