//! WHEN each operation runs: ranking policies (one file each) and the dispatcher that applies them.

pub(crate) mod dispatch;
mod fcfs;
pub(crate) mod issue;
mod merge;
mod out_of_order;
mod pes;
mod place;
mod queueing;
mod reads_first;
pub(crate) mod write_limit;

use crate::config::SchedulerPolicy;
use crate::operation::{Kind, Level};

/// Queues of a unit: reads, programs (and copy-backs), erases, each at four levels.
pub(crate) const CLASSES: usize = 12;
/// Levels of a queue.
pub(crate) const LEVELS: usize = 4;

/// The queues of a unit that hold steps of blocking jobs, a bit each.
pub(crate) const URGENT_CLASSES: u16 = {
    let urgent = Level::Urgent;
    1 << class(Kind::Read, urgent) | 1 << class(Kind::Program, urgent) | 1 << class(Kind::Erase, urgent)
};

/// How far behind the head of a queue the scheduler looks for an operation that can start, or
/// that can join a multi-plane or interleaved command. A controller's window is bounded too; the
/// figure is ours.
pub(crate) const LOOK_AHEAD: usize = 64;

/// A scheduling policy: among what could start on an idle channel the lowest rank goes first,
/// within a rank the operation that has been ready for longest. Under every policy no host program starts on a
/// channel where a step of a blocking job could (`dispatch.rs`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranking {
    /// Rank by class (see `class`).
    pub(crate) ranks: [u8; CLASSES],
    /// Rank of returning the data of a finished array read.
    pub(crate) data_out: u8,
    /// Whether the oldest operation of a channel holds back all younger ones of the channel, even
    /// while its own die is busy.
    pub(crate) in_order: bool,
}

/// Ranks of the policies that go by age: host and blocking steps alike (but for host programs, which the dispatcher
/// holds back), then normal, then idle ones.
#[rustfmt::skip]
const BY_AGE: [u8; CLASSES] = [
    // urgent, host, normal, idle
    0, 0, 1, 2, // reads
    0, 0, 1, 2, // programs
    0, 0, 1, 2, // erases
];

/// Index of a unit's queue for operations of this kind and level.
pub(crate) const fn class(kind: Kind, level: Level) -> usize {
    let row = match kind {
        Kind::Read => 0,
        Kind::Program | Kind::CopyBack => 1,
        Kind::Erase => 2,
    };
    row * LEVELS + level as usize
}

/// `at` modulo `count`; most often there is nothing to divide.
#[inline]
pub(crate) const fn wrap(at: u32, count: u32) -> u32 {
    if at < count {
        at
    } else if at - count < count {
        at - count
    } else {
        at % count
    }
}

/// The table of policies.
pub(crate) const fn ranking(policy: SchedulerPolicy) -> Ranking {
    match policy {
        SchedulerPolicy::Fcfs => fcfs::RANKING,
        SchedulerPolicy::ReadsFirst => reads_first::RANKING,
        SchedulerPolicy::OutOfOrder => out_of_order::RANKING,
        SchedulerPolicy::Pes => pes::RANKING,
    }
}
