//! The mapping that ageing left behind, computed where it is asked for.
//!
//! An aged drive of half a terabyte maps sixty million pages, most of which a run never looks at. So
//! ageing deals them out by rule: the k-th page that is dealt holds the k-th logical page of a
//! permutation. One bit for each physical page and a number for each block then tell the whole map, in
//! both directions.

use crate::permutation::Permutation;

/// Logical pages that are dealt out together: those that leave one remainder. Of all shares together the
/// pages of the lowest numbers hold data.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    /// How many of them hold data: those of the lowest numbers.
    pub(crate) pages: u64,
    /// The order in which they are dealt out.
    pub(crate) order: Permutation,
}

/// A block that pages of a share were dealt to.
#[derive(Clone, Copy, Debug)]
struct Dealt {
    /// Pages of the share that were dealt out before.
    before: u64,
    block: u32,
}

/// A share as far as it was dealt out.
#[derive(Clone, Debug)]
struct Hand {
    share: Share,
    /// The blocks that hold it, in order.
    blocks: Vec<Dealt>,
    /// For every `STRIDE`-th page: which of `blocks` holds it.
    hints: Vec<u32>,
    /// Pages dealt out so far.
    dealt: u64,
}

/// Pages between two hints: about as many as a block holds.
const STRIDE: u64 = 128;

impl Hand {
    /// The block that holds the page that was dealt out at a place in the order.
    fn block_at(&self, place: u64) -> Option<Dealt> {
        let mut at = *self.hints.get((place / STRIDE) as usize)? as usize;
        while self.blocks.get(at + 1).is_some_and(|next| next.before <= place) {
            at += 1;
        }
        self.blocks.get(at).copied()
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    pages_per_block: u64,
    /// Shares by the remainder that they leave.
    hands: Vec<Hand>,
    /// Logical pages that hold data: those of the lowest numbers.
    pages: u64,
    /// Words that hold the bits of a block.
    words: usize,
    /// Bit p: page p of the block was dealt a logical page.
    bits: Vec<u64>,
    /// For each block: its share, and the pages of that which were dealt out before.
    of_block: Vec<(u32, u64)>,
}

impl Past {
    pub(crate) fn new(shares: Vec<Share>, blocks: u32, pages_per_block: u32) -> Self {
        let words = pages_per_block.div_ceil(u64::BITS) as usize;
        Self {
            pages_per_block: u64::from(pages_per_block),
            pages: shares.iter().map(|share| share.pages).sum(),
            hands: shares
                .into_iter()
                .map(|share| Hand {
                    share,
                    blocks: Vec::new(),
                    hints: Vec::new(),
                    dealt: 0,
                })
                .collect(),
            words,
            bits: vec![0; words * blocks as usize],
            of_block: vec![(0, 0); blocks as usize],
        }
    }

    /// Deals logical pages of a share to those of the first `written` pages of a block that are
    /// `chosen`, in order. Tells how many.
    pub(crate) fn deal(
        &mut self,
        share: usize,
        block: u32,
        written: u32,
        mut chosen: impl FnMut(u32) -> bool,
    ) -> u32 {
        let bits = &mut self.bits[block as usize * self.words..][..self.words];
        let mut count = 0;
        for (first, word) in (0..written).step_by(u64::BITS as usize).zip(bits) {
            let pages = (written - first).min(u64::BITS);
            *word |= (0..pages).fold(0, |word, page| word | u64::from(chosen(first + page)) << page);
            count += word.count_ones();
        }
        let hand = &mut self.hands[share];
        let before = hand.dealt;
        self.of_block[block as usize] = (share as u32, before);
        if count > 0 {
            hand.dealt += u64::from(count);
            while hand.hints.len() as u64 * STRIDE < hand.dealt {
                hand.hints.push(hand.blocks.len() as u32);
            }
            hand.blocks.push(Dealt { before, block });
        }
        count
    }

    fn bits_of(&self, block: u32) -> &[u64] {
        &self.bits[block as usize * self.words..][..self.words]
    }

