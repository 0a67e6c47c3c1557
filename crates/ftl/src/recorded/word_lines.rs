//! Which pages of a block share their cells.

use rustc_hash::FxHashMap;
use wordline_nand::{Geometry, PageTypes, Ppn};

/// Which pages of a block share their cells.
#[derive(Debug)]
pub(super) struct WordLines {
    geometry: Geometry,
    /// By page of a block: the earlier ones of its word line.
    earlier: Vec<Vec<u32>>,
    /// The same: the later ones.
    later: Vec<Vec<u32>>,
}

impl WordLines {
    pub(super) fn new(geometry: &Geometry, types: &PageTypes) -> Self {
        let end = geometry.pages_per_block;
        let mut lines: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for page in 0..end {
            lines.entry(types.wordline(page)).or_default().push(page);
        }
        let of_line = |page: u32, is_wanted: fn(u32, u32) -> bool| -> Vec<u32> {
            let pages = lines[&types.wordline(page)].iter().copied();
            pages.filter(|other| is_wanted(*other, page)).collect()
        };
        Self {
            geometry: *geometry,
            earlier: (0..end)
                .map(|page| of_line(page, |other, page| other < page))
                .collect(),
            later: (0..end)
                .map(|page| of_line(page, |other, page| other > page))
                .collect(),
        }
    }

    fn pages(&self, page: Ppn, others: &[Vec<u32>]) -> Vec<Ppn> {
        let block = self.geometry.block_of(page);
        let others = &others[self.geometry.page_in_block(page) as usize];
        others
            .iter()
            .map(|other| self.geometry.page(block, *other))
            .collect()
    }

    /// The earlier pages of the word line of a page.
    pub(super) fn earlier(&self, page: Ppn) -> Vec<Ppn> {
        self.pages(page, &self.earlier)
    }

    /// The later ones.
    pub(super) fn later(&self, page: Ppn) -> Vec<Ppn> {
        self.pages(page, &self.later)
    }
}
