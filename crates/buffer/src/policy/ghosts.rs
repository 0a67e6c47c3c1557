//! The addresses of pages that have left, kept to see whether they come back.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// The last addresses that left a list.
#[derive(Debug)]
pub(super) struct Ghosts {
    capacity: usize,
    clock: u64,
    order: BTreeMap<u64, u64>,
    times: FxHashMap<u64, u64>,
}

impl Ghosts {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            clock: 0,
            order: BTreeMap::new(),
            times: FxHashMap::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Remembers an address; forgets the oldest beyond the capacity.
    pub(super) fn add(&mut self, lpn: u64) {
        self.remove(lpn);
        self.clock += 1;
        self.order.insert(self.clock, lpn);
        self.times.insert(lpn, self.clock);
        if self.order.len() > self.capacity
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.times.remove(&oldest);
        }
    }

    /// Forgets an address; tells whether it was known.
    pub(super) fn remove(&mut self, lpn: u64) -> bool {
        let Some(time) = self.times.remove(&lpn) else {
            return false;
        };
        self.order.remove(&time).is_some()
    }
}
