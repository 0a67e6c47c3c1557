//! What is known of an SLC cache: its blocks, by pool.

use std::collections::VecDeque;

use wordline_nand::Mode;
use wordline_units::SimTime;

use crate::config::{CacheBlocks, Folding, SlcCacheConfig, WhenFull};
use crate::plan::Frontier;
use crate::slc_mode::SlcMode;
use crate::state::archive::{Archive, ArchiveError};

/// The cache.
#[derive(Clone, Debug)]
pub(crate) struct SlcCache {
    pub(super) mode: Mode,
    /// What `Persist::modes` says.
    pub(crate) names: Vec<String>,
    /// The frontier of its open blocks.
    pub(crate) frontier: Frontier,
    pub(super) blocks: CacheBlocks,
    pub(crate) folds_when_full: bool,
    /// Whether its data are copied inside their plane.
    pub(crate) folds_inside: bool,
    /// By pool: blocks in SLC mode.
    pub(super) used: Vec<u32>,
    /// By pool: blocks that were kept for it and are bad.
    pub(super) lost: Vec<u32>,
    /// By pool: closed ones, in the order in which they were closed.
    pub(super) closed: Vec<VecDeque<u32>>,
    /// When a page of the host first found no room in it, since counting began.
    pub(crate) full_since: Option<SimTime>,
}

impl SlcCache {
    pub(crate) fn new(
        slc: &SlcMode,
        frontier: Frontier,
        blocks: CacheBlocks,
        config: &SlcCacheConfig,
        pools: u32,
    ) -> Self {
        Self {
            mode: slc.mode,
            // a drive without a cache keeps modes by page
            names: slc
                .modes
                .iter()
                .map(|name| format!("{name} (by block)"))
                .collect(),
            frontier,
            blocks,
            folds_when_full: config.when_full == WhenFull::Fold,
            folds_inside: config.folding == Folding::CopyBack,
            used: vec![0; pools as usize],
            lost: vec![0; pools as usize],
            closed: vec![VecDeque::new(); pools as usize],
            full_since: None,
        }
    }

    /// Blocks of a pool that are kept for the cache, but for bad ones.
    pub(super) fn kept(&self, pool: u32) -> u32 {
        self.blocks.kept.saturating_sub(self.lost[pool as usize])
    }

    /// Free blocks of a pool that only the cache may open.
    pub(super) fn kept_free(&self, pool: u32) -> u32 {
        self.kept(pool).saturating_sub(self.used[pool as usize])
    }

    /// Passes the bad blocks of pools to a state file or takes them from it; pools of another size begin with none.
    pub(super) fn archive_lost(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let pools = self.lost.len();
        archive.part(&mut self.lost)?;
        if self.lost.len() != pools {
            self.lost = vec![0; pools];
        }
        Ok(())
    }

    /// A block of the cache is bad: the cache has one less, a borrowed one if there is one.
    pub(super) fn lose(&mut self, pool: u32) {
        let borrows = self.used[pool as usize] > self.kept(pool);
        self.used[pool as usize] -= 1;
        self.lost[pool as usize] += u32::from(!borrows);
    }
}
