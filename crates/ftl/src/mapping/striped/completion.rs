//! The end of steps.

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::erasing::Erasing;
use super::{StripedFtl, is_padding};
use crate::contract::{Ftl, Inspect};
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
        self.end_step(now, step, page, outcome, plan);
        if let (Some(page), Outcome::Failed) = (page, outcome)
            && let Some((superblock, _)) = self.layout.membership(self.layout.flash().block_of(page))
        {
            self.keep_if_replaced(superblock);
        }
    }

    fn end_step(&mut self, now: SimTime, step: &Step, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        if let Work::Erase { block } = step.work {
            return self.end_erase(now, block, outcome, plan);
        }
        if let (Work::Program { .. }, Some(page)) = (step.work, page) {
            if let Some(superblock) = self.rebuilt_by(page) {
                return self.end_rebuilt_page(now, superblock, outcome, plan);
            }
            self.recovery.end_program(page);
            self.turns.end_program(self.layout.group_of(page));
            if outcome == Outcome::Failed {
                self.fail_member(self.layout.flash().block_of(page));
                self.break_superpage(page);
            }
        }
        if step.cause == Cause::Repair {
            self.end_rewrite(step.token, outcome);
        }
        if is_padding(step) {
            return self.end_padding(now, page, outcome);
        }
        if step.cause == Cause::Parity {
            return match step.work {
                Work::Read { .. } => self.end_recovery_read(now, step, outcome, plan),
                Work::Program { .. } => self.end_parity(now, page, outcome, plan),
                _ => {}
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
        self.put_on_flash(plan);
        if let Some(page) = page.filter(|_| !self.damage.failures.unreadable.is_empty()) {
            self.begin_rebuild(now, self.layout.superblocks().block_of(page), plan);
        }
    }

    /// A page of parity was programmed, or could not be: then its superblock fails, as if a page of data had.
    fn end_parity(&mut self, now: SimTime, page: Option<Ppn>, outcome: Outcome, plan: &mut Plan) {
        if let Some(superpage) = page.and_then(|page| self.layout.superpage_of_parity(page)) {
            self.recovery.end_parity_of(superpage..superpage + 1);
        }
        let Some(page) = page else { return };
        let block = self.layout.flash().block_of(page);
        let (superblock, _) = self.layout.superblock_of(block);
        if outcome == Outcome::Failed {
            self.pages.space.fail_block(superblock.0);
        }
        if !self.damage.failures.unreadable.is_empty() {
            self.begin_rebuild(now, superblock, plan);
        }
        self.settle_erase(now, superblock, plan);
    }

    /// A member was erased, or could not be: when all are over, so is the erase of their superblock.
    fn end_erase(&mut self, now: SimTime, block: BlockId, outcome: Outcome, plan: &mut Plan) {
        let (superblock, member) = self.layout.superblock_of(block);
        let Some(erasing) = self.erasing.get_mut(&superblock) else {
            return;
        };
        erasing.left -= 1;
        if outcome == Outcome::Failed {
            erasing.failed |= 1 << member;
        } else {
            erasing.erased |= 1 << member;
        }
        self.settle_erase(now, superblock, plan);
    }

    /// Ends the erase of a superblock if those of its members have ended. Erases wait for the programs of their block; members that are not erased may still have a program of parity
    /// under way, which belongs to the superblock as it was.
    fn settle_erase(&mut self, now: SimTime, superblock: BlockId, plan: &mut Plan) {
        let Some(erasing) = self.erasing.get(&superblock).copied() else {
            return;
        };
        let present = self.layout.members(superblock).count() as u32;
        if erasing.left > 0 || erasing.ended() < present && self.has_under_way(superblock) {
            return;
        }
        let Erasing {
            step, erased, failed, ..
        } = erasing;
        self.erasing.remove(&superblock);
        for (_, member) in self.layout.members(superblock) {
            self.given_up.remove(&member);
        }
        self.forget_superpages(superblock);
        let outcome = self.settle_members(superblock, failed, erased);
        self.pages.done(now, &step, None, outcome, plan);
        self.put_on_flash(plan);
    }

    /// Whether a page of a superblock has been given to a program that is not done.
    pub(super) fn has_under_way(&self, superblock: BlockId) -> bool {
        let of_page = |page| self.layout.place_of(self.layout.flash().block_of(page));
        self.recovery
            .has_under_way(|page| of_page(page).is_some_and(|(of, _)| of == superblock))
    }

    /// A superblock was erased, but for members that could not be: what becomes of it. Blocks of which something has failed are replaced if they can be, or it is retired.
    fn settle_members(&mut self, superblock: BlockId, failed: u64, erased: u64) -> Outcome {
        let bad = self
            .damage
            .failures
            .members
            .remove(&superblock)
            .unwrap_or_default()
            | failed;
        let erases = self.pages.block_use(superblock).erase_count + 1;
        let present = self.layout.members(superblock).count() as u32;
        if bad == 0 || self.replace(superblock, bad, erases) {
            self.pages.space.blocks.unfail(superblock.0);
            self.damage.retired += u64::from(bad.count_ones());
            self.damage.missed_erases += u64::from(self.layout.width() - erased.count_ones());
            return Outcome::Good;
        }
        self.damage.retired += u64::from(present);
        Outcome::Failed
    }
}
