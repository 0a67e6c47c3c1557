//! Open blocks: one active block per plane and write frontier, and which block is opened next.

mod kinds;
mod persist;

use std::collections::VecDeque;

use wordline_nand::Geometry;

use super::units::UnitFrontiers;
use crate::allocation::ActiveBlock;
use crate::block::BlockRole;
use crate::blocks::Blocks;
use crate::config::{DynamicWear, GcFrontier, HandleUnits};
use crate::plan::{FIXED, Frontier, HOST, host_frontier, next_colder};
use kinds::Kinds;

const NONE: u32 = u32::MAX;

/// How the next block of a frontier is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    NextIndex,
    Fifo,
    LeastErased,
    MostErased,
}

/// The active blocks, and the blocks that can become active: free ones, and *parked* ones that
/// were active, have free pages left and stay with their frontier.
#[derive(Clone, Debug)]
pub(crate) struct Frontiers {
    /// Per frontier.
    rules: Vec<Rule>,
    /// The frontier of the coldest host writes.
    pub(crate) coldest: Frontier,
    /// Those of placement handles.
    pub(crate) units: UnitFrontiers,
    /// Which of them open which free blocks; none where all blocks are alike.
    kinds: Option<Box<Kinds>>,
    blocks_per_plane: u32,
    pages_per_block: u16,
    words_per_plane: u32,
    /// Per plane and frontier: the active block.
    pub(crate) active: Vec<u32>,
    /// Per plane and frontier: index in the plane of the block opened last.
    pub(crate) cursor: Vec<u32>,
    /// Per plane: one bit per block that can become active.
    available: Vec<u64>,
    /// Per plane: free blocks by the time they became free; kept for `fifo` only.
    pub(crate) freed: Vec<VecDeque<u32>>,
}

impl Frontiers {
    pub(crate) fn new(
        geometry: &Geometry,
        rule: ActiveBlock,
        wear_aware: bool,
        dynamic: DynamicWear,
        temperatures: u8,
        handles: HandleUnits,
        gc: GcFrontier,
    ) -> Self {
        let rule = match rule {
            _ if wear_aware => Rule::LeastErased,
            ActiveBlock::NextIndex => Rule::NextIndex,
            ActiveBlock::Fifo => Rule::Fifo,
            ActiveBlock::LowestEraseCount => Rule::LeastErased,
        };
        let coldest = host_frontier(temperatures - 1);
        let units = UnitFrontiers::new(FIXED.max(coldest.0 + 1), handles, gc);
        let is_hot = |frontier: Frontier| {
            let is_of_writes = frontier == HOST || (FIXED..units.of_writes().end).contains(&frontier.0);
            is_of_writes && (frontier == HOST || frontier != coldest)
        };
        let rule_of = |frontier: Frontier| match dynamic {
            DynamicWear::Off => rule,
            DynamicWear::LowestErase => Rule::LeastErased,
            DynamicWear::ByTemperature if is_hot(frontier) => Rule::LeastErased,
            DynamicWear::ByTemperature => Rule::MostErased,
        };
        let rules: Vec<Rule> = (0..units.end())
            .map(|frontier| rule_of(Frontier(frontier)))
            .collect();
        let count = rules.len();
        let planes = geometry.planes() as usize;
        let blocks_per_plane = geometry.blocks_per_plane;
        let words_per_plane = blocks_per_plane.div_ceil(64);
        let mut frontiers = Self {
            rules,
            coldest,
            units,
            kinds: None,
            blocks_per_plane,
            pages_per_block: geometry.pages_per_block as u16,
            words_per_plane,
            active: vec![NONE; planes * count],
            cursor: vec![blocks_per_plane - 1; planes * count],
            available: vec![0; planes * words_per_plane as usize],
            freed: Vec::new(),
        };
        if frontiers.rules.contains(&Rule::Fifo) {
            frontiers.freed = vec![VecDeque::new(); planes];
        }
        for block in 0..geometry.blocks() {
            frontiers.add_free(block);
        }
        frontiers
    }

    /// Adds a frontier for each kind of blocks but 0, of which there are so many. No block has been opened.
    pub(super) fn add_kinds(&mut self, of_block: Vec<u8>, others: u8) {
        let planes = self.planes();
        let mut kinds = Kinds::new(of_block, others, HOST, self.count(), planes);
        self.add_frontiers(kinds.end());
        for block in 0..planes * self.blocks_per_plane {
            *kinds.free_like(block / self.blocks_per_plane, block) += 1;
        }
        self.kinds = Some(Box::new(kinds));
    }

    /// One frontier more, behind all others. No block has been opened.
    pub(super) fn add_frontier(&mut self) -> Frontier {
        let own = self.count();
        self.add_frontiers(own + 1);
        Frontier(own)
    }

    /// As many frontiers as `count` in all.
    fn add_frontiers(&mut self, count: u8) {
        let slots = self.planes() as usize * usize::from(count);
        self.rules.resize(count.into(), self.rules[0]);
        self.active = vec![NONE; slots];
        self.cursor = vec![self.blocks_per_plane - 1; slots];
    }

