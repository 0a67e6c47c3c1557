//! Tables of what comes and goes, numbered: the number that was given up last is given out next.

use std::ops::{Index, IndexMut};

/// As `slab::Slab`, but what is in a place is not asked for when it is looked at by a number that was given out: an
/// entry that has gone still shows what it was. For small entries on the hot path.
#[derive(Debug)]
pub(crate) struct Table<T> {
    entries: Vec<T>,
    is_taken: Vec<bool>,
    vacant: Vec<u32>,
}

impl<T: Copy> Table<T> {
    pub(crate) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            is_taken: Vec::new(),
            vacant: Vec::new(),
        }
    }

    /// Adds an entry; tells its number.
    #[inline]
    pub(crate) fn insert(&mut self, entry: T) -> u32 {
        let Some(number) = self.vacant.pop() else {
            return self.grow(entry);
        };
        self.entries[number as usize] = entry;
        self.is_taken[number as usize] = true;
        number
    }

    #[cold]
    fn grow(&mut self, entry: T) -> u32 {
        self.entries.push(entry);
        self.is_taken.push(true);
        (self.entries.len() - 1) as u32
    }

    /// Takes an entry out.
    #[inline]
    pub(crate) fn remove(&mut self, number: u32) -> T {
        debug_assert!(self.is_taken[number as usize], "{number} has gone already");
        self.is_taken[number as usize] = false;
        self.vacant.push(number);
        self.entries[number as usize]
    }

    /// The entry of a number that may not be there, or have gone.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        let is_taken = self.is_taken.get(number as usize)?;
        is_taken.then(|| &self.entries[number as usize])
    }

    /// As [`Self::get`], to be changed.
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let is_taken = self.is_taken.get(number as usize)?;
        is_taken.then(|| &mut self.entries[number as usize])
    }

    /// The entries and their numbers, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let taken = self.is_taken.iter().zip(&self.entries);
        (0..)
            .zip(taken)
            .filter_map(|(number, (is_taken, entry))| is_taken.then_some((number, entry)))
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.vacant.len()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Index<u32> for Table<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: u32) -> &T {
        &self.entries[number as usize]
    }
}

impl<T> IndexMut<u32> for Table<T> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut T {
        &mut self.entries[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use slab::Slab;

    proptest! {
        /// The same numbers, entries and order as in a slab.
        #[test]
        fn agrees_with_a_slab(steps in prop::collection::vec((any::<bool>(), 0_u32..40), 1..200)) {
            let (mut table, mut slab) = (Table::new(), Slab::new());
            for (step, (insert, number)) in steps.into_iter().enumerate() {
                if insert {
                    prop_assert_eq!(table.insert(step), slab.insert(step) as u32);
                } else if slab.contains(number as usize) {
                    prop_assert_eq!(table.remove(number), slab.remove(number as usize));
                }
                prop_assert_eq!(table.get(number), slab.get(number as usize));
                if let Some(entry) = table.get_mut(number) {
                    *entry += 1;
                    slab[number as usize] += 1;
                    prop_assert_eq!(table[number], slab[number as usize]);
                }
                prop_assert_eq!((table.len(), table.is_empty()), (slab.len(), slab.is_empty()));
                let listed: Vec<_> = table.iter().map(|(number, entry)| (number as usize, *entry)).collect();
                prop_assert_eq!(listed, slab.iter().map(|(number, entry)| (number, *entry)).collect::<Vec<_>>());
            }
        }
    }
}
