//! Refresh as part of the job of a pool: never beside its collection, so that one reserve serves both.

use std::cmp::Reverse;

use wordline_nand::Use;
use wordline_units::SimTime;

use super::Collector;
use crate::block::BlockRole;
use crate::plan::WEAR;
use crate::space::FlashSpace;

impl Collector {
    /// Begins to move the data of the block that is due first, if a block above the reserve is there to take them.
    pub(super) fn begin_refresh(space: &mut FlashSpace, now: SimTime, pool: u32) -> bool {
        if space.pools[pool as usize].refresh.is_none() {
            return false;
        }
        loop {
            let Some(block) = due_block(space, pool) else {
                space.pools[pool as usize].refresh = None;
                return false;
            };
            let valid = space.blocks.valid(block);
            let Some(refresher) = &mut space.tenants.refresh else {
                return false;
            };
            if !refresher.serves(block, valid) {
                continue;
            }
            if space.pools[pool as usize].free <= space.capacity.watermarks.reserve {
                return false;
            }
            let Some(target) = target(space, pool, block) else {
                return false;
            };
            if space.blocks.role[block as usize] == BlockRole::Open {
                space.close_early(block);
            }
            if let Some(refresher) = &mut space.tenants.refresh {
                refresher.begin(block, valid);
            }
            space.pools[pool as usize].refreshing = true;
            space.begin_moving(pool, block, Some(target));
            let plane = space.blocks.plane_of(target);
            space.activate(now, plane, WEAR, target);
            return true;
        }
    }
}

/// Looks for blocks of a space that are due; whether there are any.
pub(crate) fn look_for_refresh(space: &mut FlashSpace, now: SimTime) -> bool {
    let FlashSpace { ground, tenants } = space;
    let Some(refresher) = &mut tenants.refresh else {
        return false;
    };
    refresher.look(now, &|block| ground.blocks.valid(block));
    let urgencies: Vec<_> = (0..ground.pools.len() as u32)
        .map(|pool| refresher.urgency(pool, now))
        .collect();
    for (pool, urgency) in (0..).zip(&urgencies) {
        space.pools[pool as usize].refresh = *urgency;
        if urgency.is_some() {
            space.update_urgency(pool, now);
        }
    }
    urgencies.iter().any(Option::is_some)
}

/// The first of the blocks of a pool that are due, and can be emptied now: closed, or open while nobody writes to it.
fn due_block(space: &FlashSpace, pool: u32) -> Option<u32> {
    let blocks = &space.blocks;
    let can_be_emptied = |block: u32| {
        let is_open = blocks.role[block as usize] == BlockRole::Open && !blocks.has_pending(block);
        is_open || blocks.is_candidate(block) || blocks.valid(block) == 0
    };
    let mut due = space.tenants.refresh.as_ref()?.due(pool);
    due.find(|(block, _)| can_be_emptied(*block))
        .map(|(block, _)| block)
}

/// The free block that takes the data: the one that keeps them longest; of several the one with the fewest erases. Where copy-back is used, those of the same plane
/// come first.
fn target(space: &FlashSpace, pool: u32, source: u32) -> Option<u32> {
    let blocks = &space.blocks;
    let refresher = space.tenants.refresh.as_ref()?;
    let plane = blocks.plane_of(source);
    let copies_back = space.copy_back.how != Use::Off;
    blocks
        .of_pool(pool)
        .filter(|block| blocks.role[*block as usize] == BlockRole::Free)
        .min_by_key(|block| {
            let is_elsewhere = copies_back && blocks.plane_of(*block) != plane;
            let retention = refresher.retention(*block);
            (
                is_elsewhere,
                Reverse(retention),
                blocks.erases[*block as usize],
                *block,
            )
        })
}
