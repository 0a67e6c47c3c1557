//! `fifo`: the page that entered first leaves first, however often it was used.

use super::{Access, BufferPolicy, BufferRow, Eviction, Links, List};

/// `buffer.policy = "fifo"`.
pub(crate) const FIFO: BufferRow =
    BufferRow::new("fifo", "The page that entered first leaves first.", |_, _| {
        Box::new(Fifo::default())
    });

/// Pages in the order in which they entered.
#[derive(Debug, Default)]
pub(super) struct Fifo {
    links: Links,
    pages: List,
}

impl BufferPolicy for Fifo {
    fn insert(&mut self, slot: u32, _lpn: u64, _access: Access) {
        self.pages.push(&mut self.links, slot);
    }

    fn hit(&mut self, _slot: u32, _access: Access) {}

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
