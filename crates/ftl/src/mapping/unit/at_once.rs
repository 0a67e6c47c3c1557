//! Writes and relocation at once, for an executor without a clock: what plans would do one after the other where nothing can come
//! between them. Whatever is not the plain case is left to plans.

use wordline_nand::{PlaneId, Ppn};
use wordline_units::SimTime;

use super::UnitFtl;
use super::collect::begin;
use super::completion::count_write;
use super::emptying::Read;
use super::pages::{Change, Unit};
use crate::allocation::{KeptDies, RoundRobin};
use crate::contract::{Relocated, Run};
use crate::jobs::{Collector, is_plain, room_in_turn};
use crate::map::{HostMap, Relocate};
use crate::mapping::page::PageFtl;
use crate::plan::HOST;
use crate::request::{PageOp, TimedRequest};
use crate::space::Activity;

impl UnitFtl {
    /// Whole units of which no write is under way: each joins its page register, and a full one is programmed in the plane whose
    /// turn it is, with which a call ends unless the next request comes at the same time.
    pub(super) fn write_units(
        &mut self,
        now: SimTime,
        requests: &[TimedRequest],
        kept: KeptDies<'_>,
        turns: &mut RoundRobin,
        written: &mut Vec<Ppn>,
    ) -> usize {
        let Self {
            units: ftl,
            pages,
            per_page,
            together,
            ..
        } = self;
        let (per_page, together) = (*per_page as usize, *together);
        if !ftl.inflight.is_empty() || ftl.separation.is_on() || ftl.has_placement() {
            return 0;
        }
        let PageFtl {
            space,
            map,
            placement,
            ..
        } = ftl;
        let full = space.geometry.full_bitmap();
        let whole = Change::Write {
            here: full,
            version: 0,
            counted: false,
            number: 0,
        };
        for (count, request) in requests.iter().enumerate() {
            let lpn = request.lpn.0;
            let is_plain = request.op == PageOp::Write && request.pages == 1;
            if !is_plain || lpn >= space.capacity.user_pages {
                return count;
            }
            let scope = placement.scope(request.lpn);
            let token = pages.open(HOST, scope, 0);
            let page = pages.page_mut(token);
            let unit = Unit {
                lpn,
                sectors: full,
                change: whole,
            };
            if let Some(older) = page.units.iter_mut().find(|older| older.lpn == lpn) {
                space.counters.covered_writes += 1;
                if let Change::Write { counted, .. } = older.change {
                    let here = full;
                    let version = 0;
                    let change = Change::Write {
                        here,
                        version,
                        counted,
                        number: 0,
                    };
                    *older = Unit { change, ..unit };
                }
                continue;
            }
            if page.units.len() + 1 < per_page * together as usize {
                map.prefetch(lpn);
                page.units.push(unit);
                continue;
            }
            if page.reads > 0 {
                return count;
            }
            let now = now.max(request.at);
            let Some(PlaneId(plane)) = turns.next_idle(scope, |plane| kept.is_idle(plane)) else {
                return count;
            };
            let plane = plane / together;
            let pool = space.pool_of_plane(plane);
            let frontier = space.frontier_in(plane, HOST, true);
            if space.is_host_ahead(plane, frontier) {
                return count;
            }
            let Some(block) = space.open_block(now, pool, plane, frontier, true) else {
                return count;
            };
            let units = per_page * together as usize;
            let room = space.blocks.room_in(block) as usize;
            if room < units {
                return count;
            }
            turns.pass(scope);
            for _ in 0..together {
                space.count_host_program(now, pool);
            }
            space.count_host_pages(now, frontier, units as u64);
            page.units.push(unit);
            let (first, is_full) = space.program_at_once(now, block, units as u16);
            for (unit, place) in page.units.drain(..).zip(first..) {
                let old = map.map(unit.lpn, place, unit.sectors);
                if let Some(old) = old {
                    space.invalidate(old, now);
                }
                let counted = matches!(unit.change, Change::Write { counted: true, .. });
                count_write(space, old.is_some(), counted);
            }
            if is_full {
                space.close_full(now, plane, frontier, block);
            }
            let first = first / per_page as u64;
            written.extend((first..first + u64::from(together)).map(Ppn));
            return count + 1;
        }
        requests.len()
    }

