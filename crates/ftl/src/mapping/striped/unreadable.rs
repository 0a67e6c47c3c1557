//! Members that are not read any more, and their rebuild on a spare block (FTL specification, 6.2): of each page that was programmed, k - 1 reads and a program.

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::StripedFtl;
use super::damage::Rebuild;
use super::keys::BadMember;
use super::recovery::key;
use crate::block::BlockRole;
use crate::contract::{CollectedSpace, Inspect};
use crate::inflight::{NO_TOKEN, PendingProgram};
use crate::plan::{Cause, Lpn, MOST_STEPS, Outcome, Plan, Route, Scope, Step, Target, Unit, Work};
use crate::space::Activity;

/// What the spare area of a page that is rebuilt names as its owner where nobody needs its data any more.
const NOBODY: Lpn = Lpn(u64::MAX - 1);

impl StripedFtl {
    /// Whether the data of a page are computed without an attempt to read it: its block is not read any more, and it is the only one of its superblock.
    fn is_left_alone(&self, page: Ppn) -> bool {
        let block = self.layout.flash().block_of(page);
        let unreadable = &self.damage.failures.unreadable;
        unreadable.contains(&block)
            && self.has_parity_for(page)
            && self.layout.membership(block).is_some_and(|(superblock, _)| {
                let members = self.layout.members(superblock);
                members.filter(|(_, block)| unreadable.contains(block)).count() == 1
            })
    }

    /// Reads of blocks that are not read any more are replaced: by the reads of others where they answer the host, else by those that follow when the program which needs the data is declined.
    pub(super) fn avoid_reads(&mut self, plan: &mut Plan) {
        if self.damage.failures.unreadable.is_empty() {
            return;
        }
        let is_avoided = |ftl: &Self, step: &Step| match step.work {
            Work::Read {
                page, bitmap: 1.., ..
            } if step.cause != Cause::Parity => ftl.is_left_alone(page),
            _ => false,
        };
        if let [read] = plan[..]
            && read.acknowledges
        {
            if is_avoided(self, &read) {
                self.recovery.counters.degraded += 1;
                plan.clear();
                self.answer_by_others(&read, plan);
            }
            return;
        }
        for step in plan {
            if !step.acknowledges && is_avoided(self, step) {
                self.recovery.counters.degraded += 1;
                self.recovery.awaited.insert(key(step), *step);
                step.work = Work::Compute {
                    unit: Unit::Codec { sectors: 0, group: 0 },
                    amount: 0,
                };
            }
        }
    }

    /// A page could not be read: with too many of its block, the block is not read any more, if the drive can do without it.
    pub(super) fn note_unreadable(&mut self, now: SimTime, page: Ppn) {
        let Some(most) = self.damage.most_unreadable else {
            return;
        };
        let flash = *self.layout.flash();
        let block = flash.block_of(page);
        let Some((superblock, member)) = self.layout.membership(block) else {
            return;
        };
        let is_empty = self.erasing.contains_key(&superblock);
        let failures = &mut self.damage.failures;
        if is_empty || failures.unreadable.contains(&block) {
            return;
        }
        failures.pages.insert(page);
        let (first, last) = (flash.page(block, 0), flash.page(block, flash.pages_per_block - 1));
        if (failures.pages.range(first..=last).count() as u32) < most {
            return;
        }
        let was_bad = self.damage.members(superblock) >> member & 1 == 1;
        self.damage.fail(superblock, member);
        if !self.can_do_without(superblock) || !self.can_lose(superblock) {
            if !was_bad {
                self.damage.repair(superblock, member);
            }
            return;
        }
        self.damage.failures.unreadable.insert(block);
        self.recovery.counters.unreadable_members += 1;
        self.pages.space.fail_block(superblock.0);
        self.keep_if_replaced(superblock);
        self.pages.space.report_candidate(now, superblock.0);
        self.recovery.end_parity_of(self.layout.numbers_of(superblock));
    }

    /// Whether a superblock may be lost now: one that is emptied is to give its pool a free one for that which its pages take, and one that is open has pages to give, which collection may count on. Others are emptied
    /// when the pool can afford it.
    fn can_lose(&self, superblock: BlockId) -> bool {
        let space = &self.pages.space;
        let state = &space.pools[space.blocks.pool_of(superblock.0) as usize];
        let is_open = space.blocks.role[superblock.index()] == BlockRole::Open;
        let is_emptied = matches!(state.activity, Activity::Moving { victim, .. } if victim == superblock.0);
        !is_open && !is_emptied || state.free > space.capacity.watermarks.reserve
    }