    /// The physical page that a logical page was dealt to.
    #[inline(never)]
    pub(crate) fn page_of(&self, lpn: u64) -> Option<u64> {
        if !self.holds(lpn) {
            return None;
        }
        let shares = self.hands.len() as u64;
        let hand = &self.hands[(lpn % shares) as usize];
        let place = hand.share.order.inverse(lpn / shares);
        let Dealt { before, block } = hand.block_at(place)?;
        let mut rank = (place - before) as u32;
        for (index, word) in (0_u64..).zip(self.bits_of(block)) {
            let here = word.count_ones();
            if rank < here {
                let page = index * u64::from(u64::BITS) + u64::from(nth_one(*word, rank));
                return Some(u64::from(block) * self.pages_per_block + page);
            }
            rank -= here;
        }
        None
    }

    /// The logical page that a physical page was dealt.
    #[inline(never)]
    pub(crate) fn owner_of(&self, page: u64) -> Option<u64> {
        let block = page / self.pages_per_block;
        let in_block = (page % self.pages_per_block) as u32;
        let bits = self.bits_of(block as u32);
        let (word, bit) = ((in_block / u64::BITS) as usize, 1_u64 << (in_block % u64::BITS));
        if bits[word] & bit == 0 {
            return None;
        }
        let before_in_block: u32 = bits[..word].iter().map(|word| word.count_ones()).sum::<u32>()
            + (bits[word] & (bit - 1)).count_ones();
        let (share, before) = self.of_block[block as usize];
        Some(self.logical_page(share, before + u64::from(before_in_block)))
    }

    /// The logical page at a place in the order of a share.
    fn logical_page(&self, share: u32, place: u64) -> u64 {
        let order = &self.hands[share as usize].share.order;
        order.of(place) * self.hands.len() as u64 + u64::from(share)
    }

    /// The pages of a block that were dealt logical ones, with these.
    pub(crate) fn dealt_to(&self, block: u32) -> impl Iterator<Item = (u64, u64)> {
        let (share, before) = self.of_block[block as usize];
        let bits = self.bits_of(block);
        (0..self.pages_per_block)
            .filter(|page| {
                bits[(page / u64::from(u64::BITS)) as usize] >> (page % u64::from(u64::BITS)) & 1 == 1
            })
            .zip(before..)
            .map(move |(page, place)| {
                let page = u64::from(block) * self.pages_per_block + page;
                (page, self.logical_page(share, place))
            })
    }

    /// Logical pages that were dealt out: those of the lowest numbers.
    pub(crate) fn pages(&self) -> u64 {
        self.pages
    }

    /// Whether a logical page was dealt out.
    pub(crate) fn holds(&self, lpn: u64) -> bool {
        lpn < self.pages
    }
}

/// Index of the one that has `rank` ones below it.
fn nth_one(mut word: u64, rank: u32) -> u32 {
    for _ in 0..rank {
        word &= word - 1;
    }
    word.trailing_zeros()
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
            pages_per_block in 1_u32..150,
            filled in 0_u64..900,
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
            let mut past = Past::new(split, blocks, pages_per_block);
            let mut left = wanted.clone();
            for block in 0..blocks {
                let share = block as usize % shares;
                let mut choose = |page: u32| {
                    let chosen = left[share] > 0 && !(page + block).is_multiple_of(3);
                    left[share] -= u64::from(chosen);
                    chosen
                };
                past.deal(share, block * 7 % blocks, pages_per_block, &mut choose);
            }
            prop_assume!(left.iter().all(|left| *left == 0));
            for lpn in 0..filled + 5 {
                let page = past.page_of(lpn);
                prop_assert_eq!(page.is_some(), lpn < filled);
                prop_assert_eq!(past.holds(lpn), lpn < filled);
                if let Some(page) = page {
                    prop_assert_eq!(past.owner_of(page), Some(lpn));
                }
            }
            for (page, lpn) in (0..blocks).flat_map(|block| past.dealt_to(block)) {
                prop_assert_eq!(past.owner_of(page), Some(lpn));
            }
            prop_assert_eq!((0..blocks).flat_map(|block| past.dealt_to(block)).count() as u64, filled);
            let owned = (0..u64::from(blocks * pages_per_block)).filter_map(|page| past.owner_of(page));
            prop_assert_eq!(owned.count() as u64, filled);
        }
    }

    #[test]
    fn finds_ones() {
        let word = 0b1001_0110_u64 | 1 << 63;
        let ones: Vec<u32> = (0..5).map(|rank| nth_one(word, rank)).collect();
        assert_eq!(ones, [1, 2, 4, 7, 63]);
    }
}
