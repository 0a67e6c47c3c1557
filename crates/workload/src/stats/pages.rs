//! Which 4-KiB pages a trace touches, exactly.

use rustc_hash::FxHashMap;

/// A page: device, by its place in the list of devices, and number on the device.
type Key = (u32, u64);

/// Pages in one word of the set.
const WORD: u64 = 64;

/// A set of pages: one word for 64 neighbours, so that dense traces stay small.
#[derive(Debug, Default)]
pub(crate) struct PageSet {
    words: FxHashMap<Key, u64>,
    len: u64,
}

impl PageSet {
    /// Adds pages `from` to `to`, both included.
    pub(crate) fn add(&mut self, device: u32, from: u64, to: u64) {
        for index in from / WORD..=to / WORD {
            let (first, last) = (
                from.max(index * WORD) % WORD,
                to.min(index * WORD + WORD - 1) % WORD,
            );
            let mask = (u64::MAX >> (WORD - 1 - (last - first))) << first;
            let word = self.words.entry((device, index)).or_insert(0);
            self.len += u64::from((mask & !*word).count_ones());
            *word |= mask;
        }
    }

    /// Pages in the set.
    pub(crate) const fn len(&self) -> u64 {
        self.len
    }
}

/// How often each page is written.
#[derive(Debug, Default)]
pub(crate) struct PageCounts {
    counts: FxHashMap<Key, u32>,
    total: u64,
}

impl PageCounts {
    /// Counts a write of pages `from` to `to`, both included.
    pub(crate) fn add(&mut self, device: u32, from: u64, to: u64) {
        for page in from..=to {
            let count = self.counts.entry((device, page)).or_insert(0);
            *count = count.saturating_add(1);
            self.total += 1;
        }
    }

    /// Pages that are written.
    pub(crate) fn len(&self) -> u64 {
        self.counts.len() as u64
    }

    /// Share of page writes that falls on the most written tenth of the pages (at least one
    /// page), in percent; `None` without writes.
    pub(crate) fn top_tenth_percent(&self) -> Option<f64> {
        if self.counts.is_empty() {
            return None;
        }
        let mut counts: Vec<u32> = self.counts.values().copied().collect();
        let tenth = (counts.len() / 10).max(1);
        counts.select_nth_unstable_by(tenth - 1, |a, b| b.cmp(a));
        let top: u64 = counts[..tenth].iter().map(|count| u64::from(*count)).sum();
        Some(100.0 * top as f64 / self.total as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_once() {
        let mut set = PageSet::default();
        set.add(0, 60, 70);
        set.add(0, 0, 63);
        set.add(0, 64, 191);
        assert_eq!(set.len(), 192);
        set.add(1, 60, 60);
        assert_eq!(set.len(), 193);
    }

    #[test]
    fn the_hottest_tenth() {
        let mut counts = PageCounts::default();
        for page in 0..20 {
            counts.add(0, page, page);
        }
        for _ in 0..19 {
            counts.add(0, 3, 4);
        }
        // 20 pages, 58 page writes; the two hottest pages take 40
        assert_eq!(counts.len(), 20);
        assert!((counts.top_tenth_percent().unwrap() - 100.0 * 40.0 / 58.0).abs() < 1e-9);
        assert_eq!(PageCounts::default().top_tenth_percent(), None);
    }
}
