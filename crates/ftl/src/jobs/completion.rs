//! The end of the steps of relocation: the map follows, blocks become free, failures are answered.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::collect::Move;
use super::{Collector, Relocate, Work};
use crate::config::GcMode;
use crate::inflight::PendingProgram;
use crate::plan::Outcome;
use crate::plan::WEAR;
use crate::plan::{Cause, Plan, Step, Work as StepWork};
use crate::space::Activity;

impl Collector {
    /// A relocated page is on the medium: the map follows unless the page was superseded.
    #[inline]
    pub(crate) fn end_move<R: Relocate>(
        work: &mut Work<'_, R>,
        now: SimTime,
        step: &Step,
        page: Ppn,
        source: u64,
        pool: u32,
    ) {
        let Work { space, pages, .. } = work;
        let (lpn, page) = (step.lpn.0, page.0);
        if matches!(step.work, StepWork::CopyBack { .. }) {
            space.copy_back.record(source, page);
        }
        let block = space.blocks.block_of(page);
        if pages.owner(source) == Some(lpn) {
            space.blocks.validate(block, 1);
            pages.relocate(lpn, source, page);
            space.invalidate(source, now);
        } else {
            space.counters.superseded_moves += 1;
        }
        match step.cause {
            Cause::Wear => space.counters.wear_moves += 1,
            Cause::Merge => space.counters.merges.pages += 1,
            Cause::Fold => space.counters.slc.folded_pages += 1,
            // counted by the refresher when they began, or by the mapping
            Cause::Refresh | Cause::Repair => {}
            _ => space.counters.gc_moves += 1,
        }
        space
            .tenants
            .report_moved(space.ground.blocks.block_of(source), 1);
        space.end_program(now, block);
        space.finish_move(now, pool);
    }

    /// The program of a relocation failed or was declined: the same again through the controller, or nothing where the
    /// page was superseded.
    pub(crate) fn retry_move<R: Relocate>(
        work: &mut Work<'_, R>,
        now: SimTime,
        step: &Step,
        source: u64,
        pool: u32,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        let Work {
            space,
            pages,
            inflight,
        } = work;
        let lpn = step.lpn.0;
        if pages.owner(source) == Some(lpn) {
            let onto = match space.pools[pool as usize].activity {
                Activity::Moving { onto, .. } if outcome == Outcome::Declined => onto.filter(|block| {
                    let plane = space.blocks.plane_of(*block);
                    space.frontiers.active(plane, WEAR) == Some(*block)
                }),
                _ => None,
            };
            let relocation = Move {
                pool,
                lpn,
                source,
                onto,
            };
            Self::move_through_controller(space, &**pages, relocation, step.token, plan);
        } else {
            inflight.remove(step.token);
            space.counters.superseded_moves += 1;
            space.finish_move(now, pool);
        }
    }

    /// A block was erased, or could not be.
    pub(crate) fn end_erase<R: Relocate>(
        &mut self,
        work: &mut Work<'_, R>,
        now: SimTime,
        block: u32,
        outcome: Outcome,
    ) {
        let space = &mut *work.space;
        let pool = space.blocks.pool_of(block);
        let Activity::Erasing { victim, wear } = space.pools[pool as usize].activity else {
            return;
        };
        if victim != block {
            return;
        }
        space.end_moving(pool);
        let has_failed = outcome == Outcome::Failed || space.blocks.has_failed(block);
        if has_failed || space.tenants.refuse(&space.ground, now, block) {
            space.retire_block(block);
            space.counters.retired_blocks += u64::from(has_failed);
        } else {
            let first = space.first_page(block);
            let pages = first..first + u64::from(space.geometry.pages_per_block);
            work.pages.erased(pages);
            space.free_block(block);
            if !wear {
                self.consider_swap(space, now, pool, block);
            }
        }
        space.update_urgency(pool, now);
        if space.gc.mode == GcMode::OneBlock {
            space.die_cleaned(pool, now);
        }
    }

    /// Whether the page that a step relocates has been overwritten or trimmed meanwhile.
    pub(crate) fn is_superseded<R: Relocate>(
        pages: &R,
        inflight: &crate::inflight::InFlight,
        step: &Step,
    ) -> bool {
        if step.cause.is_of_host() {
            return false;
        }
        match inflight.get(step.token) {
            Some(PendingProgram::Move { source, .. }) => pages.owner(source) != Some(step.lpn.0),
            _ => false,
        }
    }
}
