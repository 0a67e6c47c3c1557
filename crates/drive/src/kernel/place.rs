//! The way of a program to its page: the array says where programs may go, the FTL binds them to pages.

use wordline_ftl::{Bind, Bound, Outcome, Target, Work};
use wordline_nand::{Operation, PlaneId};

use super::Drive;
use crate::array::classes::{CLASSES, LOOK_AHEAD, wrap};
use crate::features::Features;
use crate::operation::{Kind, NONE, OpId};

/// What came of trying to start an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    Started,
    /// It cannot start now.
    Waits,
    /// It was declined; the queues have changed.
    Declined,
}

impl<F: Features> Drive<F> {
    /// Starts the first program or copy-back of a unit's queue that finds a page.
    #[inline(never)]
    pub(super) fn start_programs(&mut self, queue: usize) -> bool {
        let mut op = self.array.flash().queues[queue].head;
        for _ in 0..LOOK_AHEAD {
            if op == NONE {
                break;
            }
            let next = self.array.next_of(op);
            op = match self.start_program(queue, op) {
                Attempt::Started => return true,
                Attempt::Waits => next,
                Attempt::Declined => self.array.flash().queues[queue].head,
            };
        }
        self.array.starve(queue / CLASSES);
        false
    }

    fn start_program(&mut self, queue: usize, id: OpId) -> Attempt {
        let op = &self.array.ops()[id];
        if self.array.needs_busy_channel(id, self.clock.now()) {
            return Attempt::Waits;
        }
        match (op.step.work, op.target()) {
            (_, Some(Target::Page(page))) => {
                let is_copy = op.kind() == Some(Kind::CopyBack);
                if is_copy && self.array.flash().is_idle(queue / CLASSES) {
                    self.array.begin_command();
                    self.array
                        .take_page(id, Bound { page, skipped: 0 }, self.clock.now());
                    return self.launch_copy_back();
                }
                if is_copy || !self.array.is_next_in_block(id) {
                    return Attempt::Waits;
                }
                if self.control.joins_placed_programs() {
                    self.array.gather_placed(id);
                } else {
                    self.array.make_command_of(id);
                }
            }
            (_, Some(Target::Stripe { .. })) => {
                if !self.array.is_next_in_block(id) {
                    return Attempt::Waits;
                }
                self.array.gather_placed(id);
            }
            (Work::CopyBack { source, .. }, _) => {
                if !self.array.flash().is_idle(queue / CLASSES) {
                    return Attempt::Waits;
                }
                let geometry = self.array.geometry();
                let plane = geometry.plane_of(geometry.block_of(source));
                self.array.begin_command();
                return match self.bind_one(id, plane) {
                    Attempt::Started => self.launch_copy_back(),
                    other => other,
                };
            }
            _ => match self.gather_programs(queue, id) {
                Attempt::Started => {}
                other => return other,
            },
        }
        self.launch(Operation::Program, Kind::Program);
        Attempt::Started
    }

    fn launch_copy_back(&mut self) -> Attempt {
        self.launch(Operation::CopyBackRead, Kind::CopyBack);
        Attempt::Started
    }

    /// Starts the oldest programs of a queue that is not bound to one unit, on the slots that the
    /// allocation order offers in this channel (algorithm DA, array specification, section 7.1).
    #[inline(never)]
    pub(super) fn start_wide(&mut self, channel: usize, queue: usize) -> bool {
        let wanted = self.array.programs_wanted(queue);
        self.array.list_slots(channel, queue, wanted);
        if !self.array.slots().is_empty() && self.gather_wide(queue) {
            self.launch(Operation::Program, Kind::Program);
            return true;
        }
        if self.array.flash().queues[queue].is_empty() {
            return false; // its last program was declined
        }
        // the first slots had no page to give: any other plane will do for the oldest program
        self.array.list_slots(channel, queue, usize::MAX);
        for slot in 0..self.array.slots().len() {
            match self.try_unit(queue, self.array.slots()[slot]) {
                Attempt::Started => {
                    self.launch(Operation::Program, Kind::Program);
                    return true;
                }
                Attempt::Waits => {}
                Attempt::Declined => return false,
            }
        }
        false
    }

    /// Tries every plane of the unit of `listed`, from there on, for the oldest program of a wide
    /// queue.
    fn try_unit(&mut self, queue: usize, listed: PlaneId) -> Attempt {
        let (PlaneId(first), planes) = self.array.planes_of_unit(listed);
        for step in 0..planes {
            match self.gather_one(queue, PlaneId(first + wrap(listed.0 - first + step, planes))) {
                Attempt::Waits => {}
                other => return other,
            }
        }
        self.array.mark_no_space(listed, queue);
        Attempt::Waits
    }

    /// Binds an operation to a page of `plane` and makes it a member of the command.
    // once: see "Busy code is compiled once" in crates/drive/DESIGN.md
    #[inline(never)]
    fn bind_one(&mut self, id: OpId, plane: PlaneId) -> Attempt {
        if self.has_modes() {
            self.tell_load(plane);
        }
        match self
            .control
            .bind(self.clock.now(), &self.array.ops()[id].step, plane)
        {
            Bind::Page(bound) => {
                self.array.take_page(id, bound, self.clock.now());
                if self.has_modes() {
                    self.record_expected_idle();
                }
                Attempt::Started
            }
            Bind::NoSpace => Attempt::Waits,
            Bind::Declined => {
                self.dequeue(id);
                self.op_done(id, Outcome::Declined);
                // the queues have changed: the channel deserves another look
                let geometry = self.array.geometry();
                let channel = geometry.channel_of(geometry.die_of(plane)).index();
                self.array.mark(channel);
                Attempt::Declined
            }
        }
    }

