//! What programs of pages that units share write beside the data, and how units are found by that after a power cut.

use std::collections::BTreeMap;

use wordline_nand::{BlockId, Ppn};
use wordline_units::SimTime;

use super::UnitFtl;
use super::pages::Change;
use crate::contract::Recoverable;
use crate::map::Relocate;
use crate::plan::{Lpn, Step, Work};
use crate::recovery::{FoundBlock, FoundFlash, Recovery, RecoveryError, Repair, SpareArea, Written};

impl Recoverable for UnitFtl {
    fn written(&self, step: &Step, page: Ppn) -> Option<Written> {
        self.spare_areas(step, page).map(Written::Units)
    }

    fn is_unsettled(&self, _block: BlockId) -> bool {
        false
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

    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        let units = FoundUnits {
            flash,
            per_page: self.per_page,
        };
        let erased = self.units.map_spare_areas(now, &units)?;
        Ok(Recovery {
            reads: flash.passed_pages(&self.flash),
            repairs: erased.into_iter().map(Repair::Erase).collect(),
        })
    }
}

impl UnitFtl {
    /// What the program of a step, which begins, says of each place of its page: a write of the host has its number, a unit that is moved has the numbers of its source, for
    /// which 0 stands. A unit that was superseded since it was read is not to be found again.
    pub(super) fn spare_areas(&self, step: &Step, page: Ppn) -> Option<Vec<Option<SpareArea>>> {
        let slc = self.units.space.is_slc(page.0 * u64::from(self.per_page));
        let is_program = matches!(step.work, Work::Program { .. });
        let page = self.pages.get(step.token).filter(|_| is_program)?;
        let map = &self.units.map;
        let areas = page.units.iter().map(|unit| {
            let (number, sectors) = match unit.change {
                Change::Write { number, .. } => (number, unit.sectors),
                Change::Move(source) if map.owner(source) == Some(unit.lpn) => (0, map.sectors(unit.lpn)),
                Change::Move(_) => return None,
            };
            Some(SpareArea {
                lpn: Lpn(unit.lpn),
                version: number,
                write: number,
                sectors,
                slc,
            })
        });
        let padding = std::iter::repeat(None);
        Some(areas.chain(padding).take(self.per_page as usize).collect())
    }

    /// The numbers of the writes that wait in page registers, by logical page.
    pub(super) fn register_numbers(&self) -> BTreeMap<u64, u64> {
        let open = self.pages.registers().map(|(_, token)| token);
        let units = open.filter_map(|token| self.pages.get(token));
        let numbers = units.flat_map(|page| &page.units).map(|unit| {
            let number = match unit.change {
                Change::Write { number, .. } => number,
                Change::Move(_) => 0,
            };
            (unit.lpn, number)
        });
        numbers.collect()
    }

    /// Sets them, as they were saved.
    pub(super) fn set_register_numbers(&mut self, numbers: &BTreeMap<u64, u64>) {
        let open: Vec<u32> = self.pages.registers().map(|(_, token)| token).collect();
        for token in open {
            for unit in &mut self.pages.page_mut(token).units {
                if let (Change::Write { number, .. }, Some(saved)) =
                    (&mut unit.change, numbers.get(&unit.lpn))
                {
                    *number = *saved;
                }
            }
        }
    }
}

/// The flash as the page-level FTL of the units is shown it: places are its pages.
pub(super) struct FoundUnits<'a> {
    pub(super) flash: &'a dyn FoundFlash,
    pub(super) per_page: u32,
}

impl FoundFlash for FoundUnits<'_> {
    fn block(&self, block: BlockId) -> FoundBlock {
        let found = self.flash.block(block);
        FoundBlock {
            passed: found.passed * self.per_page,
            ..found
        }
    }

    fn spare_area(&self, place: Ppn) -> Option<SpareArea> {
        let per_page = u64::from(self.per_page);
        self.flash
            .unit(Ppn(place.0 / per_page), (place.0 % per_page) as u32)
    }
}
