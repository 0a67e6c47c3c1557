//! The mapping that ageing left behind, computed where it is asked for.
//!
//! An aged drive of half a terabyte maps sixty million pages, most of which a run never looks at. So
//! ageing assigns them by rule: the k-th page that is assigned holds the k-th logical page of a
//! permutation. One bit for each physical page and a number for each block then tell the whole map, in
//! both directions.

use std::cell::Cell;

use wordline_units::{Divider, Permutation, ask_for_large_pages, prefetch};

/// Logical pages that are assigned together: those that leave one remainder. Of all shares together the
/// pages of the lowest numbers hold data.
#[derive(Clone, Debug)]
pub struct Share {
    /// How many of them hold data: those of the lowest numbers.
    pub(crate) pages: u64,
    /// The order in which they are assigned.
    pub(crate) order: Permutation,
}

/// A share as far as it was assigned.
#[derive(Clone, Debug)]
struct ShareOrder {
    order: Permutation,
    /// Pages of other shares that were assigned before its own.
    first: u64,
}

/// Pages between two hints: about as many as a block holds.
const STRIDE: u64 = 128;

/// Words of a record before its counts and bits: pages assigned before, and the block with its share.
const HEAD: usize = 2;

/// Words of bits in a group: of each group but the first, a record has the ones before it.
const GROUP: usize = 8;

/// Bytes that are fetched at once.
const LINE: usize = 64;

/// Logical pages whose place is remembered, a power of two: those that were told of ahead.
const RECENT: usize = 16;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct PermutedMap {
    pages_per_block: Divider,
    block_pages: u64,
    /// Shares by the remainder that they leave.
    orders: Vec<ShareOrder>,
    /// The share that is being assigned.
    assigning: usize,
    /// Logical pages that hold data: those of the lowest numbers.
    pages: u64,
    /// Pages assigned so far.
    assigned: u64,
    /// Words of a record.
    size: usize,
    /// Words of counts in a record, two counts each: none where all bits are one group.
    counts: usize,
    /// A record for each block that holds pages, in the order in which they were assigned: the pages that were
    /// assigned before, the block with its share, the ones before each group of bits but the first, and bits. Bit p: page p of
    /// the block was assigned a logical page.
    records: Vec<u64>,
    /// For every `STRIDE`-th page that was assigned: which record holds it.
    hints: Vec<u32>,
    /// For each block: the number of its record plus one.
    record_of: Vec<u32>,
    /// Places worked out lately, by the lowest bits of the logical page.
    recent: [Cell<(u64, u64)>; RECENT],
}

/// What is known of a block that pages were assigned to.
#[derive(Clone, Copy)]
struct Record<'a> {
    before: u64,
    block: u32,
    share: u32,
    /// Ones before the groups of bits but the first, two a word.
    counts: &'a [u64],
    bits: &'a [u64],
}

impl Record<'_> {
    /// Ones before a group of bits.
    #[inline]
    fn ones_before(&self, group: usize) -> u32 {
        let Some(index) = group.checked_sub(1) else {
            return 0;
        };
        (self.counts[index / 2] >> (32 * (index % 2))) as u32
    }

    /// The page of the block that has so many assigned ones before it.
    #[inline]
    fn page_at(&self, rank: u32) -> Option<u32> {
        let groups = self.bits.len().div_ceil(GROUP);
        let group = (1..groups)
            .take_while(|group| self.ones_before(*group) <= rank)
            .count();
        let within = nth_one(&self.bits[group * GROUP..], rank - self.ones_before(group))?;
        Some((group * GROUP) as u32 * u64::BITS + within)
    }

    /// Assigned pages of the block before one of them; none where that one was not assigned.
    #[inline]
    fn rank_of(&self, page: u32) -> Option<u32> {
        let (word, bit) = ((page / u64::BITS) as usize, 1_u64 << (page % u64::BITS));
        if self.bits[word] & bit == 0 {
            return None;
        }
        let group = word / GROUP;
        let before: u32 = self.bits[group * GROUP..word]
            .iter()
            .map(|word| word.count_ones())
            .sum();
        Some(self.ones_before(group) + before + (self.bits[word] & (bit - 1)).count_ones())
    }
}

