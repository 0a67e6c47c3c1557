//! Classes of operations: kind and level, which say in which queue of a unit an operation waits.

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

/// The queue of a unit that holds programs of the host.
pub(crate) const HOST_PROGRAMS: usize = class(Kind::Program, Level::Host);

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
