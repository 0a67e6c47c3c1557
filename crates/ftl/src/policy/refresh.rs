//! Refresh: which blocks are written anew before their data fade, and in which order (V. Mohan 2015, chapter 4). One file for each policy; their table is in
//! `registry`.

pub(crate) mod fcfs;
pub(crate) mod last_moment;
pub(crate) mod oracle;
pub(crate) mod periodic;
pub(crate) mod remaining;

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

    /// When what is left of the retention falls to what is required: as soon as data are written, where the block keeps none for so long.
    #[must_use]
    pub fn due_by_remaining(&self, required: Duration) -> SimTime {
        self.at_age(Duration(self.retention.ns().saturating_sub(required.ns())))
    }

    /// When the oldest page is so old.
    #[must_use]
    pub fn at_age(&self, age: Duration) -> SimTime {
        let by_clock = age.ns().saturating_sub(self.skipped.ns());
        SimTime(self.programmed.ns().saturating_add(by_clock))
    }
}

/// Which blocks are queued, and from when on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// All of them, once they hold data.
    All,
    /// Those that keep data for `admit_below` or less when they are written.
    ByRetention,
    /// All of them, once so much is left of their retention at most.
    ByRemaining,
}

/// How a policy refreshes blocks. Its functions are told the required retention too.
#[derive(Clone, Copy)]
pub struct RefreshRule {
    /// When the data of a block must have been written anew.
    pub due: fn(&HeldData, Duration) -> SimTime,
    /// Its place in the queue, the least first; of several the lowest block.
    pub place: fn(&HeldData, Duration) -> u64,
    /// Which blocks are queued.
    pub admission: Admission,
    /// Whether every block is refreshed, whatever its retention and the mode.
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

    /// From when on a block is queued whose data must stay readable for `required`, with a limit of `admit_below`; none where it never is.
    #[must_use]
    pub fn admitted_from(
        &self,
        data: &HeldData,
        required: Duration,
        admit_below: Duration,
    ) -> Option<SimTime> {
        let limit = required.max(admit_below);
        match self.admission {
            _ if data.disturbed => Some(SimTime::ZERO),
            Admission::All => Some(SimTime::ZERO),
            Admission::ByRetention => (data.retention <= limit).then_some(SimTime::ZERO),
            Admission::ByRemaining if data.retention <= limit => Some(SimTime::ZERO),
            Admission::ByRemaining => Some(data.due_by_remaining(limit)),
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
