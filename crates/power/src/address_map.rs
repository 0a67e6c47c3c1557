//! Which word line a page of a block lies on, and which page of its cells it is.
//!
//! Tables 2.1 and 2.2 of the source. The head of table 2.2 labels pages 0 to 3 "MSB" where the text calls
//! them LSB and fast; the text is followed.

use crate::error::ChipError;
use crate::states::PageKind;

/// The map of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressMap {
    /// Kind and word line of each page.
    places: Vec<(PageKind, u32)>,
}

impl AddressMap {
    /// One bit per cell: word line w, from 0, holds pages 2w and 2w + 1 in its two halves.
    #[must_use]
    pub(crate) fn slc(pages: u32) -> Self {
        Self {
            places: (0..pages).map(|page| (PageKind(0), page / 2)).collect(),
        }
    }

    /// Two bits per cell: the fast pages of a word line are programmed two word lines before its slow ones.
    /// `pages` is a multiple of 4.
    #[must_use]
    pub(crate) fn mlc(pages: u32) -> Self {
        let word_lines = pages / 4;
        let mut places = vec![(PageKind(0), 0); pages as usize];
        let mut place = |first: u32, kind, word_line| {
            for slot in places.iter_mut().skip(first as usize).take(2) {
                *slot = (PageKind(kind), word_line);
            }
        };
        for line in 0..word_lines {
            place(if line == 0 { 0 } else { 4 * line - 2 }, 0, line);
            place(
                if line + 1 == word_lines {
                    pages - 2
                } else {
                    4 * line + 4
                },
                1,
                line,
            );
        }
        Self { places }
    }

