//! Where pages are before they are written: computed from their number.

use std::ops::Range;

use wordline_units::{Permutation, Seed};

use crate::drive::Drive;
use crate::mapping::Draw;

/// A permutation spreads pages over all slots, so that neighbours are on different dies and the place of a page takes no memory.
pub(crate) struct Places {
    initial: Permutation,
    pages: u64,
    slots: u64,
    slots_per_die: u64,
}

impl Places {
    pub(crate) fn new(drive: &Drive, seed: u64) -> Self {
        let slots = drive.slots();
        Self {
            initial: Permutation::new(slots, Seed(seed), "fscale.permutation"),
            pages: drive.logical_pages(),
            slots,
            slots_per_die: slots.div_ceil(drive.dies()),
        }
    }

    /// The die of a page.
    pub(crate) fn die_of(&self, page: u64) -> u32 {
        (self.initial.of(page) / self.slots_per_die) as u32
    }

    /// A page of these dies, uniformly; some slots of a die hold none.
    pub(crate) fn page_on(&self, dies: &Range<u32>, draw: &mut Draw) -> u64 {
        let first = u64::from(dies.start) * self.slots_per_die;
        let end = (u64::from(dies.end) * self.slots_per_die).min(self.slots);
        loop {
            let page = self.initial.inverse(first + draw.below(end - first));
            if page < self.pages {
                return page;
            }
        }
    }
}
