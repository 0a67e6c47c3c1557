//! Issuing flash commands: holding the bus, setting the dies to work, moving data out.

use wordline_ftl::{Bound, Step, Work};
use wordline_metrics::{Array, BusUse, CommandKind, Constituent, IssuedCommand};
use wordline_nand::{Access, ArrayStep, ChannelId, DieId, Operation, Part, PlaneId, Select};
use wordline_units::{Duration, SimTime};

use crate::drive::{Drive, Event};
use crate::error::RunError;
use crate::flash::DieState;
use crate::operation::{Kind, Level, NONE, Op, OpId};
use crate::scheduler::wrap;

/// A command in the making; its tables are kept so that nothing is allocated per command.
#[derive(Debug, Default)]
pub(crate) struct Command {
    /// Operations, those of one die together.
    pub(crate) members: Vec<OpId>,
    /// The queues that they waited in.
    queues: Vec<u32>,
    /// Planes of the members.
    pub(crate) planes: Vec<PlaneId>,
    /// Slots that dynamic allocation offers.
    pub(crate) slots: Vec<PlaneId>,
    /// Candidates for one multi-plane program.
    pub(crate) pairs: Vec<(Step, PlaneId)>,
    pub(crate) candidates: Vec<(OpId, PlaneId)>,
    pub(crate) bound: Vec<Option<Bound>>,
    parts: Vec<Part>,
    constituents: Vec<Constituent>,
    steps: Vec<ArrayStep>,
    arrays: Vec<Array>,
}

impl Drive {
    /// Starts the head of a queue of reads, with what can join it.
    pub(super) fn start_reads(&mut self, queue: usize) -> bool {
        self.gather_reads(queue);
        self.launch(Operation::Read, Kind::Read);
        true
    }

    /// Starts the first erase of a queue whose block nobody uses any more, with what can join it.
    #[inline(never)]
    pub(super) fn start_erases(&mut self, queue: usize) -> bool {
        if !self.gather_erases(queue) {
            return false;
        }
        self.launch(Operation::Erase, Kind::Erase);
        true
    }

    /// Issues the command in the making: takes its operations out of their queues, holds the bus,
    /// starts the arrays. The medium checks that it is legal.
    // once: see "Busy code is compiled once" in docs/architecture.md
    #[inline(never)]
    pub(super) fn launch(&mut self, operation: Operation, kind: Kind) {
        self.command.queues.clear();
        let cached = self.caches(kind);
        if let [id] = self.command.members[..] {
            // the commonest command by far
            let (part, constituent) = self.take_up(id, kind);
            self.check(operation, &[constituent]);
            let (bus, mut step) = self.timing.issue_one(operation, &part);
            if self.reliability.is_some() {
                self.play_on_cells(kind, &[id], std::slice::from_mut(&mut step));
            }
            let array = self.start_array(kind, cached, &[id], step);
            return self.issued(kind, cached, bus, &[id], &[constituent], &[array]);
        }
        let members = std::mem::take(&mut self.command.members);
        let mut parts = std::mem::take(&mut self.command.parts);
        let mut constituents = std::mem::take(&mut self.command.constituents);
        for id in &members {
            let (part, constituent) = self.take_up(*id, kind);
            parts.push(part);
            constituents.push(constituent);
        }
        self.check(operation, &constituents);
        let mut steps = std::mem::take(&mut self.command.steps);
        let bus = self.timing.issue(operation, &parts, &mut steps);
        if self.reliability.is_some() {
            self.play_on_cells(kind, &members, &mut steps);
        }
        let mut arrays = std::mem::take(&mut self.command.arrays);
        let mut rest = &members[..];
        for step in &steps {
            let of_die = parts[members.len() - rest.len()..]
                .iter()
                .take_while(|part| part.die == step.die);
            let (planes, others) = rest.split_at(of_die.count());
            rest = others;
            arrays.push(self.start_array(kind, cached, planes, *step));
        }
        self.issued(kind, cached, bus, &members, &constituents, &arrays);
        parts.clear();
        constituents.clear();
        arrays.clear();
        self.command = Command {
            members,
            parts,
            constituents,
            steps,
            arrays,
            ..std::mem::take(&mut self.command)
        };
    }

    /// Takes an operation out of its queue to be issued.
    #[inline]
    fn take_up(&mut self, id: OpId, kind: Kind) -> (Part, Constituent) {
        if self.attribution.is_some() {
            self.command.queues.push(self.ops[id].queue);
        }
        self.dequeue(id);
        let op = &self.ops[id];
        let waited = self.now.since(op.ready);
        self.recorder.ledger.waited(kind.into(), waited);
        // background work may wait as long as it likes
        if waited > self.starvation && op.level <= Level::Host {
            self.starved_ops += 1;
        }
        let page_in_block = self.flash.geometry.page_of_block(op.page, op.block);
        let part = Part {
            die: op.die,
            bytes: if kind == Kind::Program {
                self.timing.bytes(op.sectors())
            } else {
                0
            },
            page_type: self.page_types.of(page_in_block),
        };
        (part, constituent(op))
    }

    /// Sets a die to work on its part of a command.
    #[inline]
    fn start_array(&mut self, kind: Kind, cached: bool, planes: &[OpId], step: ArrayStep) -> Array {
        let ArrayStep {
            die,
            from,
            mut length,
        } = step;
        let register_move = match kind {
            Kind::Read if cached => self.timing.cache_read_busy(),
            Kind::Program if cached => self.timing.cache_program_busy(),
            _ => Duration::ZERO,
        };
        for pair in planes.windows(2) {
            self.ops[pair[0]].next = pair[1];
        }
        // behind a cached program the array starts when that one ends
        let from = (self.now + from).max(self.flash.dies[die.index()].array_end);
        if self.suspension.is_some() {
            length = self.array_with_suspension(kind, die, planes, from, length);
        }
        let to = from + register_move + length;
        self.flash.occupy(die, kind, planes[0], to);
        self.schedule(to, Event::ArrayDone(die.0));
        if cached && kind == Kind::Program {
            self.schedule(from + register_move, Event::RegisterFree(die.0));
        }
        Array { die, from, to }
    }