    /// Whether the superblocks of a pool of which nothing has failed are what it needs, and its reserve once more for programs that fail: those of which something has hold their data until collection has moved
    /// them, for which it needs the others.
    fn can_do_without(&self, superblock: BlockId) -> bool {
        let space = &self.pages.space;
        let needed = self.pages.least_blocks() + space.capacity.watermarks.reserve;
        let per_superblock = self.layout.superblocks().pages_per_block;
        let pool = space.blocks.pool_of(superblock.0);
        self.sound_pages_of(pool) >= u64::from(needed) * u64::from(per_superblock)
    }

    /// Begins to rebuild the only bad member of a superblock, one that is not read any more, if nothing is under way in it, nobody empties it and there is a spare block.
    pub(super) fn begin_rebuild(&mut self, now: SimTime, superblock: BlockId, plan: &mut Plan) {
        let members = self.damage.members(superblock);
        if self.damage.way != BadMember::Substitute || members.count_ones() != 1 {
            return;
        }
        // a plan that is as good as full leaves it to the next one
        if plan.len() + self.layout.width() as usize > MOST_STEPS {
            return;
        }
        let member = members.trailing_zeros();
        let old = self.layout.member(superblock, member);
        let blocks = &self.pages.space.blocks;
        let pool = blocks.pool_of(superblock.0);
        let is_emptied = match self.pages.space.pools[pool as usize].activity {
            Activity::Moving { victim, .. } | Activity::Erasing { victim, .. } => victim == superblock.0,
            Activity::Idle | Activity::Merging => false,
        };
        let is_quiet = blocks.role[superblock.index()] == BlockRole::Closed
            && !blocks.has_pending(superblock.0)
            && !is_emptied
            && !self.damage.rebuilds.contains_key(&superblock)
            && !self.has_under_way(superblock);
        let is_unreadable = self.damage.failures.unreadable.contains(&old);
        if !is_quiet || !is_unreadable || !self.has_spares(superblock, members) {
            return;
        }
        let home = self.layout.home(superblock, member);
        let plane = self.layout.flash().plane_of(home).index();
        let Some(target) = self.layout.members_now.take_spare(plane, home) else {
            return;
        };
        let written = self.layout.superblocks().pages_per_block - self.pages.block_use(superblock).free;
        let rebuild = Rebuild {
            member,
            target,
            planned: 0,
            pages: self.layout.written(superblock, member, written),
        };
        let blocks = &mut self.pages.space.blocks;
        blocks.begin_program(superblock.0);
        blocks.exclude_candidate(superblock.0);
        self.damage.rebuilds.insert(superblock, rebuild);
        self.go_on_rebuilding(now, superblock, plan);
    }

    /// Plans the next page of a rebuild, or ends it.
    fn go_on_rebuilding(&mut self, now: SimTime, superblock: BlockId, plan: &mut Plan) {
        let Some(rebuild) = self.damage.rebuilds.get(&superblock).copied() else {
            return;
        };
        if rebuild.planned == rebuild.pages {
            return self.end_rebuild(now, superblock, rebuild, plan);
        }
        let flash = *self.layout.flash();
        let old = flash.page(self.layout.member(superblock, rebuild.member), rebuild.planned);
        let read = Step {
            work: Work::Read {
                page: old,
                bitmap: flash.full_bitmap(),
                route: Route::Controller,
            },
            cause: Cause::Parity,
            acknowledges: false,
            after: 0,
            lpn: self.owner(old).unwrap_or(NOBODY),
            token: NO_TOKEN,
        };
        let is_read = if self.has_parity_for(old) {
            self.plan_reads(&read, plan) != 0
        } else {
            self.read_itself(read, plan);
            true
        };
        if !is_read {
            self.program_rebuilt(superblock, read.lpn, plan);
        }
    }

    /// The data of a page of a rebuild are there, or lost: plans its program.
    pub(super) fn program_rebuilt(&mut self, superblock: BlockId, lpn: Lpn, plan: &mut Plan) {
        let flash = *self.layout.flash();
        let Some(rebuild) = self.damage.rebuilds.get_mut(&superblock) else {
            return;
        };
        let page = flash.page(rebuild.target, rebuild.planned);
        rebuild.planned += 1;
        plan.push(Step {
            work: Work::Program {
                target: Target::Page(page),
                sectors: flash.sectors_per_page() as u8,
                route: Route::Controller,
            },
            cause: Cause::Parity,
            acknowledges: false,
            after: 0,
            lpn,
            token: NO_TOKEN,
        });
    }

