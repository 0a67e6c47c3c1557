//! Tables whose numbers nothing else is indexed by.

use std::ops::{Index, IndexMut};

use crate::table::Table;

/// As [`Table`], for entries that steps refer to which may end after them: a number that is used after its entry has gone ends the
/// run with a panic. In development builds, and so in all tests, it also does where its place is another entry's by then: there a number says how often its place was given
/// out before.
#[derive(Debug)]
pub(crate) struct Numbered<T> {
    table: Table<T>,
    /// By place: how often it was given out before.
    #[cfg(debug_assertions)]
    generations: Vec<u32>,
}

/// Bits of a number that say which place it is; those above them are its generation.
#[cfg(debug_assertions)]
const PLACE_BITS: u32 = 24;

impl<T: Copy> Numbered<T> {
    pub(crate) const fn new() -> Self {
        Self {
            table: Table::new(),
            #[cfg(debug_assertions)]
            generations: Vec::new(),
        }
    }

    /// Adds an entry; tells its number.
    #[cfg(not(debug_assertions))]
    pub(crate) fn insert(&mut self, entry: T) -> u32 {
        self.table.insert(entry)
    }

    /// Adds an entry; tells its number.
    #[cfg(debug_assertions)]
    pub(crate) fn insert(&mut self, entry: T) -> u32 {
        let place = self.table.insert(entry);
        assert!(place < 1 << PLACE_BITS, "development builds number fewer entries");
        match self.generations.get_mut(place as usize) {
            Some(generation) => *generation = (*generation + 1) % (1 << (u32::BITS - PLACE_BITS)),
            None => self.generations.push(0),
        }
        place | self.generations[place as usize] << PLACE_BITS
    }

    /// Takes an entry out.
    pub(crate) fn remove(&mut self, number: u32) -> T {
        *self.table.remove(self.place(number))
    }

    /// The entries, in the order of their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.table.iter().map(|(_, entry)| entry)
    }

    /// The entries, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.table.iter_mut()
    }
}

impl<T> Numbered<T> {
    #[cfg(not(debug_assertions))]
    const fn place(&self, number: u32) -> u32 {
        number
    }

    #[cfg(debug_assertions)]
    fn place(&self, number: u32) -> u32 {
        let place = number & ((1 << PLACE_BITS) - 1);
        let generation = self.generations.get(place as usize).copied();
        assert_eq!(
            generation,
            Some(number >> PLACE_BITS),
            "place {place} is another entry's"
        );
        place
    }
}

impl<T: Copy> Index<u32> for Numbered<T> {
    type Output = T;

    #[expect(clippy::expect_used, reason = "a number whose entry has gone is a defect")]
    fn index(&self, number: u32) -> &T {
        self.table.get(self.place(number)).expect("its entry has gone")
    }
}

impl<T: Copy> IndexMut<u32> for Numbered<T> {
    #[expect(clippy::expect_used, reason = "a number whose entry has gone is a defect")]
    fn index_mut(&mut self, number: u32) -> &mut T {
        let place = self.place(number);
        self.table.get_mut(place).expect("its entry has gone")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_numbers() {
        let mut table = Numbered::new();
        let numbers = ['a', 'b', 'c'].map(|entry| table.insert(entry));
        assert_eq!(table.remove(numbers[1]), 'b');
        let new = table.insert('d');
        assert_eq!(
            [numbers[0], new, numbers[2]].map(|number| table[number]),
            ['a', 'd', 'c']
        );
        table.iter_mut().for_each(|entry| entry.make_ascii_uppercase());
        assert_eq!(table.iter().copied().collect::<String>(), "ADC");
    }

    #[test]
    #[should_panic(expected = "its entry has gone")]
    fn the_number_of_an_entry_that_has_gone_is_refused() {
        let mut table = Numbered::new();
        let number = table.insert('a');
        table.remove(number);
        let _ = table[number];
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "place 0 is another entry's")]
    fn so_it_is_when_its_place_is_another_entry_s() {
        let mut table = Numbered::new();
        let old = table.insert('a');
        table.remove(old);
        table.insert('b');
        let _ = table[old];
    }
}
