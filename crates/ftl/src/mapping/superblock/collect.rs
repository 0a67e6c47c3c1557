//! Collection: blocks without a current page are erased first. Otherwise the superblock that was written least recently gives
//! up a block, namely the one with the fewest current pages, which are moved to its other blocks.

use wordline_units::SimTime;

use super::SuperblockFtl;
use super::tree::Path;
use crate::block::BlockRole;
use crate::config::GcMode;
use crate::inflight::{NO_TOKEN, PendingProgram};
use crate::map::Relocate;
use crate::mapping::whole_blocks::{MOST_COPIES, copy_steps, plan_erases};
use crate::notice::{JobState, Urgency};
use crate::plan::{Cause, Lpn, Plan, Route, Step, Work};
use crate::space::Activity;
use wordline_nand::{BlockId, Ppn};

/// Steps of a plan.
const MOST_STEPS: usize = 64;
/// Steps of a copy: three reads of spare areas, one of the page, a program.
const STEPS_OF_COPY: usize = 5;

impl SuperblockFtl {
    /// The next plan of a plane's job.
    pub(super) fn advance_collection(&mut self, now: SimTime, plane: u32, plan: &mut Plan) -> JobState {
        let mode = self.space.gc.mode;
        let state = &mut self.space.pools[plane as usize];
        let Some(urgency) = state.urgency(mode) else {
            state.noticed = None;
            return JobState::Finished;
        };
        if state.moves > 0 {
            state.noticed = None;
            return JobState::Waiting;
        }
        if urgency == Urgency::Idle && now < state.last_host + self.space.gc.idle {
            self.space.give_notice(plane, urgency, now);
            return JobState::Waiting;
        }
        let one_by_one = mode == GcMode::Preemptible && urgency != Urgency::Blocking;
        let most = if one_by_one { 1 } else { MOST_COPIES };
        while self.work_on_collection(now, plane, most, plan) {
            if !plan.is_empty() {
                return JobState::Yielded;
            }
        }
        self.space.pools[plane as usize].noticed = None;
        JobState::Waiting
    }

    /// One thing that the job of a plane does: copies or the end of emptying a block, erases, or the choice of a block. False
    /// where there is none now.
    fn work_on_collection(&mut self, now: SimTime, plane: u32, most: u32, plan: &mut Plan) -> bool {
        if self.planes[plane as usize].victim.is_some() {
            return self.plan_copies(plane, most, plan) || self.finish_emptying(now, plane, plan);
        }
        // the host program that waited found its page elsewhere
        self.space.pools[plane as usize].awaited = false;
        if !self.space.pools[plane as usize].wants_space() {
            return false;
        }
        self.bury_all_empty(plane);
        if self.plan_dead(plane, plan) {
            return true;
        }
        let Some((superblock, block)) = self.choose(plane) else {
            return false;
        };
        self.space.close_block(BlockId(block));
        self.begin_emptying(plane, superblock, block);
        true
    }

    /// Superblocks of a plane give up blocks that are closed and hold nothing.
    fn bury_all_empty(&mut self, plane: u32) {
        if self.space.blocks.least_valid(plane) != Some(0) {
            return;
        }
        let mut empty = Vec::new();
        self.space
            .blocks
            .least_candidates(plane, |block| empty.push(block));
        for superblock in self.superblocks_of(plane) {
            for block in &empty {
                let mut owned = self.superblocks[superblock as usize].blocks.iter();
                if owned.any(|owned| owned.block == *block) {
                    self.bury(superblock, *block);
                }
            }
        }
    }

    /// The superblocks of a plane.
    pub(super) fn superblocks_of(&self, plane: u32) -> impl Iterator<Item = u32> + use<> {
        let planes = self.planes.len() as u32;
        let first = (0..planes).find(|first| self.plane_of(*first) == plane);
        (first.unwrap_or_default()..self.superblocks.len() as u32).step_by(planes as usize)
    }

    /// A block of a superblock holds nothing: it is to be erased.
    pub(super) fn bury(&mut self, superblock: u32, block: u32) {
        let plane = self.space.blocks.pool_of(block);
        self.space.blocks.exclude_candidate(block);
        self.superblocks[superblock as usize]
            .blocks
            .retain(|owned| owned.block != block);
        self.planes[plane as usize].dead.push(block);
    }

    /// The superblock of a plane that was written least recently of those that can do with a block less, and its block to be
    /// emptied.
    fn choose(&self, plane: u32) -> Option<(u32, u32)> {
        let pages_per_block = self.space.geometry.pages_per_block;
        let mut chosen: Option<(u64, u32, u32)> = None;
        for superblock in self.superblocks_of(plane) {
            let owner = &self.superblocks[superblock as usize];
            if chosen.is_some_and(|(last_write, ..)| last_write <= owner.last_write) {
                continue;
            }
            let needed = owner.valid(&self.space.blocks).div_ceil(pages_per_block);
            if owner.blocks.len() as u32 > needed
                && let Some(block) = self.fewest_valid(superblock)
            {
                chosen = Some((owner.last_write, superblock, block));
            }
        }
        let chosen = chosen.map(|(_, superblock, block)| (superblock, block));
        chosen.or_else(|| self.empty_open_block(plane))
    }

