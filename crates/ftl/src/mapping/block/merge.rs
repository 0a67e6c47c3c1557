//! Merges: the current pages of a logical block come together in one block, and its others are erased (FTL specification,
//! section 1). A pool merges one logical block at a time.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::BlockFtl;
use super::pool::Merge;
use crate::block::BlockRole;
use crate::config::GcMode;
use crate::inflight::PendingProgram;
use crate::mapping::whole_blocks::{MOST_COPIES, copy_steps, plan_erases};
use crate::notice::{JobState, Urgency};
use crate::plan::{Cause, Plan};
use crate::space::Activity;

impl BlockFtl {
    /// The next plan of a pool's job.
    pub(super) fn advance_merge(&mut self, now: SimTime, pool: u32, plan: &mut Plan) -> JobState {
        let (mode, idle) = (self.space.gc.mode, self.space.gc.idle);
        let state = &mut self.space.pools[pool as usize];
        let Some(urgency) = state.urgency(mode) else {
            state.noticed = None;
            return JobState::Finished;
        };
        if state.moves > 0 {
            state.noticed = None;
            return JobState::Waiting;
        }
        if urgency == Urgency::Idle && now < state.last_host + idle {
            self.space.give_notice(pool, urgency, now);
            return JobState::Waiting;
        }
        let one_by_one = mode == GcMode::Preemptible && urgency != Urgency::Blocking;
        let most = if one_by_one { 1 } else { MOST_COPIES };
        if self.pools[pool as usize].merge.is_none() {
            if !self.space.pools[pool as usize].wants_space() {
                // the host program that waited found its page elsewhere
                self.space.pools[pool as usize].awaited = false;
            } else if self.plan_dead(pool, plan) {
                return JobState::Yielded;
            } else {
                self.begin_cheapest(now, pool);
            }
        }
        if self.plan_copies(pool, most, plan) || self.finish_merge(now, pool, most, plan) {
            return JobState::Yielded;
        }
        self.space.pools[pool as usize].noticed = None;
        JobState::Waiting
    }

    /// Begins to merge a logical block, with a gap for a host write at an offset. False where programs of its blocks are
    /// under way, or there is no free block to copy to.
    ///
    /// The newest block takes the pages that it lacks where those come after its own (a partial merge); otherwise all go to
    /// a free block (a full merge).
    pub(super) fn begin_merge(&mut self, now: SimTime, pool: u32, logical: u32, gap: Option<u32>) -> bool {
        if !self.is_settled(logical) {
            return false;
        }
        let merge = match self.partial_target(logical) {
            Some(target) => {
                self.space.counters.merges.partial += 1;
                let next = u32::from(self.space.blocks.written[target as usize]);
                Merge {
                    logical,
                    target,
                    next,
                    gap: None,
                }
            }
            None => {
                let free = self.space.pools[pool as usize].free;
                if gap.is_some() && free <= self.kept_free {
                    return false;
                }
                let Some(target) = self.open(now, pool, logical, false) else {
                    return false;
                };
                self.space.counters.merges.full += 1;
                Merge {
                    logical,
                    target,
                    next: 0,
                    gap,
                }
            }
        };
        self.pools[pool as usize].merge = Some(merge);
        self.space.pools[pool as usize].activity = Activity::Merging;
        self.space.update_urgency(pool, now);
        true
    }

    /// Whether no program of a logical block's blocks is under way.
    fn is_settled(&self, logical: u32) -> bool {
        let mut blocks = self.chains.blocks(logical);
        blocks.all(|block| !self.space.blocks.has_pending(block))
    }

    /// The newest block of a logical block, if the current pages of the older ones all come after its own. One that was open when the power failed takes no more.
    fn partial_target(&self, logical: u32) -> Option<u32> {
        let newest = self.chains.blocks(logical).last()?;
        let written = u32::from(self.space.blocks.written[newest as usize]);
        let older = || self.chains.blocks(logical).filter(|block| *block != newest);
        let first = |block: u32| self.chains.current_offsets(block, 0).next();
        let fits = older().all(|block| first(block).is_none_or(|offset| offset >= written));
        let lacks_pages = older().any(|block| first(block).is_some());
        let blocks = &self.space.blocks;
        let takes_more = blocks.role[newest as usize] == BlockRole::Open && !blocks.has_failed(newest);
        (lacks_pages && fits && takes_more).then_some(newest)
    }

