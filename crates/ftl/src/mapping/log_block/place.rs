//! Where programs go: the place of a page in its data block, or a log block.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::association::{Association, Place};
use super::logs::{Log, LogUse, LogView, Update};
use super::{LogFtl, NONE};
use crate::block::BlockRole;
use crate::inflight::PendingProgram;
use crate::plan::{Bind, Bound, Frontier, Step, Target, Work};
use crate::plan::{GC, HOST, host_frontier};

/// Frontier of writes that the association takes as those of a sequence.
pub(super) const SEQUENTIAL: Frontier = host_frontier(1);

/// Whether a program is one of a write in sequence.
fn is_sequential(step: &Step) -> bool {
    match step.work {
        Work::Program { target, .. } | Work::CopyBack { target, .. } => {
            matches!(target, Target::Frontier { frontier, .. } if frontier == SEQUENTIAL)
        }
        _ => false,
    }
}

impl LogFtl {
    /// Binds a program or a copy-back whose data are still current.
    pub(super) fn place(&mut self, now: SimTime, step: &Step, plane: u32) -> Bind {
        let (logical, offset) = self.split(step.lpn.0);
        if self.plane_of(logical) != plane {
            return Bind::Declined;
        }
        if let Some(PendingProgram::Move { .. }) = self.inflight.get(step.token) {
            return self.place_copy(plane, offset);
        }
        let source = match step.work {
            Work::CopyBack { source, .. } => Some(source.0),
            _ => None,
        };
        let update = Update {
            logical,
            in_plane: self.in_plane(logical),
            offset,
            is_sequential: is_sequential(step),
        };
        match self.place_write(now, plane, update, source) {
            // it must not hold on to its source, which the merge that it waits for erases
            Bind::NoSpace if source.is_some() => Bind::Declined,
            bind => bind,
        }
    }

    /// A copy of the merge under way. One whose target has failed is not made: the page stays where it is.
    fn place_copy(&mut self, plane: u32, offset: u32) -> Bind {
        match self.planes[plane as usize].merge {
            Some(merge) if self.accepts(merge.target, offset) => self.take(merge.target, offset),
            _ => Bind::Declined,
        }
    }

    /// Binds a host write; `source` is where its page is if it is to be copied inside the plane.
    fn place_write(&mut self, now: SimTime, plane: u32, update: Update, source: Option<u64>) -> Bind {
        let Update { logical, offset, .. } = update;
        loop {
            if self.is_merging(plane, logical) || self.space.pools[plane as usize].free < self.kept_free {
                return self.wait_for_job(now, plane);
            }
            let Some(data) = self.data_block(logical) else {
                let Some(block) = self.open(now, plane, HOST) else {
                    return self.wait_for_space(now, plane);
                };
                self.data[logical as usize] = block;
                continue;
            };
            if self.accepts(data, offset) {
                if !self.may_come_from(source, offset) {
                    return Bind::Declined;
                }
                self.space.count_host_program(now, plane);
                return self.take(data, offset);
            }
            match self.ask(plane, |association, view| association.place(view, update)) {
                Place::Append(at) => {
                    let block = self.planes[plane as usize].logs[at].block;
                    if self.planes[plane as usize].reclaimed == Some(block) {
                        return self.wait_for_job(now, plane);
                    }
                    let written = u32::from(self.space.blocks.written[block as usize]);
                    if !self.may_come_from(source, written) {
                        return Bind::Declined;
                    }
                    self.space.count_host_program(now, plane);
                    return self.append(plane, at, logical, offset);
                }
                Place::Open { owner, used_for } => {
                    if self.open_log(now, plane, HOST, owner, used_for).is_none() {
                        return self.wait_for_space(now, plane);
                    }
                }
                Place::Reclaim(at) => {
                    if self.planes[plane as usize].reclaimed.is_some() || !self.reclaim(now, plane, at) {
                        return self.wait_for_job(now, plane);
                    }
                }
            }
        }
    }

    /// Whether the page at an index of a block may take what is copied from a source inside the plane: where the die wants
    /// it, both are even pages or both odd ones. No page is given up for it.
    pub(super) fn may_come_from(&self, source: Option<u64>, index: u32) -> bool {
        let pages_per_block = u64::from(self.space.geometry.pages_per_block);
        !self.space.copy_back.same_parity
            || source.is_none_or(|source| source % pages_per_block % 2 == u64::from(index) % 2)
    }

