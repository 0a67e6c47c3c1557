//! Jobs: work of the FTL beside host requests, as state machines that yield short plans.

mod at_once;
mod collect;
mod completion;
mod wear;

use wordline_units::Seed;

use crate::config::{FtlConfig, StaticWear, Victim, WearConfig};
use crate::inflight::InFlight;
use crate::map::Relocate;
use crate::policy::victim::{VictimPolicy, WearLimit, victim_policy};
use crate::policy::wear::{WearPolicy, wear_policy};
use crate::space::{FlashSpace, Recording};
use crate::state::archive::{Archive, ArchiveError};

/// What a job of relocation works on.
pub(crate) struct Work<'a, R: Relocate> {
    pub(crate) space: &'a mut FlashSpace,
    pub(crate) pages: &'a mut R,
    pub(crate) inflight: &'a mut InFlight,
}

/// Garbage collection and static wear levelling of all pools, which share the reserve of each.
pub(crate) struct Collector {
    victims: Box<dyn VictimPolicy>,
    wear_limit: Option<WearLimit>,
    wear: Option<Box<dyn WearPolicy>>,
    config: WearConfig,
    /// Kept between batches for its space.
    owners: Vec<u64>,
}

impl Collector {
    /// The policies that a configuration names, and what they need to be recorded of each block.
    pub(crate) fn new(
        config: &FtlConfig,
        blocks: u32,
        blocks_per_pool: u32,
        seed: Seed,
    ) -> (Self, Recording) {
        let (victims, recording) = victim_policy(&config.gc, seed);
        let limited =
            config.gc.victim == Victim::WearGreedy || config.wear.static_ == StaticWear::RateLimited;
        let collector = Self {
            victims,
            wear_limit: limited.then(|| WearLimit::new(&config.wear, seed)),
            wear: wear_policy(&config.wear, blocks, blocks_per_pool),
            config: config.wear.clone(),
            owners: Vec::new(),
        };
        (collector, recording)
    }

    /// Passes what policies remember to a state file, or takes it from one.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        self.victims.archive(archive)?;
        if let Some(limit) = &mut self.wear_limit {
            limit.archive(archive)?;
        }
        if let Some(wear) = &mut self.wear {
            wear.archive(archive)?;
        }
        Ok(())
    }
}