    /// Begins the merge that copies the fewest pages for each block that it frees; of several the first one.
    fn begin_cheapest(&mut self, now: SimTime, pool: u32) {
        let mut best: Option<(u64, u64, u32)> = None;
        for logical in self.chains.several(self.space.blocks.of_pool(pool)) {
            if !self.is_settled(logical) {
                continue;
            }
            let kept = self.partial_target(logical);
            let gain = self.chains.blocks(logical).count() as u64 - 1;
            let moved = self.chains.blocks(logical).filter(|block| Some(*block) != kept);
            let copies: u64 = moved.map(|block| u64::from(self.space.blocks.valid(block))).sum();
            if best.is_none_or(|(least, for_gain, _)| copies * for_gain < least * gain) {
                best = Some((copies, gain, logical));
            }
        }
        if let Some((_, _, logical)) = best {
            self.begin_merge(now, pool, logical, None);
        }
    }

    /// Plans copies of the next current pages to the target, at most up to the gap; false where there are none.
    fn plan_copies(&mut self, pool: u32, most: u32, plan: &mut Plan) -> bool {
        let Some(merge) = &mut self.pools[pool as usize].merge else {
            return false;
        };
        let end = merge.gap.unwrap_or(self.space.geometry.pages_per_block);
        let mut copies = 0;
        let mut before = 0;
        while copies < most && merge.next < end {
            let offset = merge.next;
            merge.next += 1;
            let source = self
                .chains
                .blocks(merge.logical)
                .filter(|block| *block != merge.target)
                .map(|block| self.chains.page(block, offset))
                .find(|page| self.chains.is_current(*page));
            if let Some(source) = source {
                let token = self.inflight.add(PendingProgram::Move { source, pool });
                let allows = self.space.copy_back.allows(source);
                before = copy_steps(
                    &self.chains,
                    (pool, source),
                    (token, Cause::Merge),
                    allows,
                    before,
                    plan,
                );
                copies += 1;
            }
        }
        self.space.pools[pool as usize].moves += copies;
        copies > 0
    }

    /// Whether the merge has come to a host write at an offset: all that lies before it is in the target.
    pub(super) fn is_due(&self, merge: &Merge, pool: u32, offset: u32) -> bool {
        merge.gap == Some(offset)
            && self.space.pools[pool as usize].moves == 0
            && self.accepts(merge.target, offset)
            && !self.has_current_before(merge, offset)
    }

    fn has_current_before(&self, merge: &Merge, offset: u32) -> bool {
        let mut older = self
            .chains
            .blocks(merge.logical)
            .filter(|block| *block != merge.target);
        older.any(|block| {
            self.chains
                .current_offsets(block, merge.next)
                .next()
                .is_some_and(|first| first < offset)
        })
    }

    /// The host write for which a merge left a gap has its page; the merge goes on behind it.
    pub(super) fn fill_gap(&mut self, now: SimTime, pool: u32, offset: u32) {
        if let Some(merge) = &mut self.pools[pool as usize].merge {
            (merge.gap, merge.next) = (None, offset + 1);
        }
        self.space.pools[pool as usize].awaited = false;
        self.space.update_urgency(pool, now);
    }

    /// Ends the merge once its last program is done, and plans the erases of the blocks that hold nothing any more. Where there is none, as the target has failed, the merge begins anew with another one.
    fn finish_merge(&mut self, now: SimTime, pool: u32, most: u32, plan: &mut Plan) -> bool {
        let Some(merge) = self.pools[pool as usize].merge else {
            return false;
        };
        if merge.gap.is_some() || !self.is_settled(merge.logical) {
            return false;
        }
        // a copy that failed keeps its source in the chain
        let blocks = self.chains.blocks(merge.logical);
        let empty: Vec<u32> = blocks
            .filter(|block| *block != merge.target && self.space.blocks.valid(*block) == 0)
            .collect();
        for block in empty {
            self.unlink(block);
        }
        self.pools[pool as usize].merge = None;
        let state = &mut self.space.pools[pool as usize];
        state.activity = Activity::Idle;
        state.awaited = false;
        state.noticed = None;
        if self.plan_dead(pool, plan) {
            self.space.update_urgency(pool, now);
            return true;
        }
        // a host write may wait for it, which nothing else would try again
        let is_cut_short = self.space.blocks.has_failed(merge.target);
        let goes_on = is_cut_short && self.begin_merge(now, pool, merge.logical, None);
        self.space.update_urgency(pool, now);
        goes_on && self.plan_copies(pool, most, plan)
    }

    /// A block without current pages leaves its logical block and waits for its erase.
    pub(super) fn unlink(&mut self, block: u32) {
        self.chains.remove(block);
        self.space.close_block(BlockId(block));
        self.pools[self.space.blocks.pool_of(block) as usize]
            .dead
            .push(block);
    }

    /// Plans erases of blocks that hold nothing.
    fn plan_dead(&mut self, pool: u32, plan: &mut Plan) -> bool {
        let planned = plan_erases(&mut self.pools[pool as usize].dead, Cause::Merge, plan);
        self.space.pools[pool as usize].moves += planned;
        planned > 0
    }
}
