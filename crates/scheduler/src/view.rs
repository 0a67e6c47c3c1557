//! What a scheduler sees when a channel is free.

use wordline_ftl::{Cause, Lpn};
use wordline_nand::{ChannelId, DieId, Ppn};
use wordline_units::SimTime;

/// What a candidate would do with the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Command a read of a page.
    Read,
    /// Send the data of a program, or command a copy-back.
    Program,
    /// Command an erase.
    Erase,
    /// Move the data of a read out of its die, or into the second half of a copy-back.
    DataOut,
}

/// How pressing an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Steps of blocking jobs: host writes wait for the space they make.
    Urgent,
    /// Steps of host commands.
    Host,
    /// Steps of normal jobs.
    Normal,
    /// Steps of idle jobs.
    Idle,
}

/// Something that could start now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What it would do.
    pub action: Action,
    /// How pressing it is.
    pub level: Level,
    /// Why it was planned: for the host, for collection, ...
    pub cause: Cause,
    /// The die that it works in; none for a program that may go to several units, whose place is chosen when it starts. Where a
    /// chip is a unit and the program may go to any die of it, the first one.
    pub die: Option<DieId>,
    /// The page read, or the first page of the block erased; none for a program that has no page yet.
    pub page: Option<Ppn>,
    /// The logical page that it concerns.
    pub lpn: Lpn,
    /// Its number in the order in which the operations of the drive became ready.
    pub sequence: u64,
    /// When it became ready.
    pub ready: SimTime,
    /// When the host sent the request that it serves; none for what no request waits for.
    pub arrival: Option<SimTime>,
    /// When `scheduler.max_wait` has it go before everything else, where that is set.
    pub deadline: Option<SimTime>,
}

/// What becomes busy as one: a die, or a chip whose dies the controller cannot tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitView {
    /// Its first die.
    pub first_die: DieId,
    /// Whether it can take any command.
    pub is_idle: bool,
    /// When the last array step that has been started in it ends; not after the present moment where no array works. Data of a
    /// read that then wait for the bus, an attempt with finer sensing and an operation that is suspended keep it busy for longer.
    pub free_at: SimTime,
    /// Operations in its own queues: reads, programs (with copy-backs) and erases, each by level. Those of all levels but
    /// [`Level::Host`] are steps of collection and other jobs.
    pub waiting: [[u32; 4]; 3],
}

/// A channel whose bus is free.
#[derive(Clone, Copy, Debug)]
pub struct ChannelView<'a> {
    /// Which one.
    pub channel: ChannelId,
    /// The present moment.
    pub now: SimTime,
    /// Its units, in the order of their dies.
    pub units: &'a [UnitView],
    /// What could start, at least one: the data that came into a register first, of every unit that can take one the reads
    /// that wait (the oldest 64) and the oldest program and erase of each level, and the oldest programs that may go to
    /// several units. Programs of one queue start in their order.
    pub candidates: &'a [Candidate],
}
