//! `lru_wsr`: least recently used, but a dirty page gets a second chance before it is written (Jung,
//! Shim, Park, Kang and Cha, IEEE Trans. Consumer Electronics 54(3), 2008).

use super::list::put;
use super::{Access, BufferPolicy, BufferRow, Eviction, Links, List};

/// `buffer.policy = "lru_wsr"`.
pub(crate) const LRU_WSR: BufferRow = BufferRow::new(
    "lru_wsr",
    "Least recently used, but a dirty page gets a second chance.",
    |_, _| Box::new(LruWsr::default()),
);

#[derive(Clone, Copy, Debug, Default)]
struct Page {
    dirty: bool,
    /// It came to the old end once since its last use.
    cold: bool,
}

/// Pages in the order of their last use or second chance.
#[derive(Debug, Default)]
pub(super) struct LruWsr {
    links: Links,
    order: List,
    pages: Vec<Page>,
}

impl BufferPolicy for LruWsr {
    fn insert(&mut self, slot: u32, _lpn: u64, access: Access) {
        let page = Page {
            dirty: access == Access::Write,
            cold: false,
        };
        put(&mut self.pages, slot, page, Page::default());
        self.order.push(&mut self.links, slot);
    }

    fn hit(&mut self, slot: u32, access: Access) {
        let page = &mut self.pages[slot as usize];
        page.dirty |= access == Access::Write;
        page.cold = false;
        self.order.touch(&mut self.links, slot);
    }

    fn cleaned(&mut self, slot: u32) {
        self.pages[slot as usize].dirty = false;
    }

    fn remove(&mut self, slot: u32) {
        self.order.remove(&mut self.links, slot);
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        loop {
            let slot = self.order.oldest()?;
            let page = &mut self.pages[slot as usize];
            if page.dirty && !page.cold {
                page.cold = true;
                self.order.touch(&mut self.links, slot);
                continue;
            }
            self.order.remove(&mut self.links, slot);
            victims.push(slot);
            return Some(Eviction::Page);
        }
    }

    fn listed(&self) -> Vec<u32> {
        self.order.iter(&self.links).collect()
    }
}
