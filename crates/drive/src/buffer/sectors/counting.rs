//! What the pages of the buffer take: counted when they change, and all together for the audit.

use wordline_units::SimTime;

use super::Share;
use crate::buffer::{Slot, WriteBuffer};

impl Share {
    /// What a slot takes that took `before`.
    fn of(slot: &Slot, before: u32) -> Self {
        let held = slot.held().count_ones();
        let taken = if slot.staged { held.max(before) } else { held };
        // what was read, and goes to flash again with the rest of its page, is there already
        let unsaved = ((slot.dirty | slot.writing) & !slot.clean).count_ones();
        Self {
            taken,
            leaving: if slot.listed { 0 } else { taken },
            unsaved,
            pending: if slot.under_way() { 0 } else { unsaved },
        }
    }
}

impl WriteBuffer {
    /// A slot has changed: where the buffer counts sectors, they are counted again, and the policy is told.
    #[inline]
    pub(in crate::buffer) fn recount(&mut self, id: u32) {
        if let Some(sectors) = &mut self.sectors {
            let slot = &self.slots[id as usize];
            let share = Share::of(slot, sectors.share(id).taken);
            sectors.count(id, share);
            if slot.listed {
                self.policy.resized(id, share.taken);
            }
        }
    }

    /// What was not on flash until `now` counts, before it changes.
    #[inline]
    pub(in crate::buffer) fn advance(&mut self, now: SimTime) {
        if let Some(sectors) = &mut self.sectors {
            sectors.unsaved.changes(now, 0);
        }
    }

    /// A slot goes.
    #[inline]
    pub(in crate::buffer) fn uncount(&mut self, id: u32) {
        if let Some(sectors) = &mut self.sectors {
            sectors.count(id, Share::default());
        }
    }

    /// Checks the sums against the pages, and the capacity.
    pub(in crate::buffer) fn check_sectors(&self) -> Result<(), String> {
        let Some(sectors) = &self.sectors else {
            return Ok(());
        };
        let mut sums = [0; 4];
        for (id, slot) in &self.slots {
            let share = Share::of(slot, sectors.shares[id].taken);
            if share != sectors.shares[id] || u64::from(share.taken) > sectors.page {
                return Err(format!(
                    "logical page {} takes {share:?} of the buffer and is counted as {:?}",
                    slot.lpn.0, sectors.shares[id]
                ));
            }
            let parts = [share.taken, share.leaving, share.pending, share.unsaved];
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum += u64::from(part);
            }
        }
        let counted = [
            sectors.taken,
            sectors.leaving,
            sectors.pending,
            sectors.unsaved.value(),
        ];
        if sums != counted {
            return Err(format!(
                "the sectors of the buffer are {sums:?} and are counted as {counted:?}"
            ));
        }
        if sectors.taken > sectors.capacity {
            return Err(format!(
                "the buffer holds {} sectors of {}",
                sectors.taken, sectors.capacity
            ));
        }
        let needed: u64 = sectors.needs.iter().copied().map(u64::from).sum();
        if needed != sectors.needed || sectors.needs.len() != self.waiting.len() {
            return Err(format!(
                "{} entries wait for {} sectors, and {} for {needed} are counted",
                self.waiting.len(),
                sectors.needed,
                sectors.needs.len()
            ));
        }
        Ok(())
    }
}
