//! The page map in both directions, as wide as the number of pages needs.

mod counts;
mod persist;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rustc_hash::FxHashMap;
use wordline_nand::Ppn;

use super::by_rule::OwnersByRule;
use super::packed::Packed;
use super::permuted::PermutedMap;
use super::touched::TouchedRegions;
use super::{HostMap, Relocate};

/// Logical page to physical page and sub-page bitmap, and back.
///
/// Forward entries hold the physical page plus one; their top bit says that not all sub-pages
/// hold data, and the bitmap is then kept aside; that bit alone is a page that lost its data. Backward
/// entries hold the logical page plus one; all ones is a page that was given up, one less a page without
/// current data. Entries that were never set are those of the permuted map, where there is one.
#[derive(Clone, Debug)]
pub(crate) struct DenseMap {
    forward: Packed,
    backward: Packed,
    permuted: Option<Box<PermutedMap>>,
    /// Where there is a permuted map: the parts of the forward map where entries were set since.
    touched: TouchedRegions,
    /// Bitmaps of the mapped pages that are not full.
    partial: FxHashMap<u64, u64>,
    partial_flag: u64,
    skipped: u64,
    /// Whether any page was ever given up.
    has_skipped: bool,
    empty: u64,
    full: u64,
}

/// The most physical pages that entries of 40 bits, one of them a flag, can number.
pub(crate) const MOST_PAGES: u64 = (1 << 39) - 2;

impl DenseMap {
    pub(crate) fn new(user_pages: u64, physical_pages: u64, full: u64) -> Self {
        Self::with_width(user_pages, physical_pages, full, physical_pages + 1 >= 1 << 31)
    }

    fn with_width(user_pages: u64, physical_pages: u64, full: u64, wide: bool) -> Self {
        Self {
            forward: Packed::new(user_pages, wide),
            backward: Packed::new(physical_pages, wide),
            partial: FxHashMap::default(),
            partial_flag: if wide { 1 << 39 } else { 1 << 31 },
            skipped: if wide { (1 << 40) - 1 } else { (1 << 32) - 1 },
            empty: if wide { (1 << 40) - 2 } else { (1 << 32) - 2 },
            permuted: None,
            has_skipped: false,
            touched: TouchedRegions::new(user_pages),
            full,
        }
    }

    /// A logical page will be looked up; where [`Self::prefetch_next`] is called too, this call comes first.
    #[inline]
    pub(crate) fn prefetch(&self, lpn: u64) {
        match &self.permuted {
            Some(permuted) if !self.touched.is_near(lpn) => permuted.prefetch(lpn),
            _ => self.forward.prefetch(lpn),
        }
    }

    /// A logical page that `prefetch` was called for will be looked up soon.
    #[inline]
    pub(crate) fn prefetch_next(&self, lpn: u64) {
        match (self.set_since(lpn), &self.permuted) {
            (0, Some(permuted)) => permuted.prefetch_next(lpn),
            (entry, _) => {
                if let Some(page) = (entry & !self.partial_flag).checked_sub(1) {
                    self.backward.prefetch(page);
                }
            }
        }
    }

    /// Asks for large memory pages behind a fresh map.
    pub(crate) fn ask_for_large_pages(&mut self) {
        self.forward.ask_for_large_pages();
        self.backward.ask_for_large_pages();
    }

    /// Gives a fresh map entries by rule.
    pub(crate) fn assign_by_rule(&mut self, permuted: PermutedMap) {
        self.permuted = Some(Box::new(permuted));
    }

    /// Assigns the next logical pages of a share to pages of a block; see [`PermutedMap::assign`].
    pub(crate) fn assign(&mut self, share: usize, block: u32, written: u32, chosen: &[u64]) -> u32 {
        let permuted = self.permuted.as_deref_mut();
        permuted.map_or(0, |permuted| permuted.assign(share, block, written, chosen))
    }

    /// Writes the entries of the permuted map into the tables, block by block, and drops it. `go_on` is asked before each block.
    ///
    /// # Errors
    /// That of `go_on`; the map is then of no use any more.
    pub(crate) fn materialize<E>(
        &mut self,
        blocks: u32,
        go_on: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        for block in 0..blocks {
            go_on()?;
            self.materialize_block(block);
        }
        self.drop_rule();
        Ok(())
    }

    /// Writes the entries of the permuted map for the pages of a block into the tables; what was set since is newer.
    pub(crate) fn materialize_block(&mut self, block: u32) {
        // meanwhile no entry counts as set since
        let Some(permuted) = self.permuted.take() else {
            return;
        };
        for (page, lpn) in permuted.assigned_to(block) {
            if self.forward.get(lpn) == 0 {
                self.materialize_page(lpn, page);
            }
        }
        self.permuted = Some(permuted);
    }

