//! Writes at once, for an executor without a clock: what `submit`, `bind` and `done` do one after the other where nothing
//! can come between them, without plans. Whatever is not the plain case is left to them.

use wordline_nand::{PlaneId, Ppn};
use wordline_units::SimTime;

use super::PageFtl;
use crate::allocation::{KeptDies, RoundRobin};
use crate::map::HostMap;
use crate::plan::HOST;
use crate::plan::Lpn;
use crate::request::{PageOp, TimedRequest};

impl PageFtl {
    /// Whole pages of which no write is under way: a program each, to the plane whose turn it is.
    pub(super) fn write_pages(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        kept: KeptDies<'_>,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize {
        if !self.inflight.is_empty() || self.separation.is_on() || self.space.tenants.placement.is_some() {
            return 0;
        }
        let before = written.len();
        let space = &mut self.space;
        let full = space.geometry.full_bitmap();
        for request in requests {
            let lpn = request.lpn.0;
            if request.op != PageOp::Write || request.pages != 1 || lpn >= space.capacity.user_pages {
                break;
            }
            let now = now.max(request.at);
            let scope = self.placement.scope(request.lpn);
            let Some(PlaneId(plane)) = turns.next_idle(scope, |plane| kept.is_idle(plane)) else {
                break;
            };
            let pool = space.pool_of_plane(plane);
            let frontier = space.frontier_in(plane, HOST, true);
            if space.is_host_ahead(plane, frontier) {
                break;
            }
            let Some(block) = space.open_block(now, pool, plane, frontier, true) else {
                break;
            };
            turns.pass(scope);
            space.count_host_program(now, pool);
            space.count_host_pages(now, frontier, 1);
            let (page, is_full) = space.program_at_once(now, block, 1);
            if let Some(old) = self.map.map(lpn, page, full) {
                space.counters.covered_writes += 1;
                space.invalidate(old, now);
            } else {
                space.counters.first_writes += 1;
            }
            if is_full {
                space.close_full(now, plane, frontier, block);
            }
            written.push(Ppn(page));
            if !space.notices.is_empty() {
                break;
            }
        }
        written.len() - before
    }

    /// The page that sectors of a logical page are on, where no write is under way and nobody else asks about reads.
    pub(super) fn read_page(&mut self, now: SimTime, lpn: Lpn, bitmap: u64) -> Option<Ppn> {
        let is_plain =
            self.inflight.is_empty() && !self.separation.is_on() && !self.space.tenants.plans_more();
        if !is_plain || lpn.0 >= self.space.capacity.user_pages {
            return None;
        }
        let (page, _) = self.map.get(lpn.0).filter(|(_, valid)| valid & bitmap != 0)?;
        self.space.record_host_access(page, now);
        Some(Ppn(page))
    }
}
