//! Data that could not be read are computed from the other pages of their superpage (FTL specification, 6.2).
//!
//! The exclusive or is made as the pages come in, as that of a parity page is while it is filled, and takes no time of its own (assumed). What is on its way to flash, and
//! the parity of a superpage that is not complete, the controller has: these pages are not read.

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::StripedFtl;
use super::recovery::{Attempt, key};
use crate::block::BlockRole;
use crate::contract::{Ftl, Inspect};
use crate::inflight::{NO_TOKEN, PendingProgram};
use crate::plan::{Cause, Lpn, Outcome, Plan, Route, Step, Unit, Work};

impl StripedFtl {
    /// Where the data of a page are now, if they have been moved since a read of it was planned.
    fn moved_to(&self, lpn: Lpn, page: Ppn) -> Option<Ppn> {
        self.lookup(lpn).filter(|now| *now != page)
    }

    /// Whether the parity of a page's superpage brings back its data.
    pub(super) fn has_parity_for(&self, page: Ppn) -> bool {
        let block = self.layout.flash().block_of(page);
        let Some((superblock, _)) = self.layout.membership(block) else {
            return false;
        };
        let number = self.layout.number_of(page);
        self.layout.has_parity()
            && self.pages.block_use(superblock).role != BlockRole::Bad
            && !self.erasing.contains_key(&superblock)
            && !self.recovery.broken.contains(&number)
    }

    /// Whether the data of a read that could not be corrected are had otherwise.
    pub(super) fn can_recover(&self, read: &Step) -> bool {
        match read.work {
            Work::Read {
                page, bitmap: 1.., ..
            } if read.cause != Cause::Parity && self.layout.has_parity() => {
                self.moved_to(read.lpn, page).is_some() || self.has_parity_for(page)
            }
            _ => false,
        }
    }

    /// A read could not be corrected.
    pub(super) fn read_failed(&mut self, now: SimTime, read: &Step, outcome: Outcome, plan: &mut Plan) {
        if outcome != Outcome::Lost {
            self.note_unreadable(now, self.page_of(read));
        }
        if outcome == Outcome::Lost || !self.can_recover(read) {
            self.recovery.counters.unrecovered +=
                u64::from(self.layout.has_parity() && outcome != Outcome::Lost);
            let own = self.to_superblocks(read);
            return self.pages.done(now, &own, None, outcome, plan);
        }
        if !read.acknowledges {
            self.recovery.awaited.insert(key(read), *read);
            return;
        }
        self.answer_by_others(read, plan);
    }

    /// Plans what answers a read of the host that could not be corrected, or is not attempted.
    pub(super) fn answer_by_others(&mut self, read: &Step, plan: &mut Plan) {
        let after = self.plan_reads(read, plan);
        if let Work::Read { bitmap, .. } = read.work
            && self.moved_to(read.lpn, self.page_of(read)).is_none()
        {
            plan.push(Step {
                work: Work::Compute {
                    unit: Unit::Codec {
                        sectors: bitmap.count_ones() as u8,
                        group: 0,
                    },
                    amount: 0,
                },
                cause: Cause::Parity,
                acknowledges: true,
                after,
                lpn: read.lpn,
                token: NO_TOKEN,
            });
        }
    }

    fn page_of(&self, read: &Step) -> Ppn {
        read.work.planned_page().unwrap_or_default()
    }

    /// A program that was declined, as its data had to be computed, is planned again behind that; whether it was.
    pub(super) fn retry_with_recovered(&mut self, program: &Step, plan: &mut Plan) -> bool {
        let Some(read) = self.recovery.awaited.remove(&key(program)) else {
            return false;
        };
        if let Some(PendingProgram::Move { source, .. }) = self.pages.pending(program.token)
            && self.pages.owner(Ppn(source)) != Some(program.lpn)
        {
            return false;
        }
        let after = self.plan_reads(&read, plan);
        plan.push(Step { after, ..*program });
        true
    }

