//! Channels, dies and units, and the words in which the states of 64 units stand together.

use std::collections::VecDeque;

use wordline_units::SimTime;

use crate::operation::{Kind, NONE, OpId};

/// What a die is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DieState {
    Idle,
    /// Command and data-in on the bus, then the array step.
    Array,
    /// A copy-back has read its page and waits for the bus.
    Turn,
    /// The array rests; a register holds data that wait for, or are on, the bus.
    DataOut,
}

/// A die. Its operations are threaded through `Op::next`, those of one command together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Die {
    /// The unit that it belongs to.
    pub(super) unit: u32,
    pub(crate) state: DieState,
    pub(crate) kind: Kind,
    /// The command in the array, `NONE` when it rests.
    pub(crate) running: OpId,
    /// A cached program whose data are in and whose array step follows.
    pub(crate) staged: OpId,
    /// Reads whose data are in the register that the bus sees: the first of them, which may have ended, how many are not out
    /// yet, and whether they are of a blocking job.
    pub(crate) out: OpId,
    pub(crate) out_left: u32,
    pub(crate) out_is_urgent: bool,
    /// When the last array step scheduled ends.
    pub(crate) array_end: SimTime,
    /// Plane that goes first when an operation may use any plane of the die.
    pub(crate) plane_token: u32,
}

impl Die {
    pub(super) fn idle(unit: u32) -> Self {
        Self {
            unit,
            state: DieState::Idle,
            kind: Kind::Read,
            running: NONE,
            staged: NONE,
            out: NONE,
            out_left: 0,
            out_is_urgent: false,
            array_end: SimTime::ZERO,
            plane_token: 0,
        }
    }
}

/// What becomes busy as one: a die, or a whole chip where the controller sees only the chip's
/// ready/busy wire (`scheduler.busy_grain = "chip"`, or no interleave).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unit {
    /// The channel that it hangs on.
    pub(super) channel: u32,
    /// Its word of 64 units, and its bit there.
    pub(super) word: u32,
    pub(super) bit: u64,
    /// Bit c: queue of class c holds something.
    pub(crate) work: u16,
    /// Dies that are not idle.
    pub(crate) busy_dies: u32,
    /// Dies of the running command whose array step is not over.
    pub(crate) arrays_left: u32,
    /// When the last host operation came or ended.
    pub(crate) last_host: SimTime,
    /// It can take any command.
    pub(super) is_idle: bool,
    /// What a busy unit can take all the same, its registers being cached.
    pub(crate) cacheable: Option<Kind>,
    /// Bit c: nothing starts from the queue of class c while something is suspended.
    pub(crate) barred: u16,
}

impl Unit {
    /// The queues that something may start from, a bit for each class.
    #[inline]
    pub(crate) fn startable_classes(&self) -> u16 {
        self.work & !self.barred
    }
}

/// A channel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Channel {
    pub(crate) free_at: SimTime,
    /// When a wake-up is scheduled for; past if none is.
    pub(crate) wake_at: SimTime,
    /// Operations whose die waits for the bus: data-out, or second half of a copy-back.
    pub(crate) out: VecDeque<OpId>,
    /// Operation whose data are on the bus.
    pub(crate) on_bus: OpId,
}

/// States of 64 units of a channel, a bit each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitWord {
    /// The first of them.
    pub(crate) first: u32,
    /// Idle units.
    pub(crate) idle: u64,
    /// Units that can take a command: idle, or with cached registers.
    pub(crate) open: u64,
    /// Units that may have a page for a host program.
    pub(crate) has_host_page: u64,
    /// Units with something queued.
    pub(super) work: u64,
    /// Units with a step of a blocking job queued.
    pub(crate) urgent: u64,
}

impl UnitWord {
    /// Units that have something queued and can take a command or are `busy_too`.
    #[inline]
    pub(crate) fn startable(&self, busy_too: bool) -> u64 {
        let open = if busy_too { u64::MAX } else { self.open };
        self.work & open
    }
}

/// Sets a bit of a word, or clears it.
pub(super) fn set(word: &mut u64, bit: u64, on: bool) {
    if on {
        *word |= bit;
    } else {
        *word &= !bit;
    }
}
