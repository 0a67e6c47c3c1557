//! Pages that are being read from flash and will stay in the buffer.

mod keeping;

use rustc_hash::FxHashMap;
use wordline_ftl::{Lpn, PageRequest};

use crate::numbered::Numbered;

/// A read that missed the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fill {
    pub(super) lpn: Lpn,
    /// The sub-pages read that are still what flash holds.
    pub(super) bitmap: u64,
    request: u32,
    steps_left: u32,
}

/// The reads under way, and those whose data wait for a slot.
#[derive(Debug)]
pub(super) struct Fills {
    fills: Numbered<Fill>,
    pages: FxHashMap<Lpn, u32>,
    waiting: usize,
}

impl Fills {
    pub(super) fn new() -> Self {
        Self {
            fills: Numbered::new(),
            pages: FxHashMap::default(),
            waiting: 0,
        }
    }

    /// Sub-pages of a page were written: what was read of them is out of date.
    pub(super) fn overwritten(&mut self, lpn: Lpn, bitmap: u64) {
        if !self.pages.is_empty()
            && let Some(fill) = self.pages.get(&lpn)
        {
            self.fills[*fill].bitmap &= !bitmap;
        }
    }

    /// Sub-pages were trimmed.
    pub(super) fn trimmed(&mut self, page: &PageRequest) {
        let range = page.lpn.0..page.lpn.0.saturating_add(page.pages);
        for fill in self.fills.iter_mut() {
            if range.contains(&fill.lpn.0) {
                fill.bitmap &= !page.bitmap;
            }
        }
    }

    pub(super) fn add(&mut self, lpn: Lpn, bitmap: u64, request: u32) -> u32 {
        let fill = Fill {
            lpn,
            bitmap,
            request,
            steps_left: 1,
        };
        let id = self.fills.insert(fill);
        self.pages.insert(lpn, id);
        id
    }

    fn remove(&mut self, id: u32) -> Fill {
        let fill = self.fills.remove(id);
        self.pages.remove(&fill.lpn);
        fill
    }

    /// The page that was read, and its sub-pages that are to be kept.
    pub(super) fn wanted(&self, id: u32) -> (Lpn, u64) {
        let fill = &self.fills[id];
        (fill.lpn, fill.bitmap)
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    pub(super) fn request(&self, id: u32) -> u32 {
        self.fills[id].request
    }
}

impl Fills {
    /// A page that waited has found its place.
    pub(super) fn waited(&mut self) {
        self.waiting -= 1;
    }
}

#[cfg(test)]
mod tests {
    use wordline_ftl::PageOp;

    use super::*;

    /// Of a page that is being read, sub-pages that are written or trimmed meanwhile are not kept.
    #[test]
    fn what_is_trimmed_while_it_is_read_is_not_kept() {
        let mut fills = Fills::new();
        let [low, high] = [Lpn(3), Lpn(5)].map(|lpn| fills.add(lpn, 0b1111, 0));
        let trim = PageRequest {
            op: PageOp::Trim,
            lpn: Lpn(2),
            pages: 3,
            bitmap: 0b0110,
            placement: 0,
            class: 0,
            command_sectors: 12,
        };
        fills.trimmed(&trim);
        fills.overwritten(Lpn(5), 0b0001);
        assert_eq!(fills.wanted(low), (Lpn(3), 0b1001));
        assert_eq!(fills.wanted(high), (Lpn(5), 0b1110));
    }
}
