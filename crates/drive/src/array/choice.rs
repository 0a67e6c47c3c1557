//! What a free channel does next.

use crate::operation::OpId;

/// Something that a channel could do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Move the data of the first waiting die.
    Out,
    /// Start something from a unit's queue of a class.
    Unit { unit: u32, class: u8 },
    /// Start a read from a unit's queue, not the oldest perhaps.
    Read { op: OpId },
    /// Start a program from a queue that does not belong to one unit.
    Wide { queue: u32 },
    /// Send the data of a program that is suspended in a unit again.
    Reload { unit: u32 },
}

impl Choice {
    /// Starting something from a unit's queue of a class.
    pub(crate) fn unit(unit: usize, class: usize) -> Self {
        Self::Unit {
            unit: unit as u32,
            class: class as u8,
        }
    }

    /// Starting a program from a queue that does not belong to one unit.
    pub(crate) fn wide(queue: usize) -> Self {
        Self::Wide { queue: queue as u32 }
    }
}
