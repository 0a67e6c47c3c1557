//! Operations: the steps of plans while the drive executes them, and the queues they wait in.

use wordline_ecc::Sensing;
use wordline_ftl::{Cause, JobId, Step, Target, Work, count_sectors};
use wordline_metrics::{Array, CommandKind, Constituent};
use wordline_nand::{BlockId, DieId, Mode, Ppn};
/// How pressing an operation is; the second index of the queues.
pub(crate) use wordline_scheduler::Level;
use wordline_units::SimTime;

use crate::table::Table;

/// Number of an operation in the drive's table.
pub(crate) type OpId = u32;
/// No operation.
pub(crate) const NONE: OpId = OpId::MAX;

/// Who planned an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A host request.
    Request(u32),
    /// The write buffer, flushing the page in this slot.
    Buffer(u32),
    /// The buffer, reading a page to keep it.
    Fill(u32),
    /// The buffer, copying a page to complete a group.
    Padding(u32),
    /// A job of the FTL.
    Job(JobId),
}

/// What kind of flash command an operation is; the first index of the queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Program,
    CopyBack,
    Erase,
}

impl Kind {
    /// The flash command that work asks for; `None` for work of the controller.
    pub(crate) fn of(work: &Work) -> Option<Self> {
        match work {
            Work::Read { .. } => Some(Self::Read),
            Work::Program { .. } => Some(Self::Program),
            Work::CopyBack { .. } => Some(Self::CopyBack),
            Work::Erase { .. } => Some(Self::Erase),
            Work::Compute { .. } | Work::HostMemory { .. } | Work::Local { .. } => None,
        }
    }
}

/// One step of a plan in execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) step: Step,
    pub(crate) owner: Owner,
    pub(crate) level: Level,
    /// Plan record that the step's dependencies are kept in, `NONE` for a plan of one step.
    pub(crate) plan: u32,
    /// Index of the step in its plan.
    pub(crate) index: u8,
    /// Order of becoming ready over the whole drive.
    pub(crate) sequence: u64,
    /// When it became ready.
    pub(crate) ready: SimTime,
    /// The page read or bound (for an erase: the first page of the block).
    pub(crate) page: Ppn,
    /// The block and die of `page`.
    pub(crate) block: BlockId,
    pub(crate) die: DieId,
    /// Pages skipped to get to `page`.
    pub(crate) skipped: u32,
    /// Mode of `page`, from the issue of its command on.
    pub(crate) mode: Mode,
    /// The mode in which the source of a copy-back is read; that of its own page of all others.
    pub(crate) read_mode: Mode,
    /// How a read is sensed, where reliability is modelled.
    pub(crate) sensing: Sensing,
    /// Whether its request is answered when the data of the program are in the page register.
    pub(crate) acknowledges_transfer: bool,
    /// Whether its commands and data stay in its package.
    pub(crate) in_package: bool,
    /// The flash command that it asks for; none of work of the controller, and of a read whose data the controller still has.
    pub(crate) command: Option<Kind>,
    /// Queue it waits in, `NONE` when it does not.
    pub(crate) queue: u32,
    /// Account of the piece of a host request that it serves, `NONE` without.
    pub(crate) account: u32,
    /// Neighbours in its queue, or `next` in the running command of its die.
    pub(crate) next: OpId,
    pub(crate) previous: OpId,
}

impl Op {
    /// The flash command that it asks for; `None` for work of the controller.
    #[inline]
    pub(crate) fn kind(&self) -> Option<Kind> {
        self.command
    }

    /// Where a program or copy-back goes.
    pub(crate) fn target(&self) -> Option<Target> {
        match self.step.work {
            Work::Program { target, .. } | Work::CopyBack { target, .. } => Some(target),
            _ => None,
        }
    }

    /// Whether its page is known before it starts: it was fixed when the step was planned, or placed when it was ready.
    pub(crate) fn page_is_fixed(&self) -> bool {
        !matches!(self.target(), Some(Target::Frontier { .. }))
    }

    /// Whether its page is to be placed before it goes into a queue, and is not as yet.
    #[inline]
    pub(crate) fn awaits_place(&self) -> bool {
        matches!(self.target(), Some(Target::Stripe { .. })) && self.page.0 == u64::MAX
    }

