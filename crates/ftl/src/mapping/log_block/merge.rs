//! Merges: the logical blocks whose pages a log block holds get a block of their own again (FTL specification, section 1).
//! A plane reclaims one log block at a time, and merges one logical block at a time for it.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::logs::{LogUse, Merge};
use super::{LogFtl, NONE};
use crate::config::GcMode;
use crate::inflight::PendingProgram;
use crate::map::Relocate;
use crate::mapping::whole_blocks::{MOST_COPIES, copy_steps, plan_erases};
use crate::notice::{JobState, Urgency};
use crate::plan::GC;
use crate::plan::{Cause, Plan};
use crate::space::Activity;

/// How far the reclaiming of a log block came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reclaimed {
    /// The merge of a logical block has begun.
    Merging,
    /// It waits for programs under way, or for a free block.
    Waiting,
    /// The log block holds no current page any more, or is a data block now.
    Done,
}

impl LogFtl {
    /// The next plan of a plane's job.
    pub(super) fn advance_merge(&mut self, now: SimTime, plane: u32, plan: &mut Plan) -> JobState {
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
        while self.work_on_merges(now, plane, most, plan) {
            if !plan.is_empty() {
                return JobState::Yielded;
            }
        }
        self.space.pools[plane as usize].noticed = None;
        JobState::Waiting
    }

    /// One thing that the job of a plane does: copies or the end of a merge, the next merge of a log block, erases, or the
    /// choice of a log block. False where there is none now.
    fn work_on_merges(&mut self, now: SimTime, plane: u32, most: u32, plan: &mut Plan) -> bool {
        if self.planes[plane as usize].merge.is_some() {
            return self.plan_copies(plane, most, plan) || self.finish_merge(now, plane, plan);
        }
        if self.planes[plane as usize].reclaimed.is_some() {
            return match self.reclaim_further(now, plane) {
                Reclaimed::Merging => true,
                Reclaimed::Waiting => false,
                Reclaimed::Done => {
                    self.plan_dead(plane, plan);
                    true
                }
            };
        }
        // the host program that waited found its page elsewhere
        self.space.pools[plane as usize].awaited = false;
        if !self.space.pools[plane as usize].wants_space() {
            return false;
        }
        if self.plan_dead(plane, plan) {
            return true;
        }
        let victim = self.ask(plane, |association, view| association.victim(view));
        if let Some(at) = victim {
            self.reclaim(now, plane, at);
        }
        victim.is_some()
    }

    /// Begins to reclaim a log block; whether that is done at once.
    pub(super) fn reclaim(&mut self, now: SimTime, plane: u32, at: usize) -> bool {
        let block = self.planes[plane as usize].logs[at].block;
        let hot_logs = self.ask(plane, |association, view| association.adapted_hot_logs(view));
        self.planes[plane as usize].hot_logs = hot_logs;
        self.planes[plane as usize].reclaimed = Some(block);
        self.space.pools[plane as usize].activity = Activity::Merging;
        let is_done = self.reclaim_further(now, plane) == Reclaimed::Done;
        self.space.update_urgency(plane, now);
        is_done
    }

    /// Begins the next merge for the log block that is being reclaimed, or ends that.
    fn reclaim_further(&mut self, now: SimTime, plane: u32) -> Reclaimed {
        let Some(block) = self.planes[plane as usize].reclaimed else {
            return Reclaimed::Done;
        };
        if self.planes[plane as usize].merge.is_some() || self.space.blocks.has_pending(block) {
            return Reclaimed::Waiting;
        }
        let is_log = self.planes[plane as usize].log_mut(block).is_some();
        let first = self.space.passed(block).find_map(|page| self.map.owner(page));
        match first {
            Some(lpn) if is_log => {
                let (logical, _) = self.split(lpn);
                if self.begin_merge(now, plane, logical, block) {
                    // a switch needs no copy
                    let merging = self.planes[plane as usize].merge.is_some();
                    return if merging {
                        Reclaimed::Merging
                    } else {
                        self.reclaim_further(now, plane)
                    };
                }
                Reclaimed::Waiting
            }
            _ => {
                if is_log {
                    self.bury_log(plane, block);
                }
                let owner = &mut self.planes[plane as usize];
                owner.reclaimed = None;
                let state = &mut self.space.pools[plane as usize];
                state.activity = Activity::Idle;
                state.awaited = false;
                state.noticed = None;
                Reclaimed::Done
            }
        }
    }

