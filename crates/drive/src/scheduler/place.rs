//! Where waiting programs go: which of them finds a page now, in which plane, bound by the FTL.

use wordline_ftl::{Bind, Bound, Outcome, Scope, Target, Work};
use wordline_nand::{ChannelId, DieId, Operation, PlaneId, Use};

use super::{LOOK_AHEAD, wrap};
use crate::drive::Drive;
use crate::operation::{Kind, Level, NONE, OpId};

/// What came of trying to start an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    Started,
    /// It cannot start now.
    Waits,
    /// It was declined; the queues have changed.
    Declined,
}

impl Drive {
    /// Starts the first program or copy-back of a unit's queue that finds a page.
    #[inline(never)]
    pub(super) fn start_programs(&mut self, queue: usize) -> bool {
        let mut op = self.flash.queues[queue].head;
        for _ in 0..LOOK_AHEAD {
            if op == NONE {
                break;
            }
            let next = self.ops[op].next;
            op = match self.start_program(queue, op) {
                Attempt::Started => return true,
                Attempt::Waits => next,
                Attempt::Declined => self.flash.queues[queue].head,
            };
        }
        self.flash.starve(queue / super::CLASSES, false);
        false
    }

    fn start_program(&mut self, queue: usize, id: OpId) -> Attempt {
        let op = &self.ops[id];
        match (op.step.work, op.target()) {
            (_, Some(Target::Page(page))) => {
                let block = self.flash.geometry.block_of(page);
                let busy = op.kind() == Some(Kind::CopyBack) && !self.flash.is_idle(queue / super::CLASSES);
                if busy || (op.kind() == Some(Kind::Program) && self.fixed.next(block) != Some(id)) {
                    return Attempt::Waits;
                }
                self.command.members.clear();
                if op.kind() == Some(Kind::CopyBack) {
                    self.take_page(id, Bound { page, skipped: 0 });
                    return self.launch_copy_back();
                }
                self.command.members.push(id);
            }
            (Work::CopyBack { source, .. }, _) => {
                if !self.flash.is_idle(queue / super::CLASSES) {
                    return Attempt::Waits;
                }
                let geometry = &self.flash.geometry;
                let plane = geometry.plane_of(geometry.block_of(source));
                self.command.members.clear();
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
        let waiting = self.flash.queues[queue].len as usize;
        let joins = self.commands.multi_plane_write != Use::Off || self.interleaves();
        let wanted = match (joins, queue < self.flash.drive_queue() + super::LEVELS) {
            (false, _) => 1,
            (true, true) => self.order.share(waiting).min(waiting),
            (true, false) => waiting,
        };
        self.list_slots(channel, queue, wanted);
        if !self.command.slots.is_empty() && self.gather_wide(queue) {
            self.launch(Operation::Program, Kind::Program);
            return true;
        }
        if self.flash.queues[queue].is_empty() {
            return false; // its last program was declined
        }
        // the first slots had no page to give: any other plane will do for the oldest program
        self.list_slots(channel, queue, usize::MAX);
        for slot in 0..self.command.slots.len() {
            match self.try_unit(queue, self.command.slots[slot]) {
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
        let planes = self.flash.geometry.planes_per_die * self.flash.dies_per_unit;
        let first = self.flash.unit_of_plane(listed) as u32 * planes;
        for step in 0..planes {
            match self.gather_one(queue, PlaneId(first + wrap(listed.0 - first + step, planes))) {
                Attempt::Waits => {}
                other => return other,
            }
        }
        self.flash.starve(
            self.flash.unit_of_plane(listed),
            is_host(queue - self.flash.drive_queue()),
        );
        Attempt::Waits
    }

    /// Lists the planes that a queue's programs may go to now, best first.
    // once: see "Busy code is compiled once" in docs/architecture.md
    #[inline(never)]
    fn list_slots(&mut self, channel: usize, queue: usize, most: usize) {
        let mut slots = std::mem::take(&mut self.command.slots);
        slots.clear();
        let flash = &self.flash;
        if queue < flash.chip_queue(0) {
            let host = is_host(queue - flash.drive_queue());
            let idle = |die: DieId| {
                let unit = flash.unit_of(die);
                flash.accepts_wide(unit) && (!host || flash.is_roomy(unit))
            };
            let most = most.min(flash.geometry.planes() as usize);
            self.order
                .slots(ChannelId(channel as u32), idle, most, &mut slots);
        } else {
            let chip = ((queue - flash.chip_queue(0)) / super::LEVELS) as u32;
            let dies = flash.geometry.dies_per_chip;
            let planes = flash.geometry.planes_per_die;
            for die in (chip * dies..(chip + 1) * dies).map(DieId) {
                if flash.accepts_wide(flash.unit_of(die)) && slots.len() < most {
                    let token = wrap(flash.dies[die.index()].plane_token, planes);
                    slots.push(PlaneId(die.0 * planes + token));
                }
            }
        }
        self.command.slots = slots;
    }

    /// Binds an operation to a page of `plane` and makes it a member of the command.
    // once: see "Busy code is compiled once" in docs/architecture.md
    #[inline(never)]
    pub(super) fn bind_one(&mut self, id: OpId, plane: PlaneId) -> Attempt {
        let now = self.ftl_now();
        self.ftl_called = true;
        match self.ftl.bind(now, &self.ops[id].step, plane) {
            Bind::Page(bound) => {
                self.take_page(id, bound);
                Attempt::Started
            }
            Bind::NoSpace => Attempt::Waits,
            Bind::Declined => {
                self.dequeue(id);
                self.op_done(id, Outcome::Declined);
                // the queues have changed: the channel deserves another look
                let channel = self.flash.geometry.channel_of(self.flash.geometry.die_of(plane));
                self.flash.mark(channel.index());
                Attempt::Declined
            }
        }
    }

    pub(super) fn take_page(&mut self, id: OpId, bound: Bound) {
        let (block, die) = self.place_of(bound.page);
        let op = &mut self.ops[id];
        op.page = bound.page;
        op.block = block;
        op.die = die;
        op.skipped = bound.skipped;
        self.flash.erase_gate.add(block);
        self.command.members.push(id);
    }

    /// The planes that a target allows on its unit: the first, and how many.
    pub(super) fn span(&self, target: Target) -> Option<(PlaneId, u32)> {
        let Target::Frontier { scope, .. } = target else {
            return None;
        };
        let geometry = &self.flash.geometry;
        let planes = geometry.planes_per_die;
        match scope {
            Scope::Plane(plane) => Some((plane, 1)),
            Scope::Die(die) => Some((PlaneId(die.0 * planes), planes)),
            Scope::Chip(chip) => {
                let count = geometry.dies_per_chip * planes;
                Some((PlaneId(chip.0 * count), count))
            }
            Scope::Channel(_) | Scope::Drive => None,
        }
    }

    /// The plane of a span whose turn it is.
    pub(super) fn turn(&self, (first, count): (PlaneId, u32)) -> PlaneId {
        let die = self.flash.geometry.die_of(first);
        PlaneId(first.0 + wrap(self.flash.dies[die.index()].plane_token, count))
    }
}

/// Whether a wide queue, counted from the first, holds steps of host commands.
fn is_host(wide: usize) -> bool {
    wide % super::LEVELS == Level::Host as usize
}
