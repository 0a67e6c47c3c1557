//! Issuing flash commands: holding the bus, setting the dies to work, moving data out.

use wordline_ftl::{Bound, Step, Work};
use wordline_metrics::{Array, BusUse, CommandKind, Constituent, IssuedCommand};
use wordline_nand::{Access, ArrayStep, ChannelId, DieId, Operation, Part, PlaneId, Select, Violation};
use wordline_units::{Duration, SimTime};

use crate::drive::{Drive, Event};
use crate::error::RunError;
use crate::flash::DieState;
use crate::operation::{Kind, Level, NONE, Op, OpId};

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
    arrays: Vec<ArrayStep>,
    constituents: Vec<Constituent>,
    observed_arrays: Vec<Array>,
}

impl Command {
    /// The array step that the command in the making has on a die.
    pub(crate) fn array_of(&self, die: DieId) -> Option<(SimTime, SimTime)> {
        let array = self.observed_arrays.iter().find(|array| array.die == die)?;
        Some((array.from, array.to))
    }
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
    pub(super) fn launch(&mut self, operation: Operation, kind: Kind) {
        self.command.parts.clear();
        self.command.constituents.clear();
        if self.attribution.is_some() {
            let queues = self.command.members.iter().map(|id| self.ops[*id as usize].queue);
            self.command.queues.clear();
            self.command.queues.extend(queues);
        }
        for member in 0..self.command.members.len() {
            let id = self.command.members[member];
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
        let Command { parts, arrays, .. } = &mut self.command;
        let bus = self.timing.issue(operation, parts, arrays);
        if self.reliability.is_some() {
            let mut arrays = std::mem::take(&mut self.command.arrays);
            self.with_members(|drive, members| drive.play_on_cells(kind, members, &mut arrays));
            self.command.arrays = arrays;
        }
        let channel = self.flash.geometry.channel_of(self.command.parts[0].die);
        let cached = self.caches(kind);
        self.start_arrays(kind, cached);
        self.flash.channels[channel.index()].free_at = self.now + bus;
        if self.attribution.is_some() {
            let queues = std::mem::take(&mut self.command.queues);
            let until = self.now + bus;
            self.with_members(|drive, members| drive.command_issued(kind, members, &queues, until));
            self.command.queues = queues;
        }
        if kind == Kind::Program {
            self.programs_issued += self.command.members.len() as u64;
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
        self.recorder.command(&issued);
        for probe in &mut self.probes {
            probe.issued(&issued);
        }
        if let Some(watch) = &mut self.watch {
            watch.command(&issued, &self.command.members, &self.ops, &self.requests);
        }
    }

    /// Lets parts of the drive that are not always there look at the members of the command.
    fn with_members<T>(&mut self, look: impl FnOnce(&mut Self, &[OpId]) -> T) -> T {
        let members = std::mem::take(&mut self.command.members);
        let seen = look(self, &members);
        self.command.members = members;
        seen
    }

    /// Sets the dies of a command to work.
    fn start_arrays(&mut self, kind: Kind, cached: bool) {
        let register_move = match kind {
            Kind::Read if cached => self.timing.cache_read_busy(),
            Kind::Program if cached => self.timing.cache_program_busy(),
            _ => Duration::ZERO,
        };
        self.command.observed_arrays.clear();
        let mut first = 0;
        for index in 0..self.command.arrays.len() {
            let array = self.command.arrays[index];
            let parts = &self.command.parts[first..];
            let count = parts.iter().take_while(|part| part.die == array.die).count();
            let head = self.command.members[first];
            for member in first + 1..first + count {
                let before = self.command.members[member - 1];
                self.ops[before as usize].next = self.command.members[member];
            }
            // behind a cached program the array starts when that one ends
            let from = (self.now + array.from).max(self.flash.dies[array.die.index()].array_end);
            let mut length = array.length;
            if self.suspension.is_some() {
                length = self.with_members(|drive, members| {
                    let members = &members[first..first + count];
                    drive.array_with_suspension(kind, array.die, members, from, length)
                });
            }
            let to = from + register_move + length;
            self.flash.occupy(array.die, kind, head, to);
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
        let (of, medium) = (&self.command.constituents, &mut self.medium);
        let count = of.len();
        match operation {
            Operation::Read => medium.command(count, |index| Access::Read(of[index].page)),
            Operation::Program | Operation::CopyBackProgram => {
                medium.command(count, |index| Access::Program(of[index].page))
            }
            Operation::CopyBackRead => medium.command(count, |index| Access::CopyBack {
                source: of[index].source.unwrap_or(of[index].page),
                destination: of[index].page,
            }),
            Operation::Erase => medium.command(count, |index| Access::Erase(of[index].block)),
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
        let (bus, array) = if op.kind() == Some(Kind::CopyBack) {
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
            let bus = self.data_out_time(&op, select);
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
        let multi_plane = self.ops[op as usize].next != NONE || self.flash.dies[die.index()].out != op;
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
