//! Writes and relocations at once, for the functional mode: what `submit` or `advance`, `bind` and `done` do one after the
//! other where nothing can come between them, without plans. Whatever is not the plain case is left to them.

use wordline_nand::{PlaneId, Ppn, Use};
use wordline_units::SimTime;

use super::PageFtl;
use super::frontiers::HOST;
use super::pool::Activity;
use crate::config::GcMode;
use crate::contract::{JobId, PageOp, PageRequest, Relocated, Turns, Urgency};
use crate::plan::{Lpn, Scope};

/// Pages that a relocation looks ahead, so that their map entries are in the cache.
const AHEAD: u32 = 12;

impl PageFtl {
    /// A whole page that nobody else is writing: one program, to the plane whose turn it is.
    #[inline]
    pub(super) fn write_now(
        &mut self,
        now: SimTime,
        request: &PageRequest,
        turns: &mut dyn Turns,
    ) -> Option<Ppn> {
        let lpn = request.lpn.0;
        let full = self.geometry.full_bitmap();
        if request.op != PageOp::Write
            || request.bitmap & full != full
            || lpn >= self.capacity.user_pages
            || request.pages > self.capacity.user_pages - lpn
            || !self.flights.is_empty()
        {
            return None;
        }
        let scope = self.host_scope(request.lpn);
        let plane = turns.next(scope).0;
        let block = self.open_block(now, plane, HOST, true)?;
        turns.pass(scope);
        let page = self.take_page(now, plane, HOST, block, true);
        self.blocks.validate(block, 1);
        if let Some(old) = self.map.map(lpn, page.0, full) {
            self.facts.covered_writes += 1;
            self.invalidate(old, now);
        } else {
            self.facts.first_writes += 1;
        }
        self.program_ended(now, block);
        Some(page)
    }

    /// The moves of a collection that goes ahead of host writes, until its victim is empty, there is no room in the
    /// plane whose turn it is, or a job gives notice.
    pub(super) fn relocate_now(
        &mut self,
        now: SimTime,
        job: JobId,
        turns: &mut dyn Turns,
        relocated: &mut Vec<Relocated>,
    ) {
        let pool = job.0;
        let mode = self.config.gc.mode;
        let Some(state) = self.pools.get(pool as usize) else {
            return;
        };
        let Activity::Moving {
            victim,
            mut next,
            onto: None,
        } = state.activity
        else {
            return;
        };
        if state.moves > 0
            || state.urgency(mode) != Some(Urgency::Blocking)
            || mode == GcMode::Partial
            || self.copyback != Use::Off
        {
            return;
        }
        let scope = self.pool_scope(pool);
        let first = self.first_page(victim);
        let written = u32::from(self.blocks.written[victim as usize]);
        // a plan holds so many moves; only between plans is there another look
        let per_plan = self.moves_per_plan(pool, Urgency::Blocking);
        let mut moved = 0;
        while next < written && (moved % per_plan != 0 || self.notices.is_empty()) {
            let source = first + u64::from(next);
            if next + AHEAD < written
                && let Some(lpn) = self.map.recall_owner(source + u64::from(AHEAD))
            {
                self.map.prefetch_logical(lpn);
            }
            if let Some(lpn) = self.map.recall_owner(source) {
                let Some(page) = self.take_in_turn(now, scope, turns) else {
                    break;
                };
                self.pools[pool as usize].moves += 1;
                self.moved(now, lpn, source, page.0, false, pool);
                relocated.push(Relocated {
                    from: Ppn(source),
                    to: page,
                });
                moved += 1;
            }
            next += 1;
        }
        self.pools[pool as usize].activity = Activity::Moving {
            victim,
            next,
            onto: None,
        };
    }

    /// The next page for a relocation in the plane whose turn it is, or in the first after it that has one.
    #[inline]
    fn take_in_turn(&mut self, now: SimTime, scope: Scope, turns: &mut dyn Turns) -> Option<Ppn> {
        for _ in 0..self.capacity.planes_per_pool {
            let PlaneId(plane) = turns.next(scope);
            turns.pass(scope);
            if let Some(block) = self.open_block(now, plane, self.gc_frontier, false) {
                return Some(self.take_page(now, plane, self.gc_frontier, block, false));
            }
        }
        None
    }

    /// Fetches what the next write of a logical page will change.
    #[inline]
    pub(super) fn expect_now(&self, lpn: Lpn) {
        if lpn.0 < self.capacity.user_pages
            && let Some(page) = self.map.lookup(lpn.0)
        {
            self.map.prefetch_physical(page);
            self.blocks.prefetch(self.blocks.block_of(page));
        }
    }
}
