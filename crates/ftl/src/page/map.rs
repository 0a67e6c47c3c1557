//! The page map in both directions, as wide as the number of pages needs.

mod consistent;
mod noted;

use std::ops::Range;

use rustc_hash::FxHashMap;
use wordline_nand::Ppn;
use wordline_units::{ask_for_large_pages, prefetch};

use super::past::Past;
use crate::archive::{Archive, ArchiveError};
use noted::Noted;

/// Entries of 4 bytes, or of 5 where 31 bits cannot number the pages. Zero is the entry that was never
/// set, so that a fresh map is memory that was never touched.
#[derive(Clone, Debug)]
enum Packed {
    Narrow(Vec<u32>),
    Wide(Vec<u8>),
}

impl Packed {
    fn new(entries: u64, wide: bool) -> Self {
        if wide {
            Self::Wide(vec![0; entries as usize * 5])
        } else {
            Self::Narrow(vec![0; entries as usize])
        }
    }

    #[inline]
    fn get(&self, index: u64) -> u64 {
        match self {
            Self::Narrow(entries) => u64::from(entries[index as usize]),
            Self::Wide(bytes) => {
                let at = index as usize * 5;
                let e = &bytes[at..at + 5];
                u64::from_le_bytes([e[0], e[1], e[2], e[3], e[4], 0, 0, 0])
            }
        }
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        match self {
            Self::Narrow(entries) => archive.table(entries),
            Self::Wide(bytes) => archive.table(bytes),
        }
    }

    fn ask_for_large_pages(&mut self) {
        match self {
            Self::Narrow(entries) => ask_for_large_pages(entries),
            Self::Wide(bytes) => ask_for_large_pages(bytes),
        }
    }

    /// How many entries of a range are something else than `one` and `other`.
    fn count_except(&self, range: Range<u64>, one: u64, other: u64) -> u64 {
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
    fn prefetch(&self, index: u64) {
        match self {
            Self::Narrow(entries) => prefetch(entries, index as usize),
            Self::Wide(bytes) => prefetch(bytes, index as usize * 5),
        }
    }

    #[inline]
    fn set(&mut self, index: u64, value: u64) {
        match self {
            Self::Narrow(entries) => entries[index as usize] = value as u32,
            Self::Wide(bytes) => {
                let at = index as usize * 5;
                bytes[at..at + 5].copy_from_slice(&value.to_le_bytes()[..5]);
            }
        }
    }
}

/// Logical page to physical page and sub-page bitmap, and back.
///
/// Forward entries hold the physical page plus one; their top bit says that not all sub-pages
/// hold data, and the bitmap is then kept aside; that bit alone is a page that lost its data. Backward
/// entries hold the logical page plus one; all ones is a page that was given up, one less a page without
/// current data. What the map was never told is as the past left it.
#[derive(Clone, Debug)]
pub(crate) struct PageMap {
    forward: Packed,
    backward: Packed,
    past: Option<Box<Past>>,
    /// Where there is a past: the parts of the forward map where entries were set since.
    noted: Noted,
    /// Bitmaps of the mapped pages that are not full.
    partial: FxHashMap<u64, u64>,
    partial_flag: u64,
    skipped: u64,
    empty: u64,
    full: u64,
}

/// The most physical pages that entries of 40 bits, one of them a flag, can number.
pub(crate) const MOST_PAGES: u64 = (1 << 39) - 2;

impl PageMap {
    pub(crate) fn new(user_pages: u64, physical_pages: u64, full: u64) -> Self {
        Self::with_width(user_pages, physical_pages, full, physical_pages + 1 >= 1 << 31)
    }

    fn with_width(user_pages: u64, physical_pages: u64, full: u64, wide: bool) -> Self {
        Self {
            forward: Packed::new(user_pages, wide),
            backward: Packed::new(physical_pages, wide),
            partial: FxHashMap::default(),
            partial_flag: if wide { 1 << 39 } else { 1 << 31 },
            skipped: if wide { (1 << 40) - 1 } else { (1 << 32) - 1 },
            empty: if wide { (1 << 40) - 2 } else { (1 << 32) - 2 },
            past: None,
            noted: Noted::new(user_pages),
            full,
        }
    }

    /// Hands over what changes; the past of this many blocks is written down, and forgotten.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>, blocks: u32) -> Result<(), ArchiveError> {
        self.write_down(blocks);
        self.forward.archive(archive)?;
        self.backward.archive(archive)?;
        archive.part(&mut self.partial)
    }

    /// Gets the cache ready for a change of a logical page's entry.
    #[inline]
    pub(crate) fn prefetch_logical(&self, lpn: u64) {
        self.forward.prefetch(lpn);
    }