    /// Whether it is a program that waits for others in its block, before it starts.
    #[inline]
    pub(crate) fn follows_others(&self) -> bool {
        match self.step.work {
            Work::Program { target, .. } => match target {
                Target::Page(_) => true,
                Target::Stripe { .. } => !self.awaits_place(),
                Target::Frontier { .. } => false,
            },
            _ => false,
        }
    }

    /// Whether it is a read after which something crosses the channel: data, or the spare area that recovery looks at. The time of other looks at spare
    /// areas is that of the array alone.
    #[inline]
    pub(crate) fn brings_data(&self) -> bool {
        let work = &self.step.work;
        work.brings_data() || (self.step.cause == Cause::Recovery && matches!(work, Work::Read { .. }))
    }

    /// Sub-pages that cross the channel with the command (program) or after it (read).
    pub(crate) fn sectors(&self) -> u32 {
        match self.step.work {
            Work::Read { bitmap, .. } => count_sectors(bitmap),
            Work::Program { sectors, .. } => u32::from(sectors),
            Work::CopyBack { new_sectors, .. } => u32::from(new_sectors),
            _ => 0,
        }
    }

    /// The page that a copy-back reads.
    pub(crate) fn source(&self) -> Option<Ppn> {
        match self.step.work {
            Work::CopyBack { source, .. } => Some(source),
            _ => None,
        }
    }

    /// What observers are told of it.
    #[inline]
    pub(crate) fn constituent(&self) -> Constituent {
        Constituent {
            cause: self.step.cause,
            page: self.page,
            block: self.block,
            die: self.die,
            source: self.source(),
            lpn: self.step.lpn,
            skipped: self.skipped,
            brings_data: self.brings_data(),
            mode: self.mode,
            read_mode: self.read_mode,
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

/// When the data of a die are in its page register, of a command whose bus step ends at `bus_to` and whose array step in the die is `array`: the bus of a
/// command to several dies goes on for the others while the array of this one works.
#[inline]
pub(crate) fn transferred_at(array: Option<&Array>, bus_to: SimTime) -> SimTime {
    array.map_or(bus_to, |array| array.from.min(bus_to))
}

/// A first-in, first-out queue threaded through the table of operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    pub(crate) head: OpId,
    tail: OpId,
    pub(crate) len: u32,
    /// Sequence number of the head, so that comparing queues does not touch the table.
    pub(crate) head_sequence: u64,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            head: NONE,
            tail: NONE,
            len: 0,
            head_sequence: 0,
        }
    }
}

impl Queue {
    pub(crate) fn is_empty(&self) -> bool {
        self.head == NONE
    }

    /// The last operation; `NONE` without any.
    pub(crate) fn last(&self) -> OpId {
        self.tail
    }

    /// Adds an operation. Operations enter with growing sequence numbers, except those that are
    /// promoted from another queue: these are put in their place.
    pub(crate) fn push(&mut self, ops: &mut Table<Op>, id: OpId) {
        let sequence = ops[id].sequence;
        let mut before = self.tail;
        while before != NONE && ops[before].sequence > sequence {
            before = ops[before].previous;
        }
        let after = if before == NONE {
            self.head
        } else {
            ops[before].next
        };
        let op = &mut ops[id];
        op.previous = before;
        op.next = after;
        match before {
            NONE => {
                self.head = id;
                self.head_sequence = sequence;
            }
            _ => ops[before].next = id,
        }
        match after {
            NONE => self.tail = id,
            _ => ops[after].previous = id,
        }
        self.len += 1;
    }

    /// Takes an operation out.
    pub(crate) fn remove(&mut self, ops: &mut Table<Op>, id: OpId) {
        let Op { next, previous, .. } = ops[id];
        match previous {
            NONE => {
                self.head = next;
                if next != NONE {
                    self.head_sequence = ops[next].sequence;
                }
            }
            _ => ops[previous].next = next,
        }
        match next {
            NONE => self.tail = previous,
            _ => ops[next].previous = previous,
        }
        let op = &mut ops[id];
        op.next = NONE;
        op.previous = NONE;
        self.len -= 1;
    }
}
