//! What programs of the pages of units write beside the data, and how units are found by that after a power cut.
//!
//! All pages of a unit are programmed with it and have its version, that of the newest write that was collected for it. A unit counts when all of its pages are there: the
//! programs of one may be cut off in the middle, and until the last one has ended the place where it was before holds it.

use wordline_nand::{BlockId, Geometry, Ppn};
use wordline_units::SimTime;

use super::LargeUnitFtl;
use crate::contract::{Ftl, Recoverable};
use crate::inflight::{NO_TOKEN, PendingProgram};
use crate::map::{HostMap, Relocate};
use crate::plan::{Lpn, Step, Work};
use crate::recovery::{FoundBlock, FoundFlash, Recovery, RecoveryError, Repair, SpareArea, Written};

impl Recoverable for LargeUnitFtl {
    fn written(&self, step: &Step, page: Ppn) -> Option<Written> {
        let slc = self.units.space.is_slc(self.split(page.0).0);
        let spare = self.spare_area_of(step)?;
        Some(Written::Units(vec![
            spare.map(|spare| SpareArea { slc, ..spare }),
        ]))
    }

    fn is_unsettled(&self, block: BlockId) -> bool {
        self.programs.has_unfinished(block.0)
    }

    fn number_write(&mut self, number: u64) {
        self.number = number;
    }

    fn fail_block(&mut self, block: BlockId) {
        self.units.space.fail_block(block.0);
    }

    fn may_fail(&self, _step: &Step) -> bool {
        true
    }

    /// Builds a fresh FTL anew.
    ///
    /// # Errors
    /// As for [`PageFtl::map_spare_areas`](crate::mapping::page::PageFtl::map_spare_areas).
    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        let units = Units {
            flash,
            geometry: *self.units.geometry(),
            per_unit: self.per_unit,
        };
        let erased = self.units.map_spare_areas(now, &units)?;
        let full = self.flash.full_bitmap();
        for unit in 0..self.units.user_pages() {
            let Some((place, pages)) = self.units.map.get(unit) else {
                continue;
            };
            for at in (0..u64::from(self.per_unit)).filter(|at| pages >> at & 1 == 1) {
                let spare = flash.unit(Ppn(self.first_of(place) + at), 0);
                let sectors = spare.map_or(full, |spare| spare.sectors);
                if sectors != full {
                    self.partial.insert(self.first_of(unit) + at, sectors);
                }
            }
        }
        for block in (0..self.flash.blocks()).map(BlockId) {
            let found = flash.block(block);
            let of_units = units.block(block).passed * self.per_unit;
            if of_units > found.passed && !erased.contains(&block) && !found.bad {
                self.given_up.insert(block.0, of_units - found.passed);
            }
        }
        Ok(Recovery {
            reads: flash.passed_pages(&self.flash),
            repairs: erased.into_iter().map(Repair::Erase).collect(),
        })
    }
}

impl LargeUnitFtl {
    /// What the program of a page, which begins, says of it: a write of the host has its number, a unit that is moved has the numbers of its source, for which 0 stands. Nothing where the
    /// unit was superseded since it was read; then it is not found, as it is not whole. None of other steps.
    pub(super) fn spare_area_of(&self, step: &Step) -> Option<Option<SpareArea>> {
        let is_program = matches!(step.work, Work::Program { .. }) && step.token != NO_TOKEN;
        let program = self.programs.get(step.token).filter(|_| is_program)?;
        let (unit, at) = self.split(step.lpn.0);
        let (number, sectors) = match (&program.data, self.units.pending(program.step.token)) {
            (Some(data), _) => (data.number, data.after[at]),
            (None, Some(PendingProgram::Move { source, .. }))
                if self.units.map.owner(source) == Some(unit) =>
            {
                (0, self.valid_on_flash(step.lpn.0))
            }
            _ => return Some(None),
        };
        Some(Some(SpareArea {
            lpn: step.lpn,
            version: number,
            write: number,
            sectors,
            slc: false,
        }))
    }
}

/// The flash as the page-level FTL of the units is shown it: places of units are its pages, whose sub-pages are the pages.
struct Units<'a> {
    flash: &'a dyn FoundFlash,
    geometry: Geometry,
    per_unit: u32,
}

impl Units<'_> {
    /// The spare areas of the pages of a place, where these are a whole unit.
    fn pages(&self, place: Ppn) -> Option<Vec<SpareArea>> {
        let per_unit = u64::from(self.per_unit);
        let pages = (0..per_unit).map(|at| self.flash.unit(Ppn(place.0 * per_unit + at), 0));
        let pages: Vec<SpareArea> = pages.collect::<Option<_>>()?;
        let first = pages[0];
        let is_next = |(at, page): (u64, &SpareArea)| {
            (page.lpn.0, page.version, page.write) == (first.lpn.0 + at, first.version, first.write)
        };
        let is_whole = first.lpn.0.is_multiple_of(per_unit) && (0..).zip(&pages).all(is_next);
        is_whole.then_some(pages)
    }
}

impl FoundFlash for Units<'_> {
    fn block(&self, block: BlockId) -> FoundBlock {
        let found = self.flash.block(block);
        let passed = found.passed.div_ceil(self.per_unit);
        FoundBlock {
            passed: passed.min(self.geometry.pages_per_block),
            ..found
        }
    }

    fn spare_area(&self, place: Ppn) -> Option<SpareArea> {
        let pages = self.pages(place)?;
        let data = (0..).zip(&pages).filter(|(_, page)| page.sectors != 0);
        Some(SpareArea {
            lpn: Lpn(pages[0].lpn.0 / u64::from(self.per_unit)),
            sectors: data.fold(0, |sectors, (at, _)| sectors | 1 << at),
            ..pages[0]
        })
    }

    fn sub_pages(&self, place: Ppn) -> u32 {
        let pages = self.pages(place).unwrap_or_default();
        pages.iter().map(|page| page.sectors.count_ones()).sum()
    }
}
