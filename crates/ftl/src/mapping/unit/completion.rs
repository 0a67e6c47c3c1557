//! The end of steps: the map follows the units of a page, and failures are answered.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::UnitFtl;
use super::pages::{Change, Unit};
use crate::inflight::NO_TOKEN;
use crate::map::{HostMap, Relocate};
use crate::plan::WEAR;
use crate::plan::{Cause, Frontier, Outcome, Plan, Step, Target, Work};
use crate::space::FlashSpace;

impl UnitFtl {
    /// Notes how a step ended.
    pub(super) fn complete_step(
        &mut self,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        match step.work {
            Work::Erase { block } => {
                let (collector, mut work) = self.units.work();
                collector.end_erase(&mut work, now, block.0, outcome);
            }
            Work::Read { .. } if step.token != NO_TOKEN => self.end_fill(step, plan),
            Work::Read { .. } => {
                if outcome.is_unreadable() && !step.cause.is_of_host() {
                    self.units.space.counters.unreadable_moves += 1;
                }
            }
            Work::Program { .. } => match (outcome, page) {
                (Outcome::Good | Outcome::Uncorrectable, Some(page)) => self.commit(now, step.token, page),
                (_, page) => {
                    if let Some(page) = page {
                        let first = page.0 * u64::from(self.per_page);
                        self.units.space.fail_program(now, first);
                    }
                    self.retry(now, step, plan);
                }
            },
            Work::CopyBack { .. } | Work::Compute { .. } | Work::HostMemory { .. } | Work::Local { .. } => {}
        }
    }

    /// The rest of a unit is in the controller.
    fn end_fill(&mut self, step: &Step, plan: &mut Plan) {
        let page = self.pages.page_mut(step.token);
        page.reads -= 1;
        let unit = page.units.iter_mut().find(|unit| unit.lpn == step.lpn.0);
        if let Some(Unit {
            sectors,
            change: Change::Write { here, .. },
            ..
        }) = unit
        {
            *here = *sectors;
        }
        if page.reads == 0 && page.is_closed() {
            self.plan_programs(step.token, plan);
        }
    }

    /// A page is on flash: its units take effect.
    fn commit(&mut self, now: SimTime, token: u32, page: Ppn) {
        let first = page.0 * u64::from(self.per_page);
        let made = self.pages.page_mut(token);
        let (pool, cause) = (made.pool, made.cause);
        let units = std::mem::take(&mut made.units);
        let ftl = &mut self.units;
        let space = &mut ftl.space;
        let block = space.blocks.block_of(first);
        for (unit, place) in units.iter().zip(first..) {
            match unit.change {
                Change::Write { version, counted, .. } => {
                    if !ftl.inflight.commit(unit.lpn, version) {
                        space.counters.overtaken_writes += 1;
                        continue;
                    }
                    space.blocks.validate(block, 1);
                    let old = ftl.map.map(unit.lpn, place, unit.sectors);
                    if let Some(old) = old {
                        space.invalidate(old, now);
                    }
                    count_write(space, old.is_some(), counted);
                }
                Change::Move(source) if ftl.map.owner(source) == Some(unit.lpn) => {
                    space.blocks.validate(block, 1);
                    ftl.map.relocate(unit.lpn, source, place);
                    space.invalidate(source, now);
                }
                Change::Move(_) => space.counters.superseded_moves += 1,
            }
        }
        space.end_program(now, block);
        for unit in &units {
            if let Change::Move(source) = unit.change {
                space
                    .tenants
                    .report_moved(space.ground.blocks.block_of(source), 1);
            }
        }
        if let Some(pool) = pool {
            match cause {
                Cause::Wear => space.counters.wear_moves += units.len() as u64,
                Cause::Fold => space.counters.slc.folded_pages += units.len() as u64,
                _ => space.counters.gc_moves += units.len() as u64,
            }
            space.finish_move(now, pool);
        }
        // its space serves the next page
        self.pages.page_mut(token).units = units;
        self.pages.remove(token);
    }

    /// A program failed or was declined: the same again, relocated units read again, or nothing where all were superseded.
    fn retry(&mut self, now: SimTime, step: &Step, plan: &mut Plan) {
        let token = step.token;
        let page = self.pages.page_mut(token);
        let Some(pool) = page.pool else {
            plan.push(page.program(token, 0));
            return;
        };
        let before = page.units.len();
        let map = &self.units.map;
        page.units.retain(|unit| unit.is_current(map));
        self.units.space.counters.superseded_moves += (before - page.units.len()) as u64;
        if page.units.is_empty() {
            self.pages.remove(token);
            self.units.space.finish_move(now, pool);
            return;
        }
        if page.cause == Cause::Wear {
            self.leave_wear(token, pool);
        }
        let units = self.pages.page_mut(token).units.clone();
        let read = self.plan_reads(&units, step.cause, plan);
        let program = self.pages.page_mut(token).program(token, read);
        plan.push(program);
    }

    /// Units that static wear levelling moves go where collection moves others, once there is no block of its choice any more.
    fn leave_wear(&mut self, token: u32, pool: u32) {
        let page = self.pages.page_mut(token);
        let space = &self.units.space;
        let source = page.units.iter().find_map(|unit| match unit.change {
            Change::Move(source) => Some(source),
            Change::Write { .. } => None,
        });
        if let Target::Frontier { frontier, scope } = page.target
            && let Some(source) = source
            && frontier == WEAR
            && scope
                .planes(&space.geometry)
                .all(|plane| space.frontiers.active(plane, WEAR).is_none())
        {
            let former: Frontier = space.frontier_of_moves(space.blocks.block_of(source));
            page.cause = Cause::Gc;
            page.target = Target::Frontier {
                frontier: former,
                scope: space.pool_scope(pool),
            };
        }
    }

    /// Whether every unit that a step relocates has been overwritten or trimmed meanwhile.
    pub(super) fn is_superseded(&self, step: &Step) -> bool {
        if step.cause.is_of_host() {
            return false;
        }
        let page = self.pages.get(step.token).filter(|page| page.pool.is_some());
        page.is_some_and(|page| !page.units.iter().any(|unit| unit.is_current(&self.units.map)))
    }
}

/// Counts a host write that took effect by what it found.
#[inline]
pub(super) fn count_write(space: &mut FlashSpace, was_mapped: bool, counted: bool) {
    if counted {
        return;
    }
    if was_mapped {
        space.counters.covered_writes += 1;
    } else {
        space.counters.first_writes += 1;
    }
}