    /// Hears that a logical page will be looked up; where [`Self::expect_soon`] is told too, that comes first.
    #[inline]
    pub(crate) fn expect(&self, lpn: u64) {
        match &self.past {
            Some(past) if !self.noted.is_near(lpn) => past.expect(lpn),
            _ => self.forward.prefetch(lpn),
        }
    }

    /// Hears that a logical page that `expect` was told of will be looked up soon.
    #[inline]
    pub(crate) fn expect_soon(&self, lpn: u64) {
        match (self.set_since(lpn), &self.past) {
            (0, Some(past)) => past.expect_soon(lpn),
            (entry, _) => {
                if let Some(page) = (entry & !self.partial_flag).checked_sub(1) {
                    self.backward.prefetch(page);
                }
            }
        }
    }

    /// Gets the cache ready for a change of a physical page's entry.
    #[inline]
    pub(crate) fn prefetch_physical(&self, page: u64) {
        self.backward.prefetch(page);
    }

    /// Asks for large memory pages behind a fresh map.
    pub(crate) fn ask_for_large_pages(&mut self) {
        self.forward.ask_for_large_pages();
        self.backward.ask_for_large_pages();
    }

    /// Gives a fresh map a past.
    pub(crate) fn remember(&mut self, past: Past) {
        self.past = Some(Box::new(past));
    }

    /// Notes all that the past left, block by block, and does without it from now on.
    pub(crate) fn write_down(&mut self, blocks: u32) {
        if let Some(past) = self.past.take() {
            for (page, lpn) in (0..blocks).flat_map(|block| past.dealt_to(block)) {
                // what was set since is newer
                if self.forward.get(lpn) == 0 {
                    self.note(lpn, page);
                }
            }
        }
    }

    pub(crate) fn past_mut(&mut self) -> Option<&mut Past> {
        self.past.as_deref_mut()
    }

    /// Entry of a logical page, with what the past left where none was set.
    #[inline]
    fn entry(&self, lpn: u64) -> u64 {
        let entry = self.set_since(lpn);
        if entry == 0 && self.past.is_some() {
            return self.entry_of_past(lpn);
        }
        entry
    }

    #[inline(never)]
    fn entry_of_past(&self, lpn: u64) -> u64 {
        let page = self.past.as_ref().and_then(|past| past.page_of(lpn));
        page.map_or(0, |page| page + 1)
    }

    /// As [`Self::get`], and notes what the past left, so that it is worked out only once.
    #[inline]
    pub(crate) fn recall(&mut self, lpn: u64) -> Option<(u64, u64)> {
        if self.set_since(lpn) == 0
            && let Some(page) = self.past.as_ref().and_then(|past| past.page_of(lpn))
        {
            self.note(lpn, page);
        }
        self.get(lpn)
    }

    /// As [`Self::owner`], and notes what the past left, so that it is worked out only once.
    #[inline]
    pub(crate) fn recall_owner(&mut self, page: u64) -> Option<u64> {
        if self.backward.get(page) == 0
            && let Some(past) = &self.past
        {
            match past.owner_of(page) {
                Some(lpn) => self.note(lpn, page),
                None => self.backward.set(page, self.empty),
            }
        }
        self.owner(page)
    }

    /// The pages among these that hold current data, in order, and the logical pages whose they are; gets the cache ready
    /// for their relocation.
    pub(crate) fn live(&mut self, pages: Range<u64>, live: &mut Vec<Ppn>, owners: &mut Vec<u64>) {
        live.clear();
        owners.clear();
        match &self.backward {
            Packed::Narrow(entries) if self.past.is_none() => {
                let entries = &entries[pages.start as usize..pages.end as usize];
                live.resize(entries.len(), Ppn(0));
                owners.resize(entries.len(), 0);
                // whether a page is current follows no pattern that could be predicted: no branch on it
                let mut count = 0;
                for (page, entry) in pages.zip(entries) {
                    let lpn = u64::from(*entry).wrapping_sub(1);
                    live[count] = Ppn(page);
                    owners[count] = lpn;
                    count += usize::from(lpn < self.empty - 1);
                }
                live.truncate(count);
                owners.truncate(count);
            }
            _ => {
                for page in pages {
                    if let Some(lpn) = self.recall_owner(page) {
                        live.push(Ppn(page));
                        owners.push(lpn);
                    }
                }
            }
        }
        for lpn in owners {
            self.forward.prefetch(*lpn);
        }
    }

    fn note(&mut self, lpn: u64, page: u64) {
        debug_assert!(
            self.forward.get(lpn) == 0 && self.backward.get(page) == 0,
            "set already"
        );
        self.set(lpn, page + 1);
        self.backward.set(page, lpn + 1);
    }

    /// Sets the entry of a logical page.
    #[inline]
    fn set(&mut self, lpn: u64, entry: u64) {
        if self.past.is_some() {
            self.noted.note(lpn);
        }
        self.forward.set(lpn, entry);
    }

