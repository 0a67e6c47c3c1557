//! Refresh: which blocks are written anew before their data fade, and in which order (V. Mohan 2015, chapter 4). One file for each policy; their table is in
//! `registry`.

pub(crate) mod edf;
pub(crate) mod fcfs;
pub(crate) mod oracle;
pub(crate) mod periodic;

use wordline_keys::{Entry, Keys};
use wordline_units::{Duration, SimTime};

/// What a refresh policy sees of a block that holds data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldData {
    /// Its place in the order in which blocks came to hold data.
    pub arrival: u64,
    /// When its oldest page was programmed.
    pub programmed: SimTime,
    /// How long data are readable that were written then.
    pub retention: Duration,
    /// Time since then for which the clock stood still, where a study skips time.
    pub skipped: Duration,
    /// Whether the block was read so often that its data are to be written anew, however old they are.
    pub disturbed: bool,
}

impl HeldData {
    /// When the oldest page is no longer readable.
    #[must_use]
    pub fn deadline(&self) -> SimTime {
        self.at_age(self.retention)
    }

    /// When the oldest page is so old.
    #[must_use]
    pub fn at_age(&self, age: Duration) -> SimTime {
        let by_clock = age.ns().saturating_sub(self.skipped.ns());
        SimTime(self.programmed.ns().saturating_add(by_clock))
    }
}

/// How a policy refreshes blocks. Its functions are told the required retention too.
#[derive(Clone, Copy)]
pub struct RefreshRule {
    /// When the data of a block must have been written anew.
    pub due: fn(&HeldData, Duration) -> SimTime,
    /// Its place in the queue, the least first; of several the lowest block.
    pub place: fn(&HeldData, Duration) -> u64,
    /// Whether every block is refreshed, whatever its retention.
    pub takes_all: bool,
    /// Whether a refresh costs no time, wear and space, and is never late.
    pub is_free: bool,
    /// Whether blocks that are due come in the order of their dates, so that none waits behind one that is not due.
    pub is_by_date: bool,
}

impl RefreshRule {
    /// When the data of a block must have been written anew: at once where reads have disturbed them.
    #[must_use]
    pub fn due_of(&self, data: &HeldData, required: Duration) -> SimTime {
        if data.disturbed {
            SimTime::ZERO
        } else {
            (self.due)(data, required)
        }
    }

    /// The place of a block in the queue: disturbed ones come before all others.
    #[must_use]
    pub fn place_of(&self, data: &HeldData, required: Duration) -> u64 {
        if data.disturbed {
            0
        } else {
            (self.place)(data, required).saturating_add(1)
        }
    }
}

/// A refresh policy in its table.
#[derive(Clone, Copy)]
pub struct RefreshRow {
    /// What it says of itself.
    pub entry: Entry,
    /// How it refreshes; none where it does not.
    pub rule: Option<RefreshRule>,
}

impl RefreshRow {
    /// A policy without keys of its own.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, rule: Option<RefreshRule>) -> Self {
        Self {
            entry: Entry {
                name,
                help,
                keys: Keys::NONE,
                reads: &[],
            },
            rule,
        }
    }
}

/// `ftl.refresh.policy = "none"`.
pub(crate) const NONE: RefreshRow = RefreshRow::new("none", "Nothing is refreshed.", None);
