//! `kind = "sequential"`: every request starts where the one before ended.

use super::generator::Addresses;
use super::slots::Slots;

/// One address after the other; at the end of the region from its start again.
pub(crate) struct Sequential {
    slots: Slots,
    next: u64,
}

impl Sequential {
    pub(crate) const fn new(slots: Slots) -> Self {
        Self {
            next: slots.sector(0),
            slots,
        }
    }
}

impl Addresses for Sequential {
    #[inline]
    fn next(&mut self, sectors: u32) -> u64 {
        let start = self.slots.at_or_after(self.next, sectors);
        self.next = start + u64::from(sectors);
        start
    }
}
