//! Serving pieces of host requests, and letting in what waits.

use wordline_buffer::Access;
use wordline_ftl::Lpn;
use wordline_units::SimTime;

use crate::control::parked::Backing;
use crate::host::SubRequest;
use crate::operation::Owner;

use super::write_back::Reason;
use super::{Message, Waiting, WriteBuffer};

/// What follows from a step that the buffer had planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followup {
    /// Nothing yet: other steps are outstanding.
    None,
    /// There may be room for what waits.
    MakeRoom,
    /// The same, and then the request has what it waited for.
    MakeRoomAndAcknowledge(u32),
}

impl WriteBuffer {
    /// A page is touched for the first time, perhaps: its content is followed from now on, where it is.
    pub(crate) fn touch(&mut self, piece: &SubRequest, backing: &Backing<'_>) {
        if let Some(shadow) = &mut self.shadow
            && piece.page.pages == 1
        {
            shadow.touch(piece.page.lpn, backing.valid(piece.page.lpn));
        }
    }

    /// Whether a piece that takes no room must wait behind writes that have none; it is served later then.
    pub(crate) fn holds_back(&mut self, piece: &SubRequest) -> bool {
        self.held_back.as_mut().is_some_and(|all| all.hold(piece))
    }

    /// A piece of a read: tells what of it is to be read from flash, if not all of it is here.
    pub(crate) fn read(&mut self, piece: &SubRequest, request: u32) -> Option<SubRequest> {
        let mut held = 0;
        if let Some(&slot) = self.pages.get(&piece.page.lpn) {
            let entry = &self.slots[slot as usize];
            held = entry.readable();
            if entry.listed {
                self.policy.hit(slot, Access::Read);
            }
        }
        if let Some(shadow) = &mut self.shadow {
            shadow.read(piece.page.lpn, piece.page.bitmap, held);
        }
        let missing = piece.page.bitmap & !held;
        if missing == 0 {
            self.counts.read_hits += 1;
            return None;
        }
        self.counts.read_misses += 1;
        let mut piece = *piece;
        piece.page.bitmap = missing;
        if self.read_cache {
            piece.owner = self.owner_of_fill(&piece, request);
        }
        Some(piece)
    }

    /// A piece of a write: it gets its room, or waits for it. Tells whether room may have to be made.
    pub(crate) fn write(&mut self, now: SimTime, piece: SubRequest, backing: &Backing<'_>) -> bool {
        if (self.waiting.is_empty() || self.may_overtake(&piece.page))
            && let Some(slot) = self.admit_write(now, &piece.page)
        {
            self.written(&piece, slot, backing);
            return self.background.is_some();
        }
        self.counts.waits += 1;
        if let Some(held_back) = &mut self.held_back {
            held_back.write_waits();
        }
        self.wait(Waiting::Write(piece));
        true
    }

    /// A write is in its slot: it is acknowledged, or (forced unit access without a capacitor)
    /// follows its page to flash.
    fn written(&mut self, piece: &SubRequest, slot: u32, backing: &Backing<'_>) {
        let Owner::Request(request) = piece.owner else {
            return;
        };
        if piece.fua && !self.capacitor {
            self.wait_for_flash(slot, request, backing);
        } else {
            self.messages.push(Message::Answer(request));
        }
    }

    /// A write of `request` comes: programs that begin from now on are its own, where such writes wait.
    pub(crate) fn begin_programs(&mut self) {
        if let Some(begun) = &mut self.begun {
            begun.0 = None;
        }
    }

    /// The request waits for the program that has begun with its write, if one has; whether it does.
    pub(crate) fn wait_for_begun(&mut self, request: u32) -> bool {
        let id = self.begun.as_mut().and_then(|begun| begun.0.take());
        let slot = id.and_then(|id| self.slots.get_mut(id as usize));
        let Some(slot) = slot.filter(|slot| slot.writing != 0) else {
            return false;
        };
        slot.waiters.push(request);
        true
    }

