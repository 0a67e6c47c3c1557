//! `bpac`: a list of single pages for what is used again, and clusters of neighbouring pages for
//! what is not; the split between them follows what comes back (Wu, Eckart and He, MSST 2010).
//!
//! A reconstruction from the abstract of the paper. The rule of the split is that of ARC (Megiddo and Modha, FAST 2003): the addresses that left
//! each part are remembered, as many as the buffer has room for pages of their size, and a part grows when one of its
//! former pages returns.

use super::ghosts::Ghosts;
use super::groups::{LargestFirst, group_pages, of_groups};
use super::list::put;
use super::sized::{SizedLinks, SizedList};
use super::{Access, BufferPolicy, BufferRow, Eviction, Frame};

/// `buffer.policy = "bpac"`.
pub(crate) const BPAC: BufferRow = BufferRow {
    reconstructed: Some("its lists and the rule of their split"),
    ..of_groups(BufferRow::new(
        "bpac",
        "Pages used again leave one by one, others in clusters; the split adapts (a reconstruction).",
        |keys, frame| Box::new(Bpac::new(frame, group_pages(keys, frame))),
    ))
};

#[derive(Clone, Copy, Debug, Default)]
struct Page {
    lpn: u64,
    /// Used again since it entered.
    reused: bool,
    clustered: bool,
}

/// Single pages in the order of their last use, and clusters, the largest first.
#[derive(Debug)]
pub(super) struct Bpac {
    capacity: usize,
    /// What a whole page takes of it.
    page: usize,
    /// What the list of single pages is meant to take.
    target: usize,
    links: SizedLinks,
    singles: SizedList,
    clusters: LargestFirst,
    pages: Vec<Page>,
    left_singles: Ghosts,
    left_clusters: Ghosts,
}

impl Bpac {
    pub(super) fn new(frame: &Frame, group_pages: u64) -> Self {
        let Frame { capacity, page, .. } = *frame;
        Self {
            capacity,
            page,
            target: capacity / page / 2 * page,
            links: SizedLinks::new(frame),
            singles: SizedList::default(),
            clusters: LargestFirst::new(group_pages),
            pages: Vec::new(),
            left_singles: Ghosts::new(capacity),
            left_clusters: Ghosts::new(capacity),
        }
    }

    /// Gives room to the part that a returning page had left.
    fn adapt(&mut self, lpn: u64) {
        let (singles, clusters) = (self.left_singles.size(), self.left_clusters.size());
        let by = |ratio: usize| self.page * ratio.max(1);
        if self.left_singles.remove(lpn) {
            self.target = (self.target + by(clusters / singles.max(1))).min(self.capacity);
        } else if self.left_clusters.remove(lpn) {
            self.target = self.target.saturating_sub(by(singles / clusters.max(1)));
        }
    }

    fn take_out(&mut self, slot: u32) {
        if self.pages[slot as usize].clustered {
            self.clusters.remove(slot);
        } else {
            self.singles.remove(&mut self.links, slot);
        }
    }

    fn put_in(&mut self, slot: u32, lpn: u64, reused: bool) {
        let page = Page {
            lpn,
            reused,
            clustered: false,
        };
        put(&mut self.pages, slot, page, Page::default());
        self.singles.push(&mut self.links, slot);
    }

    fn evict_single(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        let slot = self.singles.pop_oldest(&mut self.links)?;
        self.left_singles
            .add(self.pages[slot as usize].lpn, self.links.size(slot));
        victims.push(slot);
        Some(Eviction::Page)
    }
}

impl BufferPolicy for Bpac {
    fn insert(&mut self, slot: u32, lpn: u64, _access: Access) {
        self.adapt(lpn);
        self.links.enter(slot);
        self.put_in(slot, lpn, false);
    }

    fn hit(&mut self, slot: u32, _access: Access) {
        self.take_out(slot);
        self.put_in(slot, self.pages[slot as usize].lpn, true);
    }

    fn resized(&mut self, slot: u32, sectors: u32) {
        if self.pages[slot as usize].clustered {
            self.links.resize(slot, sectors);
        } else {
            self.singles.resize(&mut self.links, slot, sectors);
        }
    }

    fn remove(&mut self, slot: u32) {
        self.take_out(slot);
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        while self.singles.size() > self.target
            && let Some(slot) = self.singles.oldest()
        {
            let page = &mut self.pages[slot as usize];
            if page.reused {
                return self.evict_single(victims);
            }
            page.clustered = true;
            let lpn = page.lpn;
            self.singles.remove(&mut self.links, slot);
            self.clusters.add(slot, lpn);
        }
        let first = victims.len();
        if self.clusters.evict(victims) {
            for slot in &victims[first..] {
                self.left_clusters
                    .add(self.pages[*slot as usize].lpn, self.links.size(*slot));
            }
            return Some(Eviction::Group);
        }
        self.evict_single(victims)
    }

    fn listed(&self) -> Vec<u32> {
        let mut slots = self.clusters.listed();
        slots.extend(self.singles.iter(&self.links));
        slots
    }
}