    /// Drops the permuted map, all of whose entries are in the tables.
    pub(crate) fn drop_rule(&mut self) {
        self.permuted = None;
    }

    /// The owners of all pages, where a rule gives them and nothing was set since.
    pub(crate) fn owners_by_rule(&self) -> Option<OwnersByRule> {
        let is_by_rule = self.touched.is_empty() && !self.has_skipped;
        self.permuted
            .clone()
            .filter(|_| is_by_rule)
            .map(OwnersByRule::new)
    }

    /// Entry of a logical page: by rule where none was set.
    #[inline]
    fn entry(&self, lpn: u64) -> u64 {
        let entry = self.set_since(lpn);
        if entry == 0 && self.permuted.is_some() {
            return self.entry_by_rule(lpn);
        }
        entry
    }

    #[inline(never)]
    fn entry_by_rule(&self, lpn: u64) -> u64 {
        let page = self.permuted.as_ref().and_then(|permuted| permuted.page_of(lpn));
        page.map_or(0, |page| page + 1)
    }

    fn materialize_page(&mut self, lpn: u64, page: u64) {
        debug_assert!(
            self.forward.get(lpn) == 0 && self.backward.get(page) == 0,
            "set already"
        );
        self.set(lpn, page + 1);
        self.backward.set(page, lpn + 1);
    }

    /// Sets the entry of a logical page.
    #[inline]
    fn set(&mut self, lpn: u64, entry: u64) {
        if self.permuted.is_some() {
            self.touched.touch(lpn);
        }
        self.forward.set(lpn, entry);
    }

    /// Entry of a logical page; where there is a permuted, zero where none was set since. Does not touch the map where
    /// nothing near was set: memory that nobody touched yet takes its time, even if it is only read.
    #[inline]
    fn set_since(&self, lpn: u64) -> u64 {
        if self.permuted.is_some() && !self.touched.is_near(lpn) {
            return 0;
        }
        self.forward.get(lpn)
    }

    /// Physical page of a logical page.
    #[inline]
    pub(crate) fn lookup(&self, lpn: u64) -> Option<u64> {
        (self.entry(lpn) & !self.partial_flag).checked_sub(1)
    }

    /// Whether a logical page has a physical one.
    pub(crate) fn is_mapped(&self, lpn: u64) -> bool {
        match (self.set_since(lpn), &self.permuted) {
            (0, Some(permuted)) => permuted.holds(lpn),
            (entry, _) => entry & !self.partial_flag != 0,
        }
    }

    /// Logical pages that it has entries for.
    pub(crate) fn logical_pages(&self) -> u64 {
        self.forward.len()
    }

    /// Valid sub-pages of a logical page; none where it is not mapped.
    #[inline]
    pub(crate) fn bitmap(&self, lpn: u64) -> u64 {
        self.get(lpn).map_or(0, |(_, bitmap)| bitmap)
    }

    /// Notes which sub-pages of a logical page hold data; the flag of its entry.
    #[inline(never)]
    fn record_partial(&mut self, lpn: u64, bitmap: u64) -> u64 {
        if bitmap == self.full {
            self.partial.remove(&lpn);
            0
        } else {
            self.partial.insert(lpn, bitmap);
            self.partial_flag
        }
    }

    pub(crate) fn is_skipped(&self, page: u64) -> bool {
        self.backward.get(page) == self.skipped
    }

    /// A page was given up without being programmed.
    pub(crate) fn skip(&mut self, page: u64) {
        self.has_skipped = true;
        self.backward.set(page, self.skipped);
    }
}

impl HostMap for DenseMap {
    /// As [`Self::get`], and materializes an entry by rule, so that it is computed only once.
    #[inline]
    fn resolve(&mut self, lpn: u64) -> Option<(u64, u64)> {
        if self.set_since(lpn) == 0
            && let Some(page) = self.permuted.as_ref().and_then(|permuted| permuted.page_of(lpn))
        {
            self.materialize_page(lpn, page);
        }
        self.get(lpn)
    }

    /// Physical page and valid sub-pages of a logical page.
    #[inline]
    fn get(&self, lpn: u64) -> Option<(u64, u64)> {
        let entry = self.entry(lpn);
        let page = (entry & !self.partial_flag).checked_sub(1)?;
        if entry & self.partial_flag == 0 {
            Some((page, self.full))
        } else {
            Some((page, self.partial.get(&lpn).copied().unwrap_or(self.full)))
        }
    }