    /// Entry of a logical page; where there is a past, zero where none was set since. Does not touch the map where
    /// nothing near was set: memory that nobody touched yet takes its time, even if it is only read.
    #[inline]
    fn set_since(&self, lpn: u64) -> u64 {
        if self.past.is_some() && !self.noted.is_near(lpn) {
            return 0;
        }
        self.forward.get(lpn)
    }

    /// Physical page of a logical page.
    #[inline]
    pub(crate) fn lookup(&self, lpn: u64) -> Option<u64> {
        (self.entry(lpn) & !self.partial_flag).checked_sub(1)
    }

    /// Whether a logical page has a physical one.
    pub(crate) fn is_mapped(&self, lpn: u64) -> bool {
        match (self.set_since(lpn), &self.past) {
            (0, Some(past)) => past.holds(lpn),
            (entry, _) => entry & !self.partial_flag != 0,
        }
    }

    /// How many of the first `user_pages` logical pages have a physical one.
    pub(crate) fn mapped_pages(&self, user_pages: u64) -> u64 {
        let (never, forgotten) = (0, self.partial_flag);
        let Some(past) = &self.past else {
            return self.forward.count_except(0..user_pages, never, forgotten);
        };
        // where nothing was set the past left something
        let pages = past.pages().min(user_pages);
        self.noted.parts().fold(pages, |mapped, part| {
            let of_past = part.start.min(pages)..part.end.min(pages);
            let later = part.start.clamp(pages, user_pages)..part.end.clamp(pages, user_pages);
            mapped - (of_past.end - of_past.start)
                + self.forward.count_except(of_past, forgotten, forgotten)
                + self.forward.count_except(later, never, forgotten)
        })
    }

    /// Physical page and valid sub-pages of a logical page.
    #[inline]
    pub(crate) fn get(&self, lpn: u64) -> Option<(u64, u64)> {
        let entry = self.entry(lpn);
        let page = (entry & !self.partial_flag).checked_sub(1)?;
        if entry & self.partial_flag == 0 {
            Some((page, self.full))
        } else {
            Some((page, self.partial.get(&lpn).copied().unwrap_or(self.full)))
        }
    }

    /// Valid sub-pages of a logical page that is mapped. Where all pages are full, neither this
    /// nor `relocate` reads the forward entry: one cache miss less for a relocated page.
    #[inline]
    pub(crate) fn bitmap_of_mapped(&self, lpn: u64) -> u64 {
        if self.partial.is_empty() {
            self.full
        } else {
            self.bitmap(lpn)
        }
    }

    /// Valid sub-pages of a logical page; none where it is not mapped.
    #[inline]
    pub(crate) fn bitmap(&self, lpn: u64) -> u64 {
        self.get(lpn).map_or(0, |(_, bitmap)| bitmap)
    }

    /// Maps a logical page both ways and returns the physical page it had, whose own entry is
    /// then empty.
    #[inline(always)]
    pub(crate) fn map(&mut self, lpn: u64, page: u64, bitmap: u64) -> Option<u64> {
        let entry = self.entry(lpn);
        let mut flag = 0;
        if bitmap != self.full || entry & self.partial_flag != 0 {
            flag = self.note_partial(lpn, bitmap);
        }
        self.set(lpn, (page + 1) | flag);
        self.backward.set(page, lpn + 1);
        let old = (entry & !self.partial_flag).checked_sub(1)?;
        self.backward.set(old, self.empty);
        Some(old)
    }

    /// Notes which sub-pages of a logical page hold data; the flag of its entry.
    #[inline(never)]
    fn note_partial(&mut self, lpn: u64, bitmap: u64) -> u64 {
        if bitmap == self.full {
            self.partial.remove(&lpn);
            0
        } else {
            self.partial.insert(lpn, bitmap);
            self.partial_flag
        }
    }

    /// Moves a logical page to another physical page, sub-pages unchanged.
    #[inline]
    pub(crate) fn relocate(&mut self, lpn: u64, from: u64, to: u64) {
        let flag = if self.partial.is_empty() {
            0
        } else {
            self.forward.get(lpn) & self.partial_flag
        };
        self.set(lpn, (to + 1) | flag);
        self.backward.set(to, lpn + 1);
        self.backward.set(from, self.empty);
    }

    /// The same for logical pages that go to successive physical ones from `to` on.
    pub(crate) fn relocate_all(&mut self, lpns: &[u64], from: &[Ppn], to: u64) {
        match (&mut self.forward, &mut self.backward) {
            (Packed::Narrow(forward), Packed::Narrow(backward))
                if self.partial.is_empty() && self.past.is_none() =>
            {
                for ((lpn, from), to) in lpns.iter().zip(from).zip(to..) {
                    forward[*lpn as usize] = to as u32 + 1;
                    backward[to as usize] = *lpn as u32 + 1;
                    backward[from.0 as usize] = self.empty as u32;
                }
            }
            _ => {
                for ((lpn, from), to) in lpns.iter().zip(from).zip(to..) {
                    self.relocate(*lpn, from.0, to);
                }
            }
        }
    }

