//! Data that left their slots for a page register, where they wait for the rest of a flash page (`ftl.mapping_unit`, planes in step).
//!
//! The registers have memory of their own, a page for each open block. From the moment at which a register is programmed until the program has ended its data take
//! room in the buffer, as those of a page do that is programmed alone: the slot of the page that completed the register counts them.

use wordline_units::SimTime;

use super::WriteBuffer;

impl WriteBuffer {
    /// A plan starts for the page of a slot, which programs so many sectors of the host: its own, those of pages that left their slots before, and those that were read to
    /// complete a mapping unit, `read` of them by this plan. The latter take no room: the plan may wait for its die long before they are in memory.
    pub(crate) fn plan_starts(&mut self, now: SimTime, id: u32, programmed: u32, read: u32) {
        let slot = &mut self.slots[id as usize];
        slot.read += read;
        let others = programmed.saturating_sub(slot.writing.count_ones() + slot.read);
        let room = if self.sectors.is_some() {
            others
        } else {
            others / self.page_sectors
        };
        // what is programmed once more, after a failure, is in memory once
        let more = room.saturating_sub(slot.gathered);
        slot.gathered += more;
        self.gathered.changes(now, i64::from(more));
    }

    /// What was programmed with the page of a slot is on flash.
    pub(super) fn programmed_gathered(&mut self, now: SimTime, id: u32) {
        let slot = &mut self.slots[id as usize];
        slot.read = 0;
        let gathered = std::mem::take(&mut slot.gathered);
        if gathered > 0 {
            self.gathered.changes(now, -i64::from(gathered));
        }
    }
}
