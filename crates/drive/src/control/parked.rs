//! Pieces that wait for an earlier write of their page.

use rustc_hash::FxHashMap;
use wordline_ftl::{Inspect, Lpn};

use crate::host::SubRequest;

/// The pieces that wait.
#[derive(Debug, Default)]
pub(crate) struct Parked {
    /// Those of a page, oldest first.
    pages: FxHashMap<Lpn, Vec<SubRequest>>,
    /// Pages whose oldest piece waits for a step of another page, by that other page.
    awaiting: FxHashMap<Lpn, Vec<Lpn>>,
    /// Those of several pages (TRIM), which wait for writes inside their range.
    ranges: Vec<SubRequest>,
}

impl Parked {
    /// Whether none waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty() && self.ranges.is_empty()
    }

    /// Pieces that wait.
    pub(crate) fn len(&self) -> u64 {
        let of_pages: usize = self.pages.values().map(Vec::len).sum();
        (of_pages + self.ranges.len()) as u64
    }

    /// Whether one waits for a write of this page alone.
    #[inline]
    pub(crate) fn waits_for(&self, lpn: Lpn) -> bool {
        !self.pages.is_empty() && self.pages.contains_key(&lpn)
    }

    /// Has a piece wait, behind the others of its page.
    pub(crate) fn park(&mut self, piece: SubRequest) {
        if piece.page.pages == 1 {
            self.pages.entry(piece.page.lpn).or_default().push(piece);
        } else {
            self.ranges.push(piece);
        }
    }

    /// The oldest piece of a page waits for a step of another page.
    pub(crate) fn waits_for_another(&mut self, lpn: Lpn, other: Lpn) {
        let pages = self.awaiting.entry(other).or_default();
        if !pages.contains(&lpn) {
            pages.push(lpn);
        }
    }

    /// Takes out the pages whose oldest piece waits for a step of this one.
    pub(crate) fn take_awaiting(&mut self, other: Lpn) -> Vec<Lpn> {
        if self.awaiting.is_empty() {
            Vec::new()
        } else {
            self.awaiting.remove(&other).unwrap_or_default()
        }
    }

    /// Takes out what waits for a page, oldest first.
    pub(crate) fn take_page(&mut self, lpn: Lpn) -> Option<Vec<SubRequest>> {
        self.pages.remove(&lpn)
    }

    /// Puts back what still waits for a page.
    pub(crate) fn keep_page(&mut self, lpn: Lpn, waiting: Vec<SubRequest>) {
        self.pages.insert(lpn, waiting);
    }

    /// Takes out what waits for a range of pages.
    pub(crate) fn take_ranges(&mut self) -> Vec<SubRequest> {
        std::mem::take(&mut self.ranges)
    }
}

/// What the flash behind the buffer holds.
#[derive(Clone, Copy)]
pub(crate) struct Backing<'a> {
    ftl: &'a dyn Inspect,
    parked: &'a Parked,
}

impl<'a> Backing<'a> {
    pub(super) fn new(ftl: &'a dyn Inspect, parked: &'a Parked) -> Self {
        Self { ftl, parked }
    }

    /// Sub-pages of a page that hold data.
    pub(crate) fn valid(&self, lpn: Lpn) -> u64 {
        self.ftl.valid_sectors(lpn)
    }

    /// The same, but for what a waiting TRIM may be about to forget.
    pub(crate) fn lasting(&self, lpn: Lpn) -> u64 {
        if self.parked.waits_for(lpn) || !self.parked.ranges.is_empty() {
            0
        } else {
            self.ftl.valid_sectors(lpn)
        }
    }
}
