//! Whether frontiers that were loaded fit their blocks.

use super::{FRONTIERS, Frontiers, NONE};
use crate::archive::{ArchiveError, require};
use crate::contract::BlockRole;
use crate::page::blocks::Blocks;
use crate::plan::Frontier;

impl Frontiers {
    /// Whether active blocks are open ones of their plane and frontier.
    pub(super) fn fit(blocks: &Blocks, active: &[u32]) -> bool {
        let fits = |(slot, block): (usize, &u32)| {
            let at = *block as usize;
            at < blocks.role.len()
                && blocks.role[at] == BlockRole::Open
                && usize::from(blocks.frontier[at]) == slot % FRONTIERS
                && blocks.plane_of(*block) as usize == slot / FRONTIERS
        };
        let mut taken = active.iter().enumerate().filter(|(_, block)| **block != NONE);
        taken.all(fits)
    }

    /// Checks what was loaded against blocks that were checked.
    pub(in crate::page) fn check(&self, blocks: &Blocks) -> Result<(), ArchiveError> {
        require(Self::fit(blocks, &self.active), "active blocks that are not open")?;
        let inside = self.cursor.iter().all(|cursor| *cursor < self.blocks_per_plane);
        require(inside, "a cursor beyond the blocks of its plane")?;
        let mut available = vec![0; self.available.len()];
        for block in 0..blocks.role.len() as u32 {
            let frontier = Frontier(blocks.frontier[block as usize]);
            let may_open = match blocks.role[block as usize] {
                BlockRole::Free => true,
                BlockRole::Open => self.active(blocks.plane_of(block), frontier) != Some(block),
                BlockRole::Closed | BlockRole::Bad => false,
            };
            if may_open {
                let (word, bit) = self.bit(block);
                available[word] |= bit;
            }
        }
        require(
            available == self.available,
            "blocks to be opened that are neither free nor open, or others",
        )?;
        for (plane, freed) in (0..).zip(&self.freed) {
            let mut freed: Vec<u32> = freed.iter().copied().collect();
            freed.sort_unstable();
            let free = (plane * self.blocks_per_plane..(plane + 1) * self.blocks_per_plane)
                .filter(|block| blocks.role[*block as usize] == BlockRole::Free);
            require(
                freed.into_iter().eq(free),
                "a queue of other blocks than the free ones",
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Victim;
    use crate::page::tests::archived::{Change, first, refuses};

    #[test]
    fn frontiers_that_contradict_themselves_are_refused() {
        let changes: [(Change, &str); 6] = [
            (|ftl| ftl.frontiers.active[0] = 100_000, "not open"),
            (
                |ftl| ftl.frontiers.active[0] = first(ftl, BlockRole::Closed),
                "not open",
            ),
            (|ftl| ftl.frontiers.cursor[0] = 40, "cursor"),
            (|ftl| ftl.frontiers.available[0] ^= 1 << 63, "to be opened"),
            (
                |ftl| ftl.frontiers.park(first(ftl, BlockRole::Closed)),
                "to be opened",
            ),
            (
                |ftl| ftl.frontiers.freed[0].push_back(100_000),
                "than the free ones",
            ),
        ];
        refuses(Victim::Greedy, &changes);
    }
}
