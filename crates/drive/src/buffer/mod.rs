//! The write buffer: pages in the controller's memory, between the host and the FTL.
//!
//! One slot per page with a bitmap of the sub-pages held. A write is acknowledged when the buffer
//! has taken it; when the buffer is full a write waits until the page that the policy chooses has
//! been written back. The buffer never holds two copies of a page: what is written to a page on
//! its way to flash is kept in its slot and written back once more.

mod lru;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use slab::Slab;
use wordline_ftl::{Lpn, PageOp, PageRequest};

use crate::config::{BufferConfig, BufferPolicy};
use crate::drive::{Drive, Event};
use crate::host::SubRequest;
use crate::operation::Owner;

/// A replacement policy: which page is written back next. Pages on their way to flash are not
/// among its choices.
trait Replacement: Send + std::fmt::Debug {
    /// A slot was filled or used.
    fn used(&mut self, slot: u32);
    /// A slot is no choice any more.
    fn removed(&mut self, slot: u32);
    /// The slot to write back next.
    fn victim(&self) -> Option<u32>;
}

/// The table of policies.
fn replacement(policy: BufferPolicy) -> Option<Box<dyn Replacement>> {
    match policy {
        BufferPolicy::None => None,
        BufferPolicy::Lru => Some(Box::new(lru::Lru::default())),
    }
}

/// A page in the buffer.
#[derive(Debug)]
struct Slot {
    lpn: Lpn,
    placement: u16,
    /// Sub-pages held; on their way to flash while `steps_left` is not zero.
    bitmap: u64,
    /// Sub-pages written while the slot was on its way.
    again: u64,
    /// Steps that the write-back still waits for.
    steps_left: u32,
    /// Requests that wait for this write-back, and for the next one.
    waiters: Vec<u32>,
    waiters_again: Vec<u32>,
}

/// The buffer.
#[derive(Debug)]
pub(crate) struct WriteBuffer {
    capacity: usize,
    slots: Slab<Slot>,
    pages: FxHashMap<Lpn, u32>,
    policy: Box<dyn Replacement>,
    /// Slots on their way to flash.
    flushing: usize,
    /// Writes that wait for a slot, oldest first.
    waiting: VecDeque<SubRequest>,
    pub(crate) read_hits: u64,
    pub(crate) read_misses: u64,
    pub(crate) write_hits: u64,
    pub(crate) write_misses: u64,
    pub(crate) evictions: u64,
    /// Pages written back because a flush or a forced access asked.
    pub(crate) flushes: u64,
}

impl WriteBuffer {
    /// The buffer of `[buffer]`, if there is one.
    pub(crate) fn new(config: &BufferConfig, page_bytes: u32) -> Option<Self> {
        let policy = replacement(config.policy)?;
        Some(Self {
            capacity: (config.size.bytes() / u64::from(page_bytes)).max(1) as usize,
            slots: Slab::new(),
            pages: FxHashMap::default(),
            policy,
            flushing: 0,
            waiting: VecDeque::new(),
            read_hits: 0,
            read_misses: 0,
            write_hits: 0,
            write_misses: 0,
            evictions: 0,
            flushes: 0,
        })
    }

    /// Pages held that are not on flash.
    pub(crate) fn dirty(&self) -> u64 {
        self.slots.len() as u64
    }

    /// Puts a write into a slot; `None` when every slot is taken.
    fn take(&mut self, page: &PageRequest) -> Option<u32> {
        if let Some(&slot) = self.pages.get(&page.lpn) {
            let entry = &mut self.slots[slot as usize];
            if entry.steps_left > 0 {
                entry.again |= page.bitmap;
            } else {
                entry.bitmap |= page.bitmap;
                self.policy.used(slot);
            }
            entry.placement = page.placement;
            self.write_hits += 1;
            return Some(slot);
        }
        if self.slots.len() == self.capacity {
            return None;
        }
        self.write_misses += 1;
        let slot = self.slots.insert(Slot {
            lpn: page.lpn,
            placement: page.placement,
            bitmap: page.bitmap,
            again: 0,
            steps_left: 0,
            waiters: Vec::new(),
            waiters_again: Vec::new(),
        }) as u32;
        self.pages.insert(page.lpn, slot);
        self.policy.used(slot);
        Some(slot)
    }

    fn held(&self, lpn: Lpn) -> u64 {
        self.pages.get(&lpn).map_or(0, |slot| {
            let slot = &self.slots[*slot as usize];
            slot.bitmap | slot.again
        })
    }

    /// Forgets trimmed sub-pages.
    fn trim(&mut self, page: &PageRequest) {
        let range = page.lpn.0..page.lpn.0.saturating_add(page.pages);
        let slots: Vec<u32> = if page.pages == 1 {
            self.pages.get(&page.lpn).copied().into_iter().collect()
        } else {
            self.slots
                .iter()
                .filter(|(_, slot)| range.contains(&slot.lpn.0))
                .map(|(id, _)| id as u32)
                .collect()
        };
        for id in slots {
            let slot = &mut self.slots[id as usize];
            if slot.steps_left > 0 {
                slot.again &= !page.bitmap;
                continue;
            }
            slot.bitmap &= !page.bitmap;
            if slot.bitmap == 0 {
                self.remove(id);
            }
        }
    }

