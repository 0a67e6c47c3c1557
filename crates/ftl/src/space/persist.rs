//! What blocks, frontiers and pools save and load. Whatever follows from something else is computed again.

use wordline_units::SimTime;

use super::pool::Collection;
use super::tenants::{Tenant, each};
use super::{Activity, FlashSpace, PoolState};
use crate::block::BlockRole;
use crate::state::archive::{Archive, ArchiveError, Extent, require};

impl FlashSpace {
    /// Passes the blocks and the frontiers to a state file or takes them from it; after loading no page is valid.
    pub(crate) fn archive_blocks(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        self.blocks.archive(archive)?;
        if archive.is_loading() {
            let (count, coldest) = (self.frontiers.count(), self.frontiers.coldest.0);
            let beyond = |frontier: &&mut u8| **frontier >= count;
            self.blocks
                .frontier
                .iter_mut()
                .filter(beyond)
                .for_each(|frontier| *frontier = coldest);
            self.blocks.clear_valid();
        }
        each!(&mut self.tenants, tenant => tenant.archive_blocks(&mut self.ground, archive)?);
        let ground = &mut self.ground;
        ground.frontiers.archive(&ground.blocks, archive)?;
        if archive.is_loading() {
            ground.frontiers.sort_by_kind(&mut ground.blocks);
        }
        Ok(())
    }

    /// Passes what pools are doing to a state file or takes it from it, after the valid pages were counted.
    pub(crate) fn archive_work(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        each!(&mut self.tenants, tenant => tenant.archive_writes(extent, archive)?);
        match extent {
            Extent::Everything => {
                archive.table(&mut self.pools)?;
                archive.part(&mut self.notices)?;
                self.copy_back.archive(archive)?;
                archive.part(&mut self.counters)?;
                self.blocks.archive_times(archive)?;
                each!(&mut self.tenants, tenant => tenant.archive_times(archive)?);
                if archive.is_loading() {
                    self.count_pools()?;
                }
            }
            Extent::Content => {
                let mut collections: Vec<Collection> = self.pools.iter().map(PoolState::collection).collect();
                archive.part(&mut collections)?;
                if archive.is_loading() {
                    self.load_content(now, &collections)?;
                }
            }
        }
        Ok(())
    }

    /// Follows the content of a drive: blocks and collections are there, what they come to is not.
    pub(super) fn load_content(
        &mut self,
        now: SimTime,
        collections: &[Collection],
    ) -> Result<(), ArchiveError> {
        // when its data were written is not in the file: they count as written when it was saved
        self.blocks.programmed.fill(now.ns());
        for plane in 0..self.geometry.planes() {
            self.end_wear_block(plane);
        }
        // pools of another size begin anew
        if collections.len() == self.pools.len() {
            for (pool, collection) in (0..).zip(collections) {
                if let Some(victim) = collection.victim {
                    require(
                        self.blocks.of_pool(pool).contains(&victim),
                        "the collection of a block of another pool",
                    )?;
                    self.begin_moving(pool, victim, None);
                }
                self.pools[pool as usize].resume(collection);
            }
        }
        self.count_pools()?;
        for pool in 0..self.pools.len() as u32 {
            self.update_urgency(pool, now);
        }
        Ok(())
    }

    /// Computes again what follows from roles and counts: free blocks and erases of each pool, candidates.
    fn count_pools(&mut self) -> Result<(), ArchiveError> {
        let blocks = self.blocks.role.len() as u32;
        let ground = &mut self.ground;
        for state in &mut ground.pools {
            (state.free, state.erases) = (0, 0);
        }
        for block in 0..blocks {
            let pool = &mut ground.pools[ground.blocks.pool_of(block) as usize];
            pool.free += u32::from(ground.blocks.role[block as usize] == BlockRole::Free);
            pool.erases += u64::from(ground.blocks.erases[block as usize]);
        }
        each!(&mut self.tenants, tenant => tenant.recount(&mut self.ground)?);
        self.blocks.rebuild();
        for pool in 0..self.pools.len() as u32 {
            if let Activity::Moving { victim, .. } = self.pools[pool as usize].activity {
                self.blocks.exclude_candidate(victim);
            }
        }
        self.stuck_pools = self.pools.iter().filter(|pool| pool.stuck).count() as u32;
        Ok(())
    }

    /// The latest time that is remembered, of a write, of a host operation or of a notice.
    pub(crate) fn latest(&self) -> SimTime {
        let since = self.blocks.since.iter().copied().map(SimTime);
        let idle = self.gc.idle;
        let notices = self.notices.iter();
        let mut of_tenants = None;
        each!(&self.tenants, tenant => of_tenants = of_tenants.max(tenant.latest_time()));
        since
            .chain(self.pools.iter().map(|pool| pool.last_host))
            .chain(of_tenants)
            .chain(notices.map(|notice| SimTime(notice.not_before.ns().saturating_sub(idle.ns()))))
            .max()
            .unwrap_or(SimTime::ZERO)
    }
}
