//! What the mapping of large units saves, loads and is aged by: that of the page-level mapping of the units, and what is known of
//! their pages.

use rustc_hash::FxHashSet;
use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::LargeUnitFtl;
use crate::contract::{AssignByRule, Ftl, Inspect, Mapping, Persist};
use crate::error::FtlError;
use crate::map::HostMap;
use crate::recovery::{FoundFlash, Recovery, RecoveryError};
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent, require};

/// A unit, the sub-pages of its pages that were written, and the sectors of the command that came first.
type SavedRegister = (u64, Vec<u64>, u32);

impl LargeUnitFtl {
    /// Logical pages on flash that are not full of data, by number.
    fn saved_partial(&self) -> Vec<(u64, u64)> {
        let mut partial: Vec<(u64, u64)> = self.partial.iter().map(|(lpn, valid)| (*lpn, *valid)).collect();
        partial.sort_unstable();
        partial
    }

    fn load_partial(&mut self, saved: Vec<(u64, u64)>) -> Result<(), ArchiveError> {
        let full = self.flash.full_bitmap();
        for (lpn, valid) in saved {
            let (unit, at) = self.split(lpn);
            let is_there = lpn < self.user_pages()
                && self
                    .units
                    .map
                    .get(unit)
                    .is_some_and(|(_, pages)| pages >> at & 1 == 1);
            require(is_there, "sub-pages of a logical page that holds no data")?;
            let in_part = valid != 0 && valid & !full == 0 && valid != full;
            require(in_part, "sub-pages that a page does not have")?;
            self.partial.insert(lpn, valid);
        }
        Ok(())
    }

    fn saved_registers(&self) -> Vec<SavedRegister> {
        let registers = self.registers.list().iter();
        let saved = registers.map(|register| (register.unit, register.new.clone(), register.command_sectors));
        saved.collect()
    }

    fn load_registers(&mut self, saved: Vec<SavedRegister>) -> Result<(), ArchiveError> {
        let full = self.flash.full_bitmap();
        let mut units = FxHashSet::default();
        for (unit, new, command_sectors) in saved {
            let is_one = unit < self.units.user_pages() && units.insert(unit);
            require(is_one, "a unit register that the drive does not have")?;
            let fits = new.len() == self.per_unit as usize
                && new.iter().all(|new| *new & !full == 0)
                && new.iter().any(|new| *new != 0)
                && new.iter().any(|new| *new != full);
            require(fits, "a unit register with what cannot be there")?;
            self.registers.open(unit, new, (command_sectors, 0));
        }
        Ok(())
    }

    /// Pages of blocks that were given up, by number of the block.
    fn saved_given_up(&self) -> Vec<(u32, u32)> {
        let mut given_up: Vec<(u32, u32)> = self
            .given_up
            .iter()
            .map(|(block, pages)| (*block, *pages))
            .collect();
        given_up.sort_unstable();
        given_up
    }

    fn load_given_up(&mut self, saved: Vec<(u32, u32)>) -> Result<(), ArchiveError> {
        for (block, pages) in saved {
            let inside = block < self.flash.blocks();
            let fits = inside && {
                let facts = self.units.block(BlockId(block));
                pages <= facts.invalid.saturating_mul(self.per_unit)
            };
            require(fits, "more pages given up than a block has")?;
            self.given_up.insert(block, pages);
        }
        Ok(())
    }
}

impl Persist for LargeUnitFtl {
    fn archive(
        &mut self,
        now: SimTime,
        extent: Extent,
        archive: &mut Archive<'_>,
    ) -> Result<(), ArchiveError> {
        if !archive.is_loading() && !self.is_quiescent() {
            return Err(ArchiveError::Busy);
        }
        self.units.archive(now, extent, archive)?;
        let mut partial = self.saved_partial();
        let mut registers = self.saved_registers();
        let mut given_up = self.saved_given_up();
        archive.part(&mut partial)?;
        archive.part(&mut registers)?;
        archive.part(&mut given_up)?;
        if archive.is_loading() {
            self.load_partial(partial)?;
            self.load_registers(registers)?;
            self.load_given_up(given_up)?;
        }
        if self.is_numbered {
            let mut numbers = self.registers.numbers();
            archive.part(&mut numbers)?;
            if archive.is_loading() {
                self.registers.set_numbers(&numbers)?;
            }
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.units.latest()
    }

    fn modes(&self) -> &[String] {
        self.units.modes()
    }

    fn mapping(&self) -> &'static str {
        self.units.mapping()
    }
}

impl Mapping for LargeUnitFtl {
    fn number_write(&mut self, number: u64) {
        self.number = number;
    }

    fn recover(&mut self, now: SimTime, flash: &dyn FoundFlash) -> Result<Recovery, RecoveryError> {
        self.build_anew(now, flash)
    }

    fn expect_requests(&mut self, pages: u64) {
        self.units.expect_requests(pages);
    }

    fn set_erase_count(&mut self, block: BlockId, erases: u32) {
        self.units.set_erase_count(block, erases);
    }

    /// Whole units are consumed.
    fn consume_block(&mut self, filling: &Filling) -> Result<(), FillError> {
        self.units.consume_block(&Filling {
            written: filling.written.div_ceil(self.per_unit),
            ..*filling
        })
    }

    fn finish_fill(&mut self, now: SimTime) {
        self.units.finish_fill(now);
    }

    fn check_filled(&self, pages: u64) -> Result<(), FtlError> {
        self.units.check_filled(pages.div_ceil(u64::from(self.per_unit)))
    }

    fn reset_counters(&mut self) {
        self.units.reset_counters();
    }

    fn record_program_times(&mut self) {
        self.units.record_program_times();
    }

    fn take_program_times(&mut self) -> Vec<SimTime> {
        self.units.take_program_times()
    }

    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        self.units.by_rule()
    }
}