    /// Maps a logical page both ways and returns the physical page it had, whose own entry is
    /// then empty.
    #[inline(always)]
    fn map(&mut self, lpn: u64, page: u64, bitmap: u64) -> Option<u64> {
        let entry = self.entry(lpn);
        let mut flag = 0;
        if bitmap != self.full || entry & self.partial_flag != 0 {
            flag = self.record_partial(lpn, bitmap);
        }
        self.set(lpn, (page + 1) | flag);
        self.backward.set(page, lpn + 1);
        let old = (entry & !self.partial_flag).checked_sub(1)?;
        self.backward.set(old, self.empty);
        Some(old)
    }

    /// Forgets sub-pages; returns the physical page that lost its last one.
    fn forget(&mut self, lpn: u64, bitmap: u64) -> Option<u64> {
        let (page, valid) = self.resolve(lpn)?;
        let left = valid & !bitmap;
        if left == valid {
            return None;
        }
        if left != 0 {
            self.partial.insert(lpn, left);
            self.set(lpn, (page + 1) | self.partial_flag);
            return None;
        }
        self.partial.remove(&lpn);
        self.set(lpn, self.partial_flag);
        self.backward.set(page, self.empty);
        Some(page)
    }

    /// Gets the cache ready for a change of a physical page's entry.
    #[inline]
    fn prefetch_physical(&self, page: u64) {
        self.backward.prefetch(page);
    }
}

/// Jobs read no forward entry of a page that they move where all pages are full: one cache miss less for each.
impl Relocate for DenseMap {
    #[inline]
    fn owner(&self, page: u64) -> Option<u64> {
        match (self.backward.get(page), &self.permuted) {
            (0, Some(permuted)) => permuted.owner_of(page),
            (entry, _) if entry >= self.empty => None,
            (entry, _) => entry.checked_sub(1),
        }
    }

    #[inline]
    fn owner_to_move(&mut self, page: u64) -> Option<u64> {
        if self.backward.get(page) == 0
            && let Some(permuted) = &self.permuted
        {
            match permuted.owner_of(page) {
                Some(lpn) => self.materialize_page(lpn, page),
                None => self.backward.set(page, self.empty),
            }
        }
        self.owner(page)
    }

    #[inline]
    fn sectors(&self, lpn: u64) -> u64 {
        if self.partial.is_empty() {
            self.full
        } else {
            self.bitmap(lpn)
        }
    }

    #[inline]
    fn prefetch_owner(&self, lpn: u64) {
        self.forward.prefetch(lpn);
    }

    #[inline]
    fn relocate(&mut self, lpn: u64, from: u64, to: u64) {
        let flag = if self.partial.is_empty() {
            0
        } else {
            self.forward.get(lpn) & self.partial_flag
        };
        self.set(lpn, (to + 1) | flag);
        self.backward.set(to, lpn + 1);
        self.backward.set(from, self.empty);
    }

    fn relocate_all(&mut self, lpns: &[u64], from: &[Ppn], to: u64) {
        match (&mut self.forward, &mut self.backward) {
            (Packed::Narrow(forward), Packed::Narrow(backward))
                if self.partial.is_empty() && self.permuted.is_none() =>
            {
                for ((lpn, from), to) in lpns.iter().zip(from).zip(to..) {
                    forward[*lpn as usize] = to as u32 + 1;
                    backward[to as usize] = *lpn as u32 + 1;
                    backward[from.0 as usize] = self.empty as u32;
                }
            }
            _ => {
                for ((lpn, from), to) in lpns.iter().zip(from).zip(to..) {
                    self.relocate(*lpn, from.0, to);
                }
            }
        }
    }

    fn erased(&mut self, pages: Range<u64>) {
        if self.has_skipped {
            for page in pages {
                self.backward.set(page, self.empty);
            }
        }
    }

    fn current_pages(&mut self, pages: Range<u64>, live: &mut Vec<Ppn>, owners: &mut Vec<u64>) {
        live.clear();
        owners.clear();
        match &self.backward {
            Packed::Narrow(entries) if self.permuted.is_none() => {
                let entries = &entries[pages.start as usize..pages.end as usize];
                live.resize(entries.len(), Ppn(0));
                owners.resize(entries.len(), 0);
                // whether a page is current follows no pattern that could be predicted: no branch on it
                let mut count = 0;
                for (page, entry) in pages.zip(entries) {
                    let lpn = u64::from(*entry).wrapping_sub(1);
                    live[count] = Ppn(page);
                    owners[count] = lpn;
                    count += usize::from(lpn < self.empty - 1);
                }
                live.truncate(count);
                owners.truncate(count);
            }
            _ => {
                for page in pages {
                    if let Some(lpn) = self.owner_to_move(page) {
                        live.push(Ppn(page));
                        owners.push(lpn);
                    }
                }
            }
        }
        for lpn in owners {
            self.forward.prefetch(*lpn);
        }
    }
}