    fn remove(&mut self, id: u32) {
        self.policy.removed(id);
        let slot = self.slots.remove(id as usize);
        self.pages.remove(&slot.lpn);
    }
}

impl Drive {
    /// Serves a piece of a host request with the buffer in between.
    pub(crate) fn serve_buffered(&mut self, sub: SubRequest) {
        let (Some(buffer), Owner::Request(request)) = (self.buffer.as_mut(), sub.owner) else {
            return;
        };
        match sub.page.op {
            PageOp::Read => {
                let missing = sub.page.bitmap & !buffer.held(sub.page.lpn);
                if missing == 0 {
                    buffer.read_hits += 1;
                    self.buffer_answers(request);
                } else {
                    buffer.read_misses += 1;
                    self.submit(SubRequest {
                        page: PageRequest {
                            bitmap: missing,
                            ..sub.page
                        },
                        ..sub
                    });
                }
            }
            PageOp::Trim => {
                buffer.trim(&sub.page);
                self.submit(sub);
                self.admit_waiting();
            }
            PageOp::Write => {
                if (buffer.waiting.is_empty() || buffer.pages.contains_key(&sub.page.lpn))
                    && let Some(slot) = buffer.take(&sub.page)
                {
                    self.buffered(sub, slot);
                    return;
                }
                buffer.waiting.push_back(sub);
                self.make_room();
            }
        }
    }

    fn buffer_answers(&mut self, request: u32) {
        let done = self.now + self.memory_access;
        self.schedule(done, Event::MemoryDone(request));
    }

    /// A write is in its slot: it is acknowledged, or (forced unit access) follows its page to
    /// flash.
    fn buffered(&mut self, sub: SubRequest, slot: u32) {
        let Owner::Request(request) = sub.owner else {
            return;
        };
        if sub.fua {
            self.wait_for_flush(slot, request);
        } else {
            self.buffer_answers(request);
        }
    }

    /// Writes a page back now, and lets one pending piece of a request wait for it.
    fn wait_for_flush(&mut self, slot: u32, request: u32) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let entry = &mut buffer.slots[slot as usize];
        if entry.steps_left > 0 {
            if entry.again != 0 {
                entry.waiters_again.push(request)
            } else {
                entry.waiters.push(request)
            }
        } else {
            entry.waiters.push(request);
            buffer.flushes += 1;
            self.flush_slot(slot);
        }
    }

    /// A flush command: everything in the buffer is written back before it is acknowledged.
    pub(crate) fn flush(&mut self, request: u32) {
        let slots: Vec<u32> = self
            .buffer
            .iter()
            .flat_map(|buffer| buffer.slots.iter().map(|(id, _)| id as u32))
            .collect();
        self.requests_wait_for(request, slots.len() as u32 + 1);
        for slot in slots {
            self.wait_for_flush(slot, request);
        }
        self.buffer_answers(request);
    }

    /// Writes victims back until there is one on its way for every write that waits.
    fn make_room(&mut self) {
        while let Some(buffer) = self.buffer.as_mut() {
            if buffer.flushing >= buffer.waiting.len() {
                return;
            }
            let Some(slot) = buffer.policy.victim() else {
                return;
            };
            buffer.evictions += 1;
            self.flush_slot(slot);
        }
    }

    fn flush_slot(&mut self, slot: u32) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        buffer.policy.removed(slot);
        buffer.flushing += 1;
        let entry = &mut buffer.slots[slot as usize];
        entry.steps_left = 1;
        let page = PageRequest {
            op: PageOp::Write,
            lpn: entry.lpn,
            pages: 1,
            bitmap: entry.bitmap,
            placement: entry.placement,
            command_sectors: entry.bitmap.count_ones(),
        };
        self.submit(SubRequest {
            owner: Owner::Buffer(slot),
            page,
            fua: false,
        });
    }

    /// The FTL has planned a write-back: the slot waits for these steps instead.
    pub(crate) fn flush_waits_for(&mut self, slot: u32, steps: u32) {
        self.flush_step_done(slot, steps, true);
    }

    /// A step of a write-back is done and has grown `grown` more to wait for.
    pub(crate) fn flush_step_done(&mut self, slot: u32, grown: u32, counted: bool) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let entry = &mut buffer.slots[slot as usize];
        entry.steps_left = entry.steps_left + grown - u32::from(counted);
        if entry.steps_left > 0 {
            return;
        }
        buffer.flushing -= 1;
        let mut waiters = std::mem::take(&mut entry.waiters);
        if entry.again == 0 {
            // what was written again has been trimmed meanwhile
            waiters.append(&mut entry.waiters_again);
            buffer.remove(slot);
        } else {
            entry.bitmap = std::mem::take(&mut entry.again);
            entry.waiters = std::mem::take(&mut entry.waiters_again);
            let urgent = !entry.waiters.is_empty();
            buffer.policy.used(slot);
            if urgent {
                self.flush_slot(slot);
            }
        }
        for request in waiters {
            self.acknowledge(request);
        }
        self.admit_waiting();
    }

    /// Gives free slots to the writes that wait for one.
    fn admit_waiting(&mut self) {
        while let Some(buffer) = self.buffer.as_mut() {
            let Some(sub) = buffer.waiting.front().copied() else {
                return;
            };
            let Some(slot) = buffer.take(&sub.page) else { break };
            buffer.waiting.pop_front();
            self.buffered(sub, slot);
        }
        self.make_room();
    }
}
