//! The owners that ageing gave to pages by rule, for who compares later states with them.

use wordline_nand::Ppn;

use super::permuted::PermutedMap;
use crate::plan::Lpn;

/// The owners of all pages as ageing assigned them by rule; what happens to the map later does not change them. Some 80 bytes a block.
#[derive(Clone, Debug)]
pub struct OwnersByRule {
    map: Box<PermutedMap>,
    /// Pages of an entry of the map.
    per_entry: u64,
}

impl OwnersByRule {
    pub(super) fn new(map: Box<PermutedMap>) -> Self {
        Self { map, per_entry: 1 }
    }

    /// The same where each entry stands for so many pages that follow each other.
    #[must_use]
    pub(crate) fn of_units(self, pages: u32) -> Self {
        Self {
            per_entry: u64::from(pages),
            ..self
        }
    }

    /// The logical page that was assigned to a page.
    #[must_use]
    pub fn owner(&self, page: Ppn) -> Option<Lpn> {
        let (entry, at) = (page.0 / self.per_entry, page.0 % self.per_entry);
        let owner = self.map.owner_of(entry)?;
        Some(Lpn(owner * self.per_entry + at))
    }
}
