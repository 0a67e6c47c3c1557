//! Which 4-KiB pages a trace touches, how often, and how soon again.
//!
//! Up to [`MOST`] pages all are followed and every figure is exact. Beyond that, half of the pages
//! are dropped, chosen by a hash of their address, and so on at every overflow (spatial sampling of
//! fixed size: Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015): counts and
//! distances are scaled by what the sample stands for, and memory stays bounded.

use rustc_hash::FxHashMap;

use super::histogram::{Fine, Histogram};
use super::reuse::Reuse;
use super::stack::Stack;

/// Pages that are followed at once; 2 Mi pages take 8 GiB of addresses and 120 MB here.
pub(crate) const MOST: usize = 1 << 21;

/// What is known of a page.
#[derive(Clone, Copy, Debug)]
struct Page {
    number: u64,
    reads: u32,
    writes: u32,
    /// Place of its last touch in the stack.
    slot: u32,
}

/// How far back the last touch of pages lay, by kind of access.
#[derive(Debug)]
struct Distances {
    first: u64,
    histogram: Histogram,
    fine: Fine,
}

impl Distances {
    fn new() -> Self {
        Self {
            first: 0,
            histogram: Histogram::new(),
            fine: Fine::new(),
        }
    }

    fn add(&mut self, distance: u64, weight: u64) {
        self.histogram.add_many(distance, weight);
        self.fine.add_many(distance, weight);
    }

    fn figures(&self) -> Reuse {
        Reuse {
            first_touches: self.first,
            median_pages: self.fine.quantile(0.5),
            histogram: self.histogram.buckets(),
        }
    }
}

/// The pages of a trace.
#[derive(Debug)]
pub(crate) struct Pages {
    index: FxHashMap<u64, u32>,
    pages: Vec<Page>,
    most: usize,
    /// How often the sample was halved.
    halvings: u32,
    stack: Stack,
    read: u64,
    written: u64,
    read_distances: Distances,
    write_distances: Distances,
}

impl Pages {
    /// Follows at most `most` pages.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            index: FxHashMap::default(),
            pages: Vec::new(),
            most,
            halvings: 0,
            stack: Stack::of(0),
            read: 0,
            written: 0,
            read_distances: Distances::new(),
            write_distances: Distances::new(),
        }
    }

    /// Counts a read or a write of pages `from` to `to`, both included.
    pub(crate) fn add(&mut self, from: u64, to: u64, is_write: bool) {
        for number in from..=to {
            if sampled(number, self.halvings) {
                self.touch(number, is_write);
            }
        }
    }

    fn touch(&mut self, number: u64, is_write: bool) {
        if self.stack.is_full() {
            self.renumber();
        }
        let weight = self.scale();
        let distances = if is_write {
            &mut self.write_distances
        } else {
            &mut self.read_distances
        };
        let place = if let Some(place) = self.index.get(&number) {
            let place = *place as usize;
            let (distance, slot) = self.stack.touch(self.pages[place].slot);
            self.pages[place].slot = slot;
            distances.add(u64::from(distance) * weight, weight);
            place
        } else {
            distances.first += weight;
            self.index.insert(number, self.pages.len() as u32);
            self.pages.push(Page {
                number,
                reads: 0,
                writes: 0,
                slot: self.stack.push(),
            });
            self.pages.len() - 1
        };
        let page = &mut self.pages[place];
        let (count, distinct) = if is_write {
            (&mut page.writes, &mut self.written)
        } else {
            (&mut page.reads, &mut self.read)
        };
        *distinct += u64::from(*count == 0);
        *count = count.saturating_add(1);
        if self.pages.len() > self.most {
            self.halve();
        }
    }

    /// Gives the pages new slots, in the order of their last touches.
    fn renumber(&mut self) {
        self.pages.sort_unstable_by_key(|page| page.slot);
        for (slot, page) in (0..).zip(&mut self.pages) {
            page.slot = slot;
            self.index.insert(page.number, slot);
        }
        self.stack = Stack::of(self.pages.len() as u32);
    }

    /// Drops the pages of half the hashes.
    fn halve(&mut self) {
        self.halvings += 1;
        let halvings = self.halvings;
        self.pages.retain(|page| sampled(page.number, halvings));
        self.index.clear();
        self.read = self.pages.iter().filter(|page| page.reads > 0).count() as u64;
        self.written = self.pages.iter().filter(|page| page.writes > 0).count() as u64;
        self.renumber();
    }

    /// Pages that a followed page stands for.
    const fn scale(&self) -> u64 {
        1 << self.halvings
    }

    /// Share of the pages that are followed.
    pub(crate) fn sampled_share(&self) -> f64 {
        1.0 / self.scale() as f64
    }

    /// Distinct pages that were read.
    pub(crate) const fn read(&self) -> u64 {
        self.read * self.scale()
    }

    /// Distinct pages that were written.
    pub(crate) const fn written(&self) -> u64 {
        self.written * self.scale()
    }

    /// Distinct pages.
    pub(crate) const fn touched(&self) -> u64 {
        self.pages.len() as u64 * self.scale()
    }

    /// Distances of reads and of writes.
    pub(crate) fn reuse(&self) -> (Reuse, Reuse) {
        (self.read_distances.figures(), self.write_distances.figures())
    }

    /// How often each followed page was read, without those that never were.
    pub(crate) fn read_counts(&self) -> Vec<u64> {
        self.counts(|page| u64::from(page.reads))
    }

    /// How often each followed page was written, without those that never were.
    pub(crate) fn write_counts(&self) -> Vec<u64> {
        self.counts(|page| u64::from(page.writes))
    }

    /// How often each followed page was read or written.
    pub(crate) fn all_counts(&self) -> Vec<u64> {
        self.counts(|page| u64::from(page.reads) + u64::from(page.writes))
    }

    fn counts(&self, of: impl Fn(&Page) -> u64) -> Vec<u64> {
        self.pages.iter().map(of).filter(|count| *count > 0).collect()
    }
}

