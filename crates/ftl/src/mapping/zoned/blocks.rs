//! Which blocks hold the pages of a zone.
//!
//! The pages of a zone are written superpage by superpage: page i of each of `width` blocks, in planes that follow each other, before page i + 1 of any; then the
//! next `width` blocks. A zone that is empty owns no blocks; with its first page it takes, in each of its planes, the free block that was erased least often.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use wordline_nand::{BlockId, Geometry, Ppn};

use super::keys::Zoning;
use crate::allocation::{Order, StaticOrder};
use crate::block::{BlockFacts, BlockRole};
use crate::plan::Lpn;

const NONE: u32 = u32::MAX;

/// What a block is used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Purpose {
    /// Erased.
    #[default]
    Free,
    /// The block of a zone that has this place among its blocks.
    Of { zone: u32, member: u32 },
    /// Its zone was reset: it is to be erased.
    Dead { zone: u32 },
    /// Its erase is planned.
    Erasing { zone: u32 },
    /// Something of it has failed: it is not used any more.
    Bad,
}

/// One block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Block {
    purpose: Purpose,
    /// Pages programmed.
    written: u32,
    /// Times that it was erased.
    pub(super) erases: u32,
    /// A program of it has failed.
    has_failed: bool,
}

/// The blocks of the drive and of its zones.
#[derive(Clone, Debug)]
pub(super) struct ZoneBlocks {
    geometry: Geometry,
    order: StaticOrder,
    per_zone: u32,
    width: u32,
    capacity: u64,
    pub(super) blocks: Vec<Block>,
    /// The blocks of each zone, in the order of their places; `NONE` of one that owns none.
    members: Vec<u32>,
    /// Pages whose programs have failed, until their block is erased.
    pub(super) lost: BTreeSet<Ppn>,
}

impl ZoneBlocks {
    pub(super) fn new(geometry: &Geometry, zoning: &Zoning, order: Order) -> Self {
        let members = zoning.layout.zones as usize * zoning.blocks as usize;
        Self {
            geometry: *geometry,
            order: StaticOrder::new(geometry, order),
            per_zone: zoning.blocks,
            width: zoning.width,
            capacity: zoning.layout.capacity_pages,
            blocks: vec![Block::default(); geometry.blocks() as usize],
            members: vec![NONE; members],
            lost: BTreeSet::new(),
        }
    }

    fn slots(&self, zone: u32) -> std::ops::Range<usize> {
        let from = zone as usize * self.per_zone as usize;
        from..from + self.per_zone as usize
    }

    /// The plane of a block of a zone, by its place.
    pub(super) fn plane(&self, zone: u32, member: u32) -> u32 {
        let number = u64::from(zone) * u64::from(self.per_zone) + u64::from(member);
        self.order.plane(Lpn(number)).0
    }

    /// Where a page of a zone is written: the place of its block, and the page of the block.
    fn place(&self, offset: u64) -> (u32, u32) {
        let row = u64::from(self.width);
        let group = row * u64::from(self.geometry.pages_per_block);
        let (group, inside) = (offset / group, offset % group);
        ((group * row + inside % row) as u32, (inside / row) as u32)
    }

    /// The place of a page of a zone's block in the zone; none behind its capacity.
    fn offset(&self, member: u32, page: u32) -> Option<u64> {
        let width = self.width;
        let group = u64::from(member / width) * u64::from(self.geometry.pages_per_block) * u64::from(width);
        let offset = group + u64::from(page) * u64::from(width) + u64::from(member % width);
        (offset < self.capacity).then_some(offset)
    }

    /// The place of a block of a zone that a page of the zone goes to, for the plane of which see [`Self::plane`].
    pub(super) fn member_of(&self, offset: u64) -> u32 {
        self.place(offset).0
    }

    /// The physical page of a page of a zone, whether or not it is programmed; none of a zone without blocks.
    pub(super) fn page(&self, zone: u32, offset: u64) -> Option<Ppn> {
        if offset >= self.capacity {
            return None;
        }
        let (member, page) = self.place(offset);
        let block = self.members[self.slots(zone).start + member as usize];
        (block != NONE).then(|| self.geometry.page(BlockId(block), page))
    }

