//! The data buffer: pages in the controller's memory, between the host and the FTL.
//!
//! One slot per page with bitmaps of the sub-pages held. The capacity is in pages, or in the sectors that they hold
//! (`sectors.rs`). A write is acknowledged when the buffer
//! has taken it; when the buffer is full, a write waits until what the policy chooses has left. The
//! buffer never holds two copies of a page: what is written to a page on its way to flash is kept
//! in its slot and written back once more.
//!
//! A page is *listed* while the policy knows it, and *leaving* once it was chosen to go, until it
//! is on flash. Without a read cache every page leaves when it is written back; with one it may
//! stay, clean.

mod counts;
mod fills;
mod gathered;
mod held_back;
mod padding;
mod sectors;
mod serve;
mod shadow;
mod start;
mod write_back;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use slab::Slab;
use wordline_buffer::{Access, BufferPolicy, BufferUnit, Frame, WhenFull, WriteBack};
use wordline_config::Config;
use wordline_ftl::{Lpn, PageOp, PageRequest};
use wordline_nand::Geometry;
use wordline_units::{SECTOR_BYTES, Seed, SimTime};

use crate::host::SubRequest;

use counts::{Counts, OverTime};
use fills::Fills;
use held_back::HeldBack;
use padding::Padding;
use sectors::Sectors;
pub(crate) use serve::Followup;
use shadow::Shadow;
pub(crate) use start::Traffic;
use write_back::Background;

/// A page in the buffer.
#[derive(Debug, Default)]
struct Slot {
    lpn: Lpn,
    placement: u16,
    /// Sub-pages that are on flash as well.
    clean: u64,
    /// Sub-pages to be written back.
    dirty: u64,
    /// Sub-pages on their way to flash.
    writing: u64,
    /// Those of them for which a TRIM was asked since they were handed on, and those for which it is done: the FTL may carry it out before all steps of the write-back
    /// have ended.
    trim_asked: u64,
    trimmed: u64,
    /// Known to the policy.
    listed: bool,
    /// Part of a group that waits for its padding; its sub-pages are still among the dirty ones.
    staged: bool,
    /// Steps that the write-back still waits for.
    steps_left: u32,
    /// What its program brings to flash besides it, in the unit of the capacity.
    gathered: u32,
    /// Sectors that were read to complete what is programmed.
    read: u32,
    /// Requests that wait for this write-back, and for the next one.
    waiters: Vec<u32>,
    waiters_again: Vec<u32>,
}

impl Slot {
    fn held(&self) -> u64 {
        self.clean | self.dirty | self.writing
    }

    /// Sub-pages that a read gets from it.
    fn readable(&self) -> u64 {
        self.clean | self.dirty | self.writing & !self.trimmed
    }

    /// Whether it holds what is not on flash.
    fn unsaved(&self) -> bool {
        self.dirty | self.writing != 0
    }

    fn under_way(&self) -> bool {
        self.staged || self.writing != 0
    }
}

/// The slot whose program has begun last, if any has.
#[derive(Clone, Copy, Debug, Default)]
struct Begun(Option<u32>);

/// What waits for a slot.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    /// A piece of a host write.
    Write(SubRequest),
    /// A page that was read.
    Fill(u32),
}

/// What the drive is to do for the buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Message {
    /// Hand a piece to the FTL.
    Submit(SubRequest),
    /// A piece of this request is in the buffer, or was: it is acknowledged after an access to memory.
    Answer(u32),
    /// A piece that was held back is served now.
    Serve(SubRequest),
    /// One thing that this request waited for is done.
    Acknowledge(u32),
}

/// The buffer.
#[derive(Debug)]
pub(crate) struct WriteBuffer {
    /// In pages, or in sectors where they are counted.
    capacity: usize,
    /// What pages take, where the capacity is in sectors.
    sectors: Option<Box<Sectors>>,
    read_cache: bool,
    capacitor: bool,
    /// Whether the FTL forgets trimmed pages.
    trims: bool,
    slots: Slab<Slot>,
    pages: FxHashMap<Lpn, u32>,
    policy: Box<dyn BufferPolicy>,
    /// Slots that are not listed: they come free.
    leaving: usize,
    /// Sectors of a page.
    page_sectors: u32,
    /// Data without a slot that are being programmed, in the unit of the capacity (`gathered.rs`).
    gathered: OverTime,
    /// Writes and pages read that wait for room, oldest first.
    waiting: VecDeque<Waiting>,
    /// What stands behind those writes, where commands are taken up in order.
    held_back: Option<Box<HeldBack>>,
    /// The page whose program has just begun, where the write with which it begins waits for it.
    begun: Option<Begun>,
    /// Room is being made: whoever makes it sees to all that comes up meanwhile.
    making_room: bool,
    /// What the rest of the drive is to do, in this order.
    messages: Vec<Message>,
    /// Scratch: the victims of one eviction.
    victims: Vec<u32>,
    fills: Fills,
    padding: Padding,
    background: Option<Background>,
    pub(crate) counts: Counts,
    shadow: Option<Box<Shadow>>,
}

