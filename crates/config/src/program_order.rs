//! `nand.program` with the rest of the drive: what does not go with word lines that are programmed as wholes.

use wordline_keys::RefusedValue;
use wordline_nand::{PageLayout, ProgramOrder, Use};

use crate::Config;
use crate::scheduler::ProgramSuspend;

impl Config {
    /// Checks what programming word lines as wholes needs.
    ///
    /// # Errors
    /// Cells of one bit, blocks that are no whole word lines, pages in another order; no protected buffer for what waits for the
    /// rest of its word line; commands and models that know programs of single pages only.
    pub(crate) fn check_program_order(&self) -> Result<(), RefusedValue> {
        let order = match self.nand.program {
            ProgramOrder::Page => return Ok(()),
            ProgramOrder::OneShot => "one_shot",
            ProgramOrder::TwoStep => "two_step",
        };
        let with = format!("with nand.program = \"{order}\"");
        let refused = |key, found: String, accepted: &str| {
            Err(RefusedValue::new(key, found, format!("{accepted} {with}")))
        };
        let (geometry, bits) = (&self.geometry, self.geometry.cell_type.bits());
        if bits < 2 {
            let accepted = "cells of two bits or more, whose word lines have several pages,";
            return refused("geometry.cell_type", "\"slc\"".to_owned(), accepted);
        }
        if geometry.page_layout != PageLayout::Grouped {
            let accepted = "\"grouped\", so that the pages of a word line follow each other,";
            return refused("geometry.page_layout", "another order".to_owned(), accepted);
        }
        if !geometry.pages_per_block.is_multiple_of(bits) {
            let found = geometry.pages_per_block.to_string();
            let accepted = format!("a multiple of the {bits} pages of a word line");
            return refused("geometry.pages_per_block", found, &accepted);
        }
        if self.buffer.policy.name() == "none" {
            let accepted = "a write buffer, which keeps the data of open word lines,";
            return refused("buffer.policy", "\"none\"".to_owned(), accepted);
        }
        if !self.buffer.capacitor {
            let accepted = "true, as the data of open word lines are in the buffer alone,";
            return refused("buffer.capacitor", "false".to_owned(), accepted);
        }
        if !self.modes.is_empty() && !self.ftl.slc_cache.is_on() {
            let accepted = "no modes but that of an SLC cache (ftl.slc_cache.mode), whose pages are programmed one by one,";
            return refused("modes", "given".to_owned(), accepted);
        }
        let commands = &self.commands;
        if commands.copyback != Use::Off {
            return refused("commands.copyback", "in use".to_owned(), "\"off\"");
        }
        if commands.cache_program {
            return refused("commands.cache_program", "true".to_owned(), "false");
        }
        let has_phases = !matches!(
            self.scheduler.suspension.program_suspend,
            ProgramSuspend::None | ProgramSuspend::Vendor
        );
        if self.scheduler.suspends() && has_phases {
            let accepted = "\"vendor\" or \"none\", as the phases of such a program are not modelled,";
            return refused(
                "scheduler.suspension.program_suspend",
                "by phases".to_owned(),
                accepted,
            );
        }
        if let Some(chip) = &self.power.chip {
            let accepted = "no chip, whose energies are those of single pages,";
            return refused("power.chip", format!("\"{chip}\""), accepted);
        }
        Ok(())
    }
}
