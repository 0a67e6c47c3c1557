//! The end of steps.

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::StripedFtl;
use crate::contract::Ftl;
use crate::inflight::PendingProgram;
use crate::plan::{Outcome, Plan, Step, Work};

/// Superpages of a victim that are on their way at once: while the planes program one, the pages of the next are read.
const SUPERPAGES_MOVED: u32 = 2;

/// A superblock that is being erased.
#[derive(Clone, Copy, Debug)]
pub(super) struct Erasing {
    /// Members whose erase has not ended.
    left: u32,
    has_failed: bool,
}

impl Erasing {
    pub(super) const fn new(members: u32) -> Self {
        Self {
            left: members,
            has_failed: false,
        }
    }
}

impl StripedFtl {
    /// Notes how a step ended.
    pub(super) fn complete_step(
        &mut self,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        if let Work::Erase { block } = step.work {
            return self.end_erase(now, (step, block), outcome, plan);
        }
        let own = self.to_superblocks(step);
        let page = page.map(|page| self.layout.page_of_superblock(page));
        let moved = match (own.work, self.pages.pending(own.token)) {
            (Work::Program { .. }, Some(PendingProgram::Move { pool, .. })) => Some(pool),
            _ => None,
        };
        self.pages.done(now, &own, page, outcome, plan);
        // without a clock a plan is over at once, and nothing is beside it
        let takes_time = |pool: &u32| self.asked[*pool as usize] < now;
        if let Some(pool) = moved.filter(|_| plan.is_empty()).filter(takes_time) {
            let most = SUPERPAGES_MOVED * self.layout.width();
            let (collector, mut work) = self.pages.work();
            collector.go_on(&mut work, pool, most, plan);
        }
        self.to_flash(plan);
    }

    /// A member was erased, or could not be: when all are over, so is the erase of their superblock.
    fn end_erase(
        &mut self,
        now: SimTime,
        (step, block): (&Step, BlockId),
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        let (superblock, _) = self.layout.superblock_of(block);
        let Some(erasing) = self.erasing.get_mut(&superblock) else {
            return;
        };
        erasing.left -= 1;
        erasing.has_failed |= outcome == Outcome::Failed;
        if erasing.left > 0 {
            return;
        }
        let outcome = if erasing.has_failed {
            Outcome::Failed
        } else {
            Outcome::Good
        };
        self.erasing.remove(&superblock);
        let own = Step {
            work: Work::Erase { block: superblock },
            ..*step
        };
        self.pages.done(now, &own, None, outcome, plan);
        self.to_flash(plan);
    }
}
