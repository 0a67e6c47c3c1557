//! Whether a map that was loaded fits its blocks.

use super::PageMap;
use crate::archive::{ArchiveError, require};
use crate::page::blocks::Blocks;

impl PageMap {
    /// Checks that both directions agree, that bitmaps belong to mapped pages, and that every block has as many current pages
    /// as it counts, all of them among those it has passed. A page is given up only where `skips` says that this happens.
    pub(in crate::page) fn check(
        &self,
        user_pages: u64,
        blocks: &Blocks,
        pages_per_block: u64,
        skips: bool,
    ) -> Result<(), ArchiveError> {
        let pages = blocks.role.len() as u64 * pages_per_block;
        let mut partial = 0;
        for lpn in 0..user_pages {
            let entry = self.forward.get(lpn);
            let Some(page) = (entry & !self.partial_flag).checked_sub(1) else {
                continue;
            };
            let agreed = page < pages && self.owner(page) == Some(lpn);
            require(agreed, "a logical page on a physical one that is not its own")?;
            if entry & self.partial_flag != 0 {
                let bitmap = self.partial.get(&lpn).copied().unwrap_or_default();
                let some = bitmap != 0 && bitmap & !self.full == 0 && bitmap != self.full;
                require(some, "a page in part, without the sub-pages that hold data")?;
                partial += 1;
            }
        }
        require(
            partial == self.partial.len(),
            "sub-pages of a logical page that is whole or not mapped",
        )?;
        for block in 0..blocks.role.len() as u32 {
            let first = u64::from(block) * pages_per_block;
            let written = u64::from(blocks.written[block as usize]);
            let mut valid = 0;
            for page in first..first + pages_per_block {
                let passed = page - first < written;
                if self.is_skipped(page) {
                    require(passed && skips, "a page that was given up where none is")?;
                } else if let Some(lpn) = self.owner(page) {
                    let agreed = lpn < user_pages && self.lookup(lpn) == Some(page);
                    require(agreed, "a physical page of a logical one that is elsewhere")?;
                    require(passed, "current data on a page that is not programmed")?;
                    valid += 1;
                }
            }
            let counted = blocks.valid(block) == valid;
            require(
                counted,
                "a block with another number of current pages than it counts",
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Victim;
    use crate::contract::BlockRole;
    use crate::page::tests::archived::{Change, first, refuses};

    #[test]
    fn maps_that_contradict_themselves_are_refused() {
        let changes: [(Change, &str); 12] = [
            (|ftl| ftl.map.forward.set(5, 1 << 20), "not its own"),
            (
                |ftl| ftl.map.forward.set(5, ftl.map.forward.get(6)),
                "not its own",
            ),
            (|ftl| ftl.map.skip(ftl.map.lookup(5).unwrap()), "not its own"),
            (|ftl| ftl.map.forward.set(5, 0), "elsewhere"),
            (
                |ftl| {
                    let page = ftl.first_page(first(ftl, BlockRole::Free));
                    ftl.map.backward.set(page, 1 << 20);
                },
                "elsewhere",
            ),
            (
                |ftl| {
                    ftl.map.partial.remove(&0);
                },
                "without the sub-pages",
            ),
            (
                |ftl| {
                    ftl.map.partial.insert(0, 0);
                },
                "without the sub-pages",
            ),
            (
                |ftl| {
                    ftl.map.partial.insert(0, 1 << 63);
                },
                "without the sub-pages",
            ),
            (
                |ftl| {
                    ftl.map.partial.insert(7, 1);
                },
                "whole or not mapped",
            ),
            (
                |ftl| ftl.map.skip(ftl.first_page(first(ftl, BlockRole::Free))),
                "given up where none",
            ),
            (
                |ftl| {
                    let page = ftl.first_page(first(ftl, BlockRole::Free));
                    ftl.map.map(5, page, ftl.map.full);
                },
                "not programmed",
            ),
            (
                |ftl| {
                    let page = ftl.map.lookup(5).unwrap();
                    ftl.map.forward.set(5, 0);
                    ftl.map.backward.set(page, ftl.map.empty);
                },
                "than it counts",
            ),
        ];
        refuses(Victim::Greedy, &changes);
    }
}
