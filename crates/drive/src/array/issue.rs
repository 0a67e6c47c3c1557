//! Issuing flash commands: holding the bus, setting the dies to work, moving data out.

use wordline_metrics::{Array, IssuedCommand, PackageBusUse};
use wordline_nand::{ArrayStep, Mode, Operation, Part};
use wordline_units::{Duration, SimTime};

use super::FlashArray;
use crate::clock::{Clock, Event};
use crate::features::{Features, Presence};
use crate::observe::Observer;
use crate::observe::attribution::Issue;
use crate::operation::{Kind, Level, Op, OpId, transferred_at};

impl<F: Features> FlashArray<F> {
    /// Members of the command in the making.
    #[inline]
    pub(crate) fn members(&self) -> &[OpId] {
        &self.command.members
    }

    /// A member of the command in the making is to leave its queue: notes which kind of queue that is, for the accounts of response
    /// times.
    pub(crate) fn note_queue(&mut self, id: OpId) {
        let waited_in_unit = self.unit_waited_for(id).is_some();
        self.command.waited_in_unit.push(waited_in_unit);
    }

    /// Issues the command in the making, whose members have left their queues: holds the bus, starts the arrays. `lifetime` is the
    /// time that the drive has lived.
    ///
    /// # Errors
    /// The rule that the command breaks.
    // once: see "Busy code is compiled once" in crates/drive/DESIGN.md
    #[inline(never)]
    pub(crate) fn issue(
        &mut self,
        operation: Operation,
        kind: Kind,
        lifetime: SimTime,
        clock: &mut Clock,
        observe: &mut Observer<F>,
    ) -> Result<(), String> {
        let [id] = self.command.members[..] else {
            return self.issue_joined(operation, kind, lifetime, clock, observe);
        };
        // the commonest command by far
        let cached = self.caches(kind);
        let part = self.take_up(id, kind, clock.now(), observe);
        let op = &self.ops[id];
        let checked = self.chips.play(operation, 1, |_| op);
        let die = op.die;
        let constituent = observe.looks_at_constituents().then(|| op.constituent());
        let in_package = self.is_in_package(id);
        let (bus, mut step, used) = if in_package {
            self.times_in_package(operation, part, clock.now())
        } else {
            let (bus, step) = self.chips.timing.issue_one(operation, &part);
            (bus, step, None)
        };
        if self.reliability.is_some() {
            self.play_on_cells(kind, &[id], std::slice::from_mut(&mut step), lifetime, observe);
        }
        let array = if kind == Kind::Read && self.reads_by_plane() {
            self.start_plane_read(id, step, clock, observe)
        } else {
            self.start_array((kind, cached), &[id], step, clock, observe)
        };
        let issued = IssuedCommand {
            kind: kind.into(),
            channel: self.flash.geometry.channel_of(die),
            constituents: constituent.as_slice(),
            bus_from: clock.now(),
            bus_to: clock.now() + bus,
            arrays: &[array],
            cached,
            in_package,
        };
        self.issued(kind, &[id], &issued, clock, observe);
        if self.reads_by_plane() {
            self.note_beside(kind, die, observe);
        }
        if let Some(used) = used {
            observe.package_bus_used(clock.now(), &used);
        }
        checked
    }

    /// [`Self::issue`] of a command of several operations.
    #[inline(never)]
    fn issue_joined(
        &mut self,
        operation: Operation,
        kind: Kind,
        lifetime: SimTime,
        clock: &mut Clock,
        observe: &mut Observer<F>,
    ) -> Result<(), String> {
        let cached = self.caches(kind);
        let members = std::mem::take(&mut self.command.members);
        let mut parts = std::mem::take(&mut self.command.parts);
        let mut constituents = std::mem::take(&mut self.command.constituents);
        for id in &members {
            parts.push(self.take_up(*id, kind, clock.now(), observe));
            constituents.push(self.ops[*id].constituent());
        }
        let ops = &self.ops;
        let checked = self
            .chips
            .play(operation, members.len(), |index| &ops[members[index]]);
        let mut steps = std::mem::take(&mut self.command.steps);
        let in_package = self.is_in_package(members[0]);
        let mut used = None;
        let bus = match self.packages.as_mut() {
            Some(packages) if in_package => {
                used =
                    Some(packages.command(&self.flash.geometry, clock.now(), operation, &parts, &mut steps));
                Duration::ZERO
            }
            _ => self.chips.timing.issue(operation, &parts, &mut steps),
        };
        if self.reliability.is_some() {
            self.play_on_cells(kind, &members, &mut steps, lifetime, observe);
        }
        let mut arrays = std::mem::take(&mut self.command.arrays);
        let mut rest = &members[..];
        for step in &steps {
            let of_die = parts[members.len() - rest.len()..]
                .iter()
                .take_while(|part| part.die == step.die);
            let (planes, others) = rest.split_at(of_die.count());
            rest = others;
            arrays.push(self.start_array((kind, cached), planes, *step, clock, observe));
        }
        let issued = IssuedCommand {
            kind: kind.into(),
            channel: self.flash.geometry.channel_of(constituents[0].die),
            constituents: &constituents,
            bus_from: clock.now(),
            bus_to: clock.now() + bus,
            arrays: &arrays,
            cached,
            in_package,
        };
        self.issued(kind, &members, &issued, clock, observe);
        if let Some(used) = used {
            observe.package_bus_used(clock.now(), &used);
        }
        parts.clear();
        constituents.clear();
        arrays.clear();
        let command = &mut self.command;
        command.members = members;
        command.parts = parts;
        command.constituents = constituents;
        command.steps = steps;
        command.arrays = arrays;
        checked
    }

