//! The permuted back end: pages are where a permutation puts them until they are written.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::drive::Drive;
use crate::mapping::places::Places;
use crate::mapping::{Draw, Job, Mapping, Statistical, Target, Written};

/// The initial place of each page is computed; pages that were written since are in a table, so that memory grows with them only. Collection is set by
/// rates as in [`Statistical`].
pub(crate) struct Permuted {
    places: Places,
    written: FxHashMap<u64, u32>,
    collection: Statistical,
}

impl Permuted {
    pub(crate) fn new(drive: &Drive, seed: u64) -> Self {
        Self {
            places: Places::new(drive, seed),
            written: FxHashMap::default(),
            collection: Statistical::new(drive, seed),
        }
    }
}

impl Mapping for Permuted {
    fn locate(&mut self, page: u64) -> u32 {
        match self.written.get(&page) {
            Some(die) => *die,
            None => self.places.die_of(page),
        }
    }

    fn write(&mut self, page: u64, target: Target, due: &mut Vec<Job>) -> Written {
        let old = self.locate(page);
        let (Target::Die(die) | Target::Same(die)) = target;
        self.written.insert(page, die);
        self.collection.write_to(die, due);
        Written { old, die }
    }

    fn page_on(&mut self, dies: &Range<u32>, draw: &mut Draw) -> u64 {
        self.places.page_on(dies, draw)
    }

    fn resident_bytes(&self) -> u64 {
        let entry = size_of::<(u64, u32)>() + 1;
        self.collection.resident_bytes() + (self.written.capacity() * entry) as u64
    }
}
