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
    /// In a pool, where a logical page cannot go to any pool.
    most_of_pool: Option<u64>,
    /// Per pool: those on flash, and programs of some that were bound.
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
            most_of_pool: (!goes_anywhere).then_some(most),
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

    /// Whether another page of deltas may go to a pool.
    pub(super) fn has_room(&self, pool: u32) -> bool {
        let most = self.most_of_pool.unwrap_or(u64::MAX);
        self.of_pool[pool as usize] < most
    }
}
