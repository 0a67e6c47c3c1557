//! Writes and relocations at once, for the functional mode: what `submit` or `advance`, `bind` and `done` do one after the
//! other where nothing can come between them, without plans. Whatever is not the plain case is left to them.

use wordline_nand::{PlaneId, Ppn, Use};
use wordline_units::SimTime;

use super::PageFtl;
use super::frontiers::HOST;
use super::pool::Activity;
use crate::config::GcMode;
use crate::contract::{JobId, PageOp, Relocated, TimedRequest, Urgency};
use crate::plan::{Frontier, Scope};
use crate::turns::Turns;

impl PageFtl {
    /// Whole pages that nobody else is writing: a program each, to the plane whose turn it is.
    pub(super) fn write_now(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        turns: &mut Turns,
        written: &mut Vec<Ppn>,
    ) {
        if !self.flights.is_empty() {
            return;
        }
        let full = self.geometry.full_bitmap();
        for request in requests {
            let lpn = request.lpn.0;
            if request.op != PageOp::Write || request.pages != 1 || lpn >= self.capacity.user_pages {
                return;
            }
            let now = now.max(request.at);
            let scope = self.host_scope(request.lpn);
            let plane = turns.next(scope).0;
            let pool = self.pool_of_plane(plane);
            let Some(block) = self.open_block(now, pool, plane, HOST, true) else {
                return;
            };
            turns.pass(scope);
            self.count_host_program(now, pool);
            let (page, is_full) = self.program(now, block, 1);
            if let Some(old) = self.map.map(lpn, page, full) {
                self.facts.covered_writes += 1;
                self.invalidate(old, now);
            } else {
                self.facts.first_writes += 1;
            }
            if is_full {
                self.fill_up(now, plane, HOST, block);
            }
            written.push(Ppn(page));
            if !self.notices.is_empty() {
                return;
            }
        }
    }

    /// The moves of a collection that goes ahead of host writes, until its victim is empty, there is no room in the
    /// plane whose turn it is, or a job gives notice.
    pub(super) fn relocate_now(
        &mut self,
        now: SimTime,
        job: JobId,
        turns: &mut Turns,
        relocated: &mut Relocated,
    ) {
        let pool = job.0;
        let mode = self.config.gc.mode;
        let Some(state) = self.pools.get(pool as usize) else {
            return;
        };
        if state.moves > 0
            || state.noticed.is_none()
            || state.urgency(mode) != Some(Urgency::Blocking)
            || mode == GcMode::Partial
            || self.copyback != Use::Off
            || self.stuck_pools != 0
        {
            return;
        }
        if state.activity == Activity::Idle && !self.begin(now, pool) {
            return;
        }
        let Activity::Moving {
            victim,
            next,
            onto: None,
        } = self.pools[pool as usize].activity
        else {
            return;
        };
        let scope = self.pool_scope(pool);
        let first = self.first_page(victim);
        let written = u64::from(self.blocks.written[victim as usize]);
        let mut owners = std::mem::take(&mut self.owners);
        let from = &mut relocated.from;
        self.map
            .live(first + u64::from(next)..first + written, from, &mut owners);
        // a plan holds so many moves; only between plans is there another look
        let per_plan = self.moves_per_plan(pool, Urgency::Blocking) as usize;
        let mut moved = 0;
        while moved < from.len() && (!moved.is_multiple_of(per_plan) || self.notices.is_empty()) {
            let Some((plane, block)) = self.room_in_turn(now, scope, turns) else {
                break;
            };
            let most = match (self.capacity.planes_per_pool, self.notices.is_empty()) {
                // the next page goes to the same plane
                (1, true) => from.len() - moved,
                _ => 1,
            };
            let room =
                self.geometry.pages_per_block as usize - usize::from(self.blocks.written[block as usize]);
            let run = moved..moved + most.min(room);
            let pages = run.len() as u16;
            let (to, is_full) = self.program(now, block, pages);
            self.map.relocate_all(&owners[run.clone()], &from[run], to);
            relocated.to.push((Ppn(to), u32::from(pages)));
            self.blocks.invalidate(victim, pages, now.ns());
            self.facts.gc_moves += u64::from(pages);
            if is_full {
                self.fill_up(now, plane, self.gc_frontier, block);
            }
            moved += usize::from(pages);
        }
        self.pools[pool as usize].activity = Activity::Moving {
            victim,
            next: match from.get(moved) {
                Some(left) => (left.0 - first) as u32,
                None => written as u32,
            },
            onto: None,
        };
        from.truncate(moved);
        self.owners = owners;
    }

    /// The block for the next relocation in the plane whose turn it is, or in the first after it that has one.
    #[inline]
    fn room_in_turn(&mut self, now: SimTime, scope: Scope, turns: &mut Turns) -> Option<(u32, u32)> {
        for _ in 0..self.capacity.planes_per_pool {
            let PlaneId(plane) = turns.next(scope);
            turns.pass(scope);
            if let Some(block) =
                self.open_block(now, self.pool_of_plane(plane), plane, self.gc_frontier, false)
            {
                return Some((plane, block));
            }
        }
        None
    }

    /// The next pages of an open block are programmed and hold current data: the first of them, and whether the block is
    /// full.
    #[inline]
    fn program(&mut self, now: SimTime, block: u32, pages: u16) -> (u64, bool) {
        self.blocks.validate(block, pages);
        self.blocks.stamp(block, now.ns());
        let first = self.first_page(block);
        let written = &mut self.blocks.written[block as usize];
        let page = first + u64::from(*written);
        *written += pages;
        (page, u32::from(*written) == self.geometry.pages_per_block)
    }

    /// A full block is closed.
    #[inline(never)]
    fn fill_up(&mut self, now: SimTime, plane: u32, frontier: Frontier, block: u32) {
        self.frontiers.leave(plane, frontier);
        self.blocks.close(block);
        self.unstick_candidate(now, block);
    }
}
