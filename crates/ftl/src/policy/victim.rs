//! Garbage collection: which closed block of a pool is reclaimed. One file for each policy; their table is in `registry`.

pub(crate) mod cat;
pub(crate) mod cost_benefit;
pub(crate) mod d_choices;
mod draws;
pub(crate) mod fegc;
pub(crate) mod fifo;
pub(crate) mod greedy;
pub(crate) mod random;
pub(crate) mod random_pp;
pub(crate) mod wear_greedy;
mod wear_limit;
pub(crate) mod windowed_greedy;

use wordline_units::Seed;

use crate::analytic::Cleaning;
use crate::blocks::{Blocks, Recording};
use crate::error::FtlError;
use crate::state::archive::{Archive, ArchiveError};
use wordline_keys::{Entry, Keys, Parameters};

pub(crate) use wear_limit::{WearLimit, WearOut};

/// The blocks that a policy chooses among: the closed ones of a pool with no program outstanding.
#[derive(Clone, Copy)]
pub struct Candidates<'a> {
    pub(crate) blocks: &'a Blocks,
    pub(crate) pool: u32,
    /// Simulated time in nanoseconds.
    pub(crate) now: u64,
    pub(crate) pages_per_block: u32,
}

impl<'a> Candidates<'a> {
    /// The candidates of a pool at a time in nanoseconds.
    pub(crate) const fn new(blocks: &'a Blocks, pool: u32, now: u64, pages_per_block: u32) -> Self {
        Self {
            blocks,
            pool,
            now,
            pages_per_block,
        }
    }

    /// Simulated time in nanoseconds.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Pages of a block.
    #[must_use]
    pub const fn pages_per_block(&self) -> u32 {
        self.pages_per_block
    }

    /// Valid pages of a block.
    #[must_use]
    pub fn valid(&self, block: u32) -> u32 {
        self.blocks.valid(block)
    }

    /// Erases of a block.
    #[must_use]
    pub fn erases(&self, block: u32) -> u32 {
        self.blocks.erases[block as usize]
    }

    /// Time since the event from which the age of a block is counted, in nanoseconds; where the row records one.
    #[must_use]
    pub fn age(&self, block: u32) -> u64 {
        let since = self.blocks.since.get(block as usize).copied();
        self.now.saturating_sub(since.unwrap_or_default())
    }

    /// The candidates in the order in which they were closed; empty unless the row records it.
    pub fn by_closing(&self) -> impl Iterator<Item = u32> {
        self.blocks.candidates_by_closing(self.pool)
    }

    /// The candidates by index.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.blocks.candidates(self.pool)
    }

    /// Order of preference among equals: fewest erases, then closed longest ago, then lowest
    /// index.
    #[must_use]
    pub fn tie(&self, block: u32) -> (u32, std::cmp::Reverse<u32>, u32) {
        let oldest_first = std::cmp::Reverse(self.blocks.closings_ago(block));
        (self.blocks.erases[block as usize], oldest_first, block)
    }

    /// The candidate with the highest score.
    #[must_use]
    pub fn best_by(&self, score: impl Fn(u32) -> f64) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        for block in self.iter() {
            let value = score(block);
            let better = match best {
                None => true,
                Some((top, leader)) => value > top || (value == top && self.tie(block) < self.tie(leader)),
            };
            if better {
                best = Some((value, block));
            }
        }
        best.map(|(_, block)| block)
    }
}

/// Chooses victims.
pub trait VictimPolicy: Send {
    /// The block to reclaim; none where there is no candidate.
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32>;

    /// Passes what it remembers to a state file, or takes it from one.
    ///
    /// # Errors
    /// As for `Archive::part`.
    fn archive(&mut self, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// What makes a victim policy.
pub type BuildVictim = &'static (dyn Fn(&Parameters<VictimRow>, Seed) -> Box<dyn VictimPolicy> + Sync);

/// A victim policy in its table.
#[derive(Clone, Copy)]
pub struct VictimRow {
    /// What it says of itself.
    pub entry: Entry,
    /// What it needs to be recorded of each block.
    pub records: &'static (dyn Fn(&Parameters<Self>) -> Recording + Sync),
    /// The closed form of its write amplification in pools of so many blocks, and whether that is its own; otherwise it is
    /// the nearest one.
    pub closed_form: fn(&Parameters<Self>, u32) -> (Cleaning, bool),
    /// Whether blocks near the end of their life are passed over with a probability (`ftl.wear.age_variance`,
    /// `ftl.wear.erase_limit`).
    pub limits_wear: bool,
    /// Checks the values of its keys.
    pub check: fn(&Parameters<Self>) -> Result<(), FtlError>,
    /// Makes it.
    pub build: BuildVictim,
}

impl VictimRow {
    /// A policy without keys, that needs nothing to be recorded. Under uniform writes the emptiest block is the oldest,
    /// whatever age is worth: the nearest closed form is that of the greedy policy.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, build: BuildVictim) -> Self {
        Self {
            entry: Entry {
                name,
                help,
                keys: Keys::NONE,
                reads: &[],
            },
            records: &|_| Recording::default(),
            closed_form: |_, _| (Cleaning::Greedy, false),
            limits_wear: false,
            check: |_| Ok(()),
            build,
        }
    }
}
