//! Where programs go: the block of a logical block whose page at the offset of the data can be programmed.

use wordline_nand::Ppn;
use wordline_units::SimTime;

use super::BlockFtl;
use crate::block::BlockRole;
use crate::inflight::PendingProgram;
use crate::plan::{Bind, Bound, Step, Work};
use crate::plan::{GC, HOST};

impl BlockFtl {
    /// Binds a program or a copy-back whose data are still current.
    pub(super) fn place(&mut self, now: SimTime, step: &Step, plane: u32) -> Bind {
        let (logical, offset) = self.chains.split(step.lpn.0);
        if self.plane_of(logical) != plane {
            return Bind::Declined;
        }
        if let Some(PendingProgram::Move { .. }) = self.inflight.get(step.token) {
            return self.place_copy(plane, offset);
        }
        match (self.place_write(now, plane, logical, offset), step.work) {
            // it must not hold on to its source, which the merge that it waits for erases
            (Bind::NoSpace, Work::CopyBack { .. }) => Bind::Declined,
            (bind, _) => bind,
        }
    }

    /// A copy of the merge under way. One whose target has failed is not made: the page stays where it is.
    fn place_copy(&mut self, plane: u32, offset: u32) -> Bind {
        match self.pools[plane as usize].merge {
            Some(merge) if self.accepts(merge.target, offset) => self.take(merge.target, offset),
            _ => Bind::Declined,
        }
    }

    fn place_write(&mut self, now: SimTime, plane: u32, logical: u32, offset: u32) -> Bind {
        match self.pools[plane as usize].merge {
            Some(merge) if merge.logical == logical => {
                if !self.is_due(&merge, plane, offset) {
                    return self.wait_for_job(now, plane);
                }
                let page = self.take(merge.target, offset);
                self.fill_gap(now, plane, offset);
                self.space.count_host_program(now, plane);
                return page;
            }
            _ => {}
        }
        // the sources of a merge may not be erased yet: were its target to take a host write, a power cut would leave all of them and no free block
        if self.space.pools[plane as usize].free < self.kept_free {
            return self.wait_for_job(now, plane);
        }
        let accepting = self
            .chains
            .blocks(logical)
            .find(|block| self.accepts(*block, offset));
        if let Some(block) = accepting {
            self.space.count_host_program(now, plane);
            return self.take(block, offset);
        }
        if self.may_have_another(logical, offset) {
            let Some(block) = self.open(now, plane, logical, true) else {
                self.space.counters.no_space += 1;
                self.space.pools[plane as usize].starved = true;
                self.space.update_urgency(plane, now);
                return Bind::NoSpace;
            };
            self.space.count_host_program(now, plane);
            return self.take(block, offset);
        }
        if self.pools[plane as usize].merge.is_none() && self.begin_merge(now, plane, logical, Some(offset)) {
            return self.place_write(now, plane, logical, offset);
        }
        self.wait_for_job(now, plane)
    }

    /// Whether a logical block may have another block: it has fewer than it may have, or the page that is written at an
    /// offset is the last one that one of them holds.
    fn may_have_another(&self, logical: u32, offset: u32) -> bool {
        let blocks = &self.space.blocks;
        let is_last = |block: u32| {
            let current = self.chains.is_current(self.chains.page(block, offset));
            current && blocks.valid(block) == 1 && !blocks.has_pending(block)
        };
        let mut chain = self.chains.blocks(logical);
        let count = self.chains.blocks(logical).count();
        count < self.most_blocks || (count == self.most_blocks && chain.any(is_last))
    }

    /// A host program waits for the merge under way in its plane, or for programs before one.
    fn wait_for_job(&mut self, now: SimTime, plane: u32) -> Bind {
        self.space.pools[plane as usize].awaited = true;
        self.space.update_urgency(plane, now);
        Bind::NoSpace
    }

    /// Whether a block takes a page at an offset: pages are programmed in order.
    pub(super) fn accepts(&self, block: u32, offset: u32) -> bool {
        let blocks = &self.space.blocks;
        blocks.role[block as usize] == BlockRole::Open && u32::from(blocks.written[block as usize]) <= offset
    }

    /// Opens a free block for a logical block; those that collection needs are not for the host.
    pub(super) fn open(&mut self, now: SimTime, plane: u32, logical: u32, host: bool) -> Option<u32> {
        let (may_open, _) = self.space.may_open(plane, host, false);
        if !may_open {
            return None;
        }
        let frontier = if host { HOST } else { GC };
        let block = self.space.open_free_block(now, plane, frontier)?;
        self.chains.append(logical, block);
        Some(block)
    }

    /// Takes the page of a block at an offset; those before it that were not programmed are given up.
    fn take(&mut self, block: u32, offset: u32) -> Bind {
        let space = &mut self.space;
        let skipped = offset - u32::from(space.blocks.written[block as usize]);
        self.skipped[block as usize] += skipped as u16;
        space.blocks.written[block as usize] = offset as u16 + 1;
        space.blocks.begin_program(block);
        if offset + 1 == space.geometry.pages_per_block {
            space.blocks.close(block);
        }
        let page = Ppn(self.chains.page(block, offset));
        Bind::Page(Bound { page, skipped })
    }
}