impl WriteBuffer {
    /// The buffer of `[buffer]`, if there is one.
    pub(crate) fn new(config: &Config, geometry: &Geometry, user_pages: u64) -> Option<Self> {
        let keys = &config.buffer;
        let build = keys.policy.row().ok()?.build?;
        let is_by_sector = keys.unit == BufferUnit::Sector;
        let (unit, page) = if is_by_sector {
            (SECTOR_BYTES, geometry.sectors_per_page())
        } else {
            (geometry.page_bytes, 1)
        };
        let units = keys.size.bytes() / u64::from(unit);
        let frame = Frame {
            capacity: units.clamp(u64::from(page), u64::from(u32::MAX >> 1)) as usize,
            page: page as usize,
            is_by_sector,
            pages_per_block: u64::from(geometry.pages_per_block),
            seed: Seed(config.seed),
        };
        Some(Self {
            policy: build(&keys.keys, &frame),
            capacity: frame.capacity,
            sectors: is_by_sector.then(|| Box::new(Sectors::new(frame.capacity, frame.page))),
            read_cache: keys.read_cache,
            capacitor: keys.capacitor,
            trims: config.ftl.trim.enabled,
            slots: Slab::new(),
            pages: FxHashMap::default(),
            leaving: 0,
            page_sectors: geometry.sectors_per_page(),
            gathered: OverTime::default(),
            waiting: VecDeque::new(),
            held_back: (keys.when_full == WhenFull::InOrder).then(Box::default),
            begun: (keys.write_back == WriteBack::Inline).then(Begun::default),
            making_room: false,
            messages: Vec::new(),
            victims: Vec::new(),
            fills: Fills::new(),
            padding: Padding::new(user_pages),
            background: Background::new(keys, &frame, geometry),
            counts: Counts::default(),
            shadow: None,
        })
    }

    /// Counts afresh from `now` on.
    pub(crate) fn restart_counts(&mut self, now: SimTime) {
        let of_host = self.slots.iter().filter(|(_, slot)| slot.writing != 0);
        self.counts
            .restart(now, of_host.count() as u64, self.padding.being_written());
        self.gathered.restart(now);
        if let Some(sectors) = &mut self.sectors {
            sectors.restart(now);
        }
    }

    /// What is held and not on flash, in the order of its addresses.
    pub(crate) fn unsaved(&self) -> Vec<PageRequest> {
        let unsaved = self.slots.iter().filter(|(_, slot)| slot.unsaved());
        let mut pages: Vec<PageRequest> = unsaved
            .map(|(_, slot)| {
                let bitmap = slot.dirty | slot.writing & !slot.trimmed;
                PageRequest {
                    op: PageOp::Write,
                    lpn: slot.lpn,
                    pages: 1,
                    bitmap,
                    placement: slot.placement,
                    class: 0,
                    command_sectors: bitmap.count_ones(),
                }
            })
            .collect();
        pages.sort_unstable_by_key(|page| page.lpn);
        pages
    }

    /// Pages held that are not on flash.
    pub(crate) fn dirty(&self) -> u64 {
        self.counts.unsaved.value()
    }

    /// Pieces of writes and pages read that wait for room, and pieces behind them.
    pub(crate) fn waiting(&self) -> u64 {
        let held_back = self.held_back.as_ref().map_or(0, |all| all.len());
        (self.waiting.len() + held_back) as u64
    }

