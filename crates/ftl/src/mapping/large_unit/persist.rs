//! What the mapping of large units saves, loads and is aged by: that of the page-level mapping of the units, and what is known of
//! their pages.

use wordline_nand::BlockId;
use wordline_units::SimTime;

use super::LargeUnitFtl;
use crate::contract::{Ageable, AssignByRule, Identity, Persist};
use crate::error::FtlError;
use crate::map::OwnersByRule;
use crate::space::{FillError, Filling};
use crate::state::archive::{Archive, ArchiveError, Extent};

/// A unit, the sub-pages of its pages that were written, and the sectors of the command that came first.
type SavedRegister = (u64, Vec<u64>, u32);

impl LargeUnitFtl {
    /// Logical pages on flash that are not full of data, by number.
    fn saved_partial(&self) -> Vec<(u64, u64)> {
        let mut partial: Vec<(u64, u64)> = self.partial.iter().map(|(lpn, valid)| (*lpn, *valid)).collect();
        partial.sort_unstable();
        partial
    }

    fn saved_registers(&self) -> Vec<SavedRegister> {
        let registers = self.registers.list().iter();
        let saved = registers.map(|register| (register.unit, register.new.clone(), register.command_sectors));
        saved.collect()
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
            self.partial.extend(partial);
            for (unit, new, command_sectors) in registers {
                self.registers.open(unit, new, (command_sectors, 0));
            }
            self.given_up.extend(given_up);
        }
        if self.units.has_placement() && extent == Extent::Everything {
            let mut placements = self.registers.placements();
            archive.part(&mut placements)?;
            if archive.is_loading() {
                self.registers.set_placements(&placements);
            }
        }
        if self.is_numbered {
            let mut numbers = self.registers.numbers();
            archive.part(&mut numbers)?;
            if archive.is_loading() {
                self.registers.set_numbers(&numbers);
            }
        }
        Ok(())
    }

    fn latest(&self) -> SimTime {
        self.units.latest()
    }

    fn identity(&self) -> Identity {
        self.units.identity()
    }
}

impl Ageable for LargeUnitFtl {
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

    fn by_rule(&mut self) -> Option<&mut dyn AssignByRule> {
        self.units.by_rule()
    }

    fn owners_by_rule(&self) -> Option<OwnersByRule> {
        let owners = self.units.owners_by_rule()?;
        Some(owners.of_units(self.per_unit))
    }
}
