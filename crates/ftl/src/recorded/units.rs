//! Programs of mappings whose units are not pages: these number what their programs bring, and know what that is.

use wordline_nand::Ppn;

use super::versions::Numbers;
use super::{Begun, Recorded};
use crate::contract::Subjects;
use crate::plan::{Lpn, Outcome, Step};
use crate::recovery::{MapRecord, SpareArea, Written};
use crate::request::PageRequest;

/// A logical page before a TRIM.
pub(super) struct BeforeTrim {
    lpn: Lpn,
    /// Whether it has data, on flash or on their way there.
    held_data: bool,
    /// Where it is on flash.
    place: Option<Ppn>,
}

impl Recorded {
    /// Whether programs bring what was gathered of several writes: the units of the map are not pages, or the pages of several planes are programmed together.
    pub(super) fn has_units(&self) -> bool {
        self.inner.facts().numbers_writes
    }

    /// The logical pages that a TRIM may take from the map, as they are before it: of units of several pages all pages.
    pub(super) fn before_trim(&self, request: &PageRequest) -> Vec<BeforeTrim> {
        let per_unit = u64::from(self.inner.facts().pages_per_unit);
        let (first, pages) = (request.lpn.0, request.pages.max(1));
        let last = first.saturating_add(pages).min(self.inner.user_pages());
        let units = first / per_unit * per_unit..last.div_ceil(per_unit) * per_unit;
        let pages = units.map(|lpn| BeforeTrim {
            lpn: Lpn(lpn),
            held_data: self.holds_data(Lpn(lpn)),
            place: self.inner.lookup(Lpn(lpn)),
        });
        pages
            .filter(|page| page.held_data || page.place.is_some())
            .collect()
    }

    /// What is recorded of a TRIM of this version: the pages that had data and have none any more, and all of a unit that is nowhere any more. An older place of it may have
    /// data of pages that had none any more. A page of which a register still has data is gone only up to the version of the place that its unit has left: the write that
    /// waits there is newer than that place, but older than the TRIM, and is programmed after it.
    pub(super) fn trimmed_of(&self, before: &[BeforeTrim], version: u64) -> Vec<MapRecord> {
        let gone_up_to = |page: &BeforeTrim| {
            let is_nowhere = self.inner.lookup(page.lpn).is_none();
            if self.holds_data(page.lpn) {
                let left = page.place.filter(|_| is_nowhere)?;
                Some(self.versions.of(left).version)
            } else {
                (page.held_data || is_nowhere).then_some(version)
            }
        };
        let gone = before.iter().filter_map(|page| {
            let (lpn, version) = (page.lpn, gone_up_to(page)?);
            Some(MapRecord::Trimmed { lpn, version })
        });
        gone.collect()
    }

    /// Whether a logical page has data, on flash or on their way there. A unit of several pages may be somewhere without data of this one.
    fn holds_data(&self, lpn: Lpn) -> bool {
        self.inner.valid_sectors(lpn) != 0
    }

    /// The program of a page begins; none of a mapping whose units are pages. What is moved has the numbers of its source.
    pub(super) fn begin_units(&mut self, own: &Step, page: Ppn) -> Option<Begun> {
        let written = self.inner.recoverable()?.written(own, page);
        let Some(Written::Units(mut units)) = written else {
            return None;
        };
        let mut moved_from = Vec::new();
        for unit in units.iter_mut().flatten().filter(|unit| unit.version == 0) {
            if let Some(source) = self.inner.lookup(unit.lpn) {
                let Numbers { version, write } = self.versions.of(source);
                (unit.version, unit.write) = (version, write);
                moved_from.push(self.places.of_drive(source));
            }
        }
        let of_drive = self.places.of_page(self.places.region.page_of_drive(page));
        let brings = of_drive
            .zip(&units)
            .filter_map(|(place, unit)| Some((place, (*unit)?)));
        let brings = brings.collect();
        self.of_units.insert(page, units);
        Some((brings, moved_from))
    }

    /// The program of a page has ended: the logical pages that it brought, with their places; none of a mapping whose units are pages.
    pub(super) fn end_units(&mut self, page: Option<Ppn>, outcome: Outcome) -> Option<Vec<(Lpn, Ppn)>> {
        let page = page?;
        let units = self.of_units.remove(&page)?;
        if !matches!(outcome, Outcome::Good | Outcome::Uncorrectable) {
            return Some(Vec::new());
        }
        let places = self.places.of_page(page).zip(units);
        let brought: Vec<(Ppn, SpareArea)> =
            places.filter_map(|(place, unit)| Some((place, unit?))).collect();
        for (place, spare) in &brought {
            let (version, write) = (spare.version, spare.write);
            self.versions.found(*place, Numbers { version, write });
        }
        Some(
            brought
                .into_iter()
                .map(|(place, spare)| (spare.lpn, place))
                .collect(),
        )
    }
}
