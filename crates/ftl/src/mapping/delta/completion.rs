//! The end of steps: deltas take their place, merged pages take that of base and delta.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::DeltaFtl;
use super::tasks::{Task, Why};
use crate::contract::Ftl;
use crate::host::host_program;
use crate::inflight::PendingProgram;
use crate::map::{HostMap, Relocate};
use crate::plan::{Lpn, Outcome, Plan, Step, Target, Work};

impl DeltaFtl {
    /// A step of the page-level FTL has ended. What it says of a page that had a delta, or of a page of deltas, is told on.
    pub(super) fn end_page(
        &mut self,
        now: SimTime,
        step: &Step,
        page: Option<Ppn>,
        outcome: Outcome,
        plan: &mut Plan,
    ) {
        if let (Work::Program { .. }, Outcome::Good, Some(page)) = (step.work, outcome, page) {
            self.program_bytes(step, page);
        }
        self.data.done(now, step, page, outcome, plan);
        let Some(page) = page else { return };
        let lpn = step.lpn.0;
        if self.data.map.lookup(lpn) != Some(page.0) {
            return;
        }
        match self.log_of(lpn) {
            Some(log) => {
                let block = self.data.space.blocks.block_of(page.0);
                self.log.moved(log, block);
            }
            None if step.cause.is_of_host() && self.drop_delta(now, lpn) => {
                self.counters.dropped += 1;
            }
            None => {}
        }
    }

    /// A step of the delta mapping has ended.
    pub(super) fn end_task(
        &mut self,
        now: SimTime,
        step: &Step,
        task: Task,
        (page, outcome): (Option<Ppn>, Outcome),
        plan: &mut Plan,
    ) {
        let page = page.map(|page| page.0);
        match (task, outcome, page) {
            (
                Task::Encode {
                    lpn,
                    bytes,
                    number,
                    target,
                    write,
                },
                ..,
            ) => {
                self.tasks.remove(step.token);
                self.end_encoding(now, (lpn, step.token), (bytes, number), (target, write), plan);
            }
            (Task::Show, ..) => {
                self.tasks.remove(step.token);
                self.end_reading(step.token, outcome);
            }
            (Task::Decode { lpn, stamp }, ..) => {
                self.tasks.remove(step.token);
                let content = self.end_reading(step.token, outcome);
                if self.log.is_current(lpn, stamp) && self.may_merge(lpn) {
                    let merge = self.begin_merge(lpn, stamp, Why::Read);
                    self.keep_merged(merge.token, content);
                    plan.push(merge);
                }
            }
            (Task::Program { log, pool, home, .. }, Outcome::Good | Outcome::Uncorrectable, Some(page)) => {
                self.tasks.remove(step.token);
                self.leave_home(home);
                self.program_deltas(log, page);
                self.end_program(now, log, pool, page);
            }
            (
                Task::Merge {
                    lpn,
                    stamp,
                    pool,
                    why,
                },
                Outcome::Good | Outcome::Uncorrectable,
                Some(page),
            ) => {
                self.tasks.remove(step.token);
                self.merging.remove(&lpn);
                self.end_merged(step.token, Some(page));
                self.end_merge(now, (lpn, stamp), why, page);
                if let Some(pool) = pool {
                    self.data.space.finish_move(now, pool);
                }
            }
            (_, Outcome::Declined, _) => {
                self.tasks.remove(step.token);
                self.end_merged(step.token, None);
                self.decline(now, task);
            }
            // the controller has the data still
            (_, _, page) => {
                if let Some(page) = page {
                    self.data.space.fail_program(now, page);
                }
                plan.push(Step { after: 0, ..*step });
            }
        }
    }

