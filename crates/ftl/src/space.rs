//! The flash of a drive as a mapping sees it: blocks, the open block of each frontier, collection pools and their free
//! blocks. What the pages contain is the mapping's affair.

mod align;
mod bind;
mod capacity;
mod copy_back;
mod credit;
mod fill;
mod frontiers;
mod ground;
mod persist;
mod pool;
mod recover;
mod region;
mod tenants;
mod units;

use std::ops::{Deref, DerefMut};

use wordline_units::SimTime;

pub(crate) use align::Aligner;
pub(crate) use capacity::Capacity;
pub(crate) use copy_back::CopyBack;
pub use fill::{FillError, Filling};
pub(crate) use frontiers::Frontiers;
pub use ground::Ground;
pub use pool::CollectionLevels;
pub(crate) use pool::{Activity, PoolState};
pub(crate) use region::Region;
pub use tenants::{GroupCounters, HandleCounters, PlacedWrites};
pub(crate) use tenants::{NoUnit, Placement, SlcCache, WritePlace, place_write, release_handle};

use crate::block::BlockRole;
use crate::blocks::Recording;
use crate::config::{FlashRules, GcMode, MappingInput};
use crate::notice::{JobId, JobKind, JobNotice, Urgency};
use tenants::{Tenant, Tenants, each};

/// Blocks, frontiers and pools, and who lives there beside the pages of the host and of collection.
pub struct FlashSpace {
    pub(crate) ground: Ground,
    pub(crate) tenants: Tenants,
}

/// What concerns no tenant is asked of the ground.
impl Deref for FlashSpace {
    type Target = Ground;

    #[inline]
    fn deref(&self) -> &Ground {
        &self.ground
    }
}

impl DerefMut for FlashSpace {
    #[inline]
    fn deref_mut(&mut self) -> &mut Ground {
        &mut self.ground
    }
}

impl FlashSpace {
    /// All blocks are erased. `recording` names what the policies in use need beyond the counts of a block.
    pub(crate) fn new(
        capacity: Capacity,
        input: &MappingInput<'_>,
        rules: &FlashRules<'_>,
        recording: Recording,
        job: JobKind,
    ) -> Self {
        let mut ground = Ground::new(capacity, input, rules, recording, job);
        let tenants = Tenants::new(&mut ground, input, rules);
        Self { ground, tenants }
    }

    /// A page lost its owner.
    #[inline]
    pub(crate) fn invalidate(&mut self, page: u64, now: SimTime) {
        let block = self.blocks.block_of(page);
        self.blocks.invalidate(block, 1, now.ns());
        if self.copy_back.counts_hops() || self.stuck_pools != 0 {
            self.report_invalidation(page, block, now);
        }
    }

    #[inline(never)]
    fn report_invalidation(&mut self, page: u64, block: u32, now: SimTime) {
        self.copy_back.forget(page);
        if self.stuck_pools != 0 {
            self.resume_collection(self.blocks.pool_of(block), now);
        }
    }

    /// A program is over; a full block may have become a candidate by that.
    #[inline]
    pub(crate) fn end_program(&mut self, now: SimTime, block: u32) {
        self.blocks.end_program(block, now.ns());
        self.report_ready(now, block);
    }

    /// A program of a block is done: whoever waits for that learns of it.
    #[inline]
    fn report_ready(&mut self, now: SimTime, block: u32) {
        let mut is_ready = false;
        each!(&self.tenants, tenant => is_ready |= tenant.has_ready(&self.ground, block));
        if is_ready {
            self.update_urgency(self.blocks.pool_of(block), now);
        }
        self.report_candidate(now, block);
    }

    /// A pool with nothing to reclaim may have a candidate now.
    #[inline]
    pub(crate) fn report_candidate(&mut self, now: SimTime, block: u32) {
        if self.stuck_pools != 0 && (self.blocks.can_be_emptied(block)) {
            self.resume_collection(self.blocks.pool_of(block), now);
        }
    }

    /// The block of a failed program takes no further one; what is valid in it stays readable until collection has moved
    /// it, and then the block is retired.
    pub(crate) fn fail_program(&mut self, now: SimTime, page: u64) {
        let block = self.blocks.block_of(page);
        self.fail_block(block);
        self.end_program(now, block);
    }

    /// The same of a block where something else failed than a page for data.
    pub(crate) fn fail_block(&mut self, block: u32) {
        if self.blocks.role[block as usize] == BlockRole::Open {
            self.ground.close_early(block);
            each!(&mut self.tenants, tenant => tenant.closed(&self.ground, block));
        }
        self.blocks.fail(block);
        each!(&mut self.tenants, tenant => tenant.failed());
    }

