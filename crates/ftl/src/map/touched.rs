//! Which parts of a table anything was written to.

use std::ops::Range;

/// Entries of a part: those of a small memory page, where an entry has four bytes.
const PART: u64 = 1024;

/// A bit for each part of a table whose entries were zero at first. Who asks it before the table touches no memory
/// where nothing was written, and the bits of the largest tables fit into the cache.
#[derive(Clone, Debug)]
pub(super) struct TouchedRegions {
    bits: Vec<u64>,
    entries: u64,
}

impl TouchedRegions {
    /// Nothing is written.
    pub(super) fn new(entries: u64) -> Self {
        Self {
            bits: vec![0; entries.div_ceil(PART * u64::from(u64::BITS)) as usize],
            entries,
        }
    }

    /// The word of an entry and the bit of its part.
    #[inline]
    const fn place(entry: u64) -> (usize, u64) {
        let part = entry / PART;
        ((part / u64::BITS as u64) as usize, 1 << (part % u64::BITS as u64))
    }

    /// An entry is written.
    #[inline]
    pub(super) fn touch(&mut self, entry: u64) {
        let (word, bit) = Self::place(entry);
        self.bits[word] |= bit;
    }

    /// Whether any entry near this one was written; none is beyond the end.
    #[inline]
    pub(super) fn is_near(&self, entry: u64) -> bool {
        let (word, bit) = Self::place(entry);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Whether nothing was written to any part.
    pub(super) fn is_empty(&self) -> bool {
        self.bits.iter().all(|bits| *bits == 0)
    }

    /// The parts that anything was written to, in order.
    pub(super) fn parts(&self) -> impl Iterator<Item = Range<u64>> {
        (0..self.entries)
            .step_by(PART as usize)
            .filter(|first| self.is_near(*first))
            .map(|first| first..(first + PART).min(self.entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_parts_that_were_written() {
        let mut touched = TouchedRegions::new(200_000);
        assert!(touched.parts().count() == 0 && touched.is_empty());
        for entry in [5, 1023, 70_000, 199_999] {
            assert!(!touched.is_near(entry) || entry == 1023);
            touched.touch(entry);
        }
        assert!(
            !touched.is_empty() && touched.is_near(0) && !touched.is_near(1024) && !touched.is_near(u64::MAX)
        );
        let parts: Vec<_> = touched.parts().collect();
        assert_eq!(parts, [0..1024, 69_632..70_656, 199_680..200_000]);
    }
}
