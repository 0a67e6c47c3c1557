//! Which deltas there are, and in which pages: those that are filled in the controller, those that are programmed, and those on flash.
//!
//! A page of deltas has a number as long as it lives. On flash it is the logical page behind the user's pages by that number. A page
//! is current while one of its deltas is; how many bytes of it are not is kept for each block (invariant G4). Each delta has a stamp, which no other delta
//! ever has: what was planned for one does not concern its successor.

#[cfg(test)]
mod check;
mod flash;
mod kept;
mod persist;

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use wordline_content::room_for;
use wordline_units::SimTime;

use super::keys::{DeltaConfig, PackingRule};

/// Bytes in front of the entries of a page of deltas.
const HEADER_BYTES: u32 = 4;

/// Bytes of an entry that also says the delta's own version and that of its base (specification, section 8).
const RECOVERABLE_ENTRY_BYTES: u32 = 16;

/// The delta of a logical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Delta {
    /// The page of deltas that it is in.
    pub(super) log: u32,
    /// Its bytes.
    pub(super) bytes: u32,
    /// Tells it from all others.
    pub(super) stamp: u64,
    /// Writes since the base, the one that it is of included.
    pub(super) writes: u32,
    /// The number of the write that it is of, among all of the host's, where the drive keeps it for recovery.
    pub(super) number: u64,
}

/// Where a page of deltas is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Place {
    /// There is no such page.
    #[default]
    Vacant,
    /// It is filled in the controller.
    Open,
    /// Its program is planned or under way; the controller has its deltas.
    Programming,
    /// In this block of flash.
    Flash(u32),
}

/// A page of deltas.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Page {
    pub(super) place: Place,
    /// Logical pages and stamps of the deltas that it was filled with.
    pub(super) deltas: Vec<(u64, u64)>,
    /// When its first delta came, while it is filled in the controller.
    opened: SimTime,
    /// Bytes that are taken.
    used: u32,
    /// Deltas that are current.
    current: u32,
    /// Their bytes.
    current_bytes: u32,
}

/// All deltas and their pages.
#[derive(Debug)]
pub(super) struct Log {
    packing: PackingRule,
    buffers: usize,
    page_bytes: u32,
    /// Most pages that there can be.
    most: u32,
    pages: Vec<Page>,
    vacant: Vec<u32>,
    /// Pages that are filled, in the order of their opening.
    open: Vec<u32>,
    deltas: FxHashMap<u64, Delta>,
    /// Where the drive is to be recovered: deltas that were replaced, by logical page and oldest first, while the one that replaces them is not on flash.
    kept: Option<FxHashMap<u64, Vec<Delta>>>,
    /// Bytes of the entry of a delta.
    entry_bytes: u32,
    stamps: u64,
    /// Pages that are not vacant.
    live: u32,
    /// Per block: bytes of its current pages of deltas that are not of current deltas.
    stale_bytes: Vec<u32>,
}

impl Log {
    /// `recovers` says whether pages of deltas must be found again after a power cut.
    pub(super) fn new(
        keys: &DeltaConfig,
        page_bytes: u32,
        (most, blocks): (u32, u32),
        recovers: bool,
    ) -> Self {
        Self {
            packing: keys.packing,
            buffers: keys.temp_buffers.max(1) as usize,
            page_bytes,
            most,
            pages: Vec::new(),
            vacant: Vec::new(),
            open: Vec::new(),
            deltas: FxHashMap::default(),
            kept: recovers.then(FxHashMap::default),
            entry_bytes: if recovers {
                RECOVERABLE_ENTRY_BYTES
            } else {
                room_for(0)
            },
            stamps: 0,
            live: 0,
            stale_bytes: vec![0; blocks as usize],
        }
    }

    /// Most pages that there can be.
    pub(super) const fn most(&self) -> u32 {
        self.most
    }

    /// Pages of deltas that there are.
    pub(super) const fn live(&self) -> u32 {
        self.live
    }

    /// Numbers of pages that were ever used.
    pub(super) const fn pages(&self) -> u32 {
        self.pages.len() as u32
    }

    /// Logical pages that are kept with a delta.
    pub(super) fn deltas(&self) -> usize {
        self.deltas.len()
    }

