//! The slow, obvious model: which write every sub-page of every logical page shows.

use std::collections::HashMap;

/// Content of a page: per sub-page the number of the write that it shows, 0 for none.
pub(crate) type Content = Vec<u64>;

/// Logical content, as if every accepted command took effect at once.
pub(crate) struct Reference {
    pages: HashMap<u64, Content>,
    sectors: u32,
    writes: u64,
}

impl Reference {
    pub(crate) fn new(sectors: u32) -> Self {
        Self {
            pages: HashMap::new(),
            sectors,
            writes: 0,
        }
    }

    pub(crate) fn blank(&self) -> Content {
        vec![0; self.sectors as usize]
    }

    /// A write; returns what it brings, with its own number in the sub-pages of `bitmap`.
    pub(crate) fn write(&mut self, lpn: u64, bitmap: u64) -> Content {
        self.writes += 1;
        let mut new = self.blank();
        let blank = self.blank();
        let page = self.pages.entry(lpn).or_insert(blank);
        for sector in 0..self.sectors as usize {
            if bitmap >> sector & 1 == 1 {
                new[sector] = self.writes;
                page[sector] = self.writes;
            }
        }
        new
    }

    /// A page holds this after a power cut.
    pub(crate) fn restore(&mut self, lpn: u64, content: Content) {
        self.pages.insert(lpn, content);
    }

    pub(crate) fn trim(&mut self, lpn: u64, bitmap: u64) {
        if let Some(page) = self.pages.get_mut(&lpn) {
            for (sector, write) in page.iter_mut().enumerate() {
                if bitmap >> sector & 1 == 1 {
                    *write = 0;
                }
            }
        }
    }

    pub(crate) fn content(&self, lpn: u64) -> Content {
        self.pages.get(&lpn).cloned().unwrap_or_else(|| self.blank())
    }

    /// The sub-pages that hold data.
    pub(crate) fn valid(&self, lpn: u64) -> u64 {
        bitmap_of(&self.content(lpn))
    }
}

/// The sub-pages of a content that hold data.
pub(crate) fn bitmap_of(content: &Content) -> u64 {
    content
        .iter()
        .enumerate()
        .filter(|(_, write)| **write != 0)
        .fold(0, |bitmap, (sector, _)| bitmap | 1 << sector)
}

/// What `over` shows, and `under` where it shows nothing.
pub(crate) fn overlay(under: &Content, over: &Content) -> Content {
    under
        .iter()
        .zip(over)
        .map(|(under, over)| if *over == 0 { *under } else { *over })
        .collect()
}