    /// Binds the program `id` of a unit's queue, and those behind it that can join, to pages.
    fn gather_programs(&mut self, queue: usize, id: OpId) -> Attempt {
        self.array.begin_command();
        let Some(span) = self.array.ops()[id]
            .target()
            .and_then(|target| self.array.span(target))
        else {
            return Attempt::Waits;
        };
        if !self.array.joins_programs() {
            return self.bind_rotating(id, span, self.array.turn(span));
        }
        self.array.list_candidates(queue, id);
        self.bind_candidates()
    }

    /// Binds a program to a page of `plane`, or of the other planes of its span: the first of these, and how many.
    fn bind_rotating(&mut self, id: OpId, (first, count): (PlaneId, u32), plane: PlaneId) -> Attempt {
        for step in 0..count {
            let index = wrap(plane.0 - first.0 + step, count);
            match self.bind_one(id, PlaneId(first.0 + index)) {
                Attempt::Waits => {}
                other => {
                    self.array.set_turn(first, index + 1);
                    return other;
                }
            }
        }
        Attempt::Waits
    }

    /// Binds the candidates die by die: aligned where the FTL can align two or more, else the
    /// first alone. The first die must find a page, or the command does not start.
    fn bind_candidates(&mut self) -> Attempt {
        let geometry = *self.array.geometry();
        let candidates = self.array.take_candidates();
        let mut result = Attempt::Waits;
        for group in candidates.chunk_by(|a, b| geometry.die_of(a.1) == geometry.die_of(b.1)) {
            let attempt = if group.len() > 1 && self.bind_group(group) {
                Attempt::Started
            } else {
                let (id, plane) = group[0];
                let span = self.array.ops()[id]
                    .target()
                    .and_then(|target| self.array.span(target));
                self.bind_rotating(id, span.unwrap_or((plane, 1)), plane)
            };
            if attempt == Attempt::Started {
                result = Attempt::Started;
            } else {
                if result == Attempt::Waits {
                    result = attempt;
                }
                // a declined program has changed the queues: what is bound so far starts
                break;
            }
        }
        self.array.give_back_candidates(candidates);
        result
    }

    /// Tells the FTL of the times without work of the host that have ended.
    #[inline(never)]
    pub(super) fn tell_idle_intervals(&mut self) {
        while let Some(interval) = self.array.take_idle_interval() {
            self.control.observe_idle(&interval);
            self.observe.idle_ended(&interval);
        }
    }

    /// Has the idle time recorded that was expected when modes were decided on.
    #[inline(never)]
    fn record_expected_idle(&mut self) {
        if let Some(idle) = self.control.take_expected_idle() {
            self.observe.idle_expected(self.clock.now(), idle);
        }
    }

    /// Tells the FTL what the host wants of the drive, before a program is bound to a page of a plane.
    #[inline(never)]
    fn tell_load(&mut self, plane: PlaneId) {
        self.tell_idle_intervals();
        if let Some(load) = self.array.load_of(plane) {
            self.control.observe_load(&load);
        }
    }

    /// Asks the FTL for aligned pages in several planes of a die.
    fn bind_group(&mut self, group: &[(OpId, PlaneId)]) -> bool {
        if self.has_modes()
            && let [(_, plane), ..] = *group
        {
            self.tell_load(plane);
        }
        let ops = self.array.ops();
        let steps = group.iter().map(|(op, plane)| (ops[*op].step, *plane));
        let Some(bound) = self.control.bind_aligned(self.clock.now(), steps) else {
            return false;
        };
        for ((op, _), bound) in group.iter().zip(bound) {
            if let Some(bound) = *bound {
                self.array.take_page(*op, bound, self.clock.now());
            }
        }
        if self.has_modes() {
            self.record_expected_idle();
        }
        true
    }

    /// Binds the oldest programs of a wide queue to the slots listed, as far as these belong to the
    /// unit of the first.
    fn gather_wide(&mut self, queue: usize) -> bool {
        if let [plane] = *self.array.slots() {
            return self.gather_one(queue, plane) == Attempt::Started;
        }
        self.array.begin_command();
        self.array.list_wide_candidates(queue);
        self.bind_wide_candidates();
        self.array.advance_tokens()
    }

    /// Binds the oldest program of a wide queue to a page of `plane`.
    fn gather_one(&mut self, queue: usize, plane: PlaneId) -> Attempt {
        self.array.begin_command();
        let attempt = self.bind_one(self.array.flash().queues[queue].head, plane);
        if attempt == Attempt::Started {
            self.array.advance_tokens();
        }
        attempt
    }

    /// As `bind_candidates`, but every program keeps to the slot that it was given.
    fn bind_wide_candidates(&mut self) {
        let geometry = *self.array.geometry();
        let candidates = self.array.take_candidates();
        for group in candidates.chunk_by(|a, b| geometry.die_of(a.1) == geometry.die_of(b.1)) {
            if group.len() > 1 && self.bind_group(group) {
                continue;
            }
            if self.bind_one(group[0].0, group[0].1) != Attempt::Started {
                break;
            }
        }
        self.array.give_back_candidates(candidates);
    }
}
