//! Where programs go: the block of a superblock that takes the next page.

use wordline_units::SimTime;

use super::owned::{Owned, Part, Victim};
use super::{Place, SuperblockFtl};
use crate::block::BlockRole;
use crate::inflight::PendingProgram;
use crate::plan::{Bind, Bound, Step, Work};
use crate::plan::{GC, HOST};
use crate::space::Activity;

impl SuperblockFtl {
    /// Binds a program or a copy-back whose data are still current.
    pub(super) fn place(&mut self, now: SimTime, step: &Step, plane: u32) -> Bind {
        let place = self.place_of(step.lpn.0);
        if self.plane_of(place.superblock) != plane {
            return Bind::Declined;
        }
        let source = match step.work {
            Work::CopyBack { source, .. } => Some(source.0),
            _ => None,
        };
        if let Some(PendingProgram::Move { source: from, .. }) = self.inflight.get(step.token) {
            let part = self.part_of_copy(place.superblock, self.space.blocks.block_of(from));
            return match self.block_for_copy(now, plane, place.superblock, part) {
                Some(block) => self.take(block, source),
                None => Bind::Declined,
            };
        }
        match self.place_write(now, plane, place, source) {
            // it must not hold on to its source, which the collection that it waits for erases
            Bind::NoSpace if source.is_some() => Bind::Declined,
            bind => bind,
        }
    }

    /// Binds a host write: a page without data is original, any other an update. Where its part has as many blocks as it may
    /// have, all of them full, it goes to the other part, and where that is full too it waits for a collection of the superblock.
    fn place_write(&mut self, now: SimTime, plane: u32, place: Place, source: Option<u64>) -> Bind {
        let Place { superblock, offset } = place;
        let part = match self.page_at(superblock, offset) {
            None => Part::Original,
            Some(_) => Part::Update,
        };
        loop {
            let (_, may_write) = self.space.may_open(plane, true, false);
            if !may_write {
                return self.wait_for_space(now, plane);
            }
            if let Some(block) = self.block_for_write(now, plane, superblock, part) {
                let bind = self.take(block, source);
                if matches!(bind, Bind::Page(_)) {
                    self.space.count_host_program(now, plane);
                    let writes = &mut self.planes[plane as usize].writes;
                    *writes += 1;
                    let owner = &mut self.superblocks[superblock as usize];
                    owner.writes += 1;
                    owner.last_write = *writes;
                }
                return bind;
            }
            if self.has_room_for(superblock, part) || self.has_room_for(superblock, part.other()) {
                return self.wait_for_space(now, plane);
            }
            if self.bury_empty(superblock) {
                continue;
            }
            self.begin_collection_of(plane, superblock);
            return self.wait_for_job(now, plane);
        }
    }

    /// The block that a host write goes to, opened if it must be.
    fn block_for_write(&mut self, now: SimTime, plane: u32, superblock: u32, part: Part) -> Option<u32> {
        for part in [part, part.other()] {
            let owner = &self.superblocks[superblock as usize];
            if let Some(block) = owner.open_block(&self.space.blocks, part) {
                return Some(block);
            }
            let (may_open, _) = self.space.may_open(plane, true, false);
            if may_open && self.has_room_for(superblock, part) {
                return self.open(now, plane, superblock, part, true);
            }
        }
        None
    }

    /// The block that a copy goes to: of its part where that has a page, or may have another block and it is not the last free
    /// one, and otherwise any. The pages of a block that is given up although it was not full go to one that takes pages already:
    /// that is what it is given up for.
    fn block_for_copy(&mut self, now: SimTime, plane: u32, superblock: u32, part: Part) -> Option<u32> {
        let owner = &self.superblocks[superblock as usize];
        let own = owner.open_block(&self.space.blocks, part);
        if own.is_some() {
            return own;
        }
        let other = owner.open_block(&self.space.blocks, part.other());
        let free = self.space.pools[plane as usize].free;
        let has_room = self.has_room_for(superblock, part);
        let victim = self.planes[plane as usize].victim;
        let gathers = victim.is_some_and(|victim| {
            self.space.passed(victim.block).end < self.space.first_page(victim.block + 1)
        });
        if other.is_some() && (free < 2 || !has_room || gathers) {
            return other;
        }
        if free == 0 {
            return None;
        }
        let part = if has_room || !self.has_room_for(superblock, part.other()) {
            part
        } else {
            part.other()
        };
        self.open(now, plane, superblock, part, false)
    }

