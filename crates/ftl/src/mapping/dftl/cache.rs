//! The cached part of the map: a segmented LRU list of entries, or of whole translation pages.

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::state::archive::{Archive, ArchiveError};

/// No slot.
const NONE: u32 = u32::MAX;

/// Of a key that flash has.
const CLEAN: u64 = u64::MAX;

/// How many of the least recently used are looked at for a clean one.
const CLEAN_WINDOW: u32 = 64;

/// A place in the cache.
pub(super) type SlotId = u32;

/// The segments: what was used once since it came, and what was used again.
const PROBATION: usize = 0;
const PROTECTED: usize = 1;

/// Neighbours in a list.
#[derive(Clone, Copy, Debug)]
struct Links {
    newer: u32,
    older: u32,
}

const UNLINKED: Links = Links {
    newer: NONE,
    older: NONE,
};

#[derive(Clone, Debug)]
struct Slot {
    key: u64,
    /// The translation page that it belongs to.
    page: u32,
    in_segment: Links,
    /// Among those of its translation page; in no particular order.
    in_page: Links,
    segment: u8,
    /// Number of the change since which flash does not have it; `CLEAN` where it has.
    changed: u64,
    /// The read that brings it, if that is under way.
    load: u32,
}

#[derive(Clone, Copy, Debug)]
struct List {
    newest: u32,
    oldest: u32,
    len: u32,
}

const EMPTY: List = List {
    newest: NONE,
    oldest: NONE,
    len: 0,
};

/// What was evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Evicted {
    /// Its translation page.
    pub(super) page: u32,
    /// Whether flash does not have it.
    pub(super) dirty: bool,
}

/// A cached key in a state file.
#[derive(Serialize, Deserialize)]
struct Saved {
    key: u64,
    page: u32,
    protected: bool,
    /// Changes of entries since flash does not have it, that one included; 0 where flash has it.
    changes: u64,
}

/// Keys (logical pages, or translation pages) whose map entries are in the controller's memory.
pub(super) struct MapCache {
    slots: Vec<Slot>,
    vacant: Vec<u32>,
    index: FxHashMap<u64, u32>,
    /// Per translation page: one of its slots.
    of_page: Vec<u32>,
    segments: [List; 2],
    capacity: u32,
    protected_most: u32,
    /// Changes of entries so far, of any key.
    changes: u64,
}

impl MapCache {
    /// An empty cache for `capacity` keys, at least 2, of which `protected` (a share) may be in the protected segment.
    pub(super) fn new(capacity: u32, protected: f64, translation_pages: u64) -> Self {
        let protected_most = (f64::from(capacity) * protected) as u32;
        Self {
            slots: Vec::new(),
            vacant: Vec::new(),
            index: FxHashMap::default(),
            of_page: vec![NONE; translation_pages as usize],
            segments: [EMPTY; 2],
            capacity,
            protected_most: protected_most.min(capacity - 1),
            changes: 0,
        }
    }

    /// Keys that there is room for.
    pub(super) const fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Keys in the cache.
    pub(super) fn len(&self) -> u32 {
        self.segments[PROBATION].len + self.segments[PROTECTED].len
    }

    /// Whether a further key needs another to go.
    pub(super) fn is_full(&self) -> bool {
        self.len() >= self.capacity
    }

    /// Where a key is.
    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<SlotId> {
        self.index.get(&key).copied()
    }

    /// The read that brings a slot, if that is under way.
    #[inline]
    pub(super) fn load_of(&self, slot: SlotId) -> Option<u32> {
        let load = self.slots[slot as usize].load;
        (load != NONE).then_some(load)
    }

    /// A slot is used: it becomes the newest of the protected segment, whose oldest gives way.
    #[inline]
    pub(super) fn touch(&mut self, slot: SlotId) {
        self.leave_segment(slot);
        if self.protected_most == 0 {
            return self.enter_segment(slot, PROBATION);
        }
        self.enter_segment(slot, PROTECTED);
        if self.segments[PROTECTED].len > self.protected_most {
            let oldest = self.segments[PROTECTED].oldest;
            self.leave_segment(oldest);
            self.enter_segment(oldest, PROBATION);
        }
    }

    /// A key comes, clean, as the newest of the probationary segment. There must be room.
    pub(super) fn insert(&mut self, key: u64, page: u32) -> SlotId {
        debug_assert!(!self.is_full() && !self.index.contains_key(&key));
        let slot = Slot {
            key,
            page,
            in_segment: UNLINKED,
            in_page: UNLINKED,
            segment: PROBATION as u8,
            changed: CLEAN,
            load: NONE,
        };
        let id = if let Some(id) = self.vacant.pop() {
            self.slots[id as usize] = slot;
            id
        } else {
            self.slots.push(slot);
            (self.slots.len() - 1) as u32
        };
        self.index.insert(key, id);
        self.enter_segment(id, PROBATION);
        let first = self.of_page[page as usize];
        self.slots[id as usize].in_page.older = first;
        if first != NONE {
            self.slots[first as usize].in_page.newer = id;
        }
        self.of_page[page as usize] = id;
        id
    }

