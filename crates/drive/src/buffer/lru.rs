//! `lru`: the least recently used page is written back first.

use std::collections::BTreeMap;

use super::Replacement;

/// Pages in the order of their last use.
#[derive(Debug, Default)]
pub(super) struct Lru {
    clock: u64,
    /// Slot by time of last use.
    order: BTreeMap<u64, u32>,
    /// Time of last use by slot; 0 is never.
    used: Vec<u64>,
}

impl Replacement for Lru {
    fn used(&mut self, slot: u32) {
        self.removed(slot);
        self.clock += 1;
        let index = slot as usize;
        if index >= self.used.len() {
            self.used.resize(index + 1, 0);
        }
        self.used[index] = self.clock;
        self.order.insert(self.clock, slot);
    }

    fn removed(&mut self, slot: u32) {
        if let Some(used) = self.used.get_mut(slot as usize) {
            self.order.remove(used);
            *used = 0;
        }
    }

    fn victim(&self) -> Option<u32> {
        self.order.first_key_value().map(|(_, slot)| *slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FTL specification, section 7: capacity 4, writes 0, 1, 2, 5, 0, then 9 evicts 1.
    #[test]
    fn worked_example_evicts_page_one() {
        let mut lru = Lru::default();
        for page in [0, 1, 2, 5, 0] {
            lru.used(page);
        }
        assert_eq!(lru.victim(), Some(1));
        lru.removed(1);
        assert_eq!(lru.victim(), Some(2));
    }
}
