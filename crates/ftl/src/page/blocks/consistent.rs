//! Whether a block table that was loaded holds together.

use super::{Blocks, least};
use crate::archive::{ArchiveError, require};
use crate::contract::BlockRole;
use crate::page::frontiers::Frontiers;

/// Whether a block may have this role after so many of its pages were passed.
pub(in crate::page) const fn fits(role: BlockRole, written: u32, pages_per_block: u32) -> bool {
    match role {
        BlockRole::Free => written == 0,
        BlockRole::Open => written < pages_per_block,
        BlockRole::Closed | BlockRole::Bad => written <= pages_per_block,
    }
}

impl Blocks {
    /// Checks what was loaded while nothing is under way; `is_victim` tells the blocks that collections have taken. The map
    /// checks the counts of valid pages.
    pub(in crate::page) fn check(&self, is_victim: impl Fn(u32) -> bool) -> Result<(), ArchiveError> {
        for block in 0..self.role.len() as u32 {
            let at = block as usize;
            let (role, written) = (self.role[at], u32::from(self.written[at]));
            require(
                fits(role, written, self.geometry.pages_per_block) && Frontiers::exists(self.frontier[at]),
                "a block whose role does not fit its pages",
            )?;
            require(self.pending[at] == 0, "programs that are not done")?;
            require(
                self.is_candidate(block) == (role == BlockRole::Closed && !is_victim(block)),
                "a candidate for collection that cannot be one, or one that is left out",
            )?;
            let (count, times) = self.stale.get(at).copied().unwrap_or_default();
            require(
                count <= written && times <= u128::from(count) * u128::from(u64::MAX),
                "a block with more invalidated pages than programmed ones",
            )?;
        }
        for (group, found) in (0..).zip(&self.least) {
            let blocks = self.group_blocks(group);
            let expected = least(&self.valid[blocks.start as usize..blocks.end as usize]);
            require(
                *found == expected,
                "an index of candidates that does not fit them",
            )?;
        }
        for (pool, queue) in (0..).zip(&self.queue) {
            let mut queued: Vec<u32> = queue.iter().copied().collect();
            queued.sort_unstable();
            let closed = self
                .of_pool(pool)
                .filter(|block| self.role[*block as usize] == BlockRole::Closed);
            require(
                queued.into_iter().eq(closed),
                "a queue of other blocks than the closed ones",
            )?;
        }
        let may_fail = |block: &u32| {
            let role = self.role.get(*block as usize);
            matches!(role, Some(BlockRole::Closed | BlockRole::Bad))
        };
        require(self.failed.iter().all(may_fail), "a failed block that is in use")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Victim;
    use crate::page::PageFtl;
    use crate::page::tests::archived::{Change, first, refuses};

    /// So many pages of the first block of a role were passed.
    fn pass(ftl: &mut PageFtl, role: BlockRole, pages: u16) {
        let block = first(ftl, role);
        ftl.blocks.written[block as usize] = pages;
    }

    #[test]
    fn blocks_that_contradict_themselves_are_refused() {
        let changes: [(Change, &str); 8] = [
            (|ftl| pass(ftl, BlockRole::Free, 1), "does not fit"),
            (|ftl| pass(ftl, BlockRole::Open, 64), "does not fit"),
            (|ftl| pass(ftl, BlockRole::Closed, 65), "does not fit"),
            (|ftl| ftl.blocks.frontier[0] = 3, "does not fit"),
            (|ftl| ftl.blocks.pending[0] = 1, "not done"),
            (|ftl| ftl.blocks.offer(first(ftl, BlockRole::Free)), "left out"),
            (|ftl| ftl.blocks.least[0] ^= 1, "index of candidates"),
            (
                |ftl| {
                    ftl.blocks.failed.insert(100_000);
                },
                "failed block",
            ),
        ];
        refuses(Victim::Greedy, &changes);
        refuses(
            Victim::Fegc,
            &[(|ftl| ftl.blocks.stale[0].0 = u32::MAX, "invalidated pages")],
        );
        let changes: [(Change, &str); 3] = [
            (
                |ftl| ftl.blocks.queue[0].push_back(100_000),
                "than the closed ones",
            ),
            (
                |ftl| {
                    ftl.blocks.queue[0].pop_front();
                },
                "than the closed ones",
            ),
            (
                |ftl| {
                    let again = ftl.blocks.queue[1][0];
                    ftl.blocks.queue[1].push_back(again)
                },
                "than the closed ones",
            ),
        ];
        refuses(Victim::Fifo, &changes);
    }
}