    /// The map of a list of kinds: the j-th page of each kind lies on the j-th word line. `kinds` are those of
    /// `bits` bits, from 0.
    ///
    /// # Errors
    /// Kinds that do not occur equally often, or a page that comes before the page under it.
    pub(crate) fn listed(kinds: &[PageKind], bits: u32) -> Result<Self, ChipError> {
        let refuse = |found: String| {
            ChipError::new(
                "geometry.page_kinds",
                found,
                format!(
                    "accepted is a list with each kind from 1 to {bits} equally often, in which the j-th page of \
                     a kind comes after the j-th page of the kind before"
                ),
            )
        };
        let mut counts = vec![0_u32; bits as usize];
        let mut places = Vec::with_capacity(kinds.len());
        for (page, kind) in kinds.iter().enumerate() {
            let below = kind
                .index()
                .checked_sub(1)
                .and_then(|below| counts.get(below).copied());
            let Some(count) = counts.get_mut(kind.index()) else {
                return Err(refuse(format!("page {page} of kind {}", u32::from(kind.0) + 1)));
            };
            if below.is_some_and(|below| below <= *count) {
                return Err(refuse(format!(
                    "page {page} of kind {} too early",
                    u32::from(kind.0) + 1
                )));
            }
            places.push((*kind, *count));
            *count += 1;
        }
        if counts.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(refuse(format!("{counts:?} pages by kind")));
        }
        Ok(Self { places })
    }

    /// Pages of a block.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.places.len() as u32
    }

    fn place(&self, page: u32) -> Result<(PageKind, u32), ChipError> {
        self.places.get(page as usize).copied().ok_or_else(|| {
            ChipError::new(
                "page",
                page,
                format!("accepted are pages 0 to {}", self.pages().saturating_sub(1)),
            )
        })
    }

    /// Kind of a page.
    ///
    /// # Errors
    /// A page outside the block.
    pub fn kind(&self, page: u32) -> Result<PageKind, ChipError> {
        self.place(page).map(|(kind, _)| kind)
    }

    /// Word line of a page, from 0.
    ///
    /// # Errors
    /// A page outside the block.
    pub fn word_line(&self, page: u32) -> Result<u32, ChipError> {
        self.place(page).map(|(_, word_line)| word_line)
    }

    /// The other pages of the same cells, in the order in which they are programmed. Of the two pages of a kind on
    /// a word line the even one is in the first half of its cells.
    ///
    /// # Errors
    /// A page outside the block.
    pub fn partners(&self, page: u32) -> Result<Vec<u32>, ChipError> {
        let (kind, word_line) = self.place(page)?;
        let of_line = |wanted: PageKind| {
            self.places
                .iter()
                .enumerate()
                .filter(move |(_, place)| **place == (wanted, word_line))
                .map(|(page, _)| page as u32)
        };
        let half = of_line(kind).position(|other| other == page).unwrap_or(0);
        let mut partners: Vec<u32> = (0..crate::states::MAX_BITS as u8)
            .map(PageKind)
            .filter(|other| *other != kind)
            .filter_map(|other| of_line(other).nth(half))
            .collect();
        partners.sort_unstable();
        Ok(partners)
    }

    /// Checks that a page may be programmed: after the pages of the same cells that come before it.
    ///
    /// # Errors
    /// A page outside the block, or one whose turn has not come.
    pub fn check_turn(&self, page: u32, programmed: impl Fn(u32) -> bool) -> Result<(), ChipError> {
        let missing = self
            .partners(page)?
            .into_iter()
            .find(|other| *other < page && !programmed(*other));
        match missing {
            None => Ok(()),
            Some(other) => Err(ChipError::new(
                "page",
                page,
                format!("page {other} of the same cells is to be programmed before it"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mlc_of_table_2_2() {
        let map = AddressMap::mlc(128);
        let line = |page| map.word_line(page).unwrap();
        for (word_line, pages) in [(0, [0, 1, 4, 5]), (1, [2, 3, 8, 9]), (31, [122, 123, 126, 127])] {
            assert!(
                pages.into_iter().all(|page| line(page) == word_line),
                "{word_line}"
            );
        }
        assert_eq!(map.partners(1).unwrap(), [5]);
        assert_eq!(map.partners(126).unwrap(), [122]);
        assert!(map.check_turn(5, |page| page == 1).is_ok());
        assert!(map.check_turn(5, |page| page == 0).is_err());
        assert!(map.kind(128).is_err());
    }

    #[test]
    fn slc_of_table_2_1() {
        let map = AddressMap::slc(64);
        assert_eq!(map.word_line(6).unwrap(), 3);
        assert_eq!(map.word_line(7).unwrap(), 3);
        assert!(map.partners(7).unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn mlc_agrees_with_the_rule_of_thumb(word_lines in 1_u32..200) {
            let pages = 4 * word_lines;
            let map = AddressMap::mlc(pages);
            let mut seen = vec![[0_u32; 2]; word_lines as usize];
            for page in 0..pages {
                let kind = map.kind(page).unwrap();
                let fast = page < if pages == 4 { 2 } else { 4 } || (page % 4 >= 2 && page < pages - 4);
                prop_assert_eq!(kind == PageKind(0), fast, "page {} of {}", page, pages);
                seen[map.word_line(page).unwrap() as usize][kind.index()] += 1;
                let partners = map.partners(page).unwrap();
                prop_assert_eq!(partners.len(), 1);
                prop_assert_eq!(fast, page < partners[0]);
                prop_assert_eq!(page % 2, partners[0] % 2);
            }
            prop_assert!(seen.iter().all(|count| *count == [2, 2]));
        }

        #[test]
        fn a_list_needs_balance(kinds in prop::collection::vec(0_u8..4, 0..12)) {
            let kinds: Vec<PageKind> = kinds.into_iter().map(PageKind).collect();
            if let Ok(map) = AddressMap::listed(&kinds, 3) {
                for page in 0..map.pages() {
                    let partners = map.partners(page).unwrap();
                    prop_assert_eq!(partners.len(), 2);
                    prop_assert!(partners.iter().all(|other| map.word_line(*other) == map.word_line(page)));
                }
            }
        }
    }

    #[test]
    fn a_list_is_its_own_map() {
        let kinds = [0, 0, 1, 0, 1, 2, 1, 2, 2].map(PageKind);
        let map = AddressMap::listed(&kinds, 3).unwrap();
        assert_eq!(map.partners(5).unwrap(), [0, 2]);
        for bad in [&[0, 1, 2, 0][..], &[1, 0, 2], &[0, 1, 3]] {
            let bad: Vec<PageKind> = bad.iter().copied().map(PageKind).collect();
            assert!(AddressMap::listed(&bad, 3).is_err(), "{bad:?}");
        }
    }
}
