//! Static wear levelling: when cold data move onto worn blocks. One file for each policy; their table is in `registry`.

pub(crate) mod dual_pool;
pub(crate) mod hot_cold_swap;
pub(crate) mod rest;
pub(crate) mod swap;

use crate::block::BlockRole;
use crate::blocks::Blocks;
use crate::policy::victim::WearLimit;
use crate::state::archive::{Archive, ArchiveError};
use serde::{Deserialize, Serialize};
use wordline_keys::{Entry, Keys, Parameters};

/// The content of one block goes to another, free and more worn one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swap {
    /// The block whose content moves.
    pub from: u32,
    /// The free block that it moves to.
    pub to: u32,
}

/// The blocks of a pool, seen just after one of them was erased.
#[derive(Clone, Copy)]
pub struct WearView<'a> {
    pub(crate) blocks: &'a Blocks,
    pub(crate) pool: u32,
    /// The block just erased.
    pub(crate) erased: u32,
    /// Mean erases of the pool's blocks.
    pub(crate) mean: f64,
    pub(crate) limit: Option<&'a WearLimit>,
}

impl WearView<'_> {
    /// The block just erased.
    #[must_use]
    pub const fn erased(&self) -> u32 {
        self.erased
    }

    /// Mean erases of the blocks of the pool.
    #[must_use]
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// Erases of a block.
    #[must_use]
    pub fn erases(&self, block: u32) -> u32 {
        self.blocks.erases[block as usize]
    }

    /// The free blocks of the pool.
    pub fn free(&self) -> impl Iterator<Item = u32> {
        self.blocks
            .of_pool(self.pool)
            .filter(|block| self.blocks.role[*block as usize] == BlockRole::Free)
    }

    /// The blocks of the pool but for bad ones.
    pub fn usable(&self) -> impl Iterator<Item = u32> {
        self.blocks
            .of_pool(self.pool)
            .filter(|block| self.blocks.role[*block as usize] != BlockRole::Bad)
    }

    /// The closed blocks of the pool that can be emptied.
    pub fn closed(&self) -> impl Iterator<Item = u32> {
        self.blocks.candidates(self.pool)
    }

    /// The closed block written longest ago.
    #[must_use]
    pub fn coldest(&self) -> Option<u32> {
        self.closed()
            .max_by_key(|block| (self.blocks.closings_ago(*block), std::cmp::Reverse(*block)))
    }

    /// The most erased of some blocks; of several the first one.
    pub fn most_erased(&self, blocks: impl Iterator<Item = u32>) -> Option<u32> {
        blocks.max_by_key(|block| (self.erases(*block), std::cmp::Reverse(*block)))
    }

    /// The least erased of some blocks; of several the first one.
    pub fn least_erased(&self, blocks: impl Iterator<Item = u32>) -> Option<u32> {
        blocks.min_by_key(|block| (self.erases(*block), *block))
    }
}

/// Decides on swaps.
pub trait WearPolicy: Send {
    /// Asked after every erase.
    fn after_erase(&mut self, _view: &WearView<'_>) -> Option<Swap> {
        None
    }

    /// Asked every `ftl.wear.check_erases` erases of a pool.
    fn check(&mut self, _view: &WearView<'_>) -> Option<Swap> {
        None
    }

    /// Passes what it remembers to a state file, or takes it from one.
    ///
    /// # Errors
    /// As for `Archive::part`.
    fn archive(&mut self, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// The drive that a wear policy is made for.
#[derive(Clone, Copy, Debug)]
pub struct WearDrive {
    /// Blocks of the drive.
    pub blocks: u32,
    /// Blocks of a pool.
    pub blocks_per_pool: u32,
}

/// What makes a policy for a drive; none where data are not moved.
pub type BuildWear = fn(&Parameters<WearRow>, WearDrive) -> Option<Box<dyn WearPolicy>>;

/// A policy of static wear levelling in its table.
#[derive(Clone, Copy)]
pub struct WearRow {
    /// What it says of itself.
    pub entry: Entry,
    /// Whether data are moved at all.
    pub moves_data: bool,
    /// Whether blocks near the end of their life are passed over as victims with a probability.
    pub limits_wear: bool,
    /// Makes it.
    pub build: BuildWear,
}

impl WearRow {
    /// A policy that is asked every `ftl.wear.check_erases` erases, with these keys in `[ftl.wear]`.
    #[must_use]
    pub const fn new(name: &'static str, help: &'static str, keys: Keys, build: BuildWear) -> Self {
        Self {
            entry: Entry {
                name,
                help,
                keys,
                reads: &["ftl.wear.check_erases"],
            },
            moves_data: true,
            limits_wear: false,
            build,
        }
    }
}

/// `ftl.wear.static = "off"`.
pub(crate) const OFF: WearRow = {
    let mut row = WearRow::new("off", "Not at all.", Keys::NONE, |_, _| None);
    row.entry.reads = &[];
    row.moves_data = false;
    row
};