    fn planes(&self) -> u32 {
        (self.active.len() / self.rules.len()) as u32
    }

    /// The frontier that opens blocks of a kind; none of kind 0, or where there is no such kind.
    pub(crate) fn of_kind(&self, kind: u8) -> Option<Frontier> {
        self.kinds.as_ref()?.frontier(kind)
    }

    /// The kind of blocks that a frontier opens.
    pub(crate) fn kind_of(&self, frontier: Frontier) -> u8 {
        self.kinds.as_ref().map_or(0, |kinds| kinds.of_frontier(frontier))
    }

    /// Free blocks of a kind in a plane; none where all blocks are alike.
    pub(super) fn free_of_kind(&self, plane: u32, kind: u8) -> u32 {
        self.kinds.as_ref().map_or(0, |kinds| kinds.free(plane, kind))
    }

    #[inline]
    fn slot(&self, plane: u32, frontier: Frontier) -> usize {
        plane as usize * self.rules.len() + frontier.0 as usize
    }

    fn bit(&self, block: u32) -> (usize, u64) {
        let (plane, index) = (block / self.blocks_per_plane, block % self.blocks_per_plane);
        (
            (plane * self.words_per_plane + index / 64) as usize,
            1 << (index % 64),
        )
    }

    /// The frontier of pages of the mapping's own, where it has asked for one ([`super::Capacity::with_own_pages`]).
    pub(crate) const fn of_own_pages(&self) -> Frontier {
        self.units.of_host(0)
    }

    /// Whether the host writes to a frontier.
    #[inline]
    pub(crate) fn is_of_host(&self, frontier: Frontier) -> bool {
        frontier == HOST || (FIXED..self.units.of_writes().end).contains(&frontier.0)
    }

    /// Whether host writes of some temperature go to a frontier, and not those of a placement handle.
    #[inline]
    fn has_temperature(&self, frontier: Frontier) -> bool {
        frontier == HOST || (FIXED..self.units.of_writes().start).contains(&frontier.0)
    }

