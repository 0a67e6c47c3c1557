//! Pages that were read on their way into the buffer.

use wordline_buffer::Access;

use crate::buffer::serve::Followup;
use crate::buffer::{Message, Waiting, WriteBuffer};
use crate::host::SubRequest;
use crate::operation::Owner;

impl WriteBuffer {
    /// Puts a page that was read into a slot; false when there is no room for it.
    pub(in crate::buffer) fn fill(&mut self, id: u32) -> bool {
        let fill = self.fills.fills[id];
        let known = self.pages.get(&fill.lpn).copied();
        if fill.bitmap != 0 && !self.has_room(known, fill.bitmap) {
            return false;
        }
        self.fills.remove(id);
        if let Some(shadow) = &mut self.shadow {
            shadow.filled(id, fill.lpn, fill.bitmap);
        }
        if fill.bitmap == 0 {
            return true;
        }
        let id = known.unwrap_or_else(|| {
            self.counts.fills += 1;
            self.enter(fill.lpn, Access::Read)
        });
        let slot = &mut self.slots[id as usize];
        slot.clean |= fill.bitmap & !(slot.dirty | slot.writing);
        self.recount(id);
        true
    }

    /// The same for a page whose data have just come, where others may wait.
    fn fill_at_once(&mut self, id: u32) -> bool {
        let (lpn, bitmap) = self.fills.wanted(id);
        let known = self.pages.get(&lpn).copied();
        self.may_enter_first(known, bitmap) && self.fill(id)
    }
}

impl WriteBuffer {
    /// Who asks for sub-pages that the buffer does not hold, to keep them; a page that is being read
    /// already is read once more, but kept once.
    pub(in crate::buffer) fn owner_of_fill(&mut self, piece: &SubRequest, request: u32) -> Owner {
        let page = &piece.page;
        if self.fills.pages.contains_key(&page.lpn) {
            return piece.owner;
        }
        let fill = self.fills.add(page.lpn, page.bitmap, request);
        if let Some(shadow) = &mut self.shadow {
            shadow.reading(fill, page.lpn);
        }
        Owner::Fill(fill)
    }

    /// The sub-pages asked for hold no data, or were still in the controller: nothing to keep.
    pub(in crate::buffer) fn fill_without_flash(&mut self, id: u32) {
        let fill = self.fills.remove(id);
        self.messages.push(Message::Answer(fill.request));
    }

    /// A step of a read to keep is done: with the last one the data are here.
    pub(in crate::buffer) fn fill_step_done(&mut self, id: u32, grown: u32, counted: bool) -> Followup {
        let fill = &mut self.fills.fills[id];
        fill.steps_left = fill.steps_left + grown - u32::from(counted);
        if fill.steps_left > 0 {
            return Followup::None;
        }
        let request = fill.request;
        if !self.fill_at_once(id) {
            if self.may_wait(id) {
                self.fills.waiting += 1;
                self.wait(Waiting::Fill(id));
            } else {
                // more pages than fit would only push each other out
                self.fills.remove(id);
            }
        }
        Followup::MakeRoomAndAcknowledge(request)
    }
}