    /// A command holds the bus from now on, and whoever observes hears of it.
    #[inline]
    fn issued(
        &mut self,
        kind: Kind,
        cached: bool,
        bus: Duration,
        members: &[OpId],
        constituents: &[Constituent],
        arrays: &[Array],
    ) {
        let channel = self.flash.geometry.channel_of(constituents[0].die);
        let bus_to = self.now + bus;
        self.flash.channels[channel.index()].free_at = bus_to;
        if self.attribution.is_some() {
            let queues = std::mem::take(&mut self.command.queues);
            self.command_issued(kind, members, &queues, arrays, bus_to);
            self.command.queues = queues;
        }
        if kind == Kind::Program {
            for &id in members {
                if self.acknowledges_transfer(&self.ops[id]) {
                    let at = transferred_at(self.ops[id].die, arrays, bus_to);
                    self.schedule(at, Event::Transferred(id));
                }
            }
            let channels = self.flash.channels.len() as u32;
            self.first_channel = wrap(self.first_channel + members.len() as u32, channels);
        }
        let issued = IssuedCommand {
            kind: kind.into(),
            channel,
            constituents,
            bus_from: self.now,
            bus_to,
            arrays,
            cached,
        };
        self.recorder.command(&issued);
        for probe in &mut self.probes {
            probe.issued(&issued);
        }
        if let Some(watch) = &mut self.watch {
            watch.command(&issued, members, &self.ops, &self.requests);
        }
    }

    /// Asks the medium whether a command is legal, and plays its effect on the pages.
    #[inline]
    fn check(&mut self, operation: Operation, of: &[Constituent]) {
        let (count, medium) = (of.len(), &mut self.medium);
        let checked = match operation {
            Operation::Read => medium.command(count, |index| Access::Read(of[index].page)),
            Operation::Program | Operation::CopyBackProgram => {
                medium.command(count, |index| Access::Program(of[index].page))
            }
            Operation::CopyBackRead => medium.command(count, |index| Access::CopyBack {
                source: of[index].source.unwrap_or(of[index].page),
                destination: of[index].page,
            }),
            Operation::Erase => medium.command(count, |index| Access::Erase(of[index].block)),
        };
        if let Err(violation) = checked {
            self.failure = Some(RunError::Medium {
                at: self.now,
                violation: violation.to_string(),
            });
        }
    }

    /// Whether the data of a read cross the channel.
    pub(crate) fn moves_data(&self, op: OpId) -> bool {
        matches!(
            self.ops[op].step.work,
            Work::Read {
                bitmap: 1..,
                route: wordline_ftl::Route::Controller,
                ..
            }
        )
    }

    /// Moves the data of the first waiting die: out of a read, or into the second half of a
    /// copy-back.
    pub(super) fn start_out(&mut self, channel: usize) -> bool {
        let Some(id) = self.flash.channels[channel].out.pop_front() else {
            return false;
        };
        let op = self.ops[id];
        let die = op.die;
        let bytes = self.timing.bytes(op.sectors());
        let (bus, array) = if op.kind() == Some(Kind::CopyBack) {
            let part = Part {
                die,
                bytes,
                page_type: self
                    .page_types
                    .of(self.flash.geometry.page_of_block(op.page, op.block)),
            };
            let (bus, array) = self.timing.issue_one(Operation::CopyBackProgram, &part);
            self.flash.dies[die.index()].state = DieState::DataOut;
            let unit = self.flash.unit_of(die);
            self.flash.units[unit].arrays_left += 1;
            let array = Array {
                die,
                from: self.now + array.from,
                to: self.now + array.from + array.length,
            };
            self.schedule(array.to, Event::ArrayDone(die.0));
            if self.suspension.is_some() {
                self.copy_back_programs(id, &array);
            }
            (bus, Some(array))
        } else {
            self.flash.channels[channel].on_bus = id;
            let select = self.select(die, id);
            // a bus that is free again at once would take the next data before these have left it
            let bus = self.data_out_time(&op, select).max(Duration(1));
            self.schedule(self.now + bus, Event::BusDone(channel as u32));
            (bus, None)
        };
        let entry = &mut self.flash.channels[channel];
        entry.free_at = self.now + bus;
        self.data_on_bus(id, self.now + bus);
        let used = BusUse {
            channel: ChannelId(channel as u32),
            die,
            page: op.page,
            from: self.now,
            to: self.now + bus,
            array,
        };
        self.recorder.bus_used(&used);
        for probe in &mut self.probes {
            probe.bus(&used);
        }
        self.watch_bus(&used, id);
        true
    }

    /// How the controller has to select the die and plane before data-out.
    fn select(&self, die: DieId, op: OpId) -> Select {
        let multi_plane = self.ops[op].next != NONE || self.flash.dies[die.index()].out != op;
        let several_dies = self.flash.geometry.dies_per_chip > 1 && self.commands.interleave;
        Select {
            plane: multi_plane,
            die: several_dies,
        }
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

/// When the data of a die are in its page register, of a command whose bus step ends at `bus_to`: the bus of a command to
/// several dies goes on for the others while the array of this one works.
pub(crate) fn transferred_at(die: DieId, arrays: &[Array], bus_to: SimTime) -> SimTime {
    let array = arrays.iter().find(|array| array.die == die);
    array.map_or(bus_to, |array| array.from.min(bus_to))
}