    /// Whether a superblock may have another block of a part. The block that is being emptied does not count.
    fn has_room_for(&self, superblock: u32, part: Part) -> bool {
        let plane = self.plane_of(superblock);
        let victim = self.planes[plane as usize].victim;
        let most = match part {
            Part::Original => self.limits.originals,
            Part::Update => self.limits.updates,
        };
        let owner = &self.superblocks[superblock as usize];
        owner.count(part, victim.map(|victim| victim.block)) < most
    }

    /// The part that a page of a block is copied to: updates of a short time ago are hot.
    pub(super) fn part_of_copy(&self, superblock: u32, block: u32) -> Part {
        let owner = &self.superblocks[superblock as usize];
        let is_hot = |owned: &Owned| {
            owned.part == Part::Update && owner.writes - owned.opened <= self.limits.update_window
        };
        let from = owner.blocks.iter().find(|owned| owned.block == block);
        if from.is_some_and(is_hot) {
            Part::Update
        } else {
            Part::Original
        }
    }

    /// Opens a free block for a part of a superblock.
    fn open(&mut self, now: SimTime, plane: u32, superblock: u32, part: Part, for_host: bool) -> Option<u32> {
        let frontier = if for_host { HOST } else { GC };
        let block = self.space.open_free_block(now, plane, frontier)?;
        let owner = &mut self.superblocks[superblock as usize];
        owner.blocks.push(Owned {
            block,
            part,
            opened: owner.writes,
        });
        Some(block)
    }

    /// Whether the next page of a block may take what is copied from a source inside the plane: where the die wants it, both
    /// are even pages or both odd ones. No page is given up for it.
    fn may_come_from(&self, source: Option<u64>, block: u32) -> bool {
        let pages_per_block = u64::from(self.space.geometry.pages_per_block);
        let next = u64::from(self.space.blocks.written[block as usize]);
        !self.space.copy_back.same_parity
            || source.is_none_or(|source| source % pages_per_block % 2 == next % 2)
    }

    /// Takes the next page of an open block.
    fn take(&mut self, block: u32, source: Option<u64>) -> Bind {
        if !self.may_come_from(source, block) {
            return Bind::Declined;
        }
        let page = self.space.next_page(block);
        let pages_per_block = self.space.geometry.pages_per_block;
        let blocks = &mut self.space.blocks;
        blocks.written[block as usize] += 1;
        blocks.begin_program(block);
        if u32::from(blocks.written[block as usize]) == pages_per_block {
            blocks.close(block);
        }
        Bind::Page(Bound { page, skipped: 0 })
    }

    /// A superblock gives up those of its blocks that are closed and hold nothing; whether there were any.
    fn bury_empty(&mut self, superblock: u32) -> bool {
        let blocks = &self.space.blocks;
        let is_empty = |owned: &&Owned| {
            let block = owned.block;
            blocks.role[block as usize] == BlockRole::Closed
                && blocks.valid(block) == 0
                && blocks.is_candidate(block)
        };
        let owned = &self.superblocks[superblock as usize].blocks;
        let empty: Vec<u32> = owned.iter().filter(is_empty).map(|owned| owned.block).collect();
        for block in &empty {
            self.bury(superblock, *block);
        }
        !empty.is_empty()
    }

    /// Begins to empty the block of a superblock with the fewest current pages, if the plane is not emptying one already.
    fn begin_collection_of(&mut self, plane: u32, superblock: u32) {
        if self.planes[plane as usize].victim.is_some() {
            return;
        }
        if let Some(block) = self.fewest_valid(superblock) {
            self.begin_emptying(plane, superblock, block);
        }
    }

    /// Begins to empty a block.
    pub(super) fn begin_emptying(&mut self, plane: u32, superblock: u32, block: u32) {
        let valid = self.space.blocks.valid(block);
        self.space.blocks.exclude_candidate(block);
        self.space.counters.gc_victims += 1;
        self.space.counters.gc_victim_valid_pages += u64::from(valid);
        self.planes[plane as usize].victim = Some(Victim {
            superblock,
            block,
            next: 0,
            valid,
        });
        self.space.pools[plane as usize].activity = Activity::Merging;
    }

    /// A host program waits for the job of its plane, or for programs before it.
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
}
