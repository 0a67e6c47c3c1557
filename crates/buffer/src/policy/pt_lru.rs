//! `pt_lru`: cold clean pages leave first, then, by chance, cold dirty or hot clean ones (Cui, Wu,
//! Wang and Duan, IEEE Trans. Consumer Electronics 60(4), 2014).
//!
//! A reconstruction from the abstract of the paper, which says only that cold dirty pages go "with a
//! higher probability".

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::Keys;
use wordline_units::Seed;

use super::list::put;
use super::{Access, BufferPolicy, BufferRow, Eviction, Links, List, check_share};

/// Keys of `pt_lru`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct PtLruKeys {
    /// `pt_lru`: probability that a cold dirty page leaves before a hot clean one. Assumed: the
    /// source says only that it is the higher one.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    probability: f64,
}

impl Default for PtLruKeys {
    fn default() -> Self {
        Self { probability: 0.8 }
    }
}

/// `buffer.policy = "pt_lru"`.
pub(crate) const PT_LRU: BufferRow = BufferRow {
    needs_clean_pages: true,
    reconstructed: Some("its lists and its probability"),
    ..BufferRow::new(
        "pt_lru",
        "Cold clean pages leave first, then by chance cold dirty or hot clean ones (a reconstruction).",
        |keys, frame| {
            let probability = keys.read::<PtLruKeys>().probability;
            Box::new(PtLru::new(probability, frame.seed))
        },
    )
    .with_keys(Keys::of::<PtLruKeys>(), |keys| {
        check_share("buffer.probability", keys.read::<PtLruKeys>().probability)
    })
};

/// The lists of the policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    ColdClean,
    ColdDirty,
    Hot,
}

#[derive(Clone, Copy, Debug, Default)]
struct Page {
    dirty: bool,
    place: Place,
    /// Time of its last use.
    used: u64,
}

/// Cold clean, cold dirty and hot pages, each in the order of their last use.
#[derive(Debug)]
pub(super) struct PtLru {
    probability: f64,
    seed: Seed,
    draws: u64,
    clock: u64,
    links: Links,
    lists: [List; 3],
    /// Clean pages of the hot list by time of last use.
    hot_clean: BTreeSet<(u64, u32)>,
    pages: Vec<Page>,
}

impl PtLru {
    pub(super) fn new(probability: f64, seed: Seed) -> Self {
        Self {
            probability,
            seed,
            draws: 0,
            clock: 0,
            links: Links::default(),
            lists: Default::default(),
            hot_clean: BTreeSet::new(),
            pages: Vec::new(),
        }
    }

    fn take_out(&mut self, slot: u32) {
        let page = self.pages[slot as usize];
        self.lists[page.place as usize].remove(&mut self.links, slot);
        if page.place == Place::Hot {
            self.hot_clean.remove(&(page.used, slot));
        }
    }

    fn put_in(&mut self, slot: u32, place: Place, dirty: bool) {
        self.clock += 1;
        let page = Page {
            dirty,
            place,
            used: self.clock,
        };
        put(&mut self.pages, slot, page, Page::default());
        self.lists[place as usize].push(&mut self.links, slot);
        if place == Place::Hot && !dirty {
            self.hot_clean.insert((self.clock, slot));
        }
    }

    /// Whether a cold dirty page is to leave before a hot clean one.
    fn draw_dirty(&mut self) -> bool {
        let draw = self.seed.draw("buffer.pt_lru", self.draws);
        self.draws += 1;
        ((draw >> 11) as f64) < self.probability * (1_u64 << 53) as f64
    }

    fn oldest(&self, place: Place) -> Option<u32> {
        self.lists[place as usize].oldest()
    }
}

impl BufferPolicy for PtLru {
    fn insert(&mut self, slot: u32, _lpn: u64, access: Access) {
        match access {
            Access::Read => self.put_in(slot, Place::ColdClean, false),
            Access::Write => self.put_in(slot, Place::ColdDirty, true),
        }
    }

    fn hit(&mut self, slot: u32, access: Access) {
        self.take_out(slot);
        let dirty = self.pages[slot as usize].dirty || access == Access::Write;
        self.put_in(slot, Place::Hot, dirty);
    }

    fn cleaned(&mut self, slot: u32) {
        let page = &mut self.pages[slot as usize];
        page.dirty = false;
        let Page { place, used, .. } = *page;
        match place {
            Place::ColdClean => {}
            Place::ColdDirty => {
                self.take_out(slot);
                self.put_in(slot, Place::ColdClean, false);
            }
            Place::Hot => {
                self.hot_clean.insert((used, slot));
            }
        }
    }

    fn remove(&mut self, slot: u32) {
        self.take_out(slot);
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        let victim = self.oldest(Place::ColdClean).or_else(|| {
            let dirty = self.oldest(Place::ColdDirty);
            let clean = self.hot_clean.first().map(|(_, slot)| *slot);
            if self.draw_dirty() {
                dirty.or(clean)
            } else {
                clean.or(dirty)
            }
        });
        let victim = victim.or_else(|| self.oldest(Place::Hot))?;
        self.take_out(victim);
        victims.push(victim);
        Some(Eviction::Page)
    }

    fn listed(&self) -> Vec<u32> {
        self.lists
            .iter()
            .flat_map(|list| list.iter(&self.links))
            .collect()
    }
}
