//! Writing pages back to flash.

use wordline_buffer::{Access, Eviction};
use wordline_ftl::{PageOp, PageRequest};
use wordline_units::SimTime;

use super::Reason;
use crate::buffer::serve::Followup;
use crate::buffer::{Message, WriteBuffer};
use crate::control::parked::Backing;
use crate::host::SubRequest;
use crate::operation::{NONE, Owner};

impl WriteBuffer {
    /// Whether another page is to be written in the background now.
    fn wants_background(&mut self) -> bool {
        let Some(background) = &mut self.background else {
            return false;
        };
        let under_way = self.counts.under_way;
        let (unsaved, left) = match &self.sectors {
            None => {
                let unsaved = self.counts.unsaved.value();
                (unsaved, unsaved + self.counts.emptied - under_way)
            }
            Some(sectors) => sectors.unsaved(),
        };
        let unsaved = unsaved + self.gathered.value();
        background.running |= unsaved > background.high;
        background.running &= left > background.low;
        background.running && under_way < background.limit
    }

    /// Takes a slot out of the lists: it leaves.
    fn begin_leaving(&mut self, id: u32) {
        self.slots[id as usize].listed = false;
        self.leaving += 1;
        self.recount(id);
        if let Some(background) = &mut self.background {
            background.order.remove(id);
        }
    }

    /// Begins to make room; false where that is going on already.
    pub(crate) fn begin_making_room(&mut self) -> bool {
        !std::mem::replace(&mut self.making_room, true)
    }

    /// Gives free room to what waits, makes room for the rest, and keeps below the watermark: one step of it. Tells whether
    /// another step is to follow, once the messages of this one are delivered.
    pub(crate) fn make_room(&mut self, now: SimTime, backing: &Backing<'_>) -> bool {
        if self.admit_waiting(now, backing) {
            return true;
        }
        let reason = if self.lacks_room() {
            Reason::Eviction
        } else if self.wants_background() {
            Reason::Background
        } else {
            return false;
        };
        if reason == Reason::Background {
            // a clean page can stay
            if let Some(slot) = self.background.as_ref().and_then(|all| all.order.oldest()) {
                self.flush_slot(slot, reason, backing);
                return true;
            }
            if self.read_cache {
                return false;
            }
        }
        self.evict(reason, backing)
    }

    /// Pages leave on their own again, after [`Self::begin_making_room`] or [`Self::flush`].
    pub(crate) fn end_making_room(&mut self) {
        self.making_room = false;
    }

    /// Lets what the policy chooses go; false when it has nothing to choose from.
    fn evict(&mut self, reason: Reason, backing: &Backing<'_>) -> bool {
        let mut victims = std::mem::take(&mut self.victims);
        let eviction = self.policy.evict(&mut victims);
        if matches!(eviction, Some(Eviction::Group | Eviction::PaddedGroup { .. })) {
            self.counts.groups += 1;
        }
        if let Some(Eviction::PaddedGroup { pages }) = eviction {
            self.evict_padded(&victims, pages, reason, backing);
        } else {
            for slot in &victims {
                self.evict_slot(*slot, reason, backing);
            }
        }
        let evicted = !victims.is_empty();
        victims.clear();
        self.victims = victims;
        evicted
    }

    fn evict_slot(&mut self, id: u32, reason: Reason, backing: &Backing<'_>) {
        let slot = &self.slots[id as usize];
        let (dirty, under_way) = (slot.dirty != 0, slot.under_way());
        if !dirty {
            self.counts.evicted_clean += 1;
        }
        if dirty || under_way {
            self.begin_leaving(id);
        } else {
            self.free(id);
        }
        if dirty && !under_way {
            self.write_back(id, reason, backing);
        }
    }

    /// Writes a listed page back; where there is a read cache it stays, clean.
    pub(in crate::buffer) fn flush_slot(&mut self, id: u32, reason: Reason, backing: &Backing<'_>) {
        if self.read_cache {
            self.policy.cleaned(id);
            if let Some(background) = &mut self.background {
                background.order.remove(id);
            }
        } else {
            self.policy.remove(id);
            self.begin_leaving(id);
        }
        self.write_back(id, reason, backing);
    }

