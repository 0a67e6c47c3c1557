//! The two-level index over valid counts: the least one of each group of blocks.

use std::ops::Range;

use super::{Blocks, GROUP, HELD};

impl Blocks {
    #[inline]
    pub(super) fn group_of(&self, block: u32) -> usize {
        let plane = self.plane_of(block);
        let in_plane = block - plane * self.geometry.blocks_per_plane;
        (plane * self.groups_per_plane + in_plane / GROUP) as usize
    }

    fn group_blocks(&self, group: u32) -> Range<u32> {
        let first_of_plane = group / self.groups_per_plane * self.geometry.blocks_per_plane;
        let from = group % self.groups_per_plane * GROUP;
        first_of_plane + from..first_of_plane + (from + GROUP).min(self.geometry.blocks_per_plane)
    }

    /// Takes a candidate out of the running, and brings the index up to date.
    pub(crate) fn exclude_candidate(&mut self, block: u32) {
        self.valid[block as usize] |= HELD;
        let group = self.group_of(block);
        let blocks = self.group_blocks(group as u32);
        self.least[group] = least(&self.valid[blocks.start as usize..blocks.end as usize]);
    }

    /// Fewest valid pages of a candidate of the pool.
    pub(crate) fn least_valid(&self, pool: u32) -> Option<u32> {
        let least = self.least_of(pool);
        (least < HELD).then_some(u32::from(least))
    }

    /// The same, `HELD` without a candidate.
    fn least_of(&self, pool: u32) -> u16 {
        let groups = self.groups_of(pool);
        least(&self.least[groups.start as usize..groups.end as usize])
    }

    fn groups_of(&self, pool: u32) -> Range<u32> {
        pool * self.groups_per_pool..(pool + 1) * self.groups_per_pool
    }

    /// Tells the candidates of a pool with the fewest valid pages, by index.
    #[inline]
    pub(crate) fn least_candidates(&self, pool: u32, mut found: impl FnMut(u32)) {
        let least = self.least_of(pool);
        if least >= HELD {
            return;
        }
        let groups = self.groups_of(pool);
        let of_pool = &self.least[groups.start as usize..groups.end as usize];
        let mut first = self.of_pool(pool).start;
        for plane in of_pool.chunks(self.groups_per_plane as usize) {
            let end = first + self.geometry.blocks_per_plane;
            // A group's least is never above what its blocks have, so other groups hold none.
            let groups = (first..end).step_by(GROUP as usize).zip(plane);
            for (from, _) in groups.filter(|(_, lowest)| **lowest == least) {
                let valid = &self.valid[from as usize..(from + GROUP).min(end) as usize];
                let mut these = equal(valid, least);
                while these != 0 {
                    found(from + these.trailing_zeros());
                    these &= these - 1;
                }
            }
            first = end;
        }
    }
}

/// The least of valid counts, at most `HELD`.
fn least(counts: &[u16]) -> u16 {
    counts.iter().fold(HELD, |least, count| least.min(*count))
}

/// Which of the counts of a group are equal to `value`, by bits. A whole group is compared without branches.
fn equal(counts: &[u16], value: u16) -> u32 {
    match <&[u16; GROUP as usize]>::try_from(counts) {
        Ok(group) => bits(group, value),
        Err(_) => bits(counts, value),
    }
}

#[inline(always)]
fn bits(counts: &[u16], value: u16) -> u32 {
    let equal = counts
        .iter()
        .zip(0..)
        .map(|(count, at)| u32::from(*count == value) << at);
    equal.fold(0, |all, bit| all | bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole groups and parts of one.
    #[test]
    fn equal_counts_are_found() {
        for blocks in 1..=GROUP {
            let counts: Vec<u16> = (0..blocks).map(|block| (block * 7 % 5) as u16).collect();
            for value in [0, 3, HELD] {
                let found: Vec<u32> = (0..u32::BITS)
                    .filter(|bit| equal(&counts, value) >> bit & 1 == 1)
                    .collect();
                let expected = (0..blocks).filter(|block| counts[*block as usize] == value);
                assert_eq!(found, expected.collect::<Vec<_>>(), "{blocks} {value}");
            }
        }
    }
}
