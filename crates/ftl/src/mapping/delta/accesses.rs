//! How often logical pages are read and written while they are among those used last: the counts of the mapping cache (Delta-FTL
//! specification, sections 2 and 3).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::state::archive::{Archive, ArchiveError};

/// What was counted of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) reads: u32,
    pub(super) writes: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    counts: Counts,
    /// Its key in the order of its segment.
    used: u64,
    is_protected: bool,
}

/// A segmented LRU list of logical pages: a page that is used again is protected, and at most half of them are.
#[derive(Debug)]
pub(super) struct Accesses {
    most: usize,
    entries: FxHashMap<u64, Entry>,
    /// Pages by their last use: those used once since they came, and the protected ones.
    segments: [BTreeMap<u64, u64>; 2],
    uses: u64,
}

impl Accesses {
    /// Of so many pages, at least 2.
    pub(super) fn new(most: u32) -> Self {
        Self {
            most: most.max(2) as usize,
            entries: FxHashMap::default(),
            segments: [BTreeMap::new(), BTreeMap::new()],
            uses: 0,
        }
    }

    /// Nothing was counted.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.most as u32);
    }

    /// Pages that there is room for.
    pub(super) const fn capacity(&self) -> u64 {
        self.most as u64
    }

    /// What was counted of a page that is in the list.
    pub(super) fn get(&self, lpn: u64) -> Option<Counts> {
        self.entries.get(&lpn).map(|entry| entry.counts)
    }

    /// A page is read; the counts, and the page that dropped out.
    pub(super) fn read(&mut self, lpn: u64) -> (Counts, Option<u64>) {
        self.count(lpn, |counts| counts.reads = counts.reads.saturating_add(1))
    }

    /// A page is written.
    pub(super) fn write(&mut self, lpn: u64) -> (Counts, Option<u64>) {
        self.count(lpn, |counts| counts.writes = counts.writes.saturating_add(1))
    }

    fn count(&mut self, lpn: u64, change: impl Fn(&mut Counts)) -> (Counts, Option<u64>) {
        self.uses += 1;
        let known = self.entries.get(&lpn).copied();
        let mut counts = known.map_or_else(Counts::default, |entry| entry.counts);
        change(&mut counts);
        if let Some(entry) = known {
            self.segments[usize::from(entry.is_protected)].remove(&entry.used);
        }
        self.put(lpn, counts, known.is_some());
        (counts, self.drop_out())
    }

    /// Puts a page at the head of a segment; one that is too many among the protected ones goes to the others.
    fn put(&mut self, lpn: u64, counts: Counts, is_protected: bool) {
        let used = self.uses;
        self.segments[usize::from(is_protected)].insert(used, lpn);
        let entry = Entry {
            counts,
            used,
            is_protected,
        };
        self.entries.insert(lpn, entry);
        if self.segments[1].len() > self.most / 2
            && let Some((_, demoted)) = self.segments[1].pop_first()
        {
            self.uses += 1;
            let used = self.uses;
            self.segments[0].insert(used, demoted);
            if let Some(entry) = self.entries.get_mut(&demoted) {
                (entry.used, entry.is_protected) = (used, false);
            }
        }
    }

    fn drop_out(&mut self) -> Option<u64> {
        if self.entries.len() <= self.most {
            return None;
        }
        let (_, oldest) = self.segments[0].pop_first()?;
        self.entries.remove(&oldest);
        Some(oldest)
    }

    /// Tells every page with its counts, those used least recently first, and halves the counts.
    pub(super) fn age(&mut self, mut told: impl FnMut(u64, Counts)) {
        for lpn in self.segments.iter().flat_map(BTreeMap::values) {
            if let Some(entry) = self.entries.get_mut(lpn) {
                told(*lpn, entry.counts);
                entry.counts.reads /= 2;
                entry.counts.writes /= 2;
            }
        }
    }

    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let pages = self.segments.iter().flat_map(BTreeMap::values);
        let mut saved: Vec<(u64, u32, u32, bool)> = pages
            .filter_map(|lpn| {
                let entry = self.entries.get(lpn)?;
                Some((*lpn, entry.counts.reads, entry.counts.writes, entry.is_protected))
            })
            .collect();
        archive.part(&mut saved)?;
        if archive.is_loading() {
            *self = Self::new(self.most as u32);
            for (lpn, reads, writes, is_protected) in saved {
                self.uses += 1;
                self.put(lpn, Counts { reads, writes }, is_protected);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(reads: u32, writes: u32) -> Counts {
        Counts { reads, writes }
    }

    #[test]
    fn accesses_are_counted_while_a_page_is_in_the_list() {
        let mut accesses = Accesses::new(4);
        assert_eq!(accesses.write(7), (counts(0, 1), None));
        assert_eq!(accesses.write(7), (counts(0, 2), None));
        assert_eq!(accesses.read(7).0, counts(1, 2));
        assert_eq!(accesses.read(8).0, counts(1, 0));
        for lpn in 10..13 {
            let (_, dropped) = accesses.read(lpn);
            assert_eq!(
                dropped,
                (lpn == 12).then_some(8),
                "the page used again is protected"
            );
        }
        assert_eq!((accesses.get(7), accesses.get(8)), (Some(counts(1, 2)), None));
        let mut told = Vec::new();
        accesses.age(|lpn, _| told.push(lpn));
        assert_eq!(told, [10, 11, 12, 7]);
        assert_eq!(accesses.get(7), Some(counts(0, 1)));
    }

    /// At most half of the pages are protected; the one that was used least recently of them is the next to be no more.
    #[test]
    fn half_of_the_pages_are_protected() {
        let mut accesses = Accesses::new(4);
        for lpn in [1, 1, 2, 2, 3, 3] {
            accesses.read(lpn);
        }
        for lpn in [4, 5] {
            accesses.read(lpn);
        }
        assert_eq!(accesses.get(1), None);
        assert!([2, 3, 4, 5].iter().all(|lpn| accesses.get(*lpn).is_some()));
    }
}