    /// Whether a physical page is programmed.
    pub(super) fn is_programmed(&self, page: Ppn) -> bool {
        let block = self.geometry.block_of(page);
        self.offset_in_block(page) < self.blocks[block.index()].written && !self.is_lost(page)
    }

    /// Whether the program of a physical page has failed.
    pub(super) fn is_lost(&self, page: Ppn) -> bool {
        !self.lost.is_empty() && self.lost.contains(&page)
    }

    /// Whether a program of a block has failed.
    pub(super) fn has_failed(&self, block: BlockId) -> bool {
        self.blocks[block.index()].has_failed
    }

    /// The program of a page has failed: the zone of its block, unless that was reset since.
    pub(super) fn fail(&mut self, page: Ppn) -> Option<u32> {
        let block = &mut self.blocks[self.geometry.block_of(page).index()];
        block.has_failed = true;
        self.lost.insert(page);
        match block.purpose {
            Purpose::Of { zone, .. } => Some(zone),
            _ => None,
        }
    }

    /// A block is not used any more, of which something has failed; the zone that it belonged to before that was reset.
    pub(super) fn retire(&mut self, block: BlockId) -> Option<u32> {
        let purpose = &mut self.blocks[block.index()].purpose;
        match std::mem::replace(purpose, Purpose::Bad) {
            Purpose::Of { zone, .. } | Purpose::Dead { zone } | Purpose::Erasing { zone } => Some(zone),
            Purpose::Free | Purpose::Bad => None,
        }
    }

    /// Whether a zone owns blocks.
    pub(super) fn owns(&self, zone: u32) -> bool {
        self.members[self.slots(zone).start] != NONE
    }

    /// Whether a plane has too few blocks for zones without, of those that need some.
    pub(super) fn is_short(&self, plane: u32, needs_some: impl Fn(u32) -> bool) -> bool {
        let is_there = |block: &u32| {
            let purpose = self.blocks[*block as usize].purpose;
            matches!(
                purpose,
                Purpose::Free | Purpose::Dead { .. } | Purpose::Erasing { .. }
            )
        };
        let there = self.of_plane(plane).filter(is_there).count();
        let zones = (self.members.len() / self.per_zone as usize) as u32;
        let without = (0..zones).filter(|zone| !self.owns(*zone) && needs_some(*zone));
        let of_plane = |zone| (0..self.per_zone).filter(move |member| self.plane(zone, *member) == plane);
        without.flat_map(of_plane).count() > there
    }

    fn offset_in_block(&self, page: Ppn) -> u32 {
        (page.0 % u64::from(self.geometry.pages_per_block)) as u32
    }

    /// The zone that a programmed page belongs to, and its place there.
    pub(super) fn owner(&self, page: Ppn) -> Option<(u32, u64)> {
        let block = self.geometry.block_of(page);
        match self.blocks[block.index()].purpose {
            Purpose::Of { zone, member } if self.is_programmed(page) => {
                Some((zone, self.offset(member, self.offset_in_block(page))?))
            }
            _ => None,
        }
    }

    /// A zone takes blocks, unless it has them.
    ///
    /// # Errors
    /// No free block in a plane that it needs one in: the zone whose reset will make one free.
    pub(super) fn take(&mut self, zone: u32) -> Result<(), u32> {
        let slots = self.slots(zone);
        if self.members[slots.start] != NONE {
            return Ok(());
        }
        let mut taken: Vec<u32> = Vec::with_capacity(self.per_zone as usize);
        for member in 0..self.per_zone {
            let plane = self.plane(zone, member);
            let of_plane = self.of_plane(plane);
            let free = of_plane.clone().filter(|block| {
                self.blocks[*block as usize].purpose == Purpose::Free && !taken.contains(block)
            });
            match free.min_by_key(|block| (self.blocks[*block as usize].erases, *block)) {
                Some(block) => taken.push(block),
                None => {
                    let dead = of_plane.filter_map(|block| match self.blocks[block as usize].purpose {
                        Purpose::Dead { zone } | Purpose::Erasing { zone } => Some(zone),
                        _ => None,
                    });
                    return Err(dead.min().unwrap_or(zone));
                }
            }
        }
        for (member, (slot, block)) in (0..).zip(slots.zip(taken)) {
            self.members[slot] = block;
            self.blocks[block as usize].purpose = Purpose::Of { zone, member };
        }
        Ok(())
    }

