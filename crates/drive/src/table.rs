//! Tables of what comes and goes, numbered: the number that was given up last is given out next.

use std::ops::{Index, IndexMut};

/// As `slab::Slab`, but whether an entry has gone is looked at in development builds only, where it ends the run. For small entries on
/// the hot path.
#[derive(Debug)]
pub(crate) struct Table<T> {
    places: Vec<Place<T>>,
    vacant: Vec<u32>,
}

/// Where an entry is, or was.
#[derive(Clone, Copy, Debug)]
struct Place<T> {
    entry: T,
    is_taken: bool,
}

impl<T: Copy> Table<T> {
    pub(crate) const fn new() -> Self {
        Self {
            places: Vec::new(),
            vacant: Vec::new(),
        }
    }

    /// Adds what `make` makes, which is made where it stays and so is not copied; tells its number.
    #[inline(always)]
    pub(crate) fn insert_with(&mut self, make: impl FnOnce() -> T) -> u32 {
        let Some(number) = self.vacant.pop() else {
            return self.grow(make());
        };
        self.places[number as usize] = Place {
            entry: make(),
            is_taken: true,
        };
        number
    }

    /// Adds an entry; tells its number.
    #[inline]
    pub(crate) fn insert(&mut self, entry: T) -> u32 {
        self.insert_with(|| entry)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, entry: T) -> u32 {
        self.places.push(Place {
            entry,
            is_taken: true,
        });
        (self.places.len() - 1) as u32
    }

    /// Takes an entry out: what it was.
    #[inline]
    pub(crate) fn remove(&mut self, number: u32) -> &T {
        let place = &mut self.places[number as usize];
        debug_assert!(place.is_taken, "{number} has gone already");
        place.is_taken = false;
        self.vacant.push(number);
        &place.entry
    }

    /// The entry of a number that may not be there, or have gone.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        let place = self.places.get(number as usize)?;
        place.is_taken.then_some(&place.entry)
    }

    /// As [`Self::get`], to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let place = self.places.get_mut(number as usize)?;
        place.is_taken.then_some(&mut place.entry)
    }

    /// The entries and their numbers, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..)
            .zip(&self.places)
            .filter_map(|(number, place)| place.is_taken.then_some((number, &place.entry)))
    }

    /// The entries, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let taken = self.places.iter_mut().filter(|place| place.is_taken);
        taken.map(|place| &mut place.entry)
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.vacant.len()
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
        let place = &self.places[number as usize];
        debug_assert!(place.is_taken, "{number} has gone");
        &place.entry
    }
}

impl<T> IndexMut<u32> for Table<T> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut T {
        let place = &mut self.places[number as usize];
        debug_assert!(place.is_taken, "{number} has gone");
        &mut place.entry
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
                    prop_assert_eq!(*table.remove(number), slab.remove(number as usize));
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
