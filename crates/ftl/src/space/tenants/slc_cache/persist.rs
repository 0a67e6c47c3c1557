//! The SLC cache in state files.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::SlcCache;
use crate::block::BlockRole;
use crate::space::{Activity, Ground};
use crate::state::archive::{Archive, ArchiveError, require};

impl SlcCache {
    /// Passes which blocks are in SLC mode to a state file or takes it from it, after the roles of blocks.
    pub(super) fn archive(
        &mut self,
        ground: &mut Ground,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        let blocks = &mut ground.blocks;
        blocks.archive_slc(archive)?;
        self.archive_lost(archive)?;
        if archive.is_loading() {
            let other = ground.frontiers.coldest.0;
            for (frontier, is_slc) in blocks.frontier.iter_mut().zip(&blocks.slc) {
                if *is_slc {
                    *frontier = self.frontier.0;
                } else if *frontier == self.frontier.0 {
                    *frontier = other;
                }
            }
        }
        Ok(())
    }

    /// Passes the bad blocks of pools to a state file or takes them from it; pools of another size begin with none.
    fn archive_lost(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let pools = self.lost.len();
        archive.part(&mut self.lost)?;
        if self.lost.len() != pools {
            self.lost = vec![0; pools];
        }
        Ok(())
    }

    /// Computes again what follows from the roles of blocks: which are used and closed, and how many free ones are kept.
    pub(super) fn count(&mut self, ground: &mut Ground) -> Result<(), ArchiveError> {
        let blocks = &ground.blocks;
        self.used.fill(0);
        self.closed.iter_mut().for_each(VecDeque::clear);
        let mut slc: Vec<u32> = (0..blocks.role.len() as u32)
            .filter(|block| blocks.is_slc(*block))
            .collect();
        slc.sort_by_key(|block| (Reverse(blocks.closings_ago(*block)), *block));
        for block in slc {
            let pool = blocks.pool_of(block) as usize;
            self.used[pool] += 1;
            let is_taken =
                matches!(ground.pools[pool].activity, Activity::Moving { victim, .. } if victim == block);
            if blocks.role[block as usize] == BlockRole::Closed && !is_taken {
                self.closed[pool].push_back(block);
            }
        }
        for (pool, state) in (0..).zip(&mut ground.pools) {
            let kept = self.kept_free(pool);
            require(
                state.free >= kept,
                "fewer free blocks than are kept for the SLC cache",
            )?;
            state.free -= kept;
        }
        Ok(())
    }
}
