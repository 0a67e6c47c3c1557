//! Garbage collection: which closed block of a pool is reclaimed. One file per policy, one table.

mod aged;
mod cost;
mod draws;
mod fifo;
mod greedy;
mod wear_limit;

use wordline_units::Seed;

use crate::config::{AgeBasis, GcConfig, Victim};
use crate::space::{Blocks, Recording};
use crate::state::archive::{Archive, ArchiveError};

pub(crate) use greedy::Greedy;
pub(crate) use wear_limit::WearLimit;

/// The blocks that a policy chooses among: the closed ones of a pool with no program outstanding.
#[derive(Clone, Copy)]
pub(crate) struct Candidates<'a> {
    pub(crate) blocks: &'a Blocks,
    pub(crate) pool: u32,
    /// Simulated time in nanoseconds.
    pub(crate) now: u64,
    pub(crate) pages_per_block: u32,
}

impl Candidates<'_> {
    /// The candidates by index.
    fn iter(&self) -> impl Iterator<Item = u32> {
        self.blocks.candidates(self.pool)
    }

    /// Order of preference among equals: fewest erases, then closed longest ago, then lowest
    /// index.
    fn tie(&self, block: u32) -> (u32, std::cmp::Reverse<u32>, u32) {
        let oldest_first = std::cmp::Reverse(self.blocks.closings_ago(block));
        (self.blocks.erases[block as usize], oldest_first, block)
    }

    /// The candidate with the highest score.
    fn best_by(&self, score: impl Fn(u32) -> f64) -> Option<u32> {
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
pub(crate) trait VictimPolicy: Send {
    /// The block to reclaim; none where there is no candidate.
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32>;

    /// Hands over what it remembers.
    fn archive(&mut self, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// A policy and what it wants to be recorded.
pub(crate) type Built = (Box<dyn VictimPolicy>, Recording);

/// The policy of each configuration name.
pub(crate) fn victim_policy(config: &GcConfig, seed: Seed) -> Built {
    let age = Recording {
        last_write: config.age_basis == AgeBasis::LastWrite,
        last_invalidation: config.age_basis == AgeBasis::LastInvalidation,
        ..Recording::default()
    };
    let queue = Recording {
        queue: true,
        ..Recording::default()
    };
    let stale = Recording {
        stale: true,
        ..Recording::default()
    };
    let nothing = Recording::default();
    let stream = || seed.stream("ftl.gc.victim");
    match config.victim {
        Victim::Greedy | Victim::WearGreedy => (Box::new(Greedy), nothing),
        Victim::CostBenefit => (Box::new(cost::CostBenefit), age),
        Victim::CostBenefitLfs => (Box::new(cost::CostBenefitLfs), age),
        Victim::Cat => (Box::new(cost::Cat), age),
        Victim::Random => (Box::new(draws::DChoices::new(1, stream())), nothing),
        Victim::DChoices if config.distinct => {
            (Box::new(draws::DistinctChoices::new(config.d, stream())), nothing)
        }
        Victim::DChoices => (Box::new(draws::DChoices::new(config.d, stream())), nothing),
        Victim::RandomPp => (Box::new(draws::RandomPp::new(stream())), nothing),
        Victim::Fifo => (Box::new(fifo::WindowedGreedy::new(1)), queue),
        Victim::WindowedGreedy => (Box::new(fifo::WindowedGreedy::new(config.window)), queue),
        Victim::Fegc => (Box::new(aged::Fegc), stale),
    }
}
