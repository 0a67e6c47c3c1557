//! The permuted back end: pages are where a permutation puts them until they are written.

use rustc_hash::FxHashMap;
use wordline_units::{Permutation, Seed};

use crate::drive::Drive;
use crate::mapping::{Job, Mapping, Statistical, Target, Written};

/// The initial place of each page is computed; pages that were written since are in a table, so that memory grows with them only. Collection is set by
/// rates as in [`Statistical`].
pub(crate) struct Permuted {
    initial: Permutation,
    slots_per_die: u64,
    written: FxHashMap<u64, u32>,
    collection: Statistical,
}

impl Permuted {
    pub(crate) fn new(drive: &Drive, seed: u64) -> Self {
        let slots = drive.slots();
        Self {
            initial: Permutation::new(slots, Seed(seed), "fscale.permutation"),
            slots_per_die: slots.div_ceil(drive.dies()),
            written: FxHashMap::default(),
            collection: Statistical::new(drive, seed),
        }
    }
}

impl Mapping for Permuted {
    fn locate(&mut self, page: u64) -> u32 {
        match self.written.get(&page) {
            Some(die) => *die,
            None => (self.initial.of(page) / self.slots_per_die) as u32,
        }
    }

    fn write(&mut self, page: u64, target: Target, due: &mut Vec<Job>) -> Written {
        let old = self.locate(page);
        let die = match target {
            Target::Die(die) => die,
            Target::Same => old,
        };
        self.written.insert(page, die);
        self.collection.write_to(die, due);
        Written { old, die }
    }

    fn resident_bytes(&self) -> u64 {
        let entry = size_of::<(u64, u32)>() + 1;
        self.collection.resident_bytes() + (self.written.capacity() * entry) as u64
    }
}