    /// A relocation is over, one way or the other.
    pub(crate) fn finish_move(&mut self, now: SimTime, pool: u32) {
        let state = &mut self.pools[pool as usize];
        state.moves -= 1;
        if state.moves == 0 && state.noticed.is_none() {
            self.update_urgency(pool, now);
        }
    }

    /// The block of a pool that was emptied is erased, or bad.
    pub(crate) fn end_moving(&mut self, pool: u32) {
        self.pools[pool as usize].activity = Activity::Idle;
        each!(&mut self.tenants, tenant => tenant.ended_moving(&mut self.ground, pool));
    }

    /// A block is not to be used any more.
    pub(crate) fn retire_block(&mut self, block: u32) {
        self.blocks.retire(block);
        each!(&mut self.tenants, tenant => tenant.retired(&mut self.ground, block));
    }

    /// A free block is not to be used.
    pub(crate) fn retire_free(&mut self, block: u32) {
        self.frontiers.take_free(block);
        let pool = self.blocks.pool_of(block);
        self.pools[pool as usize].free -= 1;
        self.retire_block(block);
    }

    /// An erased block becomes free.
    pub(crate) fn free_block(&mut self, block: u32) {
        self.blocks.erase(block);
        self.frontiers.add_free(block);
        self.counters.erases += 1;
        let pool = self.blocks.pool_of(block);
        let state = &mut self.pools[pool as usize];
        state.free += 1;
        state.erases += 1;
        each!(&mut self.tenants, tenant => tenant.freed(&mut self.ground, block));
    }

    /// A block of a die has been cleaned: it is the turn of another pool of the die, where one waits.
    pub(crate) fn die_cleaned(&mut self, pool: u32, now: SimTime) {
        for other in self.pools_of_die(pool).filter(|other| *other != pool) {
            self.update_urgency(other, now);
        }
    }

    /// Gives notice if the job of a pool became more or less urgent.
    pub(crate) fn update_urgency(&mut self, pool: u32, now: SimTime) {
        let mode = self.gc.mode;
        each!(&mut self.tenants, tenant => tenant.review(&mut self.ground, now, pool));
        let ground = &mut self.ground;
        let state = &mut ground.pools[pool as usize];
        state.update_levels(&ground.capacity.watermarks, mode);
        let urgency = state.urgency(mode);
        if urgency == state.noticed {
            return;
        }
        let Some(urgency) = urgency else { return };
        // A job out of credit is asked again when it has some.
        let is_paid = self.pools[pool as usize].is_paid();
        if mode == GcMode::Partial && urgency == Urgency::Normal && is_paid && !self.credit(pool).is_of_plan()
        {
            self.go_on_in_a_pause(pool, now);
            return;
        }
        self.give_notice(pool, urgency, now);
    }

    /// Announces the job of a pool.
    pub(crate) fn give_notice(&mut self, pool: u32, urgency: Urgency, now: SimTime) {
        let idle = self.gc.idle;
        let state = &mut self.pools[pool as usize];
        state.noticed = Some(urgency);
        let not_before = if urgency == Urgency::Idle {
            now.max(state.last_host + idle)
        } else {
            now
        };
        let scope = self.pool_scope(pool);
        let job = JobId::of(self.job, pool);
        self.notices.push(JobNotice {
            job,
            scope,
            urgency,
            not_before,
        });
    }

    /// A page of a pool with nothing to reclaim was invalidated, or a block of it closed.
    #[cold]
    fn resume_collection(&mut self, pool: u32, now: SimTime) {
        let state = &mut self.pools[pool as usize];
        if state.stuck {
            state.stuck = false;
            self.stuck_pools -= 1;
            self.update_urgency(pool, now);
        }
    }

    /// Whether anybody wants to know when the host last used a pool.
    #[inline]
    fn watches_pauses(&self) -> bool {
        if self.gc.mode.waits_for_pauses() {
            return true;
        }
        each!(&self.tenants, tenant => if tenant.watches_pauses() {
            return true;
        });
        false
    }

    /// The host reads or writes a page of a pool, where its idle time matters.
    #[inline]
    pub(crate) fn record_host_access(&mut self, page: u64, now: SimTime) {
        if self.watches_pauses() {
            let pool = self.blocks.pool_of(self.blocks.block_of(page));
            self.pools[pool as usize].last_host = now;
        }
    }
}
