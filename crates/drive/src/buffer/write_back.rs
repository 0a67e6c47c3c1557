//! The way to flash: evictions, flushes, and background writes above a watermark.

use wordline_ftl::{PageOp, PageRequest};
use wordline_nand::Geometry;

use crate::config::BufferConfig;
use crate::drive::Drive;
use crate::host::SubRequest;
use crate::operation::{NONE, Owner};

use super::policy::{Links, List};
use super::{Access, Eviction, Frame, WriteBuffer};

/// Why a page is written back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// Room is needed.
    Eviction,
    /// A flush or a forced access asked.
    Flush,
    /// Too many pages are dirty.
    Background,
}

/// Listed dirty pages in the order in which they were last written.
#[derive(Debug, Default)]
pub(super) struct WriteOrder {
    /// Only a buffer that keeps clean pages chooses by it.
    kept: bool,
    links: Links,
    list: List,
    member: Vec<bool>,
}

impl WriteOrder {
    pub(super) fn put(&mut self, slot: u32) {
        if !self.kept {
            return;
        }
        let index = slot as usize;
        if index >= self.member.len() {
            self.member.resize(index + 1, false);
        }
        if std::mem::replace(&mut self.member[index], true) {
            self.list.touch(&mut self.links, slot);
        } else {
            self.list.push(&mut self.links, slot);
        }
    }

    fn oldest(&self) -> Option<u32> {
        self.list.oldest()
    }

    pub(super) fn remove(&mut self, slot: u32) {
        if let Some(member) = self.member.get_mut(slot as usize)
            && std::mem::take(member)
        {
            self.list.remove(&mut self.links, slot);
        }
    }
}

/// Write-back between two watermarks.
#[derive(Debug)]
pub(super) struct Background {
    /// Dirty pages above which it starts, and at which it stops.
    high: u64,
    low: u64,
    /// Pages under way at once.
    limit: u64,
    running: bool,
    pub(super) order: WriteOrder,
}

impl Background {
    /// Dirty pages above which it starts.
    pub(super) fn high(&self) -> u64 {
        self.high
    }

    pub(super) fn new(config: &BufferConfig, frame: &Frame, geometry: &Geometry) -> Option<Self> {
        let high = config.dirty_high?;
        let pages = |share: f64| (share * frame.capacity as f64).floor() as u64;
        let limit = config.background_limit.unwrap_or_else(|| geometry.planes());
        Some(Self {
            high: pages(high),
            low: pages(config.dirty_low.unwrap_or(high)),
            limit: u64::from(limit.max(1)),
            running: false,
            order: WriteOrder {
                kept: config.read_cache,
                ..WriteOrder::default()
            },
        })
    }
}

impl WriteBuffer {
    /// Whether another page is to be written in the background now.
    fn wants_background(&mut self) -> bool {
        let Some(background) = &mut self.background else {
            return false;
        };
        let under_way = self.counts.under_way;
        let left = self.counts.unsaved.saturating_sub(under_way);
        background.running |= self.counts.unsaved > background.high;
        background.running &= left > background.low;
        background.running && under_way < background.limit
    }

    /// Takes a slot out of the lists: it leaves.
    fn leave(&mut self, id: u32) {
        self.slots[id as usize].listed = false;
        self.leaving += 1;
        if let Some(background) = &mut self.background {
            background.order.remove(id);
        }
    }
}