    /// Begins to merge a logical block of which `log` holds pages. False where programs of its data block are under way, or
    /// there is no free block to copy to.
    ///
    /// Where the log block holds its first pages in place, it takes those that it lacks (a partial merge), or it is complete
    /// (a switch). Otherwise all go to a free block (a full merge).
    fn begin_merge(&mut self, now: SimTime, plane: u32, logical: u32, log: u32) -> bool {
        let data = self.data_block(logical);
        if data.is_some_and(|data| self.space.blocks.has_pending(data)) {
            return false;
        }
        let blocks = &self.space.blocks;
        let written = u32::from(blocks.written[log as usize]);
        if self.is_prefix(plane, logical, log) {
            if written == self.space.geometry.pages_per_block {
                self.space.counters.merges.switch += 1;
                self.become_data(plane, logical, log);
                return true;
            }
            self.space.counters.merges.partial += 1;
            self.planes[plane as usize].merge = Some(Merge {
                logical,
                target: log,
                next: written,
            });
            return true;
        }
        let owner = self.association.owner(self.in_plane(logical));
        let Some(target) = self.open_log(now, plane, GC, owner, LogUse::Target) else {
            return false;
        };
        if let Some(log) = self.planes[plane as usize].log_mut(target) {
            log.in_place = Some(logical);
        }
        self.space.counters.merges.full += 1;
        self.planes[plane as usize].merge = Some(Merge {
            logical,
            target,
            next: 0,
        });
        true
    }

    /// Whether a log block holds the first pages of a logical block in place, so that nothing of the data block stands before
    /// what it can still take.
    fn is_prefix(&mut self, plane: u32, logical: u32, log: u32) -> bool {
        let found = self.planes[plane as usize].log_mut(log);
        if found.is_none_or(|found| found.in_place != Some(logical)) || self.space.blocks.has_failed(log) {
            return false;
        }
        let written = u64::from(self.space.blocks.written[log as usize]);
        let data = self.data_block(logical);
        let mut first = self.pages_of(logical).take(written as usize);
        !first.any(|lpn| {
            let page = self.map.lookup(lpn);
            page.is_some_and(|page| Some(self.space.blocks.block_of(page)) == data)
        })
    }

    /// A log block with all pages of a logical block becomes its data block, and the former one is dead.
    fn become_data(&mut self, plane: u32, logical: u32, log: u32) {
        let former = std::mem::replace(&mut self.data[logical as usize], log);
        let owner = &mut self.planes[plane as usize];
        owner.logs.retain(|other| other.block != log);
        if former != NONE {
            self.space.close_block(BlockId(former));
            self.planes[plane as usize].dead.push(former);
        }
    }

    /// A log block without current pages is dead.
    fn bury_log(&mut self, plane: u32, block: u32) {
        self.space.close_block(BlockId(block));
        let plane = &mut self.planes[plane as usize];
        plane.logs.retain(|log| log.block != block);
        plane.dead.push(block);
    }

    /// Plans copies of the next current pages to the target; false where there are none.
    fn plan_copies(&mut self, plane: u32, most: u32, plan: &mut Plan) -> bool {
        let Some(mut merge) = self.planes[plane as usize].merge else {
            return false;
        };
        let pages = self.pages_of(merge.logical);
        let (mut copies, mut before) = (0, 0);
        while copies < most && merge.next < self.space.geometry.pages_per_block {
            let offset = merge.next;
            let lpn = pages.start + u64::from(offset);
            merge.next += 1;
            let source = self.map.lookup(lpn);
            if let Some(source) = source.filter(|page| self.space.blocks.block_of(*page) != merge.target) {
                let token = self.inflight.add(PendingProgram::Move { source, pool: plane });
                let allows = self.space.copy_back.allows(source) && self.may_come_from(Some(source), offset);
                before = copy_steps(
                    &self.map,
                    (plane, source),
                    (token, Cause::Merge),
                    allows,
                    before,
                    plan,
                );
                copies += 1;
            }
        }
        self.planes[plane as usize].merge = Some(merge);
        self.space.pools[plane as usize].moves += copies;
        copies > 0
    }

    /// Ends the merge: the target becomes the data block where it has all current pages, and stays a log block where a
    /// program of it failed.
    fn finish_merge(&mut self, now: SimTime, plane: u32, plan: &mut Plan) -> bool {
        let Some(merge) = self.planes[plane as usize].merge else {
            return false;
        };
        if self.space.blocks.has_pending(merge.target) {
            return false;
        }
        self.planes[plane as usize].merge = None;
        let data = self.data_block(merge.logical);
        let is_left = data.is_some_and(|data| self.space.blocks.valid(data) > 0);
        if is_left || self.space.blocks.has_failed(merge.target) {
            if let Some(log) = self.planes[plane as usize].log_mut(merge.target) {
                log.used_for = LogUse::Updates;
                log.in_place = None;
            }
        } else {
            self.become_data(plane, merge.logical, merge.target);
        }
        self.reclaim_further(now, plane);
        self.plan_dead(plane, plan);
        self.space.update_urgency(plane, now);
        true
    }

    /// Plans erases of blocks that hold nothing.
    fn plan_dead(&mut self, plane: u32, plan: &mut Plan) -> bool {
        let planned = plan_erases(&mut self.planes[plane as usize].dead, Cause::Merge, plan);
        self.space.pools[plane as usize].moves += planned;
        planned > 0
    }
}
