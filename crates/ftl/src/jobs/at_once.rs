//! Relocation at once, for an executor without a clock: what `advance`, `bind` and `done` do one after the other where
//! nothing can come between them, without plans. Whatever is not the plain case is left to them.

use std::ops::Range;

use wordline_nand::{PlaneId, Ppn, Use};
use wordline_units::SimTime;

use super::{Collector, Relocate, Work};
use crate::allocation::RoundRobin;
use crate::config::GcMode;
use crate::contract::{Relocated, Run};
use crate::notice::Urgency;
use crate::plan::{Frontier, Scope};
use crate::space::{Activity, FlashSpace, PoolState};

impl Collector {
    /// The moves of a collection: of one that goes ahead of host writes until its victim is empty, there is no room in the
    /// plane whose turn it is, or a job gives notice; of one that gives way to the host those of a plan; `most` at most. Where pages are copied inside their plane they are, and go
    /// through the controller where it has no room.
    pub(crate) fn relocate_at_once<R: Relocate>(
        &mut self,
        work: &mut Work<'_, R>,
        now: SimTime,
        (pool, most): (u32, usize),
        turns: &mut RoundRobin,
        relocated: &mut Relocated,
    ) {
        let Work { space, pages, .. } = work;
        let Some(urgency) = plain_urgency(space, now, pool) else {
            return;
        };
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
        let inside =
            (space.copy_back.how != Use::Off).then(|| Scope::Plane(PlaneId(space.blocks.plane_of(victim))));
        let first = space.first_page(victim);
        let written = u64::from(space.blocks.written[victim as usize]);
        let from = &mut relocated.from;
        // a plan holds so many moves; only between plans is there another look
        let per_plan = Self::moves_per_plan(space, pool, urgency) as usize;
        let wanted = match urgency {
            Urgency::Blocking => most,
            Urgency::Normal | Urgency::Idle => per_plan.min(most),
        };
        let all_left = first + u64::from(next)..first + written;
        current_pages(*pages, all_left, wanted, from, &mut self.owners);
        let all = from.len().min(wanted);
        let frontier = space.frontier_of_moves(victim);
        let mut moved = 0;
        while moved < all && (!moved.is_multiple_of(per_plan) || space.notices.is_empty()) {
            let copied = inside.and_then(|plane| room_in_turn(space, now, plane, frontier, turns));
            let copied_back = copied.is_some();
            let Some((plane, frontier, block)) =
                copied.or_else(|| room_in_turn(space, now, scope, frontier, turns))
            else {
                break;
            };
            let most = match (
                copied_back || space.capacity.planes_per_pool == 1,
                space.notices.is_empty(),
            ) {
                // the next page goes to the same plane
                (true, true) => all - moved,
                _ => 1,
            };
            let room = space.blocks.room_in(block) as usize;
            let run = moved..moved + most.min(room);
            let count = run.len() as u16;
            let (to, is_full) = space.program_at_once(now, block, count);
            pages.relocate_all(&self.owners[run.clone()], &from[run], to);
            relocated.to.push(Run {
                first: Ppn(to),
                pages: u32::from(count),
                copied_back,
            });
            space.blocks.invalidate(victim, count, now.ns());
            space.counters.gc_moves += u64::from(count);
            space.tenants.report_moved(victim, u64::from(count));
            if is_full {
                space.close_full(now, plane, frontier, block);
            }
            moved += usize::from(count);
        }
        let next = match (from.get(moved), moved.checked_sub(1)) {
            // where the plan ends
            (_, Some(last)) if moved == wanted => (from[last].0 - first) as u32 + 1,
            (Some(left), _) => (left.0 - first) as u32,
            (None, _) => written as u32,
        };
        space.pools[pool as usize].activity = Activity::Moving {
            victim,
            next,
            onto: None,
        };
        from.truncate(moved);
    }
}

/// The current pages of a range with their owners, in order: all, or `wanted` at least where only so many are.
fn current_pages<R: Relocate>(
    pages: &mut R,
    range: Range<u64>,
    wanted: usize,
    from: &mut Vec<Ppn>,
    owners: &mut Vec<u64>,
) {
    // most pages of a victim are current
    let mut look = (wanted as u64).saturating_mul(2);
    loop {
        let end = range.end.min(range.start.saturating_add(look));
        pages.current_pages(range.start..end, from, owners);
        if end == range.end || from.len() >= wanted {
            return;
        }
        look = look.saturating_mul(2);
    }
}

/// How pressing the collection of a pool is whose moves nothing can come between; none where there is more to them than moves.
fn plain_urgency(space: &FlashSpace, now: SimTime, pool: u32) -> Option<Urgency> {
    let state = space.pools.get(pool as usize)?;
    let urgency = state.urgency(space.gc.mode)?;
    let is_time = urgency != Urgency::Idle || now >= state.last_host + space.gc.idle;
    let copies_plainly =
        space.copy_back.how == Use::Off || !space.copy_back.same_parity && !space.copy_back.counts_hops();
    (is_time && copies_plainly && has_no_rest(space, state)).then_some(urgency)
}

/// Whether nothing is under way in a pool that has given notice, nothing is rationed, and pools do not wait for each other.
#[inline]
fn has_no_rest(space: &FlashSpace, state: &PoolState) -> bool {
    let is_simple = !matches!(space.gc.mode, GcMode::Partial | GcMode::OneBlock);
    state.moves == 0 && state.noticed.is_some() && is_simple && space.stuck_pools == 0
}

/// Whether a pool is collected ahead of host writes, and nothing can come between its moves.
#[inline]
pub(crate) fn is_plain(space: &FlashSpace, pool: u32) -> bool {
    space.pools.get(pool as usize).is_some_and(|state| {
        state.urgency(space.gc.mode) == Some(Urgency::Blocking)
            && space.copy_back.how == Use::Off
            && has_no_rest(space, state)
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
    for _ in 0..turns.planes(scope) {
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