    /// The frontier to which collection moves pages that a frontier wrote and that keep their temperature, or take the next
    /// colder one; the coldest for all others.
    #[inline]
    pub(super) fn of_moved(&self, former: Frontier, cools: bool) -> Frontier {
        if !self.has_temperature(former) {
            self.coldest
        } else if cools {
            next_colder(former).min(self.coldest)
        } else {
            former
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u8 {
        self.rules.len() as u8
    }

    /// A block became free.
    pub(crate) fn add_free(&mut self, block: u32) {
        let (word, bit) = self.bit(block);
        self.available[word] |= bit;
        if let Some(kinds) = &mut self.kinds {
            *kinds.free_like(block / self.blocks_per_plane, block) += 1;
        }
        if let Some(freed) = self.freed.get_mut((block / self.blocks_per_plane) as usize) {
            freed.push_back(block);
        }
    }

    /// A free block is not free any more.
    pub(crate) fn take_free(&mut self, block: u32) {
        let (word, bit) = self.bit(block);
        if self.available[word] & bit != 0
            && let Some(kinds) = &mut self.kinds
        {
            *kinds.free_like(block / self.blocks_per_plane, block) -= 1;
        }
        self.make_unavailable(block);
    }

    /// A block is no longer free or parked.
    fn make_unavailable(&mut self, block: u32) {
        let (word, bit) = self.bit(block);
        self.available[word] &= !bit;
        if let Some(freed) = self.freed.get_mut((block / self.blocks_per_plane) as usize)
            && let Some(at) = freed.iter().position(|other| *other == block)
        {
            freed.remove(at);
        }
    }

    /// An open block that is nobody's active block waits for its frontier to find it again.
    pub(crate) fn add_parked(&mut self, block: u32) {
        let (word, bit) = self.bit(block);
        self.available[word] |= bit;
    }

    /// The active block of a frontier, if it has one with a free page.
    #[inline]
    pub(crate) fn active(&self, plane: u32, frontier: Frontier) -> Option<u32> {
        let block = self.active[self.slot(plane, frontier)];
        (block != NONE).then_some(block)
    }

    /// The active block is full, or not to be written to any more.
    #[inline]
    pub(crate) fn close_active(&mut self, plane: u32, frontier: Frontier) {
        let slot = self.slot(plane, frontier);
        self.active[slot] = NONE;
    }

    /// Whether `frontier` may write to `block` next; free blocks only where `free` allows.
    pub(crate) fn accepts(
        &self,
        blocks: &Blocks,
        plane: u32,
        frontier: Frontier,
        block: u32,
        free: bool,
    ) -> bool {
        if self.active(plane, frontier) == Some(block) {
            return true;
        }
        let (word, bit) = self.bit(block);
        self.available[word] & bit != 0 && self.eligible(blocks, frontier, block, free)
    }

    #[inline]
    fn eligible(&self, blocks: &Blocks, frontier: Frontier, block: u32, free: bool) -> bool {
        match blocks.role[block as usize] {
            BlockRole::Free => free && self.has_kind_for(frontier, block),
            BlockRole::Open => blocks.frontier[block as usize] == frontier.0,
            BlockRole::Closed | BlockRole::Bad => false,
        }
    }

    /// Whether a block is of the kind that a frontier opens.
    #[inline]
    fn has_kind_for(&self, frontier: Frontier, block: u32) -> bool {
        self.kinds
            .as_ref()
            .is_none_or(|kinds| kinds.matches(frontier, block))
    }

    /// The frontier that writes to a block of which `frontier` takes possession: where blocks are not alike, that of its kind.
    pub(super) fn of_block(&self, frontier: Frontier, block: u32) -> Frontier {
        self.kinds
            .as_ref()
            .map_or(frontier, |kinds| kinds.of_possessor(frontier, block))
    }

    /// The block that `frontier` would open next in `plane`; free ones only where `free` allows.
    pub(crate) fn next(&self, blocks: &Blocks, plane: u32, frontier: Frontier, free: bool) -> Option<u32> {
        self.choose(blocks, plane, frontier, |block: &u32| {
            self.eligible(blocks, frontier, *block, free)
        })
    }

    /// The free block that `frontier` would open next in `plane`.
    pub(crate) fn next_free(&self, blocks: &Blocks, plane: u32, frontier: Frontier) -> Option<u32> {
        self.choose(blocks, plane, frontier, |block: &u32| {
            blocks.role[*block as usize] == BlockRole::Free
        })
    }

    /// The first of the eligible blocks of a plane by the rule of `frontier`.
    #[inline]
    fn choose(
        &self,
        blocks: &Blocks,
        plane: u32,
        frontier: Frontier,
        eligible: impl Fn(&u32) -> bool,
    ) -> Option<u32> {
        let cursor = self.cursor[self.slot(plane, frontier)];
        match self.rules[frontier.0 as usize] {
            Rule::NextIndex => self
                .available_from(plane, cursor + 1)
                .chain(self.available_from(plane, 0))
                .find(&eligible),
            Rule::Fifo => {
                let parked = |block: &u32| blocks.role[*block as usize] == BlockRole::Open && eligible(block);
                self.available_from(plane, 0).find(parked).or_else(|| {
                    let freed = self.freed.get(plane as usize)?;
                    freed.iter().copied().find(&eligible)
                })
            }
            Rule::LeastErased => self
                .available_from(plane, 0)
                .filter(&eligible)
                .min_by_key(|block| (blocks.erases[*block as usize], *block)),
            Rule::MostErased => self
                .available_from(plane, 0)
                .filter(&eligible)
                .max_by_key(|block| (blocks.erases[*block as usize], std::cmp::Reverse(*block))),
        }
    }

    /// The available blocks of a plane from index `from` on, by index.
    pub(crate) fn available_from(&self, plane: u32, from: u32) -> impl Iterator<Item = u32> {
        let first_word = (from / 64).min(self.words_per_plane);
        let base = plane * self.words_per_plane;
        let first_block = plane * self.blocks_per_plane;
        (first_word..self.words_per_plane).flat_map(move |word| {
            let mut bits = self.available[(base + word) as usize];
            if word == first_word {
                bits &= u64::MAX << (from % 64);
            }
            std::iter::from_fn(move || {
                (bits != 0).then(|| {
                    let at = bits.trailing_zeros();
                    bits &= bits - 1;
                    first_block + word * 64 + at
                })
            })
        })
    }

    /// Makes `block` the active one of `frontier`; the former one, if it has free pages, is
    /// parked. Returns whether the block was free before.
    pub(crate) fn open(&mut self, blocks: &mut Blocks, plane: u32, frontier: Frontier, block: u32) -> bool {
        let slot = self.slot(plane, frontier);
        let former = self.active[slot];
        if former == block {
            return false;
        }
        if former != NONE && blocks.written[former as usize] < self.pages_per_block {
            self.add_parked(former);
        }
        let was_free = blocks.role[block as usize] == BlockRole::Free;
        if was_free {
            self.take_free(block);
        } else {
            self.make_unavailable(block);
        }
        self.active[slot] = block;
        self.cursor[slot] = block % self.blocks_per_plane;
        blocks.role[block as usize] = BlockRole::Open;
        blocks.frontier[block as usize] = frontier.0;
        was_free
    }

    /// Gives the active block of `from` to `to`, as a parked one.
    pub(crate) fn transfer_active(&mut self, blocks: &mut Blocks, plane: u32, from: Frontier, to: Frontier) {
        if let Some(block) = self.active(plane, from) {
            self.close_active(plane, from);
            blocks.frontier[block as usize] = self.of_block(to, block).0;
            self.add_parked(block);
        }
    }

    /// Nobody writes to an open block any more; it is closed as it is.
    pub(crate) fn close_early(&mut self, blocks: &mut Blocks, block: u32) {
        let plane = blocks.plane_of(block);
        let frontier = Frontier(blocks.frontier[block as usize]);
        if self.active(plane, frontier) == Some(block) {
            self.close_active(plane, frontier);
        } else {
            self.make_unavailable(block);
        }
        blocks.close(block);
    }
}
