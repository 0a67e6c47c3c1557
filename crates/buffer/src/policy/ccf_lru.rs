//! `ccf_lru`: cold clean pages leave first, then cold dirty ones (Li, Jin, Su, Cui and Yue, IEEE
//! Trans. Consumer Electronics 55(3), 2009).

use super::list::put;
use super::{Access, BufferPolicy, BufferRow, Eviction, Links, List};

/// `buffer.policy = "ccf_lru"`.
pub(crate) const CCF_LRU: BufferRow = BufferRow {
    needs_clean_pages: true,
    ..BufferRow::new(
        "ccf_lru",
        "Cold clean pages leave first, then cold dirty ones.",
        |_, _| Box::new(CcfLru::default()),
    )
};

#[derive(Clone, Copy, Debug, Default)]
struct Page {
    dirty: bool,
    /// Not used since it entered, or since it came to the old end of the mixed list.
    cold: bool,
    /// In the list of cold clean pages.
    cold_clean: bool,
}

/// Cold clean pages, and all others.
#[derive(Debug, Default)]
pub(super) struct CcfLru {
    links: Links,
    cold_clean: List,
    mixed: List,
    pages: Vec<Page>,
}

impl CcfLru {
    fn take_out(&mut self, slot: u32) {
        if self.pages[slot as usize].cold_clean {
            self.cold_clean.remove(&mut self.links, slot);
        } else {
            self.mixed.remove(&mut self.links, slot);
        }
    }

    /// Puts a page that is in neither list into its list.
    fn put_in(&mut self, slot: u32, page: Page) {
        put(&mut self.pages, slot, page, Page::default());
        if page.cold_clean {
            self.cold_clean.push(&mut self.links, slot);
        } else {
            self.mixed.push(&mut self.links, slot);
        }
    }
}

/// A page that was not used again.
fn cold(dirty: bool) -> Page {
    Page {
        dirty,
        cold: true,
        cold_clean: !dirty,
    }
}

impl BufferPolicy for CcfLru {
    fn insert(&mut self, slot: u32, _lpn: u64, access: Access) {
        self.put_in(slot, cold(access == Access::Write));
    }

    fn hit(&mut self, slot: u32, access: Access) {
        self.take_out(slot);
        let page = Page {
            dirty: self.pages[slot as usize].dirty || access == Access::Write,
            cold: false,
            cold_clean: false,
        };
        self.put_in(slot, page);
    }

    /// A cold page joins the cold clean ones; one that was used again stays where it is.
    fn cleaned(&mut self, slot: u32) {
        let page = &mut self.pages[slot as usize];
        page.dirty = false;
        if page.cold && !page.cold_clean {
            self.take_out(slot);
            self.put_in(slot, cold(false));
        }
    }

    fn remove(&mut self, slot: u32) {
        self.take_out(slot);
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        if self.cold_clean.len() == 0 {
            while let Some(slot) = self.mixed.pop_oldest(&mut self.links) {
                let page = self.pages[slot as usize];
                if page.dirty && page.cold {
                    victims.push(slot);
                    return Some(Eviction::Page);
                }
                self.put_in(slot, cold(page.dirty));
            }
        }
        victims.push(self.cold_clean.pop_oldest(&mut self.links)?);
        Some(Eviction::Page)
    }

    fn listed(&self) -> Vec<u32> {
        let cold = self.cold_clean.iter(&self.links);
        cold.chain(self.mixed.iter(&self.links)).collect()
    }
}
