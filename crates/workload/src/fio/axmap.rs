//! A set of blocks that tells quickly which block behind a place is not in it: bits, and above each 64 words of bits a word that tells which of them are full.

/// Blocks of a region that were visited.
#[derive(Clone, Debug)]
pub(crate) struct Visited {
    blocks: u64,
    /// The lowest level first; a bit of a higher one stands for a word that is full.
    levels: Vec<Vec<u64>>,
}

impl Visited {
    /// None of so many blocks, at least 1.
    pub(crate) fn none_of(blocks: u64) -> Self {
        let mut levels = Vec::new();
        let mut count = blocks;
        loop {
            count = count.div_ceil(64);
            levels.push(vec![0; usize::try_from(count).unwrap_or(usize::MAX)]);
            if count == 1 {
                break;
            }
        }
        let mut found = Self { blocks, levels };
        found.clear();
        found
    }

    /// No block is visited.
    pub(crate) fn clear(&mut self) {
        for level in &mut self.levels {
            level.fill(0);
        }
        // what lies behind the last block is never found
        let mut count = self.blocks;
        for level in &mut self.levels {
            if let Some(last) = level.last_mut()
                && !count.is_multiple_of(64)
            {
                *last = u64::MAX << (count % 64);
            }
            count = count.div_ceil(64);
        }
    }

    pub(crate) fn holds(&self, block: u64) -> bool {
        self.levels[0][(block / 64) as usize] & (1 << (block % 64)) != 0
    }

    /// Visits a block.
    pub(crate) fn add(&mut self, block: u64) {
        let mut place = block;
        for level in &mut self.levels {
            let word = &mut level[(place / 64) as usize];
            *word |= 1 << (place % 64);
            if *word < u64::MAX {
                return;
            }
            place /= 64;
        }
    }

    /// The first block from `block` on that was not visited.
    pub(crate) fn next_free(&self, block: u64) -> Option<u64> {
        let mut place = block;
        let mut level = 0;
        // up, until a word has a free place at or behind this one
        loop {
            let words = self.levels.get(level)?;
            let word = (place / 64) as usize;
            let free = !words.get(word)? & (u64::MAX << (place % 64));
            if free != 0 {
                place = word as u64 * 64 + u64::from(free.trailing_zeros());
                break;
            }
            place = place / 64 + 1;
            level += 1;
        }
        // and down to its first free block
        while level > 0 {
            level -= 1;
            let free = !self.levels[level][place as usize];
            place = place * 64 + u64::from(free.trailing_zeros());
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// The same answers as a plain set, also behind the last block and across levels.
        #[test]
        fn free_blocks_are_found(
            blocks in prop::sample::select(vec![1_u64, 63, 64, 65, 4095, 4096, 4097, 9000]),
            visits in prop::collection::vec((0_u64..9000, 1_u64..600), 0..60),
            asked in prop::collection::vec(0_u64..9000, 20),
        ) {
            let mut visited = Visited::none_of(blocks);
            let mut plain = BTreeSet::new();
            for (first, count) in visits {
                for block in first..(first + count).min(blocks) {
                    visited.add(block);
                    plain.insert(block);
                }
            }
            for block in asked.into_iter().filter(|block| *block < blocks) {
                prop_assert_eq!(visited.holds(block), plain.contains(&block));
                prop_assert_eq!(visited.next_free(block), (block..blocks).find(|free| !plain.contains(free)));
            }
            visited.clear();
            prop_assert_eq!(visited.next_free(0), Some(0));
        }
    }
}
