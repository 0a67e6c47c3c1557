//! Whether an FTL that was loaded contradicts itself.

use wordline_units::SimTime;

use super::PageFtl;
use super::pool::Activity;
use crate::archive::{ArchiveError, require};
use crate::contract::BlockRole;

impl PageFtl {
    /// Checks what was loaded: all that is reachable by an index is there, and all that is counted twice is counted alike.
    pub(super) fn check(&self) -> Result<(), ArchiveError> {
        let is_victim = |block: u32| {
            let pool = &self.pools[self.blocks.pool_of(block) as usize];
            matches!(pool.activity, Activity::Moving { victim, .. } if victim == block)
        };
        self.blocks.check(is_victim)?;
        self.frontiers.check(&self.blocks)?;
        self.map.check(
            self.capacity.user_pages,
            &self.blocks,
            u64::from(self.geometry.pages_per_block),
            self.skips,
        )?;
        for pool in 0..self.pools() {
            self.check_pool(pool)?;
        }
        let stuck = self.pools.iter().filter(|pool| pool.stuck).count();
        require(
            self.stuck_pools as usize == stuck,
            "another number of stuck pools than are stuck",
        )?;
        for notice in &self.notices {
            let known = notice.job.0 < self.pools() && notice.scope == self.pool_scope(notice.job.0);
            require(known, "a notice of a pool that there is not")?;
        }
        #[expect(clippy::iter_over_hash_type, reason = "each is looked at alone")]
        for (page, hops) in &self.hops {
            let possible = *page < self.geometry.pages() && *hops <= self.most_hops;
            require(possible, "more copy-backs of a page than are allowed")?;
        }
        self.facts.check()
    }

    fn check_pool(&self, pool: u32) -> Result<(), ArchiveError> {
        let (state, blocks) = (&self.pools[pool as usize], self.pool_blocks(pool));
        let pages_per_block = self.geometry.pages_per_block;
        let free = blocks
            .clone()
            .filter(|block| self.blocks.role[*block as usize] == BlockRole::Free)
            .count();
        require(
            state.free as usize == free,
            "a pool with another number of free blocks",
        )?;
        let erases = blocks
            .clone()
            .map(|block| u64::from(self.blocks.erases[block as usize]));
        require(
            state.erases == erases.sum::<u64>(),
            "a pool with another number of erases",
        )?;
        require(state.moves == 0, "relocations that are not done")?;
        match state.activity {
            Activity::Idle => {}
            Activity::Erasing { .. } => return Err(ArchiveError::Busy),
            Activity::Moving { victim, next, onto } => {
                let is_there = blocks.contains(&victim)
                    && self.blocks.role[victim as usize] == BlockRole::Closed
                    && next <= u32::from(self.blocks.written[victim as usize])
                    && onto.is_none_or(|block| blocks.contains(&block));
                require(is_there, "the collection of a block that cannot be collected")?;
            }
        }
        let here = |block: u32| blocks.contains(&block);
        let possible = state
            .swap
            .is_none_or(|swap| self.wear.is_some() && here(swap.from) && here(swap.to));
        require(possible, "a swap of blocks that are not in the pool")?;
        require(
            state.slack <= pages_per_block,
            "more pages to be given up than a block has",
        )?;
        require(
            state.unchecked_erases <= self.config.wear.check_erases,
            "more erases between two checks than there may be",
        )?;
        require(
            state.credit <= 64 * u64::from(pages_per_block),
            "more moves earned than can be",
        )?;
        let mut measured = state.clone();
        measured.measure(&self.capacity.watermarks, self.config.gc.mode);
        require(
            *state == measured,
            "a pool that does not know how many free blocks it has",
        )
    }

    /// The latest time that it remembers, of a write, of a host operation or of a notice.
    #[must_use]
    pub fn latest(&self) -> SimTime {
        let notices = self.notices.iter();
        let since = self.blocks.since.iter().copied().map(SimTime);
        let idle = self.config.gc.idle;
        since
            .chain(self.pools.iter().map(|pool| pool.last_host))
            .chain(notices.map(|notice| SimTime(notice.not_before.ns().saturating_sub(idle.ns()))))
            .max()
            .unwrap_or(SimTime::ZERO)
    }
}