    /// The superblock whose rebuild programs a page.
    pub(super) fn rebuilt_by(&self, page: Ppn) -> Option<BlockId> {
        if self.damage.rebuilds.is_empty() {
            return None;
        }
        let block = self.layout.flash().block_of(page);
        let mut rebuilds = self.damage.rebuilds.iter();
        rebuilds
            .find(|(_, rebuild)| rebuild.target == block)
            .map(|(superblock, _)| *superblock)
    }

    /// A page of a rebuild was programmed, or could not be: then the rebuild begins again on another spare block.
    pub(super) fn end_rebuilt_page(
        &mut self,
        now: SimTime,
        superblock: BlockId,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        if outcome != Outcome::Failed {
            self.recovery.counters.rebuilt_pages += 1;
            return self.go_on_rebuilding(now, superblock, plan);
        }
        self.damage.rebuilds.remove(&superblock);
        self.damage.retired += 1;
        self.pages.space.fail_block(superblock.0);
        self.keep_if_replaced(superblock);
        self.pages.space.end_program(now, superblock.0);
        self.begin_rebuild(now, superblock, plan);
    }

    /// All pages of a member are on the spare block, which stands for it from now on. Another member may have become a bad one meanwhile.
    fn end_rebuild(&mut self, now: SimTime, superblock: BlockId, rebuild: Rebuild, plan: &mut Plan) {
        let old = self.layout.member(superblock, rebuild.member);
        let erases = self.pages.block_use(superblock).erase_count;
        self.damage.rebuilds.remove(&superblock);
        self.layout.members_now.substitute(rebuild.target, erases);
        self.damage.repair(superblock, rebuild.member);
        self.forget_failed_reads(old);
        self.damage.retired += 1;
        self.recovery.counters.rebuilt_members += 1;
        if self.damage.members(superblock) == 0 {
            self.pages.space.blocks.unfail(superblock.0);
        } else {
            self.keep_if_replaced(superblock);
        }
        self.pages.space.end_program(now, superblock.0);
        self.begin_rebuild(now, superblock, plan);
    }

    /// What could not be read of a block does not matter any more.
    pub(super) fn forget_failed_reads(&mut self, block: BlockId) {
        let flash = self.layout.flash();
        let (first, last) = (flash.page(block, 0), flash.page(block, flash.pages_per_block - 1));
        let failures = &mut self.damage.failures;
        failures.unreadable.remove(&block);
        let in_it: Vec<Ppn> = failures.pages.range(first..=last).copied().collect();
        for page in in_it {
            failures.pages.remove(&page);
        }
    }

    /// Programs a page anew that the host has read and whose data were computed, where that is configured. One at a time in a pool, and where the pool has a free superblock above its reserve: collection finds its
    /// pages then, but for that one.
    pub(super) fn rewrite(&mut self, read: &Step, plan: &mut Plan) {
        let Work::Read { page, bitmap, .. } = read.work else {
            return;
        };
        let Some(source) = self.layout.page_of_superblock(page) else {
            return;
        };
        let superblock = self.layout.superblocks().block_of(source);
        let pool = self.pages.space.blocks.pool_of(superblock.0);
        let state = &self.pages.space.pools[pool as usize];
        let is_to_be = self.damage.rewrites
            && read.acknowledges
            && self.lookup(read.lpn) == Some(page)
            && self.pages.valid_sectors(read.lpn) & !bitmap == 0
            && !self.pages.is_being_written(read.lpn)
            && !self.damage.rebuilds.contains_key(&superblock)
            && state.free > self.pages.space.capacity.watermarks.reserve
            && !matches!(state.activity, Activity::Moving { victim, .. } if victim == superblock.0);
        if !is_to_be || !self.damage.rewriting.insert(pool) {
            return;
        }
        let token = self.pages.inflight.add(PendingProgram::Move {
            source: source.0,
            pool,
        });
        self.pages.space.pools[pool as usize].moves += 1;
        plan.push(Step {
            work: Work::Program {
                target: Target::Stripe {
                    frontier: self.pages.space.frontier_of_moves(superblock.0),
                    scope: Scope::Plane(self.layout.superblocks().plane_of(superblock)),
                },
                sectors: self.pages.valid_sectors(read.lpn).count_ones() as u8,
                route: Route::Controller,
            },
            cause: Cause::Repair,
            acknowledges: false,
            after: 0,
            lpn: read.lpn,
            token,
        });
    }

    /// A page that was computed is on flash anew, or has been overwritten meanwhile.
    pub(super) fn end_rewrite(&mut self, token: u32, outcome: Outcome) {
        if let Some(PendingProgram::Move { pool, .. }) = self.pages.pending(token) {
            self.damage.rewriting.remove(&pool);
        }
        self.recovery.counters.rewritten += u64::from(outcome == Outcome::Good);
    }
}
