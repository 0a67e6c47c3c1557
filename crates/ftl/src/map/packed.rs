//! A table of page numbers, as narrow as the number of pages allows.

use std::ops::Range;

use wordline_units::{ask_for_large_pages, prefetch};

use crate::state::archive::{Archive, ArchiveError};

/// Entries of 4 bytes, or of 5 where 31 bits cannot number the pages. Zero is the entry that was never
/// set, so that a fresh map is memory that was never touched.
#[derive(Clone, Debug)]
pub(super) enum Packed {
    Narrow(Vec<u32>),
    Wide(Vec<u8>),
}

impl Packed {
    pub(super) fn new(entries: u64, wide: bool) -> Self {
        if wide {
            Self::Wide(vec![0; entries as usize * 5])
        } else {
            Self::Narrow(vec![0; entries as usize])
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Narrow(entries) => entries.len() as u64,
            Self::Wide(bytes) => bytes.len() as u64 / 5,
        }
    }

    #[inline]
    pub(super) fn get(&self, index: u64) -> u64 {
        match self {
            Self::Narrow(entries) => u64::from(entries[index as usize]),
            Self::Wide(bytes) => {
                let at = index as usize * 5;
                let e = &bytes[at..at + 5];
                u64::from_le_bytes([e[0], e[1], e[2], e[3], e[4], 0, 0, 0])
            }
        }
    }

    /// Looks at each entry of a range.
    #[inline]
    pub(super) fn each(&self, range: Range<u64>, mut look: impl FnMut(u64)) {
        match self {
            Self::Narrow(entries) => {
                for entry in &entries[range.start as usize..range.end as usize] {
                    look(u64::from(*entry));
                }
            }
            Self::Wide(_) => range.for_each(|index| look(self.get(index))),
        }
    }

    /// Whether no entry of a range was ever set.
    #[inline]
    pub(super) fn is_untouched(&self, range: Range<u64>) -> bool {
        match self {
            Self::Narrow(entries) => entries[range.start as usize..range.end as usize]
                .iter()
                .all(|entry| *entry == 0),
            Self::Wide(bytes) => bytes[range.start as usize * 5..range.end as usize * 5]
                .iter()
                .all(|byte| *byte == 0),
        }
    }

    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        match self {
            Self::Narrow(entries) => archive.table(entries),
            Self::Wide(bytes) => archive.table(bytes),
        }
    }

    pub(super) fn ask_for_large_pages(&mut self) {
        match self {
            Self::Narrow(entries) => ask_for_large_pages(entries),
            Self::Wide(bytes) => ask_for_large_pages(bytes),
        }
    }

    /// How many entries of a range are something else than `one` and `other`.
    pub(super) fn count_except(&self, range: Range<u64>, one: u64, other: u64) -> u64 {
        match self {
            Self::Narrow(entries) => {
                let (one, other) = (one as u32, other as u32);
                let entries = &entries[range.start as usize..range.end as usize];
                // in parts whose sums are narrow, so that several entries are compared at once
                let of_part = |part: &[u32]| {
                    part.iter()
                        .map(|entry| u32::from((*entry != one) & (*entry != other)))
                        .sum::<u32>()
                };
                entries.chunks(1 << 16).map(|part| u64::from(of_part(part))).sum()
            }
            Self::Wide(_) => range
                .filter(|index| ![one, other].contains(&self.get(*index)))
                .count() as u64,
        }
    }

    #[inline]
    pub(super) fn prefetch(&self, index: u64) {
        match self {
            Self::Narrow(entries) => prefetch(entries, index as usize),
            Self::Wide(bytes) => prefetch(bytes, index as usize * 5),
        }
    }

    #[inline]
    pub(super) fn set(&mut self, index: u64, value: u64) {
        match self {
            Self::Narrow(entries) => entries[index as usize] = value as u32,
            Self::Wide(bytes) => {
                let at = index as usize * 5;
                bytes[at..at + 5].copy_from_slice(&value.to_le_bytes()[..5]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_the_entries_asked_for() {
        assert_eq!((Packed::new(7, false).len(), Packed::new(7, true).len()), (7, 7));
    }
}
