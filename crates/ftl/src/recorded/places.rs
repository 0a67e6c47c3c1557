//! Where the map of a mapping places what it maps: pages of its part of the drive, or parts of them where units share a page.

use wordline_nand::{BlockId, Ppn};

use crate::recovery::{FoundFlash, SpareArea};
use crate::space::Region;

/// The places of a mapping. Place p stands for part p mod `per_page` of page p / `per_page`, in the mapping's numbers and in those of the drive.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) region: Region,
    /// Places of a page.
    pub(super) per_page: u32,
    /// Pages that the map places together.
    pub(super) per_unit: u32,
}

impl Places {
    /// The page of a place.
    pub(super) fn page(&self, place: Ppn) -> Ppn {
        Ppn(place.0 / u64::from(self.per_page))
    }

    /// The places of a page, in order.
    pub(super) fn of_page(&self, page: Ppn) -> impl Iterator<Item = Ppn> + use<> {
        let per_page = u64::from(self.per_page);
        (page.0 * per_page..(page.0 + 1) * per_page).map(Ppn)
    }

    const fn part(&self, place: Ppn) -> u32 {
        (place.0 % self.per_page as u64) as u32
    }

    fn at(&self, page: Ppn, place: Ppn) -> Ppn {
        Ppn(page.0 * u64::from(self.per_page) + u64::from(self.part(place)))
    }

    /// A place, as the drive numbers it.
    pub(super) fn of_drive(&self, place: Ppn) -> Ppn {
        self.at(self.region.page_of_drive(self.page(place)), place)
    }

    /// A place of the drive, as the mapping numbers it; none where it is no place of the mapping's.
    pub(super) fn of_region(&self, place: Ppn) -> Option<Ppn> {
        let page = self.region.page_of_region(self.page(place))?;
        Some(self.at(page, place))
    }

    /// The block of a place, both as the drive numbers them.
    pub(super) fn block(&self, drive: &wordline_nand::Geometry, place: Ppn) -> BlockId {
        drive.block_of(self.page(place))
    }

    /// What the spare area of its page says of a place, as the drive numbers it.
    pub(super) fn found(&self, flash: &dyn FoundFlash, place: Ppn) -> Option<SpareArea> {
        flash.unit(self.page(place), self.part(place))
    }
}
