//! Lists that know what their pages take of the buffer.

use super::list::put;
use super::{Frame, Links, List};

/// The links of the slots of sized lists, and what each page takes: a page, or its sectors where the buffer counts those.
#[derive(Debug)]
pub(super) struct SizedLinks {
    links: Links,
    is_by_sector: bool,
    sectors: Vec<u32>,
}

impl SizedLinks {
    pub(super) fn new(frame: &Frame) -> Self {
        Self {
            links: Links::default(),
            is_by_sector: frame.is_by_sector,
            sectors: Vec::new(),
        }
    }

    /// A page has entered; how many sectors it holds is told later.
    pub(super) fn enter(&mut self, slot: u32) {
        if self.is_by_sector {
            put(&mut self.sectors, slot, 0, 0);
        }
    }

    /// What a page takes.
    pub(super) fn size(&self, slot: u32) -> usize {
        if self.is_by_sector {
            self.sectors[slot as usize] as usize
        } else {
            1
        }
    }

    /// A page that is in no sized list holds so many sectors.
    pub(super) fn resize(&mut self, slot: u32, sectors: u32) {
        self.sectors[slot as usize] = sectors;
    }
}

/// A list, and what its pages take together.
#[derive(Debug, Default)]
pub(super) struct SizedList {
    list: List,
    size: usize,
}

impl SizedList {
    /// What its pages take together.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn oldest(&self) -> Option<u32> {
        self.list.oldest()
    }

    /// Puts a slot that is in no list at the newest end.
    pub(super) fn push(&mut self, links: &mut SizedLinks, slot: u32) {
        self.size += links.size(slot);
        self.list.push(&mut links.links, slot);
    }

    /// Takes a slot out of this list.
    pub(super) fn remove(&mut self, links: &mut SizedLinks, slot: u32) {
        self.size -= links.size(slot);
        self.list.remove(&mut links.links, slot);
    }

    pub(super) fn pop_oldest(&mut self, links: &mut SizedLinks) -> Option<u32> {
        let slot = self.oldest()?;
        self.remove(links, slot);
        Some(slot)
    }

    /// A page of this list holds so many sectors.
    pub(super) fn resize(&mut self, links: &mut SizedLinks, slot: u32, sectors: u32) {
        self.size -= links.size(slot);
        links.resize(slot, sectors);
        self.size += links.size(slot);
    }

    /// From the oldest to the newest.
    pub(super) fn iter<'a>(&self, links: &'a SizedLinks) -> impl Iterator<Item = u32> + use<'a> {
        self.list.iter(&links.links)
    }
}
