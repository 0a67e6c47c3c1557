//! What may enter, what waits, and how much room is lacking.

use wordline_buffer::Access;
use wordline_ftl::{Lpn, PageRequest};

use super::Sectors;
use crate::buffer::{Waiting, WriteBuffer};

impl WriteBuffer {
    /// Whether there is room for sub-pages of a page, whose slot is `known` if it is in the buffer.
    #[inline]
    pub(in crate::buffer) fn has_room(&self, known: Option<u32>, bitmap: u64) -> bool {
        match &self.sectors {
            None => known.is_some() || self.slots.len() as u64 + self.gathered.value() < self.capacity as u64,
            Some(sectors) => u64::from(self.growth(sectors, known, bitmap)) <= self.free_sectors(sectors),
        }
    }

    /// Sectors that nothing takes, neither pages nor data that left them and are being programmed.
    fn free_sectors(&self, sectors: &Sectors) -> u64 {
        sectors.free().saturating_sub(self.gathered.value())
    }

    /// Sectors that a page takes more when it holds these, too.
    fn growth(&self, sectors: &Sectors, known: Option<u32>, bitmap: u64) -> u32 {
        known.map_or(bitmap.count_ones(), |slot| {
            let held = self.slots[slot as usize].held();
            let taken = sectors.shares[slot as usize].taken;
            (held | bitmap).count_ones().saturating_sub(taken)
        })
    }

    /// Whether a page that was read may enter before what waits: in pages, whenever there is a free slot. In sectors
    /// it would take what a larger page waits for, unless there is room for a whole one.
    pub(in crate::buffer) fn may_enter_first(&self, known: Option<u32>, bitmap: u64) -> bool {
        self.sectors.as_ref().is_none_or(|sectors| {
            self.waiting.is_empty()
                || self.growth(sectors, known, bitmap) == 0
                || self.free_sectors(sectors) >= sectors.page
        })
    }

    /// Whether a write is served before those that wait: its page is in the buffer, and takes no room that they wait for.
    pub(in crate::buffer) fn may_overtake(&self, page: &PageRequest) -> bool {
        let known = self.pages.get(&page.lpn).copied();
        let grows = |sectors: &Sectors| self.growth(sectors, known, page.bitmap) > 0;
        known.is_some() && !self.sectors.as_ref().is_some_and(|sectors| grows(sectors))
    }

    /// The page and the sub-pages of an entry that waits.
    fn wanted(&self, waiting: &Waiting) -> (Lpn, u64) {
        match waiting {
            Waiting::Write(piece) => (piece.page.lpn, piece.page.bitmap),
            Waiting::Fill(fill) => self.fills.wanted(*fill),
        }
    }

    /// What an entry that waits needs now.
    fn need(&self, sectors: &Sectors, waiting: &Waiting) -> u32 {
        let (lpn, bitmap) = self.wanted(waiting);
        self.growth(sectors, self.pages.get(&lpn).copied(), bitmap)
    }

    /// Whether another page that was read may wait: of more than fit, some would only push others out.
    pub(in crate::buffer) fn may_wait(&self, fill: u32) -> bool {
        match &self.sectors {
            None => self.fills.waiting() < self.capacity,
            Some(sectors) => {
                let need = self.need(sectors, &Waiting::Fill(fill));
                sectors.waiting_fills + u64::from(need) <= sectors.capacity
            }
        }
    }

    /// An entry waits for room, behind those that wait already.
    pub(in crate::buffer) fn wait(&mut self, waiting: Waiting) {
        if let Some(sectors) = &self.sectors {
            let need = self.need(sectors, &waiting);
            self.count_waiting(&waiting, need);
        }
        self.waiting.push_back(waiting);
    }

    fn count_waiting(&mut self, waiting: &Waiting, need: u32) {
        let Some(sectors) = &mut self.sectors else { return };
        sectors.needs.push_back(need);
        sectors.needed += u64::from(need);
        match waiting {
            Waiting::Fill(_) => sectors.waiting_fills += u64::from(need),
            // its page is used: it should not leave to make room for itself
            Waiting::Write(piece) => {
                if let Some(&slot) = self.pages.get(&piece.page.lpn)
                    && self.slots[slot as usize].listed
                {
                    self.policy.hit(slot, Access::Write);
                }
            }
        }
    }

    /// The first of those that wait has its place.
    pub(in crate::buffer) fn waited(&mut self) {
        let first = self.waiting.pop_front();
        let Some(sectors) = &mut self.sectors else { return };
        let need = u64::from(sectors.needs.pop_front().unwrap_or(0));
        sectors.needed -= need;
        if let Some(Waiting::Fill(_)) = first {
            sectors.waiting_fills -= need;
        }
    }

    /// Whether more is to leave for those that wait. What is being programmed comes free without that.
    #[inline]
    pub(in crate::buffer) fn lacks_room(&self) -> bool {
        match &self.sectors {
            None => self.capacity + self.leaving < self.slots.len() + self.waiting.len(),
            Some(sectors) => self.lacks_sectors(sectors),
        }
    }

    /// The first of those that wait needs what it needs now; what comes after it, what it needed when it came.
    fn lacks_sectors(&self, sectors: &Sectors) -> bool {
        let (Some(first), Some(then)) = (self.waiting.front(), sectors.needs.front()) else {
            return false;
        };
        let others = sectors.needed - u64::from(*then);
        let needed = others + u64::from(self.need(sectors, first));
        sectors.free() + sectors.leaving < needed
    }
}
