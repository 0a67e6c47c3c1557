//! What is folded next, whether there is room for it, and what that costs host writes that are paced by it.

use super::SlcCache;
use crate::plan::Frontier;
use crate::space::{Activity, Ground};

/// Plans of host writes in the time of which a block is erased (assumed): they wait for a program of 2 to 4 ms each, an erase takes 10, as of QLC.
const ERASE_IN_PLANS: u32 = 4;

impl SlcCache {
    /// The frontier of a host write in a plane: that of the cache where it has a page, or where the write has to wait for one.
    #[inline(never)]
    pub(super) fn frontier_of_write(&self, ground: &Ground, plane: u32, asked: Frontier) -> Frontier {
        let pool = ground.pool_of_plane(plane);
        let frontiers = &ground.frontiers;
        let has_page = || {
            frontiers.active(plane, self.frontier).is_some()
                || frontiers
                    .next(&ground.blocks, plane, self.frontier, self.may_cache(ground, pool))
                    .is_some()
        };
        if has_page() || self.folds_when_full && self.will_fold(ground, pool) {
            self.frontier
        } else {
            asked
        }
    }

    /// Whether a block of the cache is being folded or will be, so that the cache will have a page.
    pub(super) fn will_fold(&self, ground: &Ground, pool: u32) -> bool {
        ground.is_folding(pool)
            || !self.closed[pool as usize].is_empty() && self.has_room_to_fold(ground, pool)
    }

    /// The block of the cache in a pool that is folded next; none where there is none, or none whose programs are done.
    pub(crate) fn next_to_fold(&self, ground: &Ground, pool: u32) -> Option<u32> {
        let mut closed = self.closed[pool as usize].iter().copied();
        closed.find(|block| !ground.blocks.has_pending(*block))
    }

    /// Takes the block that is folded next, where its data find room.
    pub(crate) fn take_to_fold(&mut self, ground: &mut Ground, pool: u32) -> Option<u32> {
        if !self.has_room_to_fold(ground, pool) {
            return None;
        }
        let block = self.next_to_fold(ground, pool)?;
        self.closed[pool as usize].retain(|closed| *closed != block);
        ground.counters.slc.folded_blocks += 1;
        Some(block)
    }

    /// Whether folding a block gives the pool a free one.
    pub(crate) fn has_borrowed(&self, pool: u32) -> bool {
        self.used[pool as usize] > self.kept(pool)
    }

    /// Whether a block of the cache can be folded: its data leave the reserve of collection alone, or what is folded is given back as a
    /// free block, as by a collection.
    fn has_room_to_fold(&self, ground: &Ground, pool: u32) -> bool {
        self.has_borrowed(pool) || ground.pools[pool as usize].free > ground.capacity.watermarks.reserve
    }

    /// What a page move costs and a host write brings while the cache fills up: what is to be moved until the next block of it is erased, a share for each page that
    /// the host can write until the erase begins.
    pub(super) fn fold_price(&self, ground: &Ground, pool: u32) -> (u64, u64) {
        let coming = match ground.pools[pool as usize].activity {
            Activity::Erasing { victim, .. } if ground.blocks.is_slc(victim) => {
                ground.blocks.pages_of(victim)
            }
            _ => 0,
        };
        let during_erase = ERASE_IN_PLANS * ground.capacity.width * ground.geometry.pages_per_program;
        let room = self.room(ground, pool) + coming;
        let room = room.saturating_sub(self.lost_to_folds(ground, pool) + during_erase);
        let price = u64::from(ground.geometry.pages_per_block);
        let gain = (price * u64::from(self.moves_to_fold(ground, pool))).div_ceil(u64::from(room.max(1)));
        (price, gain)
    }

    /// Programs of moves until the next block can be erased, in whole rows.
    pub(super) fn rows_to_fold(&self, ground: &Ground, pool: u32) -> u32 {
        let moves = self.moves_to_fold(ground, pool);
        let programs = moves.div_ceil(ground.geometry.pages_per_program);
        programs.next_multiple_of(ground.capacity.width)
    }

    /// Pages to be moved until the next block of the cache can be erased; the erase counts as a row of them.
    fn moves_to_fold(&self, ground: &Ground, pool: u32) -> u32 {
        let blocks = &ground.blocks;
        let next = || self.next_to_fold(ground, pool);
        let (emptied, folded) = match ground.pools[pool as usize].activity {
            Activity::Moving { victim, .. } if blocks.is_slc(victim) => (Some(victim), None),
            Activity::Moving { victim, .. } => (Some(victim), next()),
            Activity::Idle | Activity::Merging | Activity::Erasing { .. } => (None, next()),
        };
        let moved = [emptied, folded].into_iter().flatten();
        let moves: u32 = moved.map(|block| blocks.valid(block)).sum();
        moves + ground.capacity.width * ground.geometry.pages_per_program
    }
}
