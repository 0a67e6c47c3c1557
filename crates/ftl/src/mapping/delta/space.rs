//! Where pages of deltas go on flash, and what becomes of those that hold nothing any more.

use super::DeltaFtl;
use super::tasks::Task;
use crate::contract::Ftl;
use crate::map::HostMap;
use crate::notice::JobId;
use crate::plan::{Bind, Cause, Step, Target, Work};
use crate::space::Activity;
use wordline_nand::PlaneId;
use wordline_units::SimTime;

impl DeltaFtl {
    /// Whether there may be another page of deltas, whatever comes of those that are being encoded.
    pub(super) fn has_room_for_deltas(&self) -> bool {
        let coming = self.tasks.encoding() + self.keys.temp_buffers;
        u64::from(self.log.live()) + u64::from(coming) < self.spare.most
    }

    /// Chooses the page for a program of deltas, or of a merge. What serves the host leaves the reserve of collection alone, also the blocks that
    /// collection has opened for deltas. Of the reserve collection opens one block for pages and one for deltas, and not one in each plane: either could take what the other needs.
    pub(super) fn bind_own(&mut self, now: SimTime, step: &Step, task: Task, plane: PlaneId) -> Bind {
        let (pool_of_job, is_stale, is_log) = match task {
            Task::Program { log, pool, .. } => (pool, self.log.is_superseded(log), true),
            Task::Merge { lpn, stamp, pool, .. } => (pool, !self.log.is_current(lpn, stamp), false),
            Task::Encode { .. } | Task::Show | Task::Decode { .. } => return Bind::Declined,
        };
        if is_stale {
            return Bind::Declined;
        }
        let space = &mut self.data.space;
        let pool = space.pool_of_plane(plane.0);
        let is_of_host = pool_of_job.is_none();
        let state = &space.pools[pool as usize];
        let reserve = space.capacity.watermarks.reserve;
        if is_log && is_of_host {
            let is_needed = !(state.stuck && state.activity == Activity::Idle && state.free > 0);
            let is_broken = state.free < reserve;
            if is_broken && is_needed {
                return Bind::NoSpace;
            }
        }
        if let (false, Work::Program { target, .. }) = (is_of_host, step.work)
            && let Target::Frontier { frontier, .. } = target
            && state.free <= reserve
            && space.has_page_elsewhere(plane.0, frontier)
        {
            return Bind::NoSpace;
        }
        let cause = if is_of_host { Cause::Host } else { Cause::Gc };
        // no copy-backs: no page is given up
        space.bind(now, &Step { cause, ..*step }, plane, &mut |_| {})
    }

    /// A page of deltas holds nothing any more.
    pub(super) fn release(&mut self, now: SimTime, log: u32) {
        let full = self.data.geometry().full_bitmap();
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
        self.leave_controller(Some(delta));
        let mut emptied = Vec::new();
        self.log.forget(lpn, &mut emptied);
        if emptied.is_empty() {
            self.tell_of_stale_bytes(now, delta.log);
        }
        for log in emptied {
            self.release(now, log);
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