    /// Forgets sub-pages; returns the physical page that lost its last one.
    pub(crate) fn forget(&mut self, lpn: u64, bitmap: u64) -> Option<u64> {
        let (page, valid) = self.recall(lpn)?;
        let left = valid & !bitmap;
        if left == valid {
            return None;
        }
        if left != 0 {
            self.partial.insert(lpn, left);
            self.set(lpn, (page + 1) | self.partial_flag);
            return None;
        }
        self.partial.remove(&lpn);
        self.set(lpn, self.partial_flag);
        self.backward.set(page, self.empty);
        Some(page)
    }

    /// The logical page whose current version a physical page holds.
    #[inline]
    pub(crate) fn owner(&self, page: u64) -> Option<u64> {
        match (self.backward.get(page), &self.past) {
            (0, Some(past)) => past.owner_of(page),
            (entry, _) if entry >= self.empty => None,
            (entry, _) => entry.checked_sub(1),
        }
    }

    pub(crate) fn is_skipped(&self, page: u64) -> bool {
        self.backward.get(page) == self.skipped
    }

    /// Notes that a page was given up without being programmed.
    pub(crate) fn skip(&mut self, page: u64) {
        self.backward.set(page, self.skipped);
    }

    /// Forgets what was noted of pages without current data, once their block is erased.
    pub(crate) fn wipe(&mut self, pages: std::ops::Range<u64>) {
        for page in pages {
            self.backward.set(page, self.empty);
        }
    }

    /// The logical pages whose sub-pages are not all valid, in order, with their bitmaps.
    pub(crate) fn partial_pages(&self) -> Vec<(u64, u64)> {
        #[expect(clippy::iter_over_hash_type, reason = "sorted at once")]
        let mut pages: Vec<(u64, u64)> = {
            let mut pages = Vec::with_capacity(self.partial.len());
            for (lpn, bitmap) in &self.partial {
                pages.push((*lpn, *bitmap));
            }
            pages
        };
        pages.sort_unstable();
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::past::Share;
    use crate::permutation::Permutation;
    use wordline_units::Seed;

    #[test]
    fn both_widths_keep_both_directions() {
        for wide in [false, true] {
            let mut map = PageMap::with_width(10, 20, 0b1111, wide);
            assert_eq!((map.lookup(3), map.bitmap(3), map.owner(7)), (None, 0, None));
            assert_eq!(map.map(3, 7, 0b1111), None);
            assert_eq!(map.map(3, 0, 0b0110), Some(7));
            assert_eq!(
                (map.get(3), map.owner(0), map.owner(7)),
                (Some((0, 0b0110)), Some(3), None)
            );
            map.relocate(3, 0, 19);
            assert_eq!(
                (map.get(3), map.owner(19), map.owner(0)),
                (Some((19, 0b0110)), Some(3), None)
            );
            assert_eq!(map.forget(3, 0b0010), None);
            assert_eq!(map.partial_pages(), [(3, 0b0100)]);
            assert_eq!(map.forget(3, 0b0100), Some(19));
            assert_eq!((map.get(3), map.owner(19)), (None, None));
            assert!(map.partial_pages().is_empty());
            map.skip(5);
            assert!(map.is_skipped(5) && map.owner(5).is_none());
            map.wipe(4..6);
            assert!(!map.is_skipped(5));
            // a past: pages 0 to 4 of the first block hold the logical pages
            let mut map = PageMap::with_width(10, 20, 0b1111, wide);
            let order = Permutation::new(5, Seed(1), "test");
            let mut past = Past::new(vec![Share { pages: 5, order }], 2, 10);
            assert_eq!(past.deal(0, 0, 10, |page| page < 5), 5);
            map.remember(past);
            let page = map.lookup(2).unwrap();
            assert_eq!((map.owner(page), map.mapped_pages(10)), (Some(2), 5));
            assert_eq!(map.forget(2, 0b0011), None);
            assert_eq!(map.recall_owner(page), Some(2));
            assert_eq!(map.get(2), Some((page, 0b1100)), "what was forgotten stays so");
            assert_eq!(map.map(2, 12, 0b1111), Some(page));
            assert_eq!((map.recall_owner(page), map.partial_pages().len()), (None, 0));
            assert_eq!(map.forget(2, 0b1111), Some(12));
            assert_eq!((map.recall(2), map.mapped_pages(10)), (None, 4));
        }
    }
}