    /// A superblock of a plane with a block that takes further pages and holds none, as one that was opened for a copy which was then superseded, and the block: where nothing else can be emptied, another superblock may need it.
    fn empty_open_block(&self, plane: u32) -> Option<(u32, u32)> {
        let blocks = &self.space.blocks;
        let is_empty = |block: &u32| {
            blocks.role[*block as usize] == BlockRole::Open
                && blocks.valid(*block) == 0
                && !blocks.has_pending(*block)
        };
        self.superblocks_of(plane).find_map(|superblock| {
            let owned = &self.superblocks[superblock as usize].blocks;
            let empty = owned.iter().map(|owned| owned.block).find(is_empty);
            empty.map(|block| (superblock, block))
        })
    }

    /// The block of a superblock with the fewest current pages, if it has other pages too. Blocks that take further pages are
    /// left alone unless all others are full of current pages and there are two of them.
    pub(super) fn fewest_valid(&self, superblock: u32) -> Option<u32> {
        let blocks = &self.space.blocks;
        let owned = || {
            let owned = &self.superblocks[superblock as usize].blocks;
            owned.iter().map(|owned| owned.block)
        };
        let closed = owned().filter(|block| blocks.is_candidate(*block));
        let fewest = closed.min_by_key(|block| blocks.valid(*block));
        let gains = |block: &u32| blocks.valid(*block) < self.space.geometry.pages_per_block;
        fewest.filter(gains).or_else(|| {
            let open = || owned().filter(|block| blocks.role[*block as usize] == BlockRole::Open);
            let idle = open().filter(|block| !blocks.has_pending(*block));
            idle.min_by_key(|block| blocks.valid(*block))
                .filter(|_| open().count() > 1)
        })
    }

    /// Plans copies of the next current pages of the block that is being emptied; false where there are none.
    fn plan_copies(&mut self, plane: u32, most: u32, plan: &mut Plan) -> bool {
        let Some(mut victim) = self.planes[plane as usize].victim else {
            return false;
        };
        let first = self.space.first_page(victim.block);
        let written = u32::from(self.space.blocks.written[victim.block as usize]);
        let (mut copies, mut before) = (0, 0);
        while copies < most && victim.next < written && plan.len() + STEPS_OF_COPY <= MOST_STEPS {
            let source = first + u64::from(victim.next);
            victim.next += 1;
            let Some(lpn) = self.map.owner(source) else {
                continue;
            };
            let path = self.look_up(self.place_of(lpn));
            let found = push_reads(&path, Lpn(lpn), plan);
            let token = self.inflight.add(PendingProgram::Move { source, pool: plane });
            let by_copy_back = self.space.copy_back.allows(source);
            let (place, after) = ((plane, source), before | found);
            before = copy_steps(&self.map, place, (token, Cause::Gc), by_copy_back, after, plan);
            copies += 1;
        }
        self.planes[plane as usize].victim = Some(victim);
        self.space.pools[plane as usize].moves += copies;
        copies > 0
    }

    /// Ends the emptying of a block, which may hold pages that could not be moved.
    fn finish_emptying(&mut self, now: SimTime, plane: u32, plan: &mut Plan) -> bool {
        let Some(victim) = self.planes[plane as usize].victim.take() else {
            return false;
        };
        let left = self.space.blocks.valid(victim.block);
        let state = &mut self.space.pools[plane as usize];
        state.activity = Activity::Idle;
        state.awaited = false;
        state.noticed = None;
        if left == 0 {
            self.bury(victim.superblock, victim.block);
        } else {
            self.space.blocks.make_candidate(victim.block);
            let state = &mut self.space.pools[plane as usize];
            if left == victim.valid && !state.stuck {
                // nowhere to move to: not again before a page was superseded
                state.stuck = true;
                self.space.stuck_pools += 1;
            }
        }
        self.plan_dead(plane, plan);
        self.space.update_urgency(plane, now);
        true
    }

    /// Plans erases of blocks that hold nothing.
    fn plan_dead(&mut self, plane: u32, plan: &mut Plan) -> bool {
        let planned = plan_erases(&mut self.planes[plane as usize].dead, Cause::Gc, plan);
        self.space.pools[plane as usize].moves += planned;
        planned > 0
    }

    /// Puts the reads of spare areas that a host request needs before its steps.
    pub(super) fn look_up_first(&mut self, lpn: Lpn, plan: &mut Plan) {
        let path = self.look_up(self.place_of(lpn.0));
        if path.pages.is_empty() {
            return;
        }
        let steps = std::mem::take(plan);
        let found = push_reads(&path, lpn, plan);
        let shift = plan.len();
        plan.extend(steps.into_iter().map(|step| Step {
            after: step.after << shift | found,
            ..step
        }));
    }
}

/// Plans the reads of a path, one after the other; the mask of the last one.
fn push_reads(path: &Path, lpn: Lpn, plan: &mut Plan) -> u64 {
    let mut after = 0;
    for page in &path.pages {
        let read = Work::Read {
            page: Ppn(*page),
            bitmap: 0,
            route: Route::Controller,
        };
        plan.push(Step {
            work: read,
            cause: Cause::Mapping,
            acknowledges: false,
            after,
            lpn,
            token: NO_TOKEN,
        });
        after = 1 << (plan.len() - 1);
    }
    after
}