impl PermutedMap {
    pub(crate) fn new(shares: Vec<Share>, blocks: u32, pages_per_block: u32) -> Self {
        let words = pages_per_block.div_ceil(u64::BITS) as usize;
        let counts = words.div_ceil(GROUP).saturating_sub(1).div_ceil(2);
        let size = HEAD + counts + words;
        let pages = shares.iter().map(|share| share.pages).sum::<u64>();
        let mut records = Vec::with_capacity(size * blocks as usize);
        let mut hints = Vec::with_capacity(pages.div_ceil(STRIDE) as usize);
        let mut record_of = vec![0; blocks as usize];
        ask_for_large_pages(records.spare_capacity_mut());
        ask_for_large_pages(hints.spare_capacity_mut());
        ask_for_large_pages(&mut record_of);
        Self {
            pages_per_block: Divider::new(pages_per_block),
            block_pages: u64::from(pages_per_block),
            orders: shares
                .into_iter()
                .map(|share| ShareOrder {
                    order: share.order,
                    first: 0,
                })
                .collect(),
            assigning: 0,
            pages,
            assigned: 0,
            size,
            counts,
            records,
            hints,
            record_of,
            recent: [const { Cell::new((u64::MAX, 0)) }; RECENT],
        }
    }

    /// Assigns the next logical pages of a share to those of the first `written` pages of a block of which `chosen` has
    /// a one (bit i of word i / 64), in order; how many. Shares are assigned one after the other.
    pub(crate) fn assign(&mut self, share: usize, block: u32, written: u32, chosen: &[u64]) -> u32 {
        debug_assert!(share >= self.assigning, "a share is assigned in one go");
        let words = written.div_ceil(u64::BITS) as usize;
        let count: u32 = chosen.iter().take(words).map(|word| word.count_ones()).sum();
        while self.assigning < share {
            self.assigning += 1;
            self.orders[self.assigning].first = self.assigned;
        }
        if count == 0 {
            return 0;
        }
        let start = self.records.len();
        self.records
            .extend([self.assigned, u64::from(block) | (share as u64) << 32]);
        self.records.resize(start + HEAD + self.counts, 0);
        self.records.extend(chosen.iter().take(words));
        self.records.resize(start + self.size, 0);
        self.count_ones(start);
        let record = (start / self.size) as u32;
        self.record_of[block as usize] = record + 1;
        self.assigned += u64::from(count);
        while self.hints.len() as u64 * STRIDE < self.assigned {
            self.hints.push(record);
        }
        count
    }

    /// Notes the ones before each group of bits of the record that starts at a word.
    fn count_ones(&mut self, start: usize) {
        let record = &mut self.records[start..start + self.size];
        let (head, bits) = record.split_at_mut(HEAD + self.counts);
        let mut ones = 0;
        for (index, group) in bits.chunks_exact(GROUP).take(2 * self.counts).enumerate() {
            ones += group.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            head[HEAD + index / 2] |= ones << (32 * (index % 2));
        }
    }

