//! A map on flash after a power cut (FTL specification, 8.3, kinds A and B).
//!
//! The spare areas of all pages of data give the whole map, also the entries that only the cache had. So nothing is read of the translation pages, some of
//! which lack these entries: their blocks are erased, and all of them are written anew from the map, as a checkpoint is after other recoveries. A power cut meanwhile
//! finds the pages of data as they were.

use wordline_nand::{BlockId, Ppn, Violation};
use wordline_units::SimTime;

use super::Dftl;
use super::data::DataFtl;
use crate::contract::{Inspect, Recoverable};
use crate::exec::functional::{Functional, FunctionalOptions, Observer};
use crate::plan::{Bound, Lpn, Step};
use crate::recovery::{FoundBlock, FoundFlash, OwnPage, Recovery, RecoveryError, Repair, SpareArea, Written};
use crate::space::Region;
use crate::state::archive::ArchiveError;

/// A part of the flash.
struct Part<'a> {
    flash: &'a dyn FoundFlash,
    region: &'a Region,
    /// Whether its pages say what they hold.
    has_data: bool,
}

impl FoundFlash for Part<'_> {
    fn block(&self, block: BlockId) -> FoundBlock {
        self.flash.block(self.region.block_of_drive(block))
    }

    fn spare_area(&self, page: Ppn) -> Option<SpareArea> {
        self.unit(page, 0)
    }

    fn unit(&self, page: Ppn, place: u32) -> Option<SpareArea> {
        let page = self.has_data.then(|| self.region.page_of_drive(page))?;
        self.flash.unit(page, place)
    }
}

impl<D: DataFtl> Recoverable for Dftl<D> {
    fn written(&self, step: &Step, page: Ppn) -> Option<Written> {
        if self.table.owns(step) {
            return Some(Written::Own(OwnPage::Translation));
        }
        let own = self.region.page_of_region(page)?;
        self.data.written(&self.region.step_of_region(*step), own)
    }

    fn is_unsettled(&self, block: BlockId) -> bool {
        let own = self.region.block_of_region(block);
        own.is_some_and(|own| self.data.is_unsettled(own))
    }

    fn number_write(&mut self, number: u64) {
        self.data.number_write(number);
    }

    fn fail_block(&mut self, block: BlockId) {
        match self.region.block_of_region(block) {
            Some(own) => self.data.fail_block(own),
            None => {
                let own = self.table.region.block_of_region(block);
                self.table.ftl.fail_block(own.unwrap_or(block));
            }
        }
    }

    fn may_fail(&self, _step: &Step) -> bool {
        true
    }

    /// Builds a fresh drive anew.
    ///
    /// # Errors
    /// What the FTL of the data refuses; a region of the map that the translation pages do not fit in, as some of its blocks are bad.
    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        let part = |region, has_data| Part {
            flash,
            region,
            has_data,
        };
        let of_data = self.data.recover(now, &part(&self.region, true));
        let of_data = of_data.map_err(|error| match error {
            RecoveryError::Mapping(_) => RecoveryError::Mapping(super::row::DFTL.entry.name),
            other @ RecoveryError::Content(_) => other,
        })?;
        let of_table = self.table.ftl.recover(now, &part(&self.table.region, false))?;
        let erased = of_data.erased().map(|block| self.region.block_of_drive(block));
        let of_map = of_table
            .erased()
            .map(|block| self.table.region.block_of_drive(block));
        let mut repairs: Vec<Repair> = erased.chain(of_map).map(Repair::Erase).collect();
        if self.cache.is_some() {
            repairs.extend(self.write_lacking(now)?);
        }
        Ok(Recovery {
            reads: flash.passed_pages(&self.geometry),
            repairs,
        })
    }
}

impl<D: DataFtl> Dftl<D> {
    /// Writes all translation pages: what is done to the flash, in this order.
    fn write_lacking(&mut self, now: SimTime) -> Result<Vec<Repair>, ArchiveError> {
        let lacking = self.lacking();
        let done = Done {
            region: &self.table.region,
            repairs: Vec::new(),
        };
        let mut functional = Functional::observed(&mut self.table.ftl, FunctionalOptions::default(), done);
        functional.advance_to(now);
        let writes = lacking
            .iter()
            .try_for_each(|page| functional.write(Lpn(*page)).map(drop));
        let end = writes.and_then(|()| functional.finish_jobs());
        end.map_err(|_| ArchiveError::Content("no room for the map in the blocks that are left of it"))?;
        let repairs = std::mem::take(&mut functional.observer_mut().repairs);
        self.table.ftl.reset_counters();
        Ok(repairs)
    }
}

/// What is done to the blocks of the map while it is written.
struct Done<'a> {
    region: &'a Region,
    repairs: Vec<Repair>,
}

impl Observer for Done<'_> {
    fn program(&mut self, _now: SimTime, bound: Bound) -> Result<(), Box<Violation>> {
        let page = self.region.page_of_drive(bound.page);
        self.repairs.push(Repair::Program(page, OwnPage::Translation));
        Ok(())
    }

    fn copy_back(&mut self, now: SimTime, _source: Ppn, bound: Bound) -> Result<(), Box<Violation>> {
        self.program(now, bound)
    }

    fn erase(&mut self, _now: SimTime, block: BlockId) -> Result<(), Box<Violation>> {
        self.repairs
            .push(Repair::Erase(self.region.block_of_drive(block)));
        Ok(())
    }
}
