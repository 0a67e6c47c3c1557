//! The addresses of pages that have left, kept to see whether they come back.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// The last pages that left a list, as many as the buffer would hold.
#[derive(Debug)]
pub(super) struct Ghosts {
    capacity: usize,
    /// What they took of the buffer together.
    size: usize,
    clock: u64,
    /// Address and size by the time when they left.
    order: BTreeMap<u64, (u64, usize)>,
    times: FxHashMap<u64, u64>,
}

impl Ghosts {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            size: 0,
            clock: 0,
            order: BTreeMap::new(),
            times: FxHashMap::default(),
        }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Remembers the address of a page of a size; forgets the oldest beyond the capacity.
    pub(super) fn add(&mut self, lpn: u64, size: usize) {
        self.remove(lpn);
        self.clock += 1;
        self.order.insert(self.clock, (lpn, size));
        self.times.insert(lpn, self.clock);
        self.size += size;
        while self.size > self.capacity
            && let Some((_, (oldest, size))) = self.order.pop_first()
        {
            self.times.remove(&oldest);
            self.size -= size;
        }
    }

    /// Forgets an address; tells whether it was known.
    pub(super) fn remove(&mut self, lpn: u64) -> bool {
        let Some(time) = self.times.remove(&lpn) else {
            return false;
        };
        let Some((_, size)) = self.order.remove(&time) else {
            return false;
        };
        self.size -= size;
        true
    }
}
