//! What a scheduler is: the trait, an order by ranks, and its row. One file for each scheduler; their table is in `registry`.

pub(crate) mod batches;
pub(crate) mod dlv;
pub(crate) mod dlv_pes;
pub(crate) mod fcfs;
pub(crate) mod out_of_order;
pub(crate) mod pes;
pub(crate) mod pv_allocation;
pub(crate) mod pv_reorder;
pub(crate) mod reads_first;
pub(crate) mod roo;
pub(crate) mod woo;

use std::fmt;

use wordline_keys::{Entry, Keys, Parameters, RefusedValue};
use wordline_nand::Geometry;
use wordline_units::Seed;

use crate::requests::RequestScheduler;
use crate::view::{Candidate, ChannelView};

/// Chooses what a free channel does next, looking at all that could start there.
///
/// Some things hold for every scheduler, and candidates that they rule out are not offered: no program of the host starts on a
/// channel where a step of a blocking job could; what has waited for `scheduler.max_wait` goes first;
/// `scheduler.channel_order` and `scheduler.collection_first` leave only candidates that they let go first.
pub trait Scheduler: Send + fmt::Debug {
    /// One of `view.candidates`. None: nothing starts until something changes on the channel (an operation becomes ready or
    /// ends, the bus comes free); a run in which nothing is left that could change ends with an error.
    fn pick<'a>(&mut self, view: &ChannelView<'a>) -> Option<&'a Candidate>;
}

/// The highest rank is less than this.
pub const MOST_RANKS: u8 = 64;

/// An order by rank and age: among what could start the lowest rank goes first, within a rank what has been ready for longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// Ranks of reads, programs (with copy-backs) and erases, each by level (urgent, host, normal, idle); less than [`MOST_RANKS`].
    pub ranks: [[u8; 4]; 3],
    /// Rank of moving the data of a finished read.
    pub data_out: u8,
    /// Whether the oldest operation of a channel holds back all younger ones of the channel, even while its own die is busy.
    pub in_order: bool,
}

impl Ranking {
    /// By age: host and blocking steps alike, then normal, then idle ones.
    pub const BY_AGE: Self = Self {
        ranks: [[0, 0, 1, 2]; 3],
        data_out: 0,
        in_order: false,
    };
}

/// The drive that a scheduler is made for.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its array.
    pub geometry: &'a Geometry,
    /// Seed of what a scheduler draws.
    pub seed: Seed,
}

/// What makes a scheduler for a drive.
pub type BuildScheduler =
    &'static (dyn Fn(&Parameters<SchedulerRow>, &Frame<'_>) -> Box<dyn Scheduler> + Sync);

/// What makes a scheduler of requests.
pub type BuildRequestScheduler = fn(&Parameters<SchedulerRow>) -> Box<dyn RequestScheduler>;

/// How a scheduler chooses.
#[derive(Clone, Copy)]
pub enum Order {
    /// By rank and age, which the drive computes without making a view.
    Ranks(Ranking),
    /// In any way.
    Scheduler(BuildScheduler),
}

/// A scheduler in its table.
#[derive(Clone, Copy)]
pub struct SchedulerRow {
    /// What it says of itself.
    pub entry: Entry,
    /// How it chooses.
    pub order: Order,
    /// What lets requests of the host into the flash one by one, where they do not go there as they come.
    pub requests: Option<BuildRequestScheduler>,
    /// Whether it suspends programs and erases, as `[scheduler.suspension]` says.
    pub suspends: bool,
    /// Checks the values of its keys.
    pub check: fn(&Parameters<Self>) -> Result<(), RefusedValue>,
}

impl SchedulerRow {
    /// A scheduler without keys that suspends nothing.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, order: Order) -> Self {
        Self {
            entry: Entry {
                name,
                help,
                keys: Keys::NONE,
                reads: &[],
            },
            order,
            requests: None,
            suspends: false,
            check: |_| Ok(()),
        }
    }

    /// The scheduler with these keys in `[scheduler]`, and what checks them.
    #[must_use]
    pub const fn with_keys(
        mut self,
        keys: Keys,
        check: fn(&Parameters<Self>) -> Result<(), RefusedValue>,
    ) -> Self {
        self.entry.keys = keys;
        self.check = check;
        self
    }

    /// The scheduler with what lets requests of the host into the flash one by one.
    #[must_use]
    pub const fn with_requests(mut self, build: BuildRequestScheduler) -> Self {
        self.requests = Some(build);
        self
    }
}
