//! Jobs: work of the FTL beside host requests, as state machines that yield short plans.

mod at_once;
mod collect;
mod completion;
mod fold;
mod move_steps;
mod refresh;
mod wear;

pub(crate) use at_once::{is_plain, room_in_turn};
pub(crate) use collect::Move;
pub(crate) use refresh::look_for_refresh;
use wordline_units::Seed;

use crate::blocks::Recording;
use crate::config::FtlConfig;
use crate::error::FtlError;
use crate::inflight::InFlight;
use crate::map::Relocate;
use crate::policy::victim::{VictimPolicy, WearLimit, WearOut};
use crate::policy::wear::{WearDrive, WearPolicy};
use crate::space::FlashSpace;
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
    /// Whether worn blocks rest under cold data.
    rests: bool,
    /// Erases of a pool between two checks of static wear levelling.
    check_erases: u32,
    /// Whether blocks of which something has failed are emptied before all others, as long as their pool has more than its reserve.
    pub(crate) failed_first: bool,
    /// Kept between batches for its space.
    owners: Vec<u64>,
}

impl Collector {
    /// The policies that a configuration names, and what they need to be recorded of each block.
    ///
    /// # Errors
    /// There are no such policies.
    pub(crate) fn new(
        config: &FtlConfig,
        blocks: u32,
        blocks_per_pool: u32,
        seed: Seed,
    ) -> Result<(Self, Recording), FtlError> {
        let (gc, wear) = (&config.gc, &config.wear);
        let (victim, leveller) = (gc.victim.row()?, wear.static_.row()?);
        let drive = WearDrive {
            blocks,
            blocks_per_pool,
        };
        let limited = victim.limits_wear || leveller.limits_wear;
        let collector = Self {
            victims: (victim.build)(&gc.keys, seed),
            wear_limit: limited.then(|| WearLimit::new(&wear.keys.read::<WearOut>(), seed)),
            rests: leveller.limits_wear,
            wear: (leveller.build)(&wear.keys, drive),
            check_erases: wear.check_erases,
            failed_first: false,
            owners: Vec::new(),
        };
        Ok((collector, (victim.records)(&gc.keys)))
    }

    /// A list for the owners of pages, which [`Self::give_back_owners`] takes back for its space.
    pub(crate) fn take_owners(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.owners)
    }

    /// Takes a list back.
    pub(crate) fn give_back_owners(&mut self, owners: Vec<u64>) {
        self.owners = owners;
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
