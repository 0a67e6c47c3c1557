//! How much of the spare space pages of deltas may take.

use super::keys::DeltaConfig;
use crate::config::MappingInput;
use crate::error::FtlError;
use crate::space::Capacity;

/// Pages of deltas that there may be.
#[derive(Clone, Debug)]
pub(super) struct Spare {
    /// In the drive.
    pub(super) most: u64,
    /// Whether each pool has the same part of them as its limit: where a logical page cannot go to any pool.
    is_per_pool: bool,
    /// Per pool: those on flash, and those that are to be programmed there.
    of_pool: Vec<u64>,
}

impl Spare {
    /// The capacity of the drive with an open block for deltas in each plane, and the share of what is spare in each pool beside the
    /// blocks that collection wants to be free.
    ///
    /// # Errors
    /// As for `Capacity::new`; no page is left for deltas.
    pub(super) fn new(input: &MappingInput<'_>, keys: &DeltaConfig) -> Result<(Capacity, Self), FtlError> {
        let geometry = input.geometry;
        let capacity = Capacity::with_own_pages(geometry, input.config, input.allocation)?;
        let pools = u64::from(geometry.planes() / capacity.planes_per_pool);
        let blocks = capacity.planes_per_pool * geometry.blocks_per_plane;
        let share = capacity.user_pages.div_ceil(pools);
        let kept = capacity.blocks_beside_data(input.config.gc.frontier);
        let room = u64::from(blocks.saturating_sub(kept)) * u64::from(geometry.pages_per_block);
        let most = (room.saturating_sub(share) as f64 * keys.log_share) as u64;
        // one is filled, one programmed
        if most < 2 {
            return Err(FtlError::new(
                "ftl.over_provisioning",
                input.config.over_provisioning,
                format!(
                    "more, or a larger ftl.delta.log_share: a pool of {blocks} blocks has room for {most} pages of deltas beside {share} user pages \
                     and {kept} blocks that are open or kept free, and 2 are needed"
                ),
            ));
        }
        let goes_anywhere =
            crate::allocation::HostPlacement::new(geometry, input.allocation).scopes(geometry) == 1;
        let spare = Self {
            most: most * pools,
            is_per_pool: !goes_anywhere,
            of_pool: vec![0; pools as usize],
        };
        Ok((capacity, spare))
    }

    /// Pages of deltas of a pool are more, or fewer.
    pub(super) fn change(&mut self, pool: u32, by: i64) {
        let count = &mut self.of_pool[pool as usize];
        *count = count.saturating_add_signed(by);
    }

    /// No pool has any.
    pub(super) fn clear(&mut self) {
        self.of_pool.fill(0);
    }

    /// The pool that the next page of deltas goes to: the one with the fewest, where there is a limit for each. The pages of a drive are never more than
    /// all pools may have, so that this one may have another.
    pub(super) fn next_pool(&self) -> Option<u32> {
        let pools = (0..).zip(&self.of_pool).filter(|_| self.is_per_pool);
        pools.min_by_key(|(_, count)| **count).map(|(pool, _)| pool)
    }
}
