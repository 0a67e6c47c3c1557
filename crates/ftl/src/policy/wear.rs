//! Static wear levelling: when cold data move onto worn blocks. One file per policy, one table.

mod dual_pool;
mod hot_cold_swap;
mod rest;
mod swap;

use crate::block::BlockRole;
use crate::config::{StaticWear, WearConfig};
use crate::policy::victim::WearLimit;
use crate::space::{Blocks, Swap};
use crate::state::archive::{Archive, ArchiveError};

/// The blocks of a pool, seen just after one of them was erased.
#[derive(Clone, Copy)]
pub(crate) struct WearView<'a> {
    pub(crate) blocks: &'a Blocks,
    pub(crate) pool: u32,
    /// The block just erased.
    pub(crate) erased: u32,
    /// Mean erases of the pool's blocks.
    pub(crate) mean: f64,
    pub(crate) limit: Option<&'a WearLimit>,
}

impl WearView<'_> {
    fn erases(&self, block: u32) -> u32 {
        self.blocks.erases[block as usize]
    }

    fn free(&self) -> impl Iterator<Item = u32> {
        self.blocks
            .of_pool(self.pool)
            .filter(|block| self.blocks.role[*block as usize] == BlockRole::Free)
    }

    fn usable(&self) -> impl Iterator<Item = u32> {
        self.blocks
            .of_pool(self.pool)
            .filter(|block| self.blocks.role[*block as usize] != BlockRole::Bad)
    }

    fn closed(&self) -> impl Iterator<Item = u32> {
        self.blocks.candidates(self.pool)
    }

    /// The closed block written longest ago.
    fn coldest(&self) -> Option<u32> {
        self.closed()
            .max_by_key(|block| (self.blocks.closings_ago(*block), std::cmp::Reverse(*block)))
    }

    fn most_erased(&self, blocks: impl Iterator<Item = u32>) -> Option<u32> {
        blocks.max_by_key(|block| (self.erases(*block), std::cmp::Reverse(*block)))
    }

    fn least_erased(&self, blocks: impl Iterator<Item = u32>) -> Option<u32> {
        blocks.min_by_key(|block| (self.erases(*block), *block))
    }
}

/// Decides on swaps.
pub(crate) trait WearPolicy: Send {
    /// Asked after every erase.
    fn after_erase(&mut self, _view: &WearView<'_>) -> Option<Swap> {
        None
    }

    /// Asked every `ftl.wear.check_erases` erases of a pool.
    fn check(&mut self, _view: &WearView<'_>) -> Option<Swap> {
        None
    }

    /// Hands over what it remembers.
    fn archive(&mut self, _archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// The policy of each configuration name.
pub(crate) fn wear_policy(
    config: &WearConfig,
    blocks: u32,
    blocks_per_pool: u32,
) -> Option<Box<dyn WearPolicy>> {
    match config.static_ {
        StaticWear::Off => None,
        StaticWear::Swap => Some(Box::new(swap::ThresholdSwap { gap: config.gap })),
        StaticWear::RateLimited => Some(Box::new(rest::Rest)),
        StaticWear::DualPool => Some(Box::new(dual_pool::DualPool::new(
            config.gap,
            blocks,
            blocks_per_pool,
        ))),
        StaticWear::HotColdSwap => Some(Box::new(hot_cold_swap::HotColdSwap)),
    }
}
