//! `cflru`: among the least recently used pages, clean ones leave first, for they cost no program
//! (Park, Jung, Kang, Kim and Lee, CASES 2006).

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;

use super::list::put;
use super::sized::{SizedLinks, SizedList};
use super::{Access, BufferPolicy, BufferRow, Eviction, Frame, check_share};

/// Keys of `cflru`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct CflruKeys {
    /// `cflru`: share of the buffer, from its least recently used end, in which clean pages leave
    /// first. Assumed: a third (Park et al. 2006 leave it to the workload).
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    window: f64,
}

impl Default for CflruKeys {
    fn default() -> Self {
        Self { window: 1.0 / 3.0 }
    }
}

/// `buffer.policy = "cflru"`.
pub(crate) const CFLRU: BufferRow = BufferRow {
    needs_clean_pages: true,
    ..BufferRow::new(
        "cflru",
        "Among the least recently used pages clean ones leave first.",
        |keys, frame| {
            let window = keys.read::<CflruKeys>().window;
            Box::new(Cflru::new(frame.share(window), frame))
        },
    )
    .with_keys(Keys::of::<CflruKeys>(), |keys| {
        check_share("buffer.window", keys.read::<CflruKeys>().window)
    })
};

/// What is known of a page.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    dirty: bool,
    in_window: bool,
    /// Time of its last use.
    used: u64,
}

/// Pages in the order of their last use; the last of them, as far as they take `window` of the buffer, in a list of their own.
#[derive(Debug)]
pub(super) struct Cflru {
    window: usize,
    clock: u64,
    links: SizedLinks,
    working: SizedList,
    /// The clean-first region.
    clean_first: SizedList,
    /// Its clean pages by time of last use.
    clean: BTreeSet<(u64, u32)>,
    pages: Vec<Page>,
}

impl Cflru {
    pub(super) fn new(window: usize, frame: &Frame) -> Self {
        Self {
            window,
            clock: 0,
            links: SizedLinks::new(frame),
            working: SizedList::default(),
            clean_first: SizedList::default(),
            clean: BTreeSet::new(),
            pages: Vec::new(),
        }
    }

    fn take_out(&mut self, slot: u32) {
        let page = self.pages[slot as usize];
        if page.in_window {
            self.clean_first.remove(&mut self.links, slot);
            self.clean.remove(&(page.used, slot));
        } else {
            self.working.remove(&mut self.links, slot);
        }
    }

    fn use_now(&mut self, slot: u32, dirty: bool) {
        self.clock += 1;
        let page = Page {
            dirty,
            in_window: false,
            used: self.clock,
        };
        put(&mut self.pages, slot, page, Page::default());
        self.working.push(&mut self.links, slot);
        self.fill_window();
    }

    fn fill_window(&mut self) {
        while self.clean_first.size() < self.window
            && let Some(slot) = self.working.pop_oldest(&mut self.links)
        {
            self.clean_first.push(&mut self.links, slot);
            let page = &mut self.pages[slot as usize];
            page.in_window = true;
            if !page.dirty {
                self.clean.insert((page.used, slot));
            }
        }
    }
}

impl BufferPolicy for Cflru {
    fn insert(&mut self, slot: u32, _lpn: u64, access: Access) {
        self.links.enter(slot);
        self.use_now(slot, access == Access::Write);
    }

    fn hit(&mut self, slot: u32, access: Access) {
        self.take_out(slot);
        let dirty = self.pages[slot as usize].dirty || access == Access::Write;
        self.use_now(slot, dirty);
    }

    fn cleaned(&mut self, slot: u32) {
        let page = &mut self.pages[slot as usize];
        page.dirty = false;
        if page.in_window {
            self.clean.insert((page.used, slot));
        }
    }

    fn resized(&mut self, slot: u32, sectors: u32) {
        let list = if self.pages[slot as usize].in_window {
            &mut self.clean_first
        } else {
            &mut self.working
        };
        list.resize(&mut self.links, slot, sectors);
        self.fill_window();
    }

    fn remove(&mut self, slot: u32) {
        self.take_out(slot);
        self.fill_window();
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        let clean = self.clean.first().map(|(_, slot)| *slot);
        let victim = clean
            .or_else(|| self.clean_first.oldest())
            .or_else(|| self.working.oldest())?;
        self.remove(victim);
        victims.push(victim);
        Some(Eviction::Page)
    }

    fn listed(&self) -> Vec<u32> {
        let window = self.clean_first.iter(&self.links);
        window.chain(self.working.iter(&self.links)).collect()
    }
}
