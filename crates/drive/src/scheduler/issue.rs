//! Starting flash commands: binding pages, holding the bus, setting the dies to work.

use wordline_ftl::{Bind, Bound, Outcome, Scope, Step, Target, Work};
use wordline_metrics::{Array, BusUse, CommandKind, Constituent, IssuedCommand};
use wordline_nand::{
    ArrayStep, BlockId, ChannelId, DieId, Operation, Part, PlaneId, Ppn, Select, Use, Violation,
};
use wordline_units::Duration;

use super::LOOK_AHEAD;
use crate::drive::{Drive, Event};
use crate::error::RunError;
use crate::flash::DieState;
use crate::operation::{Kind, Level, NONE, Op, OpId};

/// A command in the making; its tables are kept so that nothing is allocated per command.
#[derive(Debug, Default)]
pub(crate) struct Command {
    /// Operations, those of one die together.
    pub(crate) members: Vec<OpId>,
    /// Planes of the members.
    pub(crate) planes: Vec<PlaneId>,
    /// Slots that dynamic allocation offers.
    pub(crate) slots: Vec<PlaneId>,
    /// Candidates for one multi-plane program.
    pub(crate) pairs: Vec<(Step, PlaneId)>,
    pub(crate) candidates: Vec<(OpId, PlaneId)>,
    pub(crate) bound: Vec<Option<Bound>>,
    parts: Vec<Part>,
    arrays: Vec<ArrayStep>,
    pages: Vec<Ppn>,
    blocks: Vec<BlockId>,
    moves: Vec<(Ppn, Ppn)>,
    constituents: Vec<Constituent>,
    observed_arrays: Vec<Array>,
}

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
    /// Starts the head of a queue of reads, with what can join it.
    pub(super) fn start_reads(&mut self, queue: usize) -> bool {
        self.gather_reads(queue);
        self.launch(Operation::Read, Kind::Read);
        true
    }

    /// Starts the first erase of a queue whose block nobody uses any more, with what can join it.
    pub(super) fn start_erases(&mut self, queue: usize) -> bool {
        if !self.gather_erases(queue) {
            return false;
        }
        self.launch(Operation::Erase, Kind::Erase);
        true
    }

    /// Starts the first program or copy-back of a unit's queue that finds a page.
    pub(super) fn start_programs(&mut self, queue: usize) -> bool {
        let mut op = self.flash.queues[queue].head;
        for _ in 0..LOOK_AHEAD {
            if op == NONE {
                break;
            }
            let next = self.ops[op as usize].next;
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
        let op = self.ops[id as usize];
        match (op.step.work, op.target()) {
            (_, Some(Target::Page(page))) => {
                let block = self.flash.geometry.block_of(page);
                let busy = op.kind() == Some(Kind::CopyBack) && !self.flash.is_idle(queue / super::CLASSES);
                if busy || (op.kind() == Some(Kind::Program) && !self.fixed.is_next(block, id)) {
                    return Attempt::Waits;
                }
                self.command.members.clear();
                if op.kind() == Some(Kind::CopyBack) {
                    self.flash.plan_on(block);
                    self.ops[id as usize].page = page;
                    self.command.members.push(id);
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
        let first = listed.0 - listed.0 % planes;
        for step in 0..planes {
            match self.gather_one(queue, PlaneId(first + (listed.0 + step) % planes)) {
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
                    let token = flash.dies[die.index()].plane_token % planes;
                    slots.push(PlaneId(die.0 * planes + token));
                }
            }
        }
        self.command.slots = slots;
    }

    /// Binds an operation to a page of `plane` and makes it a member of the command.
    pub(super) fn bind_one(&mut self, id: OpId, plane: PlaneId) -> Attempt {
        let step = self.ops[id as usize].step;
        self.ftl_called = true;
        match self.ftl.bind(self.ftl_now(), &step, plane) {
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
        let op = &mut self.ops[id as usize];
        op.page = bound.page;
        op.block = block;
        op.die = die;
        op.skipped = bound.skipped;
        self.flash.plan_on(block);
        self.command.members.push(id);
    }

    /// Issues the command in the making: takes its operations out of their queues, holds the bus,
    /// starts the arrays. The medium checks that it is legal.
    pub(super) fn launch(&mut self, operation: Operation, kind: Kind) {
        let members = std::mem::take(&mut self.command.members);
        let mut arrays = std::mem::take(&mut self.command.arrays);
        self.command.parts.clear();
        self.command.constituents.clear();
        for &id in &members {
            self.dequeue(id);
            let op = &self.ops[id as usize];
            let page_in_block = self.flash.geometry.page_of_block(op.page, op.block);
            self.command.parts.push(Part {
                die: op.die,
                bytes: if kind == Kind::Program {
                    self.timing.bytes(op.sectors())
                } else {
                    0
                },
                page_type: self.page_types.of(page_in_block),
            });
            self.command.constituents.push(constituent(op));
            let waited = self.now.since(op.ready);
            self.recorder.ledger.waited(kind.into(), waited);
            // background work may wait as long as it likes
            if waited > self.starvation && op.level <= Level::Host {
                self.starved_ops += 1;
            }
        }
        if let Err(violation) = self.check(operation) {
            self.failure = Some(RunError::Medium {
                at: self.now,
                violation: violation.to_string(),
            });
        }
        let bus = self.timing.issue(operation, &self.command.parts, &mut arrays);
        let channel = self.flash.geometry.channel_of(self.command.parts[0].die);
        let cached = self.caches(kind);
        self.start_arrays(kind, cached, &members, &arrays);
        self.flash.channels[channel.index()].free_at = self.now + bus;
        if kind == Kind::Program {
            self.programs_issued += members.len() as u64;
        }
        let issued = IssuedCommand {
            kind: kind.into(),
            channel,
            constituents: &self.command.constituents,
            bus_from: self.now,
            bus_to: self.now + bus,
            arrays: &self.command.observed_arrays,
            cached,
        };
        self.recorder.ledger.command(&issued);
        for probe in &mut self.probes {
            probe.issued(&issued);
        }
        self.command.members = members;
        self.command.arrays = arrays;
    }

    /// Sets the dies of a command to work.
    fn start_arrays(&mut self, kind: Kind, cached: bool, members: &[OpId], arrays: &[ArrayStep]) {
        let register_move = match kind {
            Kind::Read if cached => self.timing.cache_read_busy(),
            Kind::Program if cached => self.timing.cache_program_busy(),
            _ => Duration::ZERO,
        };
        self.command.observed_arrays.clear();
        let mut first = 0;
        for array in arrays {
            let parts = &self.command.parts[first..];
            let count = parts.iter().take_while(|part| part.die == array.die).count();
            let members = &members[first..first + count];
            for pair in members.windows(2) {
                self.ops[pair[0] as usize].next = pair[1];
            }
            // behind a cached program the array starts when that one ends
            let from = (self.now + array.from).max(self.flash.dies[array.die.index()].array_end);
            let to = from + register_move + array.length;
            self.flash.occupy(array.die, kind, members[0], to);
            self.schedule(to, Event::ArrayDone(array.die.0));
            if cached && kind == Kind::Program {
                self.schedule(from + register_move, Event::RegisterFree(array.die.0));
            }
            self.command.observed_arrays.push(Array {
                die: array.die,
                from,
                to,
            });
            first += count;
        }
    }

    /// Asks the medium whether the command is legal, and plays its effect on the pages.
    fn check(&mut self, operation: Operation) -> Result<(), Box<Violation>> {
        let Command {
            constituents,
            pages,
            blocks,
            moves,
            ..
        } = &mut self.command;
        if operation == Operation::Erase {
            blocks.clear();
            blocks.extend(constituents.iter().map(|constituent| constituent.block));
            return self.medium.erase(blocks);
        }
        if operation == Operation::CopyBackRead {
            moves.clear();
            let sources = constituents
                .iter()
                .filter_map(|moved| Some((moved.source?, moved.page)));
            moves.extend(sources);
            return self.medium.copy_back(moves);
        }
        pages.clear();
        pages.extend(constituents.iter().map(|constituent| constituent.page));
        if operation == Operation::Read {
            self.medium.read(pages)
        } else {
            self.medium.program(pages)
        }
    }

    /// Whether the data of a read cross the channel.
    pub(crate) fn moves_data(&self, op: OpId) -> bool {
        matches!(
            self.ops[op as usize].step.work,
            Work::Read { sectors, route: wordline_ftl::Route::Controller, .. } if sectors > 0
        )
    }

    /// Moves the data of the first waiting die: out of a read, or into the second half of a
    /// copy-back.
    pub(super) fn start_out(&mut self, channel: usize) -> bool {
        let Some(id) = self.flash.channels[channel].out.pop_front() else {
            return false;
        };
        let op = self.ops[id as usize];
        let die = op.die;
        let bytes = self.timing.bytes(op.sectors());
        let bus = if op.kind() == Some(Kind::CopyBack) {
            let part = Part {
                die,
                bytes,
                page_type: self
                    .page_types
                    .of(self.flash.geometry.page_of_block(op.page, op.block)),
            };
            let mut arrays = std::mem::take(&mut self.command.arrays);
            let bus = self
                .timing
                .issue(Operation::CopyBackProgram, &[part], &mut arrays);
            let array = arrays[0];
            self.command.arrays = arrays;
            self.flash.dies[die.index()].state = DieState::DataOut;
            let unit = self.flash.unit_of(die);
            self.flash.units[unit].arrays_left += 1;
            self.schedule(self.now + array.from + array.length, Event::ArrayDone(die.0));
            bus
        } else {
            self.flash.channels[channel].on_bus = id;
            let select = self.select(die, id);
            let bus = self.timing.data_out(bytes, select);
            self.schedule(self.now + bus, Event::BusDone(channel as u32));
            bus
        };
        let entry = &mut self.flash.channels[channel];
        entry.free_at = self.now + bus;
        let used = BusUse {
            channel: ChannelId(channel as u32),
            die,
            page: op.page,
            from: self.now,
            to: self.now + bus,
        };
        self.recorder.ledger.bus_used(&used);
        for probe in &mut self.probes {
            probe.bus(&used);
        }
        true
    }

    /// How the controller has to select the die and plane before data-out.
    fn select(&self, die: DieId, op: OpId) -> Select {
        let multi_plane = self.ops[op as usize].next != NONE || self.flash.dies[die.index()].out != op;
        let several_dies = self.flash.geometry.dies_per_chip > 1 && self.commands.interleave;
        Select {
            plane: multi_plane,
            die: several_dies,
        }
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
        PlaneId(first.0 + self.flash.dies[die.index()].plane_token % count)
    }
}

impl From<Kind> for CommandKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Read => Self::Read,
            Kind::Program => Self::Program,
            Kind::CopyBack => Self::CopyBack,
            Kind::Erase => Self::Erase,
        }
    }
}

/// What a probe is told of an operation.
pub(crate) fn constituent(op: &Op) -> Constituent {
    Constituent {
        cause: op.step.cause,
        page: op.page,
        block: op.block,
        die: op.die,
        source: match op.step.work {
            Work::CopyBack { source, .. } => Some(source),
            _ => None,
        },
        lpn: op.step.lpn,
        skipped: op.skipped,
    }
}

/// Whether a wide queue, counted from the first, holds steps of host commands.
fn is_host(wide: usize) -> bool {
    wide % super::LEVELS == Level::Host as usize
}
