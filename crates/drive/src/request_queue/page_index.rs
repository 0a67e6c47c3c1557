//! Which requests that wait have a page in common with a range of pages.

use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges of logical pages with the requests that they belong to. Those that overlap a range are found without a look at the others.
#[derive(Debug)]
pub(super) struct PageIndex {
    /// By class of length, first page and number of the request: the page after the last, and the request's place.
    ranges: BTreeMap<(u8, u64, u64), (u64, usize)>,
    /// By class of length: how many there are.
    counts: [usize; CLASSES],
    /// The classes of which there are any, a bit for each.
    there: u128,
}

/// Classes of length: a range of class `c` has at most 2^c pages.
const CLASSES: usize = 65;

impl Default for PageIndex {
    fn default() -> Self {
        Self {
            ranges: BTreeMap::new(),
            counts: [0; CLASSES],
            there: 0,
        }
    }
}

/// The class of a range.
fn class_of(pages: &Range<u64>) -> u8 {
    let length = pages.end - pages.start;
    (u64::BITS - length.saturating_sub(1).leading_zeros()) as u8
}

impl PageIndex {
    /// The pages of a request come in.
    pub(super) fn insert(&mut self, pages: &Range<u64>, number: u64, place: usize) {
        let class = class_of(pages);
        self.ranges
            .insert((class, pages.start, number), (pages.end, place));
        self.counts[usize::from(class)] += 1;
        self.there |= 1 << class;
    }

    /// They leave.
    pub(super) fn remove(&mut self, pages: &Range<u64>, number: u64) {
        let class = class_of(pages);
        let removed = self.ranges.remove(&(class, pages.start, number));
        let count = &mut self.counts[usize::from(class)];
        *count -= usize::from(removed.is_some());
        if *count == 0 {
            self.there &= !(1 << class);
        }
    }

    /// The requests with a page in a range: number and place of each.
    pub(super) fn overlapping(&self, pages: &Range<u64>) -> impl Iterator<Item = (u64, usize)> {
        let (from, to) = (pages.start, pages.end);
        let some = |left: u128| (left > 0).then_some(left);
        let classes = std::iter::successors(some(self.there), move |left| some(left & (left - 1)));
        classes.flat_map(move |left| {
            let class = left.trailing_zeros() as u8;
            let longest = 1_u64.checked_shl(u32::from(class)).unwrap_or(u64::MAX);
            let first = (class, from.saturating_sub(longest - 1), 0);
            let begin_before = self.ranges.range(first..(class, to, 0));
            begin_before
                .filter(move |(_, (end, _))| *end > from)
                .map(|((.., number), (_, place))| (*number, *place))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_range() -> impl Strategy<Value = Range<u64>> {
        let length = prop_oneof![1_u64..9, 1_u64..200, Just(u64::MAX / 2)];
        (0_u64..120, length).prop_map(|(start, length)| start..start + length)
    }

    proptest! {
        /// The requests that are found are those that a look at all finds.
        #[test]
        fn overlapping_ranges_are_found(
            ranges in proptest::collection::vec((any_range(), any::<bool>()), 1..40),
            asked in any_range(),
        ) {
            let mut index = PageIndex::default();
            for (number, (range, _)) in (0..).zip(&ranges) {
                index.insert(range, number, number as usize + 7);
            }
            for (number, (range, stays)) in (0..).zip(&ranges) {
                if !stays {
                    index.remove(range, number);
                }
            }
            let mut found: Vec<(u64, usize)> = index.overlapping(&asked).collect();
            found.sort_unstable();
            let there = (0..).zip(&ranges).filter(|(_, (range, stays))| {
                *stays && range.start < asked.end && asked.start < range.end
            });
            let expected: Vec<(u64, usize)> = there.map(|(number, _)| (number, number as usize + 7)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