impl Drive {
    /// Gives free slots to what waits, makes room for the rest, and keeps below the watermark.
    pub(super) fn tend(&mut self) {
        match self.buffer.as_mut() {
            Some(buffer) if !buffer.tending => buffer.tending = true,
            _ => return,
        }
        loop {
            self.admit_waiting();
            let Some(buffer) = self.buffer.as_mut() else {
                return;
            };
            let reason = if buffer.leaving < buffer.waiting.len() {
                Reason::Eviction
            } else if buffer.wants_background() {
                Reason::Background
            } else {
                break;
            };
            let oldest = buffer.background.as_ref().and_then(|all| all.order.oldest());
            let moved = match (reason, oldest) {
                // a clean page can stay
                (Reason::Background, Some(slot)) => {
                    self.flush_slot(slot, reason);
                    true
                }
                (Reason::Background, None) if buffer.read_cache => false,
                _ => self.evict(reason),
            };
            if !moved {
                break;
            }
        }
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.tending = false;
        }
    }

    /// Lets what the policy chooses go; false when it has nothing to choose from.
    fn evict(&mut self, reason: Reason) -> bool {
        let Some(buffer) = self.buffer.as_mut() else {
            return false;
        };
        let mut victims = std::mem::take(&mut buffer.victims);
        let eviction = buffer.policy.evict(&mut victims);
        if matches!(eviction, Some(Eviction::Group | Eviction::PaddedGroup { .. })) {
            buffer.counts.groups += 1;
        }
        if let Some(Eviction::PaddedGroup { pages }) = eviction {
            self.evict_padded(&victims, pages, reason);
        } else {
            for slot in &victims {
                self.evict_slot(*slot, reason);
            }
        }
        let evicted = !victims.is_empty();
        victims.clear();
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.victims = victims;
        }
        evicted
    }

    fn evict_slot(&mut self, id: u32, reason: Reason) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let slot = &buffer.slots[id as usize];
        let (dirty, under_way) = (slot.dirty != 0, slot.under_way());
        if !dirty {
            buffer.counts.evicted_clean += 1;
        }
        if dirty || under_way {
            buffer.leave(id);
        } else {
            buffer.free(id);
        }
        if dirty && !under_way {
            self.write_back(id, reason);
        }
    }

    /// Writes a listed page back; where there is a read cache it stays, clean.
    pub(super) fn flush_slot(&mut self, id: u32, reason: Reason) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        if buffer.read_cache {
            buffer.policy.cleaned(id);
            if let Some(background) = &mut buffer.background {
                background.order.remove(id);
            }
        } else {
            buffer.policy.remove(id);
            buffer.leave(id);
        }
        self.write_back(id, reason);
    }

    /// Writes a page of a group back whose padding is there, unless it was trimmed meanwhile.
    pub(super) fn write_staged(&mut self, id: u32, reason: Reason) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let slot = &mut buffer.slots[id as usize];
        slot.staged = false;
        buffer.counts.under_way -= 1;
        if slot.dirty != 0 {
            self.write_back(id, reason);
            return;
        }
        let waiters = std::mem::take(&mut slot.waiters);
        buffer.leaving -= 1;
        buffer.free(id);
        for request in waiters {
            self.acknowledge(request);
        }
    }

    /// Hands the sub-pages of a slot to the FTL: what is dirty, and with it what the slot holds of
    /// flash, so that it need not be read for the update.
    fn write_back(&mut self, id: u32, reason: Reason) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let slot = &mut buffer.slots[id as usize];
        // what a waiting TRIM is about to forget must not come back
        let trim_may_wait = self.parked.contains_key(&slot.lpn) || !self.parked_ranges.is_empty();
        let copied = match slot.clean {
            0 => 0,
            _ if trim_may_wait => 0,
            clean => clean & self.ftl.valid_sectors(slot.lpn),
        };
        slot.writing = slot.dirty | copied;
        slot.dirty = 0;
        slot.steps_left = 1;
        let page = PageRequest {
            op: PageOp::Write,
            lpn: slot.lpn,
            pages: 1,
            bitmap: slot.writing,
            placement: slot.placement,
            command_sectors: slot.writing.count_ones(),
        };
        let counts = &mut buffer.counts;
        counts.under_way += 1;
        match reason {
            Reason::Eviction => counts.evicted_dirty += 1,
            Reason::Flush => counts.flushes += 1,
            Reason::Background => counts.background += 1,
        }
        if let Some(shadow) = &mut buffer.shadow {
            shadow.handed_on(page.lpn, page.bitmap);
        }
        self.submit(&SubRequest {
            owner: Owner::Buffer(id),
            page,
            fua: false,
            account: NONE,
        });
    }

    /// A step of a write-back is done and has grown `grown` more to wait for.
    pub(super) fn write_back_step_done(&mut self, id: u32, grown: u32, counted: bool) {
        let now = self.now;
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let slot = &mut buffer.slots[id as usize];
        slot.steps_left = slot.steps_left + grown - u32::from(counted);
        if slot.steps_left > 0 {
            return;
        }
        let written = std::mem::take(&mut slot.writing);
        if buffer.read_cache {
            slot.clean |= written & !slot.dirty;
        }
        buffer.counts.under_way -= 1;
        let mut waiters = std::mem::take(&mut slot.waiters);
        let again = std::mem::take(&mut slot.waiters_again);
        let mut urgent = false;
        if slot.dirty == 0 {
            // what was written again has been trimmed meanwhile, if anything was
            waiters.extend(again);
            let listed = slot.listed;
            buffer.counts.unsaved_changes(now, -1);
            if !listed {
                buffer.leaving -= 1;
                buffer.free(id);
            }
        } else {
            urgent = !again.is_empty();
            slot.waiters = again;
            if !slot.listed {
                slot.listed = true;
                let lpn = slot.lpn;
                buffer.leaving -= 1;
                buffer.policy.insert(id, lpn.0, Access::Write);
            }
            if let Some(background) = &mut buffer.background {
                background.order.put(id);
            }
        }
        if urgent {
            self.flush_slot(id, Reason::Flush);
        }
        for request in waiters {
            self.acknowledge(request);
        }
        self.tend();
    }
}
