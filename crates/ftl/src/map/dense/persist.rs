//! What a map saves and loads.

use super::DenseMap;
use crate::state::archive::{Archive, ArchiveError, require};

/// Logical pages between two questions whether to go on.
const ASKED_EVERY: u64 = 1 << 20;

impl DenseMap {
    /// Passes the map to a state file or takes it from it; entries of a permuted map of so many blocks are materialized.
    /// Only the forward entries, the bitmaps and the skipped pages are in the file.
    pub(crate) fn archive(&mut self, archive: &mut Archive<'_>, blocks: u32) -> Result<(), ArchiveError> {
        self.materialize(blocks, &mut || archive.go_on())?;
        self.forward.archive(archive)?;
        let (mut partial, mut skipped) = (self.partial_pages(), self.skipped_pages());
        archive.part(&mut partial)?;
        archive.part(&mut skipped)?;
        if archive.is_loading() {
            self.restore(&partial, &skipped, &mut || archive.go_on())
        } else {
            Ok(())
        }
    }

    /// Computes the backward entries of forward ones that were loaded, and takes over bitmaps and skipped pages.
    fn restore(
        &mut self,
        partial: &[(u64, u64)],
        skipped: &[u64],
        go_on: &mut impl FnMut() -> Result<(), ArchiveError>,
    ) -> Result<(), ArchiveError> {
        let pages = self.backward.len();
        for lpn in 0..self.forward.len() {
            if lpn % ASKED_EVERY == 0 {
                go_on()?;
            }
            let entry = self.forward.get(lpn);
            let Some(page) = (entry & !self.partial_flag).checked_sub(1) else {
                continue;
            };
            let is_free = page < pages && self.backward.get(page) == 0;
            require(
                is_free,
                "a logical page on a page that the drive does not have, or that has two owners",
            )?;
            self.backward.set(page, lpn + 1);
            self.forward.set(lpn, page + 1);
        }
        for (lpn, bitmap) in partial {
            let inside = *lpn < self.forward.len();
            require(inside, "sub-pages of a logical page that the drive does not have")?;
            let entry = self.forward.get(*lpn);
            self.forward.set(*lpn, entry | self.partial_flag);
            self.partial.insert(*lpn, *bitmap);
        }
        for page in skipped {
            require(*page < pages, "a page given up that the drive does not have")?;
            self.skip(*page);
        }
        Ok(())
    }

    /// The pages that were given up, in order.
    fn skipped_pages(&self) -> Vec<u64> {
        let pages = 0..if self.has_skipped { self.backward.len() } else { 0 };
        pages.filter(|page| self.is_skipped(*page)).collect()
    }

    /// The logical pages whose sub-pages are not all valid, in order, with their bitmaps.
    pub(crate) fn partial_pages(&self) -> Vec<(u64, u64)> {
        #[expect(clippy::iter_over_hash_type, reason = "sorted at once")]
        let mut pages: Vec<(u64, u64)> = {
            let mut pages = Vec::with_capacity(self.partial.len());
            for (lpn, bitmap) in &self.partial {
                pages.push((*lpn, *bitmap));
            }
            pages
        };
        pages.sort_unstable();
        pages
    }
}
