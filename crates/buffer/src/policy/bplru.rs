//! `bplru`: the least recently used group leaves as a whole, padded to a full block; a group that
//! was written from its first page to its last goes at once (Kim and Ahn, FAST 2008).

use super::groups::{Groups, group_pages, of_groups};
use super::list::put;
use super::{Access, BufferPolicy, BufferRow, Eviction, Links, List};

/// `buffer.policy = "bplru"`.
pub(crate) const BPLRU: BufferRow = of_groups(BufferRow::new(
    "bplru",
    "The least recently used group leaves as a whole, padded to a full block.",
    |keys, frame| Box::new(Bplru::new(group_pages(keys, frame))),
));

/// Groups in the order of their last use.
#[derive(Debug)]
pub(super) struct Bplru {
    pages_per_group: u64,
    groups: Groups,
    links: Links,
    order: List,
    /// The page that a group written in sequence expects next; `None` once it was not.
    expected: Vec<Option<u64>>,
}

impl Bplru {
    pub(super) fn new(pages_per_group: u64) -> Self {
        Self {
            pages_per_group: pages_per_group.max(1),
            groups: Groups::new(pages_per_group),
            links: Links::default(),
            order: List::default(),
            expected: Vec::new(),
        }
    }

    /// Notes a write and puts the group where it belongs.
    fn written(&mut self, slot: u32) {
        let group = self.groups.group_of(slot);
        let offset = self.groups.offset(slot);
        let expected = match self.expected[group as usize] {
            Some(next) if offset == next => Some(next + 1),
            // the rest of a page whose first part was written before
            Some(next) if offset + 1 == next => Some(next),
            _ => None,
        };
        self.expected[group as usize] = expected;
        if expected == Some(self.pages_per_group) {
            self.order.push_oldest(&mut self.links, group);
        } else {
            self.order.push(&mut self.links, group);
        }
    }
}

impl BufferPolicy for Bplru {
    fn insert(&mut self, slot: u32, lpn: u64, _access: Access) {
        let (group, new) = self.groups.add(slot, lpn);
        if new {
            put(&mut self.expected, group, Some(0), None);
        } else {
            self.order.remove(&mut self.links, group);
        }
        self.written(slot);
    }

    fn hit(&mut self, slot: u32, access: Access) {
        let group = self.groups.group_of(slot);
        self.order.remove(&mut self.links, group);
        match access {
            Access::Read => self.order.push(&mut self.links, group),
            Access::Write => self.written(slot),
        }
    }

    fn remove(&mut self, slot: u32) {
        let group = self.groups.group_of(slot);
        self.expected[group as usize] = None;
        if self.groups.remove(slot) == 0 {
            self.order.remove(&mut self.links, group);
        }
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        let group = self.order.pop_oldest(&mut self.links)?;
        self.groups.drain(group, victims);
        Some(Eviction::PaddedGroup {
            pages: self.pages_per_group,
        })
    }

    fn listed(&self) -> Vec<u32> {
        self.groups.listed()
    }
}
