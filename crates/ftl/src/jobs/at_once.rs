//! Relocation at once, for an executor without a clock: what `advance`, `bind` and `done` do one after the other where
//! nothing can come between them, without plans. Whatever is not the plain case is left to them.

use wordline_nand::{PlaneId, Use};
use wordline_units::SimTime;

use super::{Collector, Relocate, Work};
use crate::allocation::RoundRobin;
use crate::config::GcMode;
use crate::contract::Relocated;
use crate::notice::Urgency;
use crate::plan::{Frontier, Scope};
use crate::space::{Activity, FlashSpace};

impl Collector {
    /// The moves of a collection that goes ahead of host writes, until its victim is empty, there is no room in the
    /// plane whose turn it is, or a job gives notice.
    pub(crate) fn relocate_at_once<R: Relocate>(
        &mut self,
        work: &mut Work<'_, R>,
        now: SimTime,
        pool: u32,
        turns: &mut RoundRobin,
        relocated: &mut Relocated,
    ) {
        let Work { space, pages, .. } = work;
        if !is_plain(space, pool) {
            return;
        }
        if space.pools[pool as usize].activity == Activity::Idle && !self.begin(space, now, pool) {
            return;
        }
        let Activity::Moving {
            victim,
            next,
            onto: None,
        } = space.pools[pool as usize].activity
        else {
            return;
        };
        if space.is_folding(pool) {
            return;
        }
        let scope = space.pool_scope(pool);
        let first = space.first_page(victim);
        let written = u64::from(space.blocks.written[victim as usize]);
        let from = &mut relocated.from;
        pages.current_pages(first + u64::from(next)..first + written, from, &mut self.owners);
        // a plan holds so many moves; only between plans is there another look
        let per_plan = Self::moves_per_plan(space, pool, Urgency::Blocking) as usize;
        let frontier = space.frontier_of_moves(victim);
        let mut moved = 0;
        while moved < from.len() && (!moved.is_multiple_of(per_plan) || space.notices.is_empty()) {
            let Some((plane, frontier, block)) = room_in_turn(space, now, scope, frontier, turns) else {
                break;
            };
            let most = match (space.capacity.planes_per_pool, space.notices.is_empty()) {
                // the next page goes to the same plane
                (1, true) => from.len() - moved,
                _ => 1,
            };
            let room =
                space.geometry.pages_per_block as usize - usize::from(space.blocks.written[block as usize]);
            let run = moved..moved + most.min(room);
            let count = run.len() as u16;
            let (to, is_full) = space.program_at_once(now, block, count);
            pages.relocate_all(&self.owners[run.clone()], &from[run], to);
            relocated.to.push((wordline_nand::Ppn(to), u32::from(count)));
            space.blocks.invalidate(victim, count, now.ns());
            space.counters.gc_moves += u64::from(count);
            if let Some(placement) = &mut space.placement {
                placement.count_moves(victim, u64::from(count));
            }
            if is_full {
                space.close_full(now, plane, frontier, block);
            }
            moved += usize::from(count);
        }
        space.pools[pool as usize].activity = Activity::Moving {
            victim,
            next: match from.get(moved) {
                Some(left) => (left.0 - first) as u32,
                None => written as u32,
            },
            onto: None,
        };
        from.truncate(moved);
    }
}

/// Whether a pool is collected ahead of host writes, and nothing can come between its moves.
#[inline]
pub(crate) fn is_plain(space: &FlashSpace, pool: u32) -> bool {
    let mode = space.gc.mode;
    space.pools.get(pool as usize).is_some_and(|state| {
        state.moves == 0
            && state.noticed.is_some()
            && state.urgency(mode) == Some(Urgency::Blocking)
            && mode != GcMode::Partial
            && space.copy_back.how == Use::Off
            && space.stuck_pools == 0
    })
}

/// Plane, frontier and block for the next relocation: in the plane whose turn it is, or in the first after it that has one.
#[inline]
pub(crate) fn room_in_turn(
    space: &mut FlashSpace,
    now: SimTime,
    scope: Scope,
    frontier: Frontier,
    turns: &mut RoundRobin,
) -> Option<(u32, Frontier, u32)> {
    for _ in 0..space.capacity.planes_per_pool {
        let PlaneId(plane) = turns.next(scope);
        turns.pass(scope);
        let pool = space.pool_of_plane(plane);
        let frontier = space.frontier_in(plane, frontier, false);
        if let Some(block) = space.open_block(now, pool, plane, frontier, false) {
            return Some((plane, frontier, block));
        }
    }
    None
}