    fn of_plane(&self, plane: u32) -> std::ops::Range<u32> {
        let blocks = self.geometry.blocks_per_plane;
        plane * blocks..(plane + 1) * blocks
    }

    /// A zone was reset: its blocks are to be erased.
    pub(super) fn release(&mut self, zone: u32) {
        for slot in self.slots(zone) {
            let block = std::mem::replace(&mut self.members[slot], NONE);
            if block != NONE {
                self.blocks[block as usize].purpose = Purpose::Dead { zone };
            }
        }
    }

    /// The erases are planned of the blocks that a zone owned before it was reset: which blocks these are.
    pub(super) fn begin_erases(&mut self, zone: u32) -> impl Iterator<Item = BlockId> {
        let blocks = (0..).zip(&mut self.blocks);
        blocks
            .filter(move |(_, block)| block.purpose == Purpose::Dead { zone })
            .map(move |(number, block)| {
                block.purpose = Purpose::Erasing { zone };
                BlockId(number)
            })
    }

    /// A page was programmed.
    pub(super) fn programmed(&mut self, page: Ppn) {
        let block = self.geometry.block_of(page);
        self.blocks[block.index()].written = self.offset_in_block(page) + 1;
    }

    /// A block was erased.
    pub(super) fn erased(&mut self, block: BlockId) {
        let first = self.geometry.page(block, 0);
        let pages = u64::from(self.geometry.pages_per_block);
        self.lost
            .retain(|page| !(first.0..first.0 + pages).contains(&page.0));
        let block = &mut self.blocks[block.index()];
        *block = Block {
            erases: block.erases + 1,
            ..Block::default()
        };
    }

    /// The state of a block.
    pub(super) fn facts(&self, id: BlockId) -> BlockFacts {
        let block = self.blocks[id.index()];
        let pages = self.geometry.pages_per_block;
        let of_block = self.geometry.page(id, 0)..=self.geometry.page(id, pages - 1);
        let lost = self.lost.range(of_block).count() as u32;
        let (role, valid) = match block.purpose {
            Purpose::Free => (BlockRole::Free, 0),
            Purpose::Bad => (BlockRole::Bad, 0),
            Purpose::Of { .. } if block.written == pages => (BlockRole::Closed, block.written - lost),
            Purpose::Of { .. } => (BlockRole::Open, block.written - lost),
            Purpose::Dead { .. } | Purpose::Erasing { .. } => (BlockRole::Closed, 0),
        };
        BlockFacts {
            role,
            valid,
            invalid: block.written - valid,
            free: pages - block.written,
            skipped: 0,
            erase_count: block.erases,
        }
    }

    /// Blocks of a zone.
    pub(super) fn per_zone(&self) -> u32 {
        self.per_zone
    }

    /// Pages of a zone that are programmed.
    pub(super) fn written(&self, zone: u32) -> u64 {
        let members = self.members[self.slots(zone)].iter();
        let blocks = members.filter_map(|block| self.blocks.get(*block as usize));
        blocks.map(|block| u64::from(block.written)).sum()
    }

    /// Blocks that belong to no zone.
    pub(super) fn free_in_plane(&self, plane: u32) -> u32 {
        let free = |block: &u32| self.blocks[*block as usize].purpose == Purpose::Free;
        self.of_plane(plane).filter(free).count() as u32
    }

    /// Whether no block waits to be erased.
    pub(super) fn is_quiescent(&self) -> bool {
        let is_dead = |block: &Block| matches!(block.purpose, Purpose::Dead { .. } | Purpose::Erasing { .. });
        !self.blocks.iter().any(is_dead)
    }

    /// Finds the blocks of zones again after the blocks were loaded. Whether each is in the plane of its place in its zone.
    pub(super) fn reindex(&mut self) -> bool {
        self.members.fill(NONE);
        for number in 0..self.blocks.len() {
            let Purpose::Of { zone, member } = self.blocks[number].purpose else {
                continue;
            };
            let is_there = member < self.per_zone && self.slots(zone).end <= self.members.len();
            let plane = self.geometry.plane_of(BlockId(number as u32)).0;
            if !is_there || self.plane(zone, member) != plane {
                return false;
            }
            let slot = self.slots(zone).start + member as usize;
            self.members[slot] = number as u32;
        }
        true
    }
}