    /// A delta is made: it joins others in the controller, or the page is written, if that is not worth it or there is no room.
    fn end_encoding(
        &mut self,
        now: SimTime,
        (lpn, token): (u64, u32),
        (bytes, number): (u32, u64),
        (target, write): (Target, u32),
        plan: &mut Plan,
    ) {
        let Some(PendingProgram::Write { version, after, .. }) = self.data.pending(write) else {
            return;
        };
        let page_bytes = f64::from(self.data.geometry().page_bytes);
        let ratio = f64::from(bytes) / page_bytes;
        self.gate.observe(ratio);
        self.counters.encoded += 1;
        self.counters.encoded_bytes += u64::from(bytes);
        let most = match self.keys.rebase_ratio {
            Some(rebase) if self.log.get(lpn).is_some() => rebase.min(self.keys.max_ratio),
            _ => self.keys.max_ratio,
        };
        let fits = ratio <= most && self.log.room_for(bytes) <= self.log.room();
        if !fits || !self.log.can_grow() {
            self.counters.too_large += u64::from(!fits);
            self.counters.without_room += u64::from(fits);
            plan.push(host_program(Lpn(lpn), target, write, after));
            return;
        }
        self.data.inflight.remove(write);
        if !self.data.inflight.commit(lpn, version) {
            self.data.space.counters.overtaken_writes += 1;
            return;
        }
        let before = self.log.get(lpn);
        let put = self.log.put(now, lpn, bytes, number);
        // not before, since the page that it was in may have been closed with it
        self.leave_controller(before);
        self.put_delta(token, lpn, write);
        self.watch_age();
        self.counters.deltas += 1;
        self.counters.delta_bytes += u64::from(bytes);
        if let Some(before) = before.map(|delta| delta.log) {
            self.counters.superseded += 1;
            if self.log.is_empty_on_flash(before) {
                self.release(now, before);
            } else {
                self.tell_of_stale_bytes(now, before);
            }
        }
        if let Some(full) = put {
            let step = self.program_of(full, Some(lpn));
            plan.push(step);
        }
    }

    /// A page of deltas is on flash.
    fn end_program(&mut self, now: SimTime, log: u32, pool: Option<u32>, page: u64) {
        let block = self.data.space.blocks.block_of(page);
        let mut emptied = Vec::new();
        if self.log.programmed(log, block, &mut emptied) {
            let full = self.data.geometry().full_bitmap();
            self.data.space.blocks.validate(block, 1);
            self.data.map.map(self.own_page(log), page, full);
            self.spare.change(self.data.space.blocks.pool_of(block), 1);
        } else {
            self.log.release(log);
        }
        self.data.space.end_program(now, block);
        for log in emptied {
            self.release(now, log);
        }
        if let Some(pool) = pool {
            self.counters.repacked_pages += 1;
            self.data.space.finish_move(now, pool);
        }
    }

    /// A page of deltas is no longer on its way to a pool.
    fn leave_home(&mut self, home: Option<u32>) {
        if let Some(pool) = home {
            self.spare.change(pool, -1);
        }
    }

    /// A merged page is on flash: it takes the place of base and delta, unless these are no longer what was read.
    fn end_merge(&mut self, now: SimTime, (lpn, stamp): (u64, u64), why: Why, page: u64) {
        let space = &mut self.data.space;
        let block = space.blocks.block_of(page);
        self.counters.merge_programs += 1;
        if self.log.is_current(lpn, stamp) {
            let sectors = self.data.map.sectors(lpn);
            space.blocks.validate(block, 1);
            if let Some(base) = self.data.map.map(lpn, page, sectors) {
                space.invalidate(base, now);
            }
            self.drop_delta(now, lpn);
            let count = match why {
                Why::Read => &mut self.counters.merged_reads,
                Why::Cold => &mut self.counters.merged_cold,
                Why::PageVictim => &mut self.counters.merged_pages,
                Why::LogVictim => &mut self.counters.merged_logs,
            };
            *count += 1;
        }
        self.data.space.end_program(now, block);
    }

    /// A program has become needless before it began.
    fn decline(&mut self, now: SimTime, task: Task) {
        let pool = match task {
            Task::Program { log, pool, home, .. } => {
                self.forget_page(log);
                self.log.release(log);
                self.leave_home(home);
                pool
            }
            Task::Merge { lpn, pool, .. } => {
                self.merging.remove(&lpn);
                pool
            }
            Task::Encode { .. } | Task::Show | Task::Decode { .. } => None,
        };
        if let Some(pool) = pool {
            self.data.space.counters.superseded_moves += 1;
            self.data.space.finish_move(now, pool);
        }
    }
}