    /// Whether an operation's command and data stay in its package.
    #[inline(always)]
    pub(crate) fn is_in_package(&self, id: OpId) -> bool {
        self.packages.is_some() && self.ops[id].in_package
    }

    /// The times of a command of one operation inside its package: none on the channel.
    #[inline(never)]
    fn times_in_package(
        &mut self,
        operation: Operation,
        part: Part,
        now: SimTime,
    ) -> (Duration, ArrayStep, Option<PackageBusUse>) {
        let (bus, step) = self.chips.timing.issue_one(operation, &part);
        let Some(packages) = self.packages.as_mut() else {
            return (bus, step, None);
        };
        let mut steps = Vec::new();
        let used = packages.command(&self.flash.geometry, now, operation, &[part], &mut steps);
        (Duration::ZERO, steps.pop().unwrap_or(step), Some(used))
    }

    /// What an operation is in the command that it is issued with.
    #[inline(always)]
    fn take_up(&self, id: OpId, kind: Kind, now: SimTime, observe: &mut Observer<F>) -> Part {
        let op = &self.ops[id];
        observe.waited(kind, op.level, now.since(op.ready));
        let mode = if observe.has_modes() {
            op.mode
        } else {
            Mode::NORMAL
        };
        if kind == Kind::CopyBack && observe.has_modes() {
            return self.part_of_copy(op);
        }
        self.chips
            .part(&self.flash.geometry, op, mode, kind == Kind::Program)
    }

    /// The first half of a copy-back, in the mode of its source.
    #[inline(never)]
    fn part_of_copy(&self, op: &Op) -> Part {
        self.chips.part(&self.flash.geometry, op, op.read_mode, false)
    }

    /// Sets a die to work on its part of a command.
    #[inline(always)]
    fn start_array(
        &mut self,
        (kind, cached): (Kind, bool),
        planes: &[OpId],
        step: ArrayStep,
        clock: &mut Clock,
        observe: &mut Observer<F>,
    ) -> Array {
        let ArrayStep {
            die,
            from,
            mut length,
        } = step;
        let register_move = match kind {
            Kind::Read if cached => self.chips.timing.cache_read_busy(),
            Kind::Program if cached => self.chips.timing.cache_program_busy(),
            _ => Duration::ZERO,
        };
        for pair in planes.windows(2) {
            self.ops[pair[0]].next = pair[1];
        }
        // behind a cached program the array starts when that one ends
        let from = (clock.now() + from).max(self.flash.dies[die.index()].array_end);
        if self.suspension.is_some() {
            length = self.array_with_suspension((kind, die, planes), from, length, clock.now(), observe);
        }
        let to = from + register_move + length;
        self.flash.occupy(die, kind, planes[0], to);
        clock.schedule(to, Event::ArrayDone(die.0));
        if cached && kind == Kind::Program {
            clock.schedule(from + register_move, Event::RegisterFree(die.0));
        }
        Array { die, from, to }
    }

    /// Until when a command keeps its channel, where moves of collection do so until their array step has ended.
    #[inline(never)]
    fn held_until(&self, kind: Kind, members: &[OpId], issued: &IssuedCommand<'_>) -> SimTime {
        let moves = |id: &OpId| matches!(self.ops[*id].level, Level::Urgent | Level::Normal);
        if kind == Kind::Erase || !members.iter().any(moves) {
            return issued.bus_to;
        }
        let ends = issued.arrays.iter().map(|array| array.to);
        ends.fold(issued.bus_to, SimTime::max)
    }

    /// A command holds the bus from now on, and whoever observes hears of it.
    #[inline(always)]
    fn issued(
        &mut self,
        kind: Kind,
        members: &[OpId],
        issued: &IssuedCommand<'_>,
        clock: &mut Clock,
        observe: &mut Observer<F>,
    ) {
        let IssuedCommand {
            channel,
            arrays,
            bus_to,
            in_package,
            ..
        } = *issued;
        if !in_package {
            let free_at = if F::Options::IS_POSSIBLE && self.moves_hold_channel {
                self.held_until(kind, members, issued)
            } else {
                bus_to
            };
            self.flash.channels[channel.index()].free_at = free_at;
        }
        if observe.attributes() {
            let issue = Issue {
                kind,
                members,
                waited_in_unit: &self.command.waited_in_unit,
                arrays,
                bus_to,
                in_package,
            };
            observe.account_for(clock.now(), &issue, &self.ops);
            self.command.waited_in_unit.clear();
        }
        if F::Options::IS_POSSIBLE && kind == Kind::Program {
            for &id in members {
                let op = &self.ops[id];
                if op.acknowledges_transfer {
                    let array = arrays.iter().find(|array| array.die == op.die);
                    let at = transferred_at(array, bus_to);
                    clock.schedule(at, Event::Transferred(id));
                }
            }
        }
        observe.command_issued(issued, members, &self.ops);
    }
}
