//! What the spare area of every place of the flash says: a logical page, or one of a few marks.
//!
//! A drive of 30 TB has two thousand million places, of which a run changes few. What ageing assigned by rule is asked of that rule until a block
//! is programmed or erased; a block that has a table takes four bytes a place where logical pages can be numbered by 32 bits.

use std::ops::Range;

use wordline_ftl::OwnersByRule;
use wordline_nand::Ppn;

/// An erased page that can be programmed.
pub(super) const FREE: u64 = u64::MAX;
/// A page passed by.
pub(super) const SKIPPED: u64 = u64::MAX - 1;
/// A page that held no current data when the audit began; the lowest of the marks.
pub(super) const STALE: u64 = u64::MAX - 2;

/// What the places of a block hold.
#[derive(Clone, Debug)]
enum OfBlock {
    /// Nothing.
    Free,
    /// So many places, from the first, hold what ageing assigned to them by rule.
    ByRule(u32),
    /// The place of each logical page or mark.
    Narrow(Box<[u32]>),
    /// The same, of a drive whose logical pages 32 bits do not number.
    Wide(Box<[u64]>),
}

/// The owners of all places. Only blocks that hold something else than ageing gave them by rule have a table.
#[derive(Debug)]
pub(super) struct Owners {
    blocks: Vec<OfBlock>,
    per_block: usize,
    is_wide: bool,
    rule: Option<OwnersByRule>,
}

impl Owners {
    /// Blocks of so many places that are free, of a drive with so many logical pages.
    pub(super) fn new((blocks, per_block): (usize, usize), logical_pages: u64) -> Self {
        Self {
            blocks: vec![OfBlock::Free; blocks],
            per_block,
            is_wide: logical_pages > u64::from(narrow(STALE)),
            rule: None,
        }
    }

    /// The first places of each block, as many as `written` says, hold what a rule says.
    pub(super) fn follow(&mut self, rule: OwnersByRule, written: impl Fn(usize) -> u32) {
        self.rule = Some(rule);
        for (block, held) in self.blocks.iter_mut().enumerate() {
            *held = match written(block) {
                0 => OfBlock::Free,
                places => OfBlock::ByRule(places),
            };
        }
    }

    /// What a place holds; none beyond the drive.
    #[inline]
    pub(super) fn get(&self, place: usize) -> Option<u64> {
        let (block, at) = (place / self.per_block, place % self.per_block);
        Some(match self.blocks.get(block)? {
            OfBlock::Free => FREE,
            OfBlock::ByRule(written) if at < *written as usize => self.by_rule(place),
            OfBlock::ByRule(_) => FREE,
            OfBlock::Narrow(words) => wide(words[at]),
            OfBlock::Wide(words) => words[at],
        })
    }

    fn by_rule(&self, place: usize) -> u64 {
        let owner = self.rule.as_ref().and_then(|rule| rule.owner(Ppn(place as u64)));
        owner.map_or(STALE, |owner| owner.0.min(STALE))
    }

    /// What a place of the drive holds.
    #[inline]
    pub(super) fn at(&self, place: usize) -> u64 {
        self.get(place).unwrap_or(FREE)
    }

    /// A place of the drive holds this from now on. A logical page that no drive has counts as old data.
    #[inline]
    pub(super) fn set(&mut self, place: usize, owner: u64) {
        self.fill(place..place + 1, owner);
    }

    /// Places of a block of the drive hold this from now on.
    pub(super) fn fill(&mut self, places: Range<usize>, owner: u64) {
        if places.is_empty() {
            return;
        }
        let block = places.start / self.per_block;
        let first = block * self.per_block;
        if places.len() == self.per_block && owner == FREE {
            self.blocks[block] = OfBlock::Free;
            return;
        }
        if matches!(self.blocks[block], OfBlock::Free | OfBlock::ByRule(_)) {
            let held = (first..first + self.per_block).map(|place| self.at(place));
            self.blocks[block] = if self.is_wide {
                OfBlock::Wide(held.collect())
            } else {
                OfBlock::Narrow(held.map(narrow).collect())
            };
        }
        let places = places.start - first..places.end - first;
        match &mut self.blocks[block] {
            OfBlock::Free | OfBlock::ByRule(_) => {}
            OfBlock::Narrow(words) => words[places].fill(narrow(owner)),
            OfBlock::Wide(words) => words[places].fill(owner),
        }
    }

    /// Whether one of these places holds a logical page.
    pub(super) fn contain(&self, mut places: Range<usize>, owner: u64) -> bool {
        places.any(|place| self.get(place) == Some(owner))
    }

    /// Whether places hold what ageing assigned to them by rule, where they were not changed.
    pub(super) fn follow_rule(&self) -> bool {
        self.rule.is_some()
    }

    /// Forgets every logical page: what it was in is old data.
    pub(super) fn forget(&mut self) {
        for place in 0..self.len() {
            let held = self.at(place);
            if held < STALE {
                self.set(place, STALE);
            }
        }
    }

    /// Places of the drive.
    pub(super) fn len(&self) -> usize {
        self.blocks.len() * self.per_block
    }

    /// Bytes that tables of so many places take at most, in a drive with so many logical pages.
    pub(super) const fn bytes(places: u64, logical_pages: u64) -> u64 {
        if logical_pages > narrow(STALE) as u64 {
            8 * places
        } else {
            4 * places
        }
    }
}

/// Marks are the highest numbers, whatever their width; a logical page that cannot be told from them is old data.
const fn narrow(owner: u64) -> u32 {
    let from_top = u64::MAX - owner;
    let lowest = u64::MAX - STALE;
    if from_top <= lowest {
        u32::MAX - from_top as u32
    } else if owner >= (u32::MAX - lowest as u32) as u64 {
        u32::MAX - lowest as u32
    } else {
        owner as u32
    }
}

const fn wide(word: u32) -> u64 {
    let from_top = (u32::MAX - word) as u64;
    if from_top <= u64::MAX - STALE {
        u64::MAX - from_top
    } else {
        word as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_widths_hold_the_same() {
        let highest = u64::from(u32::MAX) - 3;
        for logical_pages in [10, highest + 1, highest + 2, 1 << 40] {
            let mut owners = Owners::new((2, 4), logical_pages);
            assert_eq!((owners.at(7), owners.get(8), owners.len()), (FREE, None, 8));
            for (place, owner) in [(0, 0), (1, highest), (2, SKIPPED), (3, STALE), (4, FREE)] {
                owners.set(place, owner);
                assert_eq!(owners.at(place), owner, "of {logical_pages}");
            }
            assert!(owners.contain(0..3, highest) && !owners.contain(2..8, highest));
            owners.forget();
            let all: Vec<u64> = (0..8).map(|place| owners.at(place)).collect();
            assert_eq!(all, [STALE, STALE, SKIPPED, STALE, FREE, FREE, FREE, FREE]);
            owners.fill(0..4, FREE);
            assert!((0..8).all(|place| owners.at(place) == FREE));
        }
        assert_eq!(
            (Owners::bytes(8, highest + 1), Owners::bytes(8, highest + 2)),
            (32, 64)
        );
        // a number beyond the drive is no mark
        let mut few = Owners::new((1, 1), 10);
        few.set(0, 1 << 40);
        assert_eq!(few.at(0), STALE);
    }
}
