//! `fab`: the group with the most buffered pages leaves as a whole (Jo, Kang, Park, Kim and Lee,
//! IEEE Trans. Consumer Electronics 52(2), 2006).

use super::groups::{LargestFirst, group_pages, of_groups};
use super::{Access, BufferPolicy, BufferRow, Eviction};

/// `buffer.policy = "fab"`.
pub(crate) const FAB: BufferRow = of_groups(BufferRow::new(
    "fab",
    "The group with the most buffered pages leaves as a whole.",
    |keys, frame| Box::new(Fab::new(group_pages(keys, frame))),
));

/// Groups, the largest first.
#[derive(Debug)]
pub(super) struct Fab {
    groups: LargestFirst,
}

impl Fab {
    pub(super) fn new(group_pages: u64) -> Self {
        Self {
            groups: LargestFirst::new(group_pages),
        }
    }
}

impl BufferPolicy for Fab {
    fn insert(&mut self, slot: u32, lpn: u64, _access: Access) {
        self.groups.add(slot, lpn);
    }

    fn hit(&mut self, slot: u32, _access: Access) {
        self.groups.touch(slot);
    }

    fn remove(&mut self, slot: u32) {
        self.groups.remove(slot);
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        self.groups.evict(victims).then_some(Eviction::Group)
    }

    fn listed(&self) -> Vec<u32> {
        self.groups.listed()
    }
}
