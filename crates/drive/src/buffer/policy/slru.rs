//! `slru`: pages enter a probationary list and leave from its old end; a page that is used again is
//! protected (Karedla, Love and Wherry, IEEE Computer 27(3), 1994).

use super::list::put;
use super::{Access, Eviction, Links, List, Policy};

/// Pages used once, and pages used again.
#[derive(Debug)]
pub(super) struct Slru {
    /// Pages that may be protected.
    limit: usize,
    links: Links,
    probationary: List,
    protected: List,
    is_protected: Vec<bool>,
}

impl Slru {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            links: Links::default(),
            probationary: List::default(),
            protected: List::default(),
            is_protected: Vec::new(),
        }
    }

    fn list_of(&mut self, slot: u32) -> &mut List {
        if self.is_protected[slot as usize] {
            &mut self.protected
        } else {
            &mut self.probationary
        }
    }

    fn take_out(&mut self, slot: u32) {
        let mut links = std::mem::take(&mut self.links);
        self.list_of(slot).remove(&mut links, slot);
        self.links = links;
    }

    fn enter(&mut self, slot: u32) {
        put(&mut self.is_protected, slot, false, false);
        self.probationary.push(&mut self.links, slot);
    }
}

impl Policy for Slru {
    fn insert(&mut self, slot: u32, _lpn: u64, _access: Access) {
        self.enter(slot);
    }

    fn hit(&mut self, slot: u32, _access: Access) {
        self.take_out(slot);
        self.is_protected[slot as usize] = true;
        self.protected.push(&mut self.links, slot);
        if self.protected.len() > self.limit
            && let Some(oldest) = self.protected.pop_oldest(&mut self.links)
        {
            self.enter(oldest);
        }
    }

    fn remove(&mut self, slot: u32) {
        self.take_out(slot);
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        let victim = self
            .probationary
            .pop_oldest(&mut self.links)
            .or_else(|| self.protected.pop_oldest(&mut self.links))?;
        victims.push(victim);
        Some(Eviction::Page)
    }

    fn listed(&self) -> Vec<u32> {
        let probationary = self.probationary.iter(&self.links);
        probationary.chain(self.protected.iter(&self.links)).collect()
    }
}
