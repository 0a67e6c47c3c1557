//! `lru`: the least recently used page leaves first.

use super::{Access, BufferPolicy, BufferRow, Eviction, Links, List};

/// `buffer.policy = "lru"`.
pub(crate) const LRU: BufferRow =
    BufferRow::new("lru", "The least recently used page leaves first.", |_, _| {
        Box::new(Lru::default())
    });

/// Pages in the order of their last use.
#[derive(Debug, Default)]
pub(super) struct Lru {
    links: Links,
    pages: List,
}

impl BufferPolicy for Lru {
    fn insert(&mut self, slot: u32, _lpn: u64, _access: Access) {
        self.pages.push(&mut self.links, slot);
    }

    fn hit(&mut self, slot: u32, _access: Access) {
        self.pages.touch(&mut self.links, slot);
    }

    fn remove(&mut self, slot: u32) {
        self.pages.remove(&mut self.links, slot);
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        victims.push(self.pages.pop_oldest(&mut self.links)?);
        Some(Eviction::Page)
    }

    fn listed(&self) -> Vec<u32> {
        self.pages.iter(&self.links).collect()
    }
}
