//! Serving pieces of host requests, and letting in what waits.

use wordline_ftl::{Lpn, PageOp, PageRequest};

use crate::drive::{Drive, Event};
use crate::host::SubRequest;
use crate::operation::Owner;

use super::Waiting;
use super::policy::Access;
use super::write_back::Reason;

impl Drive {
    /// Serves a piece of a host request with the buffer in between.
    pub(crate) fn serve_buffered(&mut self, sub: SubRequest) {
        let now = self.now;
        let (Some(buffer), Owner::Request(request)) = (self.buffer.as_mut(), sub.owner) else {
            return;
        };
        if let Some(shadow) = &mut buffer.shadow
            && sub.page.pages == 1
        {
            shadow.touch(sub.page.lpn, self.ftl.valid_sectors(sub.page.lpn));
        }
        match sub.page.op {
            PageOp::Read => self.read_buffered(sub, request),
            PageOp::Trim => {
                if buffer.trims {
                    buffer.trim(now, &sub.page);
                }
                self.submit(&sub);
                self.tend();
            }
            PageOp::Write => {
                // from here on the request's time is the buffer's
                self.settle_account(request, sub.account);
                let Some(buffer) = self.buffer.as_mut() else {
                    return;
                };
                if (buffer.waiting.is_empty() || buffer.pages.contains_key(&sub.page.lpn))
                    && let Some(slot) = buffer.take(now, &sub.page)
                {
                    let crowded = buffer.background.is_some();
                    self.buffered(sub, slot);
                    if crowded {
                        self.tend();
                    }
                    return;
                }
                buffer.counts.waits += 1;
                buffer.waiting.push_back(Waiting::Write(sub));
                self.tend();
            }
        }
    }

    fn read_buffered(&mut self, sub: SubRequest, request: u32) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let mut held = 0;
        if let Some(&slot) = buffer.pages.get(&sub.page.lpn) {
            let entry = &buffer.slots[slot as usize];
            held = entry.held();
            if entry.listed {
                buffer.policy.hit(slot, Access::Read);
            }
        }
        if let Some(shadow) = &mut buffer.shadow {
            shadow.read(sub.page.lpn, sub.page.bitmap, held);
        }
        let missing = sub.page.bitmap & !held;
        if missing == 0 {
            buffer.counts.read_hits += 1;
            self.settle_account(request, sub.account);
            self.buffer_answers(request);
            return;
        }
        buffer.counts.read_misses += 1;
        let keeps = buffer.read_cache;
        let page = PageRequest {
            bitmap: missing,
            ..sub.page
        };
        let sub = SubRequest { page, ..sub };
        if keeps {
            self.read_to_keep(sub, request);
        } else {
            self.submit(&sub);
        }
    }

    pub(super) fn buffer_answers(&mut self, request: u32) {
        let done = self.now + self.memory_access;
        self.schedule(done, Event::MemoryDone(request));
    }

    /// A write is in its slot: it is acknowledged, or (forced unit access without a capacitor)
    /// follows its page to flash.
    fn buffered(&mut self, sub: SubRequest, slot: u32) {
        let (Some(buffer), Owner::Request(request)) = (&self.buffer, sub.owner) else {
            return;
        };
        if sub.fua && !buffer.capacitor {
            self.wait_for_flash(slot, request);
        } else {
            self.buffer_answers(request);
        }
    }

    /// Writes a page back now, and lets one pending piece of a request wait for it.
    fn wait_for_flash(&mut self, id: u32, request: u32) {
        let Some(buffer) = self.buffer.as_mut() else {
            return;
        };
        let slot = &mut buffer.slots[id as usize];
        if slot.writing != 0 && slot.dirty != 0 {
            slot.waiters_again.push(request);
            return;
        }
        slot.waiters.push(request);
        if !slot.under_way() {
            self.flush_slot(id, Reason::Flush);
        }
    }

    /// A flush command: what is in the buffer and not on flash is written back, in the order of its
    /// addresses, before it is acknowledged; with a capacitor it is safe as it is.
    pub(crate) fn flush(&mut self, request: u32) {
        let mut slots: Vec<(Lpn, u32)> = Vec::new();
        if let Some(buffer) = self.buffer.as_mut()
            && !buffer.capacitor
        {
            let unsaved = buffer.slots.iter().filter(|(_, slot)| slot.unsaved());
            slots.extend(unsaved.map(|(id, slot)| (slot.lpn, id as u32)));
            slots.sort_unstable();
            // room is made after all of them: none may leave in between
            buffer.tending = true;
        }
        self.requests_wait_for(request, slots.len() as u32 + 1);
        for (_, slot) in slots {
            self.wait_for_flash(slot, request);
        }
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.tending = false;
        }
        self.tend();
        self.buffer_answers(request);
    }

    /// A step that the buffer planned is done and has grown `grown` more to wait for; a plan that
    /// has just been made counts as the step that it replaces.
    pub(crate) fn buffer_step_done(&mut self, owner: Owner, grown: u32, counted: bool) {
        match owner {
            Owner::Buffer(slot) => self.write_back_step_done(slot, grown, counted),
            Owner::Fill(fill) => self.fill_step_done(fill, grown, counted),
            Owner::Padding(pad) => self.pad_step_done(pad, grown, counted),
            Owner::Request(_) | Owner::Job(_) => {}
        }
    }

    /// What the buffer asked of the FTL is done without flash.
    pub(crate) fn buffer_served_from_memory(&mut self, owner: Owner) {
        match owner {
            Owner::Fill(fill) => self.fill_without_flash(fill),
            owner => self.buffer_step_done(owner, 0, true),
        }
    }

    /// The request that an operation belongs to.
    pub(crate) fn request_of(&self, owner: Owner) -> Option<u32> {
        match (owner, &self.buffer) {
            (Owner::Request(request), _) => Some(request),
            (Owner::Fill(fill), Some(buffer)) => Some(buffer.fills.request(fill)),
            _ => None,
        }
    }

    /// The FTL has carried out a TRIM.
    pub(crate) fn trimmed(&mut self, page: &PageRequest) {
        if let Some(buffer) = self.buffer.as_mut() {
            buffer.trim_done(page);
        }
    }

    /// Gives free slots to what waits for one.
    pub(super) fn admit_waiting(&mut self) {
        let now = self.now;
        while let Some(buffer) = self.buffer.as_mut()
            && let Some(first) = buffer.waiting.front().copied()
        {
            match first {
                Waiting::Fill(fill) => {
                    if !buffer.fill(fill) {
                        return;
                    }
                    buffer.fills.waited();
                    buffer.waiting.pop_front();
                }
                Waiting::Write(sub) => {
                    let Some(slot) = buffer.take(now, &sub.page) else {
                        return;
                    };
                    buffer.waiting.pop_front();
                    self.buffered(sub, slot);
                }
            }
        }
    }
}