    /// Writes a page back now, and lets one pending piece of a request wait for it.
    fn wait_for_flash(&mut self, id: u32, request: u32, backing: &Backing<'_>) {
        let slot = &mut self.slots[id as usize];
        if slot.writing != 0 && slot.dirty != 0 {
            slot.waiters_again.push(request);
            return;
        }
        slot.waiters.push(request);
        if !slot.under_way() {
            self.flush_slot(id, Reason::Flush, backing);
        }
    }

    /// The power has failed: from now on nothing is safe here, and a flush brings all to flash.
    pub(crate) const fn lose_power(&mut self) {
        self.capacitor = false;
    }

    /// A flush command: what is in the buffer and not on flash is written back, in the order of its
    /// addresses, before it is acknowledged; with a capacitor it is safe as it is. Tells for how many pages the request
    /// waits. Until [`Self::end_making_room`] is called nothing leaves on its own.
    pub(crate) fn flush(&mut self, request: u32, backing: &Backing<'_>) -> u32 {
        if self.capacitor {
            return 0;
        }
        let unsaved = self.slots.iter().filter(|(_, slot)| slot.unsaved());
        let mut slots: Vec<(Lpn, u32)> = unsaved.map(|(id, slot)| (slot.lpn, id as u32)).collect();
        slots.sort_unstable();
        // room is made after all of them: none may leave in between
        self.making_room = true;
        for &(_, slot) in &slots {
            self.wait_for_flash(slot, request, backing);
        }
        slots.len() as u32
    }

    /// A step that the buffer planned is done and has grown `grown` more to wait for; a plan that
    /// has just been made counts as the step that it replaces.
    pub(crate) fn step_done(
        &mut self,
        now: SimTime,
        owner: Owner,
        (grown, counted): (u32, bool),
        backing: &Backing<'_>,
    ) -> Followup {
        match owner {
            Owner::Buffer(slot) => self.write_back_step_done(now, slot, grown, counted, backing),
            Owner::Fill(fill) => self.fill_step_done(fill, grown, counted),
            Owner::Padding(pad) => self.pad_step_done(pad, grown, counted, backing),
            Owner::Request(_) | Owner::Job(_) => Followup::None,
        }
    }

    /// What the buffer asked of the FTL is done without flash.
    pub(crate) fn served_from_memory(
        &mut self,
        now: SimTime,
        owner: Owner,
        backing: &Backing<'_>,
    ) -> Followup {
        match owner {
            Owner::Fill(fill) => {
                self.fill_without_flash(fill);
                Followup::None
            }
            owner => self.step_done(now, owner, (0, true), backing),
        }
    }

    /// The request that a page is read for, to be kept.
    pub(crate) fn request_of_fill(&self, fill: u32) -> u32 {
        self.fills.request(fill)
    }

    /// A write that waited has its room: what stood behind it, and behind no other, goes on. Tells whether anything does.
    fn release_held_back(&mut self) -> bool {
        let Some(held_back) = &mut self.held_back else {
            return false;
        };
        held_back.write_has_room();
        let before = self.messages.len();
        while let Some(piece) = held_back.release() {
            self.messages.push(Message::Serve(piece));
        }
        self.messages.len() > before
    }

    /// Gives free room to what waits for it. Tells whether it has stopped for pieces that were held back: these go before the next write.
    pub(super) fn admit_waiting(&mut self, now: SimTime, backing: &Backing<'_>) -> bool {
        while let Some(first) = self.waiting.front().copied() {
            match first {
                Waiting::Fill(fill) => {
                    if !self.fill(fill) {
                        return false;
                    }
                    self.fills.waited();
                    self.waited();
                }
                Waiting::Write(piece) => {
                    let Some(slot) = self.admit_write(now, &piece.page) else {
                        return false;
                    };
                    self.waited();
                    self.written(&piece, slot, backing);
                    if self.release_held_back() {
                        return true;
                    }
                }
            }
        }
        false
    }
}
