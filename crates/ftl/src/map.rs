//! Maps between logical and physical pages.

mod by_rule;
mod dense;
mod packed;
mod permuted;
mod touched;

use std::ops::Range;

use wordline_nand::Ppn;

pub use by_rule::OwnersByRule;
pub(crate) use dense::{DenseMap, MOST_PAGES};
pub(crate) use permuted::PermutedMap;
pub use permuted::Share;

/// What the requests of the host ask of a mapping's map.
pub(crate) trait HostMap: Relocate {
    /// Where a logical page is and its sub-pages that hold data, if it is mapped; it will be changed.
    fn resolve(&mut self, lpn: u64) -> Option<(u64, u64)> {
        self.get(lpn)
    }

    /// The same, without preparing a change.
    fn get(&self, lpn: u64) -> Option<(u64, u64)>;

    /// A logical page is at a physical page now, with these sub-pages; where it was.
    fn map(&mut self, lpn: u64, page: u64, sectors: u64) -> Option<u64>;

    /// Sub-pages of a logical page hold no data any more; where it was, if none is left.
    fn forget(&mut self, lpn: u64, sectors: u64) -> Option<u64>;

    /// The entry of a physical page will be changed soon.
    fn prefetch_physical(&self, _page: u64) {}
}

/// What the jobs that relocate pages ask of a mapping: which pages are current, and that it follows a move.
pub(crate) trait Relocate {
    /// The logical page whose current version a physical page holds.
    fn owner(&self, page: u64) -> Option<u64>;

    /// The same, of a page that is about to be moved.
    fn owner_to_move(&mut self, page: u64) -> Option<u64> {
        self.owner(page)
    }

    /// Sub-pages of a mapped logical page that hold data: bit i stands for sub-page i.
    fn sectors(&self, lpn: u64) -> u64;

    /// The entry of a logical page will be changed soon.
    fn prefetch_owner(&self, _lpn: u64) {}

    /// A logical page is at another physical page now, sub-pages unchanged.
    fn relocate(&mut self, lpn: u64, from: u64, to: u64);

    /// The pages of a block were erased.
    fn erased(&mut self, _pages: Range<u64>) {}

    /// The pages among these that hold current data, in order, and the logical pages that own them.
    fn current_pages(&mut self, pages: Range<u64>, current: &mut Vec<Ppn>, owners: &mut Vec<u64>) {
        current.clear();
        owners.clear();
        for page in pages {
            if let Some(lpn) = self.owner_to_move(page) {
                current.push(Ppn(page));
                owners.push(lpn);
            }
        }
    }

    /// Logical pages are at successive physical pages from `to` on now.
    fn relocate_all(&mut self, lpns: &[u64], from: &[Ppn], to: u64) {
        for ((lpn, from), to) in lpns.iter().zip(from).zip(to..) {
            self.relocate(*lpn, from.0, to);
        }
    }
}