    #[inline]
    fn record(&self, record: usize) -> Option<Record<'_>> {
        let [before, owner, rest @ ..] = self.records.get(record * self.size..)?.get(..self.size)? else {
            return None;
        };
        let (counts, bits) = rest.split_at_checked(self.counts)?;
        Some(Record {
            before: *before,
            block: *owner as u32,
            share: (*owner >> 32) as u32,
            counts,
            bits,
        })
    }

    fn record_of(&self, block: u32) -> Option<Record<'_>> {
        self.record(self.record_of[block as usize].checked_sub(1)? as usize)
    }

    /// Where in the order of all pages that were assigned a logical page is that is among them.
    #[inline]
    fn place_of(&self, lpn: u64) -> u64 {
        let recent = &self.recent[lpn as usize % RECENT];
        if recent.get().0 == lpn {
            return recent.get().1;
        }
        let shares = self.orders.len() as u64;
        let order = &self.orders[(lpn % shares) as usize];
        let place = order.first + order.order.inverse(lpn / shares);
        recent.set((lpn, place));
        place
    }

    /// First of the records from which a place is searched.
    #[inline]
    fn hint(&self, place: u64) -> Option<usize> {
        Some(*self.hints.get((place / STRIDE) as usize)? as usize)
    }

    /// Hears that a logical page will be looked up; where [`Self::prefetch_next`] is told too, that comes first.
    pub(crate) fn prefetch(&self, lpn: u64) {
        if self.holds(lpn) {
            prefetch(&self.hints, (self.place_of(lpn) / STRIDE) as usize);
        }
    }

    /// Hears that a logical page that `prefetch` was told of will be looked up soon.
    #[inline(never)]
    pub(crate) fn prefetch_next(&self, lpn: u64) {
        /// The page is in one of the next two records; the first lines of large ones help already.
        const MOST: usize = 4 * LINE / size_of::<u64>();
        if self.holds(lpn)
            && let Some(hint) = self.hint(self.place_of(lpn))
        {
            let words = (2 * self.size).min(MOST);
            let first = hint * self.size;
            for word in (0..words).step_by(LINE / size_of::<u64>()) {
                prefetch(&self.records, first + word);
            }
            prefetch(&self.records, first + words - 1);
        }
    }

    /// The physical page that a logical page was assigned to.
    #[inline(never)]
    pub(crate) fn page_of(&self, lpn: u64) -> Option<u64> {
        if !self.holds(lpn) {
            return None;
        }
        let place = self.place_of(lpn);
        let mut at = self.hint(place)?;
        while self
            .records
            .get((at + 1) * self.size)
            .is_some_and(|before| *before <= place)
        {
            at += 1;
        }
        let record = self.record(at)?;
        let in_block = record.page_at((place - record.before) as u32)?;
        Some(u64::from(record.block) * self.block_pages + u64::from(in_block))
    }

    /// The logical page that a physical page was assigned.
    #[inline(never)]
    pub(crate) fn owner_of(&self, page: u64) -> Option<u64> {
        let block = self.pages_per_block.divide(page);
        let in_block = (page - block * self.block_pages) as u32;
        let record = self.record_of(block as u32)?;
        let rank = record.rank_of(in_block)?;
        Some(self.logical_page(record.share, record.before + u64::from(rank)))
    }

    /// Which pages of a block were assigned logical ones: bit p % 64 of word p / 64 for page p; no words where none was.
    pub(crate) fn assigned_bits(&self, block: u32) -> &[u64] {
        self.record_of(block).map_or(&[], |record| record.bits)
    }

    /// The logical page at a place in the order of all; its share is this.
    fn logical_page(&self, share: u32, place: u64) -> u64 {
        let order = &self.orders[share as usize];
        order.order.of(place - order.first) * self.orders.len() as u64 + u64::from(share)
    }

    /// The pages of a block that were assigned logical ones, with these.
    pub(crate) fn assigned_to(&self, block: u32) -> impl Iterator<Item = (u64, u64)> {
        self.record_of(block).into_iter().flat_map(move |record| {
            let first = u64::from(block) * self.block_pages;
            (0..self.block_pages)
                .filter(move |page| {
                    record.bits[(page / u64::from(u64::BITS)) as usize] >> (page % u64::from(u64::BITS)) & 1
                        == 1
                })
                .zip(record.before..)
                .map(move |(page, place)| (first + page, self.logical_page(record.share, place)))
        })
    }

    /// Logical pages that were assigned: those of the lowest numbers.
    pub(crate) fn pages(&self) -> u64 {
        self.pages
    }

    /// Whether a logical page was assigned.
    pub(crate) fn holds(&self, lpn: u64) -> bool {
        lpn < self.pages
    }
}