    /// What the association says of the log blocks of a plane.
    pub(super) fn ask<T>(&self, plane: u32, question: impl FnOnce(&dyn Association, &LogView<'_>) -> T) -> T {
        let (first, planes) = (self.first[plane as usize], self.first.len() as u32);
        let data = |in_plane: u32| {
            let block = self.data[(in_plane * planes + first) as usize];
            (block != NONE).then_some(block)
        };
        let view = LogView {
            logs: &self.planes[plane as usize].logs,
            blocks: &self.space.blocks,
            data: &data,
            map: &self.map,
            pages_per_block: self.space.geometry.pages_per_block,
            writes: self.planes[plane as usize].writes,
            hot_logs: self.planes[plane as usize].hot_logs,
        };
        question(&*self.association, &view)
    }

    /// The number of a logical block among those of its plane.
    #[inline]
    pub(super) fn in_plane(&self, logical: u32) -> u32 {
        logical / self.first.len() as u32
    }

    /// Whether a logical block is being merged.
    pub(super) fn is_merging(&self, plane: u32, logical: u32) -> bool {
        let merge = self.planes[plane as usize].merge;
        merge.is_some_and(|merge| merge.logical == logical)
    }

    /// A host program waits for the job of its plane, or for programs before a merge.
    fn wait_for_job(&mut self, now: SimTime, plane: u32) -> Bind {
        self.space.pools[plane as usize].awaited = true;
        self.space.update_urgency(plane, now);
        Bind::NoSpace
    }

    /// A host program waits for a free block that it may open.
    fn wait_for_space(&mut self, now: SimTime, plane: u32) -> Bind {
        self.space.counters.no_space += 1;
        self.space.pools[plane as usize].starved = true;
        self.space.update_urgency(plane, now);
        Bind::NoSpace
    }

    /// Whether a block takes a page at an offset: pages are programmed in order.
    pub(super) fn accepts(&self, block: u32, offset: u32) -> bool {
        let blocks = &self.space.blocks;
        blocks.role[block as usize] == BlockRole::Open && u32::from(blocks.written[block as usize]) <= offset
    }

    /// Opens a free block of a plane; those that merges need are not for the host.
    fn open(&mut self, now: SimTime, plane: u32, frontier: Frontier) -> Option<u32> {
        let (may_open, _) = self.space.may_open(plane, frontier != GC, false);
        if !may_open {
            return None;
        }
        self.space.open_free_block(now, plane, frontier)
    }

    /// Opens a log block.
    pub(super) fn open_log(
        &mut self,
        now: SimTime,
        plane: u32,
        frontier: Frontier,
        owner: u32,
        used_for: LogUse,
    ) -> Option<u32> {
        let block = self.open(now, plane, frontier)?;
        let plane = &mut self.planes[plane as usize];
        plane.logs.push(Log {
            block,
            owner,
            used_for,
            in_place: None,
            last_write: plane.writes,
            numbers: Vec::new(),
        });
        Some(block)
    }

    /// Takes the next page of a log block for a page of a logical block.
    fn append(&mut self, plane: u32, at: usize, logical: u32, offset: u32) -> Bind {
        let plane = &mut self.planes[plane as usize];
        plane.writes += 1;
        let log = &mut plane.logs[at];
        log.last_write = plane.writes;
        let written = u32::from(self.space.blocks.written[log.block as usize]);
        let goes_on = written == 0 || log.in_place == Some(logical);
        log.in_place = (goes_on && written == offset).then_some(logical);
        if self.association.numbers_writes() && log.used_for != LogUse::Sequential {
            log.numbers.resize(written as usize, 0);
            log.numbers.push(plane.writes);
        }
        let block = log.block;
        self.take(block, written)
    }

    /// Takes the page of a block at an offset; those before it that were not programmed are given up.
    fn take(&mut self, block: u32, offset: u32) -> Bind {
        let first = self.space.first_page(block);
        let space = &mut self.space;
        let written = u32::from(space.blocks.written[block as usize]);
        for skipped in written..offset {
            self.map.skip(first + u64::from(skipped));
        }
        space.blocks.written[block as usize] = offset as u16 + 1;
        space.blocks.begin_program(block);
        if offset + 1 == space.geometry.pages_per_block {
            space.blocks.close(block);
        }
        Bind::Page(Bound {
            page: Ppn(first + u64::from(offset)),
            skipped: offset - written,
        })
    }
}
