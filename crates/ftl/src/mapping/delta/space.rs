//! How much of the spare space pages of deltas may take.

use super::DeltaFtl;
use super::keys::DeltaConfig;
use super::tasks::Task;
use crate::config::MappingInput;
use crate::error::FtlError;
use crate::map::HostMap;
use crate::notice::JobId;
use crate::plan::{Bind, Cause, Step};
use crate::space::{Activity, Capacity};
use wordline_nand::PlaneId;
use wordline_units::SimTime;

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

    pub(super) fn clear(&mut self) {
        self.of_pool.fill(0);
    }

    fn has_room(&self, pool: u32) -> bool {
        let most = self.most_of_pool.unwrap_or(u64::MAX);
        self.of_pool[pool as usize] < most
    }
}

impl DeltaFtl {
    /// Whether there may be another page of deltas, whatever comes of those that are being encoded.
    pub(super) fn has_room_for_deltas(&self) -> bool {
        let coming = self.tasks.encoding() + self.keys.temp_buffers;
        u64::from(self.log.live()) + u64::from(coming) < self.spare.most
    }

    /// Chooses the page for a program of deltas, or of a merge. What serves the host leaves the reserve of collection alone, also the blocks that
    /// collection has opened for deltas.
    pub(super) fn bind_own(&mut self, now: SimTime, step: &Step, task: Task, plane: PlaneId) -> Bind {
        let (pool_of_job, is_stale, is_log) = match task {
            Task::Program { log, pool, .. } => (pool, self.log.is_superseded(log), true),
            Task::Merge { lpn, stamp, pool, .. } => (pool, !self.log.is_current(lpn, stamp), false),
            Task::Encode { .. } | Task::Decode { .. } => return Bind::Declined,
        };
        if is_stale {
            return Bind::Declined;
        }
        let space = &mut self.data.space;
        let pool = space.pool_of_plane(plane.0);
        let is_of_host = pool_of_job.is_none();
        if is_log && is_of_host {
            let state = &space.pools[pool as usize];
            let is_needed = !(state.stuck && state.activity == Activity::Idle && state.free > 0);
            let is_broken = state.free < space.capacity.watermarks.reserve;
            if (is_broken && is_needed) || !self.spare.has_room(pool) {
                return Bind::NoSpace;
            }
        }
        let cause = if is_of_host { Cause::Host } else { Cause::Gc };
        // no copy-backs: no page is given up
        let bound = space.bind(now, &Step { cause, ..*step }, plane, &mut |_| {});
        if is_log && matches!(bound, Bind::Page(_)) {
            self.spare.change(pool, 1);
        }
        bound
    }

    /// A page of deltas holds nothing any more.
    pub(super) fn release(&mut self, now: SimTime, log: u32) {
        let full = self.data.space.geometry.full_bitmap();
        if let Some(page) = self.data.map.forget(self.own_page(log), full) {
            let block = self.data.space.blocks.block_of(page);
            self.spare.change(self.data.space.blocks.pool_of(block), -1);
            self.data.space.invalidate(page, now);
        }
        self.log.release(log);
    }

    /// A logical page has no delta any more, if it had one; whether it had.
    pub(super) fn drop_delta(&mut self, now: SimTime, lpn: u64) -> bool {
        let Some(delta) = self.log.get(lpn) else {
            return false;
        };
        match self.log.forget(lpn) {
            Some(log) => self.release(now, log),
            None => self.tell_of_stale_bytes(now, delta.log),
        }
        true
    }

    /// Bytes of a page of deltas are stale: collection of its pool may gain something now.
    pub(super) fn tell_of_stale_bytes(&mut self, now: SimTime, log: u32) {
        if self.data.space.stuck_pools > 0
            && let Some(page) = self.place_of(log)
        {
            let block = self.data.space.blocks.block_of(page);
            self.data.space.report_candidate(now, block);
        }
    }

    /// Announces a job of the mapping's own.
    pub(super) fn notice(&mut self, now: SimTime, job: JobId) {
        self.notices.push(crate::notice::JobNotice {
            job,
            scope: crate::plan::Scope::Drive,
            urgency: crate::notice::Urgency::Idle,
            not_before: now,
        });
    }
}
