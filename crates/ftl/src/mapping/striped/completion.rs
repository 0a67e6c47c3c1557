//! The end of steps.

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::StripedFtl;
use super::padding::is_padding;
use crate::contract::Ftl;
use crate::inflight::PendingProgram;
use crate::plan::{Cause, Outcome, Plan, Step, Work};

/// Superpages of a victim that are on their way at once (assumed): while the planes program some, the pages of others are read.
const SUPERPAGES_MOVED: u32 = 6;

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
        if let (Work::Program { .. }, Some(page)) = (step.work, page) {
            self.recovery.end_program(page);
            if outcome == Outcome::Failed {
                self.break_superpage(page);
            }
        }
        if is_padding(step) {
            return self.end_padding(now, page, outcome);
        }
        if step.cause == Cause::Parity {
            return match step.work {
                Work::Read { .. } => {
                    self.end_recovery_read(now, step, outcome, plan);
                    self.to_flash(plan);
                }
                _ => self.end_parity(page, outcome),
            };
        }
        if matches!(step.work, Work::Read { .. }) && outcome.is_unreadable() {
            return self.read_failed(now, step, outcome, plan);
        }
        if outcome == Outcome::Declined && self.retry_with_recovered(step, plan) {
            return;
        }
        let own = self.to_superblocks(step);
        let page = page.and_then(|page| self.layout.page_of_superblock(page));
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

    /// A page of parity was programmed, or could not be: then its superblock fails, as if a page of data had.
    fn end_parity(&mut self, page: Option<Ppn>, outcome: Outcome) {
        if let Some(superpage) = page.and_then(|page| self.layout.superpage_of_parity(page)) {
            self.recovery.end_parity_of(superpage..superpage + 1);
        }
        if let (Outcome::Failed, Some(page)) = (outcome, page) {
            let block = self.layout.flash().block_of(page);
            let (superblock, _) = self.layout.superblock_of(block);
            self.pages.space.fail_block(superblock.0);
        }
    }

    /// A member was erased, or could not be: when all are over, so is the erase of their superblock.
    fn end_erase(
        &mut self,
        now: SimTime,
        (step, block): (&Step, BlockId),
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        let (superblock, member) = self.layout.superblock_of(block);
        let Some(erasing) = self.erasing.get_mut(&superblock) else {
            return;
        };
        erasing.left -= 1;
        if outcome == Outcome::Failed {
            erasing.has_failed = true;
        } else {
            erasing.erased |= 1 << member;
        }
        if erasing.left > 0 {
            return;
        }
        let outcome = if erasing.has_failed {
            Outcome::Failed
        } else {
            Outcome::Good
        };
        self.erasing.remove(&superblock);
        for member in self.layout.members(superblock) {
            self.given_up.remove(&member);
        }
        self.forget_superpages(superblock);
        let own = Step {
            work: Work::Erase { block: superblock },
            ..*step
        };
        self.pages.done(now, &own, None, outcome, plan);
        self.to_flash(plan);
    }
}