    /// Plans the reads that bring the data of another read, which could not be corrected: of the page where they are now, or of the others of the superpage. Tells which
    /// steps they are.
    pub(super) fn plan_reads(&mut self, read: &Step, plan: &mut Plan) -> u64 {
        let first = plan.len();
        let (page, bitmap) = match read.work {
            Work::Read { page, bitmap, .. } => (page, bitmap),
            _ => return 0,
        };
        if let Some(page) = self.moved_to(read.lpn, page) {
            plan.push(Step {
                work: Work::Read {
                    page,
                    bitmap,
                    route: Route::Controller,
                },
                ..*read
            });
            return 1 << first;
        }
        let token = self.recovery.take_token();
        plan.extend(self.others_on_flash(page).map(|page| Step {
            work: Work::Read {
                page,
                bitmap,
                route: Route::Controller,
            },
            cause: Cause::Parity,
            after: 0,
            token,
            ..*read
        }));
        let attempt = Attempt {
            read: *read,
            left: (plan.len() - first) as u32,
            has_failed: false,
        };
        if attempt.left == 0 {
            self.recovery.counters.recovered += u64::from(read.cause != Cause::Parity);
            return 0;
        }
        self.recovery.attempts.insert(token, attempt);
        (u64::MAX >> (64 - attempt.left)) << first
    }

    /// Plans the read of a page that a rebuild has from nowhere else: its superpage has no parity.
    pub(super) fn read_itself(&mut self, read: Step, plan: &mut Plan) {
        let token = self.recovery.take_token();
        plan.push(Step { token, ..read });
        let attempt = Attempt {
            read,
            left: 1,
            has_failed: false,
        };
        self.recovery.attempts.insert(token, attempt);
    }

    /// The other pages of a superpage that have been programmed.
    fn others_on_flash(&self, page: Ppn) -> impl Iterator<Item = Ppn> {
        let block = self.layout.flash().block_of(page);
        let superpage = self.layout.flash().page_of_block(page, block);
        let (superblock, own) = self.layout.superblock_of(block);
        let written = self.layout.superblocks().pages_per_block - self.pages.block_use(superblock).free;
        (0..self.layout.width())
            .filter(move |member| {
                *member != own && superpage < self.layout.written(superblock, *member, written)
            })
            .map(move |member| {
                self.layout
                    .flash()
                    .page(self.layout.member(superblock, member), superpage)
            })
            .filter(|page| !self.recovery.under_way.contains(page))
    }

    /// A read for a computation is over.
    pub(super) fn end_recovery_read(&mut self, now: SimTime, step: &Step, outcome: Outcome, plan: &mut Plan) {
        let Some(attempt) = self.recovery.attempts.get_mut(&step.token) else {
            return;
        };
        attempt.left -= 1;
        attempt.has_failed |= outcome.is_unreadable();
        if attempt.left > 0 {
            return;
        }
        let Attempt { read, has_failed, .. } = *attempt;
        self.recovery.attempts.remove(&step.token);
        let page = self.page_of(&read);
        if read.cause == Cause::Parity {
            // of a rebuild, which goes on without the data
            if has_failed {
                self.recovery.counters.unrecovered += 1;
                self.recovery.broken.insert(self.layout.number_of(page));
            }
            let (superblock, _) = self.layout.superblock_of(self.layout.flash().block_of(page));
            return self.program_rebuilt(superblock, read.lpn, plan);
        }
        if has_failed {
            self.recovery.counters.unrecovered += 1;
            let own = self.to_superblocks(&read);
            self.pages.done(now, &own, None, Outcome::Uncorrectable, plan);
            self.put_on_flash(plan);
        } else {
            self.recovery.counters.recovered += 1;
            self.rewrite(&read, plan);
        }
        if !self.damage.failures.unreadable.is_empty() {
            let (superblock, _) = self.layout.superblock_of(self.layout.flash().block_of(page));
            self.begin_rebuild(now, superblock, plan);
        }
    }

    /// A program has failed: what its page was to hold is missing in its superpage.
    pub(super) fn break_superpage(&mut self, page: Ppn) {
        if self.layout.has_parity() {
            self.recovery.broken.insert(self.layout.number_of(page));
            let (superblock, _) = self.layout.superblock_of(self.layout.flash().block_of(page));
            self.recovery.end_parity_of(self.layout.numbers_of(superblock));
        }
    }

    /// A superblock was erased, or is retired.
    pub(super) fn forget_superpages(&mut self, superblock: BlockId) {
        let in_it: Vec<u64> = self.broken_of(superblock).collect();
        for number in in_it {
            self.recovery.broken.remove(&number);
        }
        if !self.damage.failures.pages.is_empty() || !self.damage.failures.unreadable.is_empty() {
            let members: Vec<BlockId> = self.layout.members(superblock).map(|(_, block)| block).collect();
            for block in members {
                self.forget_failed_reads(block);
            }
        }
    }
}