    /// Whether writes wait for room.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.len() > self.fills.waiting()
    }

    /// Mean share of the buffer that held pages, or sectors, not on flash, over the time up to `end`; 1 where a buffer is smaller than what is programmed at once.
    pub(crate) fn mean_dirty_share(&self, end: SimTime) -> Option<f64> {
        let unsaved = match &self.sectors {
            None => &self.counts.unsaved,
            Some(sectors) => sectors.unsaved_over_time(),
        };
        let held = unsaved.mean(end)? + self.gathered.mean(end)?;
        Some((held / self.capacity as f64).min(1.0))
    }

    /// What the drive is to do, in this order; [`Self::delivered`] takes the list back.
    #[inline]
    pub(crate) fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }

    /// Takes the place of delivered messages back, so that nothing is allocated for the next.
    #[inline]
    pub(crate) fn delivered(&mut self, mut messages: Vec<Message>) {
        messages.clear();
        if self.messages.is_empty() {
            self.messages = messages;
        }
    }

    fn held(&self, lpn: Lpn) -> u64 {
        let slot = self.pages.get(&lpn);
        slot.map_or(0, |slot| self.slots[*slot as usize].readable())
    }

    /// Puts a write into a slot; `None` when there is no room for it.
    fn admit_write(&mut self, now: SimTime, page: &PageRequest) -> Option<u32> {
        let known = self.pages.get(&page.lpn).copied();
        if !self.has_room(known, page.bitmap) {
            return None;
        }
        let slot = match known {
            Some(slot) => {
                self.counts.write_hits += 1;
                if self.slots[slot as usize].listed {
                    self.policy.hit(slot, Access::Write);
                }
                slot
            }
            None => {
                self.counts.write_misses += 1;
                self.enter(page.lpn, Access::Write)
            }
        };
        self.fills.overwritten(page.lpn, page.bitmap);
        self.padding.overwritten(page.lpn);
        self.advance(now);
        let entry = &mut self.slots[slot as usize];
        if !entry.unsaved() {
            self.counts.unsaved.changes(now, 1);
            self.counts.emptied -= u64::from(entry.staged);
        }
        entry.dirty |= page.bitmap;
        entry.clean &= !page.bitmap;
        entry.placement = page.placement;
        if let Some(background) = &mut self.background
            && entry.listed
            && !entry.under_way()
        {
            background.order.put(slot);
        }
        self.recount(slot);
        if let Some(shadow) = &mut self.shadow {
            shadow.written(page.lpn, page.bitmap);
        }
        self.audit_sectors();
        Some(slot)
    }

    /// Gives a page that is not in the buffer a slot, listed and empty; there must be one.
    fn enter(&mut self, lpn: Lpn, access: Access) -> u32 {
        let slot = self.slots.insert(Slot {
            lpn,
            listed: true,
            ..Slot::default()
        }) as u32;
        self.pages.insert(lpn, slot);
        self.policy.insert(slot, lpn.0, access);
        slot
    }

    /// A TRIM has come: what has not been handed to the FTL is forgotten.
    pub(crate) fn trim(&mut self, now: SimTime, page: &PageRequest) {
        if !self.trims {
            return;
        }
        self.advance(now);
        for id in self.slots_of(page) {
            let slot = &mut self.slots[id as usize];
            let (unsaved, dirty) = (slot.unsaved(), slot.dirty != 0);
            slot.clean &= !page.bitmap;
            slot.dirty &= !page.bitmap;
            slot.trim_asked |= slot.writing & page.bitmap;
            if unsaved && !slot.unsaved() {
                self.counts.unsaved.changes(now, -1);
                self.counts.emptied += u64::from(slot.staged);
            }
            self.recount(id);
            self.forget_if_empty(id, dirty);
        }
        if let Some(shadow) = &mut self.shadow {
            shadow.trim_asked(page);
        }
    }

    /// The FTL has carried out a TRIM: what was a copy of flash is none any more.
    pub(crate) fn trim_done(&mut self, page: &PageRequest) {
        if !self.trims {
            return;
        }
        for id in self.slots_of(page) {
            let slot = &mut self.slots[id as usize];
            slot.clean &= !page.bitmap;
            slot.trimmed |= slot.trim_asked & page.bitmap;
            self.recount(id);
            self.forget_if_empty(id, false);
        }
        self.fills.trimmed(page);
        self.padding.trimmed(page);
        if let Some(shadow) = &mut self.shadow {
            let (slots, pages) = (&self.slots, &self.pages);
            shadow.trim_done(page, |lpn| {
                let slot = pages.get(&lpn).map(|slot| &slots[*slot as usize]);
                slot.map_or((0, 0), |slot| (slot.dirty, slot.writing & !slot.trimmed))
            });
        }
    }

    /// After sub-pages of a slot were forgotten: it goes if nothing is left, and is clean if it was
    /// dirty and only clean ones are left.
    fn forget_if_empty(&mut self, id: u32, was_dirty: bool) {
        let slot = &self.slots[id as usize];
        if !slot.listed || slot.dirty != 0 {
            return;
        }
        if was_dirty {
            self.policy.cleaned(id);
            if let Some(background) = &mut self.background {
                background.order.remove(id);
            }
        }
        if slot.held() == 0 {
            self.policy.remove(id);
            self.free(id);
        }
    }

    /// The slots of the pages that a TRIM concerns.
    fn slots_of(&self, page: &PageRequest) -> Vec<u32> {
        let range = page.lpn.0..page.lpn.0.saturating_add(page.pages);
        if page.pages <= self.slots.len() as u64 {
            let slots = range.filter_map(|lpn| self.pages.get(&Lpn(lpn)));
            slots.copied().collect()
        } else {
            let slots = self.slots.iter();
            slots
                .filter(|(_, slot)| range.contains(&slot.lpn.0))
                .map(|(id, _)| id as u32)
                .collect()
        }
    }

    /// Frees a slot that is not listed.
    fn free(&mut self, id: u32) {
        let slot = self.slots.remove(id as usize);
        self.pages.remove(&slot.lpn);
        self.uncount(id);
    }

    /// Follows the content of every page from now on, for the audit.
    pub(crate) fn watch(&mut self, sectors_per_page: u32) {
        self.shadow = Some(Box::new(Shadow::new(sectors_per_page)));
    }
}