/// Index of the one that has `rank` ones below it, in words of ascending bits. Ones of all bytes of a word are
/// counted at once, as are bytes whose ones are too few (Vigna, WEA 2008, algorithm 2): every processor can do that.
#[inline]
fn nth_one(words: &[u64], mut rank: u32) -> Option<u32> {
    /// One in each byte.
    const ONES: u64 = u64::MAX / 0xff;
    /// The top bit of each byte.
    const TOPS: u64 = ONES << 7;
    /// How many bytes of `sums`, none above 64, are at most `rank`, which is below 64.
    #[inline]
    fn at_most(sums: u64, rank: u64) -> u32 {
        let at_most = (((rank * ONES) | TOPS) - sums) & TOPS;
        ((at_most >> 7).wrapping_mul(ONES) >> 56) as u32
    }
    for (first, word) in (0..).step_by(u64::BITS as usize).zip(words) {
        let pairs = word - ((word >> 1) & (ONES * 0x55));
        let nibbles = (pairs & (ONES * 0x33)) + ((pairs >> 2) & (ONES * 0x33));
        // byte i: ones in bytes 0 to i
        let sums = ((nibbles + (nibbles >> 4)) & (ONES * 0x0f)).wrapping_mul(ONES);
        let here = (sums >> 56) as u32;
        if rank < here {
            let shift = 8 * at_most(sums, u64::from(rank));
            let left = u64::from(rank) - (sums << 8 >> shift & 0xff);
            // byte i: bit i of the byte that holds it, then ones in its bits 0 to i
            let apart = ((word >> shift & 0xff) * ONES) & 0x8040_2010_0804_0201;
            let sums = ((apart + ONES * 0x7f) >> 7 & ONES).wrapping_mul(ONES);
            return Some(first + shift + at_most(sums, left));
        }
        rank -= here;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wordline_units::Seed;

    proptest! {
        /// Every logical page has one physical page, which names it as its owner; all others have none.
        #[test]
        fn both_directions_agree(
            shares in 1_usize..5,
            pages_per_block in prop_oneof![1_u32..150, 500_u32..2_600],
            filled in prop_oneof![0_u64..900, 0_u64..30_000],
            seed: u64,
        ) {
            let blocks = 40;
            let split: Vec<Share> = (0..shares as u64)
                .map(|share| {
                    let pages = filled.saturating_sub(share).div_ceil(shares as u64);
                    Share { pages, order: Permutation::new(pages.max(1), Seed(seed), "test") }
                })
                .collect();
            let wanted: Vec<u64> = split.iter().map(|share| share.pages).collect();
            let mut permuted = PermutedMap::new(split, blocks, pages_per_block);
            let mut left = wanted.clone();
            for block in 0..blocks {
                let share = block as usize * shares / blocks as usize;
                let mut chosen = vec![0_u64; pages_per_block.div_ceil(64) as usize];
                for page in (0..pages_per_block).filter(|page| !(page + block).is_multiple_of(3)) {
                    if left[share] > 0 {
                        left[share] -= 1;
                        chosen[page as usize / 64] |= 1 << (page % 64);
                    }
                }
                permuted.assign(share, block * 7 % blocks, pages_per_block, &chosen);
            }
            prop_assume!(left.iter().all(|left| *left == 0));
            for lpn in 0..filled + 5 {
                let page = permuted.page_of(lpn);
                prop_assert_eq!(page.is_some(), lpn < filled);
                prop_assert_eq!(permuted.holds(lpn), lpn < filled);
                if let Some(page) = page {
                    prop_assert_eq!(permuted.owner_of(page), Some(lpn));
                }
            }
            for (page, lpn) in (0..blocks).flat_map(|block| permuted.assigned_to(block)) {
                prop_assert_eq!(permuted.owner_of(page), Some(lpn));
            }
            prop_assert_eq!((0..blocks).flat_map(|block| permuted.assigned_to(block)).count() as u64, filled);
            let owned = (0..u64::from(blocks * pages_per_block)).filter_map(|page| permuted.owner_of(page));
            prop_assert_eq!(owned.count() as u64, filled);
        }
    }

    proptest! {
        #[test]
        fn finds_ones(words in prop::collection::vec(any::<u64>(), 1..4)) {
            let ones = (0..64 * words.len() as u32).filter(|bit| words[*bit as usize / 64] >> (bit % 64) & 1 == 1);
            let mut rank = 0;
            for bit in ones {
                prop_assert_eq!(nth_one(&words, rank), Some(bit));
                rank += 1;
            }
            prop_assert_eq!(nth_one(&words, rank), None);
        }
    }

    #[test]
    fn finds_ones_at_the_ends_of_bytes() {
        let word = 0b1001_0110_u64 | 1 << 63;
        let ones: Vec<u32> = (0..5).filter_map(|rank| nth_one(&[word], rank)).collect();
        assert_eq!(ones, [1, 2, 4, 7, 63]);
        let all: Vec<u32> = (0..64).filter_map(|rank| nth_one(&[u64::MAX], rank)).collect();
        assert_eq!(all, (0..64).collect::<Vec<_>>());
        assert_eq!((nth_one(&[0], 0), nth_one(&[], 0)), (None, None));
    }
}