    /// The delta of a logical page.
    #[inline]
    pub(super) fn get(&self, lpn: u64) -> Option<Delta> {
        self.deltas.get(&lpn).copied()
    }

    /// Whether a delta is the one of its logical page still.
    pub(super) fn is_current(&self, lpn: u64, stamp: u64) -> bool {
        self.deltas.get(&lpn).is_some_and(|delta| delta.stamp == stamp)
    }

    pub(super) fn page(&self, log: u32) -> Option<&Page> {
        self.pages.get(log as usize)
    }

    /// The current deltas of a page, in the order in which they were put in.
    pub(super) fn current(&self, log: u32) -> Vec<(u64, Delta)> {
        let deltas = self.page(log).map_or(&[][..], |page| &page.deltas);
        let current = deltas.iter().filter_map(|(lpn, stamp)| {
            let delta = self.find(*lpn, *stamp)?;
            (delta.log == log).then_some((*lpn, delta))
        });
        current.collect()
    }

    /// Whether the controller has a page of deltas.
    pub(super) fn is_in_memory(&self, log: u32) -> bool {
        self.page(log)
            .is_some_and(|page| matches!(page.place, Place::Open | Place::Programming))
    }

    /// Whether a page of deltas is being filled.
    pub(super) fn is_open(&self, log: u32) -> bool {
        self.page(log).is_some_and(|page| page.place == Place::Open)
    }

    /// Bytes of the current pages of deltas of a block that are not of current deltas.
    pub(super) fn stale_bytes(&self, block: u32) -> u32 {
        self.stale_bytes[block as usize]
    }

    /// What a delta takes of a page.
    pub(super) fn room_for(&self, bytes: u32) -> u32 {
        match self.packing {
            PackingRule::NoSplit => self.entry_bytes + bytes,
            PackingRule::Fractional => bytes,
        }
    }

    /// What a page has for deltas.
    pub(super) const fn room(&self) -> u32 {
        match self.packing {
            PackingRule::NoSplit => self.page_bytes - HEADER_BYTES,
            PackingRule::Fractional => self.page_bytes,
        }
    }

    /// A fresh page, if there can be another.
    fn add(&mut self, place: Place) -> Option<u32> {
        let log = match self.vacant.pop() {
            Some(log) => log,
            None if self.pages.len() < self.most as usize => {
                self.pages.push(Page::default());
                self.pages.len() as u32 - 1
            }
            None => return None,
        };
        self.live += 1;
        self.pages[log as usize].place = place;
        Some(log)
    }

    /// Whether there can be another page.
    pub(super) fn can_grow(&self) -> bool {
        !self.vacant.is_empty() || self.pages.len() < self.most as usize
    }

    /// A new delta of a logical page replaces its old one. It goes to the open page with the least room that it fits, and where it fits
    /// none, it begins another. The page that is full by that and to be programmed, if one is. There must be room for another page
    /// ([`Self::can_grow`]). The page of the old delta may be left without any ([`Self::is_empty_on_flash`]).
    pub(super) fn put(&mut self, now: SimTime, lpn: u64, bytes: u32, number: u64) -> Option<u32> {
        let needed = self.room_for(bytes);
        let room = self.room();
        let left = |log: &u32| room.saturating_sub(self.pages[*log as usize].used);
        let fits = |log: &&u32| match self.packing {
            PackingRule::NoSplit => left(log) >= needed,
            PackingRule::Fractional => left(log) > 0,
        };
        let mut full = None;
        let best = self
            .open
            .iter()
            .copied()
            .filter(|log| fits(&log))
            .min_by_key(left);
        let log = match best {
            Some(log) => log,
            None => {
                let fullest = self.open.iter().copied().min_by_key(left);
                if self.open.len() >= self.buffers {
                    full = fullest;
                }
                if let Some(log) = full {
                    self.close(log);
                }
                let log = self.add(Place::Open)?;
                self.open.push(log);
                log
            }
        };
        self.stamps += 1;
        let stamp = self.stamps;
        let writes = self.writes_since_base(lpn);
        self.replace(lpn);
        let page = &mut self.pages[log as usize];
        if page.deltas.is_empty() {
            page.opened = now;
        }
        page.deltas.push((lpn, stamp));
        page.used += needed;
        page.current += 1;
        page.current_bytes += bytes;
        let delta = Delta {
            log,
            bytes,
            stamp,
            writes,
            number,
        };
        self.deltas.insert(lpn, delta);
        if self.packing == PackingRule::Fractional && self.pages[log as usize].used >= room {
            // what does not fit in this page is in the next one, and counts there
            let over = self.pages[log as usize].used - room;
            self.pages[log as usize].used = room;
            self.close(log);
            if over > 0
                && let Some(next) = self.add(Place::Open)
            {
                self.open.push(next);
                self.pages[next as usize].used = over;
            }
            full = Some(log);
        }
        full
    }

