//! The capacity in sectors (`buffer.unit = "sector"`): what each page takes, and what the pages that wait need.
//!
//! A page takes the sectors that it holds, each once, whether it is clean, dirty, or on its way to flash. A page that waits for the
//! padding of its group keeps what it takes until it is written, also if it is trimmed meanwhile.

mod counting;
mod entering;

use std::collections::VecDeque;

use wordline_units::SimTime;

use super::counts::OverTime;

/// What a page takes, in sectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Share {
    taken: u32,
    /// Of these, sectors that come free: the page leaves.
    leaving: u32,
    /// Sectors that are not on flash.
    unsaved: u32,
    /// Of these, sectors of a page that is not on its way to flash.
    pending: u32,
}

/// The sums of all pages, and what waits.
#[derive(Debug)]
pub(super) struct Sectors {
    capacity: u64,
    /// Sectors of a page.
    page: u64,
    taken: u64,
    leaving: u64,
    pending: u64,
    unsaved: OverTime,
    shares: Vec<Share>,
    /// What each entry that waits needed when it came, and the sum.
    needs: VecDeque<u32>,
    needed: u64,
    /// Sectors of the pages that were read and wait.
    waiting_fills: u64,
}

impl Sectors {
    pub(super) fn new(capacity: usize, page: usize) -> Self {
        Self {
            capacity: capacity as u64,
            page: page as u64,
            taken: 0,
            leaving: 0,
            pending: 0,
            unsaved: OverTime::default(),
            shares: Vec::new(),
            needs: VecDeque::new(),
            needed: 0,
            waiting_fills: 0,
        }
    }

    pub(super) fn restart(&mut self, now: SimTime) {
        self.unsaved.restart(now);
    }

    /// Sectors that are not on flash.
    pub(super) fn unsaved_over_time(&self) -> &OverTime {
        &self.unsaved
    }

    fn free(&self) -> u64 {
        self.capacity.saturating_sub(self.taken)
    }

    /// Sectors that are not on flash, and how many of them are not on their way there.
    pub(super) fn unsaved(&self) -> (u64, u64) {
        (self.unsaved.value(), self.pending)
    }

    /// What a slot took when it was counted last.
    fn share(&self, id: u32) -> Share {
        self.shares.get(id as usize).copied().unwrap_or_default()
    }

    /// A slot takes this now.
    fn count(&mut self, id: u32, after: Share) {
        let index = id as usize;
        if index >= self.shares.len() {
            self.shares.resize(index + 1, Share::default());
        }
        let before = std::mem::replace(&mut self.shares[index], after);
        let changed = |sum: u64, before: u32, after: u32| sum + u64::from(after) - u64::from(before);
        self.taken = changed(self.taken, before.taken, after.taken);
        self.leaving = changed(self.leaving, before.leaving, after.leaving);
        self.pending = changed(self.pending, before.pending, after.pending);
        self.unsaved
            .add(i64::from(after.unsaved) - i64::from(before.unsaved));
    }
}