    /// Writes a page of a group back whose padding is there, unless it was trimmed meanwhile.
    pub(in crate::buffer) fn write_staged(&mut self, id: u32, reason: Reason, backing: &Backing<'_>) {
        let slot = &mut self.slots[id as usize];
        slot.staged = false;
        self.counts.under_way -= 1;
        if slot.dirty != 0 {
            self.write_back(id, reason, backing);
            return;
        }
        self.counts.emptied -= 1;
        let waiters = std::mem::take(&mut slot.waiters);
        self.leaving -= 1;
        self.free(id);
        self.messages
            .extend(waiters.into_iter().map(Message::Acknowledge));
    }

    /// Hands the sub-pages of a slot to the FTL: what is dirty, and with it what the slot holds of
    /// flash, so that it need not be read for the update.
    fn write_back(&mut self, id: u32, reason: Reason, backing: &Backing<'_>) {
        let slot = &mut self.slots[id as usize];
        let copied = match slot.clean {
            0 => 0,
            // what a waiting TRIM is about to forget must not come back
            clean => clean & backing.lasting(slot.lpn),
        };
        slot.writing = slot.dirty | copied;
        (slot.trim_asked, slot.trimmed) = (0, 0);
        slot.dirty = 0;
        slot.steps_left = 1;
        let page = PageRequest {
            op: PageOp::Write,
            lpn: slot.lpn,
            pages: 1,
            bitmap: slot.writing,
            placement: slot.placement,
            class: 0,
            command_sectors: slot.writing.count_ones(),
        };
        let counts = &mut self.counts;
        counts.under_way += 1;
        match reason {
            Reason::Eviction => counts.evicted_dirty += 1,
            Reason::Flush => counts.flushes += 1,
            Reason::Background => counts.background += 1,
        }
        if let Some(shadow) = &mut self.shadow {
            shadow.handed_on(page.lpn, page.bitmap);
        }
        self.recount(id);
        self.messages.push(Message::Submit(SubRequest {
            owner: Owner::Buffer(id),
            page,
            fua: false,
            account: NONE,
        }));
    }

    /// A step of a write-back is done and has grown `grown` more to wait for.
    pub(in crate::buffer) fn write_back_step_done(
        &mut self,
        now: SimTime,
        id: u32,
        grown: u32,
        counted: bool,
        backing: &Backing<'_>,
    ) -> Followup {
        let slot = &mut self.slots[id as usize];
        slot.steps_left = slot.steps_left + grown - u32::from(counted);
        if slot.steps_left > 0 {
            if counted && let Some(begun) = &mut self.begun {
                begun.0 = Some(id);
            }
            return Followup::None;
        }
        self.advance(now);
        self.programmed_gathered(now, id);
        let slot = &mut self.slots[id as usize];
        let written = std::mem::take(&mut slot.writing) & !slot.trimmed;
        if self.read_cache {
            slot.clean |= written & !slot.dirty;
        }
        self.counts.under_way -= 1;
        let mut waiters = std::mem::take(&mut slot.waiters);
        let again = std::mem::take(&mut slot.waiters_again);
        let mut urgent = false;
        if slot.dirty == 0 {
            // what was written again has been trimmed meanwhile, if anything was
            waiters.extend(again);
            let listed = slot.listed;
            self.counts.unsaved.changes(now, -1);
            if listed {
                self.recount(id);
                self.forget_if_empty(id, false);
            } else {
                self.leaving -= 1;
                self.free(id);
            }
        } else {
            urgent = !again.is_empty();
            slot.waiters = again;
            if !slot.listed {
                slot.listed = true;
                let lpn = slot.lpn;
                self.leaving -= 1;
                self.policy.insert(id, lpn.0, Access::Write);
            }
            if let Some(background) = &mut self.background {
                background.order.put(id);
            }
            self.recount(id);
        }
        self.audit_sectors();
        if urgent {
            self.flush_slot(id, Reason::Flush, backing);
        }
        self.messages
            .extend(waiters.into_iter().map(Message::Acknowledge));
        Followup::MakeRoom
    }
}
