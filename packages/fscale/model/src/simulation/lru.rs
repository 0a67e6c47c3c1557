//! Things that were used last, exactly.

use rustc_hash::FxHashMap;

/// No entry.
const NONE: u32 = u32::MAX;

struct Entry<T> {
    key: u64,
    value: T,
    newer: u32,
    older: u32,
}

/// At most so many things by number; the one that was not used for longest makes room for a new one. Entries are a list through a vector.
pub(crate) struct Lru<T> {
    places: FxHashMap<u64, u32>,
    entries: Vec<Entry<T>>,
    newest: u32,
    oldest: u32,
    most: usize,
}

impl<T> Lru<T> {
    /// Room for `most` things.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            places: FxHashMap::default(),
            entries: Vec::new(),
            newest: NONE,
            oldest: NONE,
            most,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.entries.len() >= self.most
    }

    pub(crate) fn contains(&self, key: u64) -> bool {
        self.places.contains_key(&key)
    }

    /// Uses a thing that is there.
    pub(crate) fn touch(&mut self, key: u64) -> Option<&mut T> {
        let place = *self.places.get(&key)?;
        self.unlink(place);
        self.link_newest(place);
        Some(&mut self.entries[place as usize].value)
    }

    /// Adds a thing that is not there, as the one used last: what had to leave for it, which is itself if there is room for none.
    pub(crate) fn insert(&mut self, key: u64, value: T) -> Option<(u64, T)> {
        if self.most == 0 {
            return Some((key, value));
        }
        if !self.is_full() {
            let place = self.add(key, value);
            self.link_newest(place);
            return None;
        }
        let place = self.oldest;
        self.unlink(place);
        let entry = &mut self.entries[place as usize];
        self.places.remove(&entry.key);
        let left = (
            std::mem::replace(&mut entry.key, key),
            std::mem::replace(&mut entry.value, value),
        );
        self.places.insert(key, place);
        self.link_newest(place);
        Some(left)
    }

    /// Adds a thing that is not there, as the one used before all others, where there is room.
    pub(crate) fn insert_oldest(&mut self, key: u64, value: T) {
        if self.is_full() {
            return;
        }
        let place = self.add(key, value);
        self.entries[place as usize].newer = self.oldest;
        match self.oldest {
            NONE => self.newest = place,
            oldest => self.entries[oldest as usize].older = place,
        }
        self.oldest = place;
    }

    pub(crate) fn resident_bytes(&self) -> u64 {
        let place = size_of::<(u64, u32)>() + 1;
        (self.places.capacity() * place + self.entries.capacity() * size_of::<Entry<T>>()) as u64
    }

    fn add(&mut self, key: u64, value: T) -> u32 {
        let place = self.entries.len() as u32;
        self.entries.push(Entry {
            key,
            value,
            newer: NONE,
            older: NONE,
        });
        self.places.insert(key, place);
        place
    }

    fn unlink(&mut self, place: u32) {
        let (newer, older) = (
            self.entries[place as usize].newer,
            self.entries[place as usize].older,
        );
        match newer {
            NONE => self.newest = older,
            newer => self.entries[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.entries[older as usize].newer = newer,
        }
    }

    fn link_newest(&mut self, place: u32) {
        let entry = &mut self.entries[place as usize];
        entry.newer = NONE;
        entry.older = self.newest;
        match self.newest {
            NONE => self.oldest = place,
            newest => self.entries[newest as usize].newer = place,
        }
        self.newest = place;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A list of keys in the order of their use says the same.
        #[test]
        fn keeps_what_was_used_last(most in 0_usize..20, keys in prop::collection::vec(0_u64..40, 0..400)) {
            let mut lru = Lru::new(most);
            let mut reference: Vec<(u64, usize)> = Vec::new();
            for (time, key) in keys.into_iter().enumerate() {
                let found = reference.iter().position(|(other, _)| *other == key);
                prop_assert_eq!(lru.contains(key), found.is_some());
                if let Some(place) = found {
                    let (_, value) = reference.remove(place);
                    prop_assert_eq!(lru.touch(key).copied(), Some(value));
                    reference.push((key, value));
                    continue;
                }
                prop_assert!(lru.touch(key).is_none());
                let left = lru.insert(key, time);
                reference.push((key, time));
                let expected = (reference.len() > most).then(|| reference.remove(0));
                prop_assert_eq!(left, expected);
                prop_assert_eq!(lru.is_full(), reference.len() == most);
            }
        }
    }

    #[test]
    fn the_oldest_leaves_first() {
        let mut lru = Lru::new(3);
        assert_eq!(lru.insert(1, ()), None);
        lru.insert_oldest(2, ());
        lru.insert_oldest(3, ());
        lru.insert_oldest(4, ());
        assert!(!lru.contains(4));
        assert_eq!(lru.insert(5, ()), Some((3, ())));
        assert_eq!(lru.insert(6, ()), Some((2, ())));
        assert_eq!(lru.insert(7, ()), Some((1, ())));
    }
}