    /// Takes the key out that is least worth keeping: the oldest of the probationary segment, or of the protected one where that is
    /// empty; with `clean_first` a clean one among the oldest, if there is one.
    pub(super) fn evict(&mut self, clean_first: bool) -> Option<Evicted> {
        let segment = if self.segments[PROBATION].len > 0 {
            PROBATION
        } else {
            PROTECTED
        };
        let oldest = self.segments[segment].oldest;
        if oldest == NONE {
            return None;
        }
        let mut victim = oldest;
        if clean_first {
            let mut at = oldest;
            for _ in 0..CLEAN_WINDOW {
                if at == NONE {
                    break;
                }
                if self.slots[at as usize].changed == CLEAN {
                    victim = at;
                    break;
                }
                at = self.slots[at as usize].in_segment.newer;
            }
        }
        Some(self.remove(victim))
    }

    /// A page was programmed, so that an entry of a key is another one: whether the key is in the cache, which then has it
    /// as changed.
    #[inline]
    pub(super) fn change(&mut self, key: u64) -> bool {
        let slot = self.find(key);
        if let Some(slot) = slot {
            let changed = &mut self.slots[slot as usize].changed;
            *changed = (*changed).min(self.changes);
        }
        self.changes += 1;
        slot.is_some()
    }

    /// Changes of entries since the first one that flash does not have, that one included; 0 where flash has every entry.
    pub(super) fn changes_to_find(&self) -> u64 {
        let segments = [PROBATION, PROTECTED].into_iter();
        let slots = segments.flat_map(|segment| self.saved(segment));
        slots.map(|saved| saved.changes).max().unwrap_or(0)
    }

    /// A read that brings keys is under way, or none.
    pub(super) fn set_load(&mut self, slot: SlotId, load: Option<u32>) {
        self.slots[slot as usize].load = load.unwrap_or(NONE);
    }

    /// Flash has every entry of a translation page; of how many keys it had not.
    pub(super) fn clean_page(&mut self, page: u32) -> u32 {
        let mut cleaned = 0;
        let mut at = self.of_page[page as usize];
        while at != NONE {
            let slot = &mut self.slots[at as usize];
            cleaned += u32::from(slot.changed != CLEAN);
            slot.changed = CLEAN;
            at = slot.in_page.older;
        }
        cleaned
    }

    /// No entry of a translation page is of any use.
    pub(super) fn forget_page(&mut self, page: u32) {
        while self.of_page[page as usize] != NONE {
            self.remove(self.of_page[page as usize]);
        }
    }

    fn remove(&mut self, slot: SlotId) -> Evicted {
        self.leave_segment(slot);
        let Slot {
            key,
            page,
            in_page,
            changed,
            ..
        } = self.slots[slot as usize];
        if in_page.newer == NONE {
            self.of_page[page as usize] = in_page.older;
        } else {
            self.slots[in_page.newer as usize].in_page.older = in_page.older;
        }
        if in_page.older != NONE {
            self.slots[in_page.older as usize].in_page.newer = in_page.newer;
        }
        self.index.remove(&key);
        self.vacant.push(slot);
        let dirty = changed != CLEAN;
        Evicted { page, dirty }
    }

    #[inline]
    fn leave_segment(&mut self, slot: SlotId) {
        let Slot {
            in_segment: Links { newer, older },
            segment,
            ..
        } = self.slots[slot as usize];
        let list = &mut self.segments[segment as usize];
        list.len -= 1;
        if newer == NONE {
            list.newest = older;
        } else {
            self.slots[newer as usize].in_segment.older = older;
        }
        if older == NONE {
            list.oldest = newer;
        } else {
            self.slots[older as usize].in_segment.newer = newer;
        }
    }

    #[inline]
    fn enter_segment(&mut self, slot: SlotId, segment: usize) {
        let list = &mut self.segments[segment];
        let former = list.newest;
        list.newest = slot;
        list.len += 1;
        if former == NONE {
            list.oldest = slot;
        } else {
            self.slots[former as usize].in_segment.newer = slot;
        }
        let entered = &mut self.slots[slot as usize];
        entered.segment = segment as u8;
        entered.in_segment = Links {
            newer: NONE,
            older: former,
        };
    }

    /// The keys of a segment, oldest first.
    fn saved(&self, segment: usize) -> impl Iterator<Item = Saved> {
        let mut at = self.segments[segment].oldest;
        std::iter::from_fn(move || {
            let slot = self.slots.get(at as usize)?;
            at = slot.in_segment.newer;
            Some(Saved {
                key: slot.key,
                page: slot.page,
                protected: segment == PROTECTED,
                changes: if slot.changed == CLEAN {
                    0
                } else {
                    self.changes - slot.changed
                },
            })
        })
    }

    /// Passes the keys to a state file, or takes them from one into an empty cache.
    pub(super) fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        let mut keys: Vec<Saved> = self.saved(PROBATION).chain(self.saved(PROTECTED)).collect();
        archive.part(&mut keys)?;
        if !archive.is_loading() {
            return Ok(());
        }
        self.changes = keys.iter().map(|key| key.changes).max().unwrap_or(0);
        for Saved {
            key,
            page,
            protected,
            changes,
        } in keys
        {
            let slot = self.insert(key, page);
            if changes > 0 {
                self.slots[slot as usize].changed = self.changes - changes;
            }
            if protected {
                self.leave_segment(slot);
                self.enter_segment(slot, PROTECTED);
            }
        }
        Ok(())
    }
}
