//! Dual-pool (Chang, SAC 2007).

use super::swap::Gap;
use super::{WearPolicy, WearRow, WearView};
use crate::policy::wear::Swap;
use crate::state::archive::{Archive, ArchiveError};
use wordline_keys::Keys;

/// Blocks are members of a hot or a cold set, half each at first.
///
/// *Swap*: when the most erased free hot block has more than `threshold` erases above the least
/// erased closed cold block, it takes that block's data and they change sets. *Resize*: a cold
/// block worn by more than `threshold` since it joined, compared with the least so worn hot
/// block, becomes hot; a hot block more than twice the threshold below the most erased hot one
/// becomes cold.
pub(crate) struct DualPool {
    threshold: u32,
    hot: Vec<bool>,
    /// Erases of each block when it joined its set.
    joined: Vec<u32>,
}

impl DualPool {
    pub(crate) fn new(threshold: u32, blocks: u32, blocks_per_pool: u32) -> Self {
        Self {
            threshold,
            hot: (0..blocks)
                .map(|block| (block % blocks_per_pool).is_multiple_of(2))
                .collect(),
            joined: vec![0; blocks as usize],
        }
    }

    fn put(&mut self, block: u32, hot: bool, erases: u32) {
        self.hot[block as usize] = hot;
        self.joined[block as usize] = erases;
    }

    fn resize(&mut self, view: &WearView<'_>) {
        let hot = |block: &u32| self.hot[*block as usize];
        let effective = |block: u32| view.erases(block).saturating_sub(self.joined[block as usize]);
        let worn_cold = view
            .usable()
            .filter(|block| !hot(block))
            .max_by_key(|block| (effective(*block), std::cmp::Reverse(*block)));
        let fresh_hot = view
            .usable()
            .filter(hot)
            .min_by_key(|block| (effective(*block), *block));
        let promoted = worn_cold
            .zip(fresh_hot)
            .filter(|(cold, hot)| effective(*cold) > effective(*hot).saturating_add(self.threshold))
            .map(|(cold, _)| cold);
        let most = view
            .most_erased(view.usable().filter(hot))
            .map(|block| view.erases(block));
        let demoted = view.least_erased(view.usable().filter(hot)).filter(|block| {
            most.is_some_and(|most| most - view.erases(*block) > self.threshold.saturating_mul(2))
        });
        if let Some(block) = promoted {
            self.put(block, true, view.erases(block));
        }
        if let Some(block) = demoted {
            self.put(block, false, view.erases(block));
        }
    }
}

impl WearPolicy for DualPool {
    fn check(&mut self, view: &WearView<'_>) -> Option<Swap> {
        self.resize(view);
        let to = view.most_erased(view.free().filter(|block| self.hot[*block as usize]))?;
        let from = view.least_erased(view.closed().filter(|block| !self.hot[*block as usize]))?;
        if view.erases(to) <= view.erases(from).saturating_add(self.threshold) {
            return None;
        }
        self.put(to, false, view.erases(to));
        self.put(from, true, view.erases(from));
        Some(Swap { from, to })
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.table(&mut self.hot)?;
        archive.table(&mut self.joined)
    }
}

/// `ftl.wear.static = "dual_pool"`.
pub(crate) const DUAL_POOL: WearRow = WearRow::new(
    "dual_pool",
    "A hot and a cold pool of blocks that trade places (Chang 2007).",
    Keys::of::<Gap>(),
    |keys, drive| {
        let gap = keys.read::<Gap>().gap;
        Some(Box::new(DualPool::new(gap, drive.blocks, drive.blocks_per_pool)))
    },
);
