//! What the spare area of every place of the flash says: a logical page, or one of a few marks.
//!
//! A drive of 30 TB has two thousand million places. Where its logical pages can be numbered by 32 bits, four bytes are kept for each.

use std::ops::Range;

/// An erased page that can be programmed.
pub(super) const FREE: u64 = u64::MAX;
/// A page passed by.
pub(super) const SKIPPED: u64 = u64::MAX - 1;
/// A page that held no current data when the audit began; the lowest of the marks.
pub(super) const STALE: u64 = u64::MAX - 2;

/// The place of each logical page or mark.
#[derive(Debug)]
enum Words {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

/// The owners of all places.
#[derive(Debug)]
pub(super) struct Owners(Words);

impl Owners {
    /// So many places that are free, of a drive with so many logical pages.
    pub(super) fn new(places: usize, logical_pages: u64) -> Self {
        Self(if logical_pages <= u64::from(narrow(STALE)) {
            Words::Narrow(vec![narrow(FREE); places])
        } else {
            Words::Wide(vec![FREE; places])
        })
    }

    /// What a place holds; none beyond the drive.
    #[inline]
    pub(super) fn get(&self, place: usize) -> Option<u64> {
        match &self.0 {
            Words::Narrow(words) => words.get(place).map(|word| wide(*word)),
            Words::Wide(words) => words.get(place).copied(),
        }
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

    /// Places of the drive hold this from now on.
    pub(super) fn fill(&mut self, places: Range<usize>, owner: u64) {
        match &mut self.0 {
            Words::Narrow(words) => words[places].fill(narrow(owner)),
            Words::Wide(words) => words[places].fill(owner),
        }
    }

    /// Whether one of these places holds a logical page.
    pub(super) fn contain(&self, mut places: Range<usize>, owner: u64) -> bool {
        places.any(|place| self.get(place) == Some(owner))
    }

    /// Forgets every logical page: what it was in is old data.
    pub(super) fn forget(&mut self) {
        for place in 0..self.len() {
            self.set(place, self.at(place).max(STALE));
        }
    }

    /// Places of the drive.
    pub(super) fn len(&self) -> usize {
        match &self.0 {
            Words::Narrow(words) => words.len(),
            Words::Wide(words) => words.len(),
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
            let mut owners = Owners::new(8, logical_pages);
            assert_eq!((owners.at(7), owners.get(8)), (FREE, None));
            for (place, owner) in [(0, 0), (1, highest), (2, SKIPPED), (3, STALE), (4, FREE)] {
                owners.set(place, owner);
                assert_eq!(owners.at(place), owner, "of {logical_pages}");
            }
            assert!(owners.contain(0..3, highest) && !owners.contain(2..8, highest));
            owners.forget();
            let all: Vec<u64> = (0..8).map(|place| owners.at(place)).collect();
            assert_eq!(all, [STALE, STALE, SKIPPED, STALE, FREE, FREE, FREE, FREE]);
        }
        let narrow = Owners::new(3, highest + 1);
        assert!(matches!(narrow.0, Words::Narrow(_)) && narrow.len() == 3);
        assert!(matches!(Owners::new(3, highest + 2).0, Words::Wide(_)));
        // a number beyond the drive is no mark
        let mut few = Owners::new(1, 10);
        few.set(0, 1 << 40);
        assert_eq!(few.at(0), STALE);
    }
}
