//! Lists of slots from the newest to the oldest, threaded through one table of links.

/// No slot.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    newer: u32,
    older: u32,
}

/// The links of the slots of several lists; a slot is in one of them at most.
#[derive(Debug, Default)]
pub struct Links(Vec<Link>);

/// One list.
#[derive(Debug)]
pub struct List {
    newest: u32,
    oldest: u32,
    len: usize,
}

impl Default for List {
    fn default() -> Self {
        Self {
            newest: NONE,
            oldest: NONE,
            len: 0,
        }
    }
}

impl List {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The slot at the oldest end.
    #[must_use]
    pub fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// Puts a slot that is in no list at the newest end.
    pub fn push(&mut self, links: &mut Links, slot: u32) {
        let link = Link {
            newer: NONE,
            older: self.newest,
        };
        put(&mut links.0, slot, link, link);
        match self.newest {
            NONE => self.oldest = slot,
            newest => links.0[newest as usize].newer = slot,
        }
        self.newest = slot;
        self.len += 1;
    }

    /// Puts a slot that is in no list at the oldest end.
    pub(crate) fn push_oldest(&mut self, links: &mut Links, slot: u32) {
        let link = Link {
            newer: self.oldest,
            older: NONE,
        };
        put(&mut links.0, slot, link, link);
        match self.oldest {
            NONE => self.newest = slot,
            oldest => links.0[oldest as usize].older = slot,
        }
        self.oldest = slot;
        self.len += 1;
    }

    /// Takes a slot out of this list.
    pub fn remove(&mut self, links: &mut Links, slot: u32) {
        let Link { newer, older } = links.0[slot as usize];
        match newer {
            NONE => self.newest = older,
            newer => links.0[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => links.0[older as usize].newer = newer,
        }
        self.len -= 1;
    }

    pub(crate) fn pop_oldest(&mut self, links: &mut Links) -> Option<u32> {
        let slot = self.oldest()?;
        self.remove(links, slot);
        Some(slot)
    }

    /// Makes a slot of this list its newest.
    pub fn touch(&mut self, links: &mut Links, slot: u32) {
        if self.newest != slot {
            self.remove(links, slot);
            self.push(links, slot);
        }
    }

    /// From the oldest to the newest.
    pub(crate) fn iter<'a>(&self, links: &'a Links) -> impl Iterator<Item = u32> + use<'a> {
        let mut next = self.oldest;
        std::iter::from_fn(move || {
            let slot = next;
            if slot == NONE {
                return None;
            }
            next = links.0[slot as usize].newer;
            Some(slot)
        })
    }
}

/// Sets the entry of a slot in a table that grows with the slots.
pub(super) fn put<T: Clone>(table: &mut Vec<T>, slot: u32, value: T, filler: T) {
    let index = slot as usize;
    if index >= table.len() {
        table.resize(index + 1, filler);
    }
    table[index] = value;
}