    /// The moves of a collection that goes ahead of host writes, as far as they fill pages, of which there are `most` at most; the rest of the victim is left to
    /// plans, which fill it up with units of the next one.
    pub(super) fn relocate_units(
        &mut self,
        now: SimTime,
        (pool, most): (u32, usize),
        turns: &mut RoundRobin,
        relocated: &mut Relocated,
    ) {
        let Self {
            units: ftl,
            emptying,
            per_page,
            ..
        } = self;
        let PageFtl {
            space,
            map,
            collector,
            ..
        } = ftl;
        let Some(emptying) = emptying.get_mut(pool as usize) else {
            return;
        };
        if !is_plain(space, pool)
            || (space.pools[pool as usize].activity == Activity::Idle
                && !begin(collector, space, emptying, now, pool))
        {
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
        let per_page = *per_page as usize;
        let (mut from, mut owners) = (std::mem::take(&mut relocated.from), collector.take_owners());
        let first = space.first_page(victim);
        let written = u64::from(space.blocks.written[victim as usize]);
        // those that the controller has come first
        let ahead = emptying.read.drain(..).map(|read| read.unit);
        let ahead: Vec<Unit> = ahead.filter(|unit| unit.is_current(map)).collect();
        map.current_pages(first + u64::from(next)..first + written, &mut from, &mut owners);
        let source = |unit: &Unit| match unit.change {
            Change::Move(source) => Ppn(source),
            Change::Write { .. } => Ppn(0),
        };
        from.splice(0..0, ahead.iter().map(source));
        owners.splice(0..0, ahead.iter().map(|unit| unit.lpn));
        let per_plan = Collector::moves_per_plan(space, pool, crate::notice::Urgency::Blocking) as usize;
        let (scope, frontier) = (space.pool_scope(pool), space.frontier_of_moves(victim));
        let whole = (from.len() / per_page).min(most) * per_page;
        let (mut moved, mut programs) = (0, 0);
        while moved < whole && (programs % per_plan != 0 || space.notices.is_empty()) {
            let Some((plane, frontier, block)) = room_in_turn(space, now, scope, frontier, turns) else {
                break;
            };
            let most = match (space.capacity.planes_per_pool, space.notices.is_empty()) {
                // the next page goes to the same plane
                (1, true) => whole - moved,
                _ => per_page,
            };
            let room = space.blocks.room_in(block) as usize;
            let run = moved..moved + most.min(room);
            let count = run.len() as u16;
            let (to, is_full) = space.program_at_once(now, block, count);
            map.relocate_all(&owners[run.clone()], &from[run], to);
            let pages = u32::from(count) / per_page as u32;
            relocated.to.push(Run {
                first: Ppn(to / per_page as u64),
                pages,
                copied_back: false,
            });
            space.blocks.invalidate(victim, count, now.ns());
            space.counters.gc_moves += u64::from(count);
            space.tenants.report_moved(victim, u64::from(count));
            if is_full {
                space.close_full(now, plane, frontier, block);
            }
            moved += usize::from(count);
            programs += pages as usize;
        }
        // of the page that was begun everything is in the controller
        let page_of = |place: Ppn| place.0 / per_page as u64;
        let mut next = next;
        let mut read_to = ahead.len().min(from.len());
        if moved > ahead.len() {
            let last = page_of(from[moved - 1]);
            read_to = from.partition_point(|place| page_of(*place) <= last).max(read_to);
            next = ((last + 1) * per_page as u64 - first) as u32;
        }
        for place in &from[ahead.len()..read_to] {
            let page = Ppn(page_of(*place));
            if relocated.read.last() != Some(&page) {
                relocated.read.push(page);
            }
        }
        for at in moved..read_to {
            let unit = Unit {
                lpn: owners[at],
                sectors: map.sectors(owners[at]),
                change: Change::Move(from[at].0),
            };
            emptying.read.push_back(Read { unit, step: 0 });
        }
        space.pools[pool as usize].activity = Activity::Moving {
            victim,
            next,
            onto: None,
        };
        from.clear();
        relocated.from = from;
        collector.give_back_owners(owners);
    }
}