    /// An open page takes no more deltas: it is to be programmed.
    pub(super) fn close(&mut self, log: u32) {
        self.open.retain(|open| *open != log);
        self.pages[log as usize].place = Place::Programming;
    }

    /// The open page that was opened first and holds current deltas.
    pub(super) fn first_open(&self) -> Option<u32> {
        let holds = |log: &&u32| self.pages[**log as usize].current > 0;
        self.open.iter().find(holds).copied()
    }

    /// The open page with current deltas that holds its first one for longest, and since when.
    pub(super) fn oldest_open(&self) -> Option<(SimTime, u32)> {
        let holds = |log: &&u32| self.pages[**log as usize].current > 0;
        let open = self.open.iter().filter(holds);
        open.map(|log| (self.pages[*log as usize].opened, *log)).min()
    }

    /// Writes that the next delta of a logical page is of: those since its base.
    pub(super) fn writes_since_base(&self, lpn: u64) -> u32 {
        self.get(lpn).map_or(0, |delta| delta.writes).saturating_add(1)
    }

    /// Bytes that are taken of a page.
    pub(super) fn used(&self, log: u32) -> u32 {
        self.page(log).map_or(0, |page| page.used)
    }

    /// Bytes of a page that are not of current deltas.
    fn stale_of(&self, log: u32) -> u32 {
        self.page_bytes
            .saturating_sub(self.pages[log as usize].current_bytes)
    }

    /// A logical page has no delta any more; tells the pages of deltas on flash that hold none by that.
    pub(super) fn forget(&mut self, lpn: u64, emptied: &mut Vec<u32>) {
        self.forget_kept(lpn, emptied);
        let log = self.get(lpn).map(|delta| delta.log);
        if self.drop_delta(lpn) {
            emptied.extend(log);
        }
    }

    /// Takes a delta away; whether its page, which is on flash, holds none any more.
    fn drop_delta(&mut self, lpn: u64) -> bool {
        match self.deltas.entry(lpn) {
            Entry::Occupied(entry) => {
                let delta = entry.remove();
                self.leave(delta)
            }
            Entry::Vacant(_) => false,
        }
    }

    /// A delta is no longer in its page; whether that is on flash and holds none any more.
    fn leave(&mut self, delta: Delta) -> bool {
        let needed = self.room_for(delta.bytes);
        let before = self.stale_of(delta.log);
        let page = &mut self.pages[delta.log as usize];
        page.current -= 1;
        page.current_bytes -= delta.bytes;
        match page.place {
            Place::Open => {
                page.deltas.retain(|(_, stamp)| *stamp != delta.stamp);
                page.used = page.used.saturating_sub(needed);
                false
            }
            Place::Flash(block) => {
                let is_empty = page.current == 0;
                let after = if is_empty { 0 } else { self.stale_of(delta.log) };
                let stale = &mut self.stale_bytes[block as usize];
                *stale = *stale - before + after;
                is_empty
            }
            Place::Programming | Place::Vacant => false,
        }
    }

    /// A page that holds nothing is no more.
    pub(super) fn release(&mut self, log: u32) {
        let page = &mut self.pages[log as usize];
        if page.place != Place::Vacant {
            *page = Page::default();
            self.live -= 1;
            self.vacant.push(log);
        }
    }

    /// Whether a page is on flash and holds no current delta.
    pub(super) fn is_empty_on_flash(&self, log: u32) -> bool {
        self.page(log)
            .is_some_and(|page| matches!(page.place, Place::Flash(_)) && page.current == 0)
    }
}