/// Whether a page belongs to the sample after `halvings` halvings: its hash (the finaliser of
/// SplitMix64) starts with as many zero bits.
const fn sampled(number: u64, halvings: u32) -> bool {
    let hash = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (hash ^ (hash >> 31)).leading_zeros() >= halvings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_once() {
        let mut pages = Pages::new(MOST);
        pages.add(60, 70, false);
        pages.add(0, 63, false);
        pages.add(64, 191, true);
        assert_eq!((pages.read(), pages.written(), pages.touched()), (71, 128, 192));
        assert_eq!(pages.sampled_share().to_bits(), 1.0_f64.to_bits());
        let mut counts = pages.all_counts();
        counts.sort_unstable();
        assert_eq!(
            (counts[0], counts[191], counts.iter().sum::<u64>()),
            (1, 2, 11 + 64 + 128)
        );
    }

    #[test]
    fn distances_are_those_of_the_definition() {
        let mut pages = Pages::new(MOST);
        let mut naive: Vec<u64> = Vec::new();
        let mut wanted = Histogram::new();
        let mut value = 1_u64;
        for _ in 0..20_000 {
            value = value
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let page = (value >> 33) % 97 * ((value >> 20) % 7);
            if let Some(place) = naive.iter().position(|known| *known == page) {
                wanted.add((naive.len() - 1 - place) as u64);
                naive.remove(place);
            }
            naive.push(page);
            pages.add(page, page, false);
        }
        let (reads, writes) = pages.reuse();
        assert_eq!(reads.histogram, wanted.buckets());
        assert_eq!(reads.first_touches, naive.len() as u64);
        assert!(writes.histogram.is_empty());
    }

    /// A sample of a sixteenth and less tells footprint, popularity and distances.
    #[test]
    fn a_sample_stands_for_all() {
        let (mut all, mut some) = (Pages::new(MOST), Pages::new(4_000));
        let mut value = 7_u64;
        for _ in 0..400_000 {
            value = value
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            // two populations: 4,096 pages with half of the accesses, 131,072 with the rest
            let page = if value >> 63 == 0 {
                (value >> 40) % 4_096
            } else {
                4_096 + (value >> 30) % 131_072
            };
            all.add(page, page, true);
            some.add(page, page, true);
        }
        assert!(some.sampled_share() <= 1.0 / 16.0 && some.pages.len() <= 4_000);
        let ratio = some.written() as f64 / all.written() as f64;
        assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
        let median = |pages: &Pages| pages.reuse().1.median_pages.unwrap();
        assert!((median(&some) / median(&all) - 1.0).abs() < 0.15);
    }
}
