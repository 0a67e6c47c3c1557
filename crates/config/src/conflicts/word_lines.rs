//! `nand.program` with the rest of the drive: what does not go with word lines that are programmed as wholes.

use wordline_keys::RefusedValue;
use wordline_nand::{PageLayout, ProgramOrder};

use crate::Config;
use crate::conflict::{CACHE_PROGRAM, COPYBACK, Feature, chip, modes_without_cache, named, rules_out, shown};
use crate::scheduler::ProgramSuspend;

/// `nand.program`, where it is not page by page.
pub(super) const WHOLE_WORD_LINES: Feature = Feature {
    name: "word lines that are programmed as wholes",
    with: "where word lines are programmed as wholes (nand.program)",
    is_on: |config| config.nand.program != ProgramOrder::Page,
    example: &[
        ("nand.program", "one_shot"),
        ("geometry.cell_type", "mlc"),
        ("buffer.policy", "lru"),
        ("buffer.capacitor", "true"),
    ],
    conflicts: &[
        rules_out(
            "geometry.cell_type",
            |config| named(config.geometry.cell_type.bits() < 2, "slc"),
            "cells of two bits or more, whose word lines have several pages,",
            &[("geometry.cell_type", "slc")],
        ),
        rules_out(
            "geometry.page_layout",
            |config| {
                shown(
                    config.geometry.page_layout != PageLayout::Grouped,
                    "another order",
                )
            },
            "\"grouped\", so that the pages of a word line follow each other,",
            &[("geometry.page_layout", "staircase")],
        ),
        rules_out(
            "buffer.policy",
            |config| named(!config.buffer.is_present(), config.buffer.policy.name()),
            "a write buffer, which keeps the data of open word lines,",
            &[("buffer.policy", "none"), ("buffer.capacitor", "")],
        ),
        rules_out(
            "buffer.capacitor",
            |config| shown(!config.buffer.capacitor, "false"),
            "true, as the data of open word lines are in the buffer alone,",
            &[("buffer.capacitor", "false")],
        ),
        rules_out(
            "modes",
            modes_without_cache,
            "no modes but that of an SLC cache (ftl.slc_cache.mode), whose pages are programmed one by one,",
            &[("modes", "[{name = \"slow\"}]")],
        ),
        COPYBACK,
        CACHE_PROGRAM,
        rules_out(
            "scheduler.suspension.program_suspend",
            |config| {
                let has_phases = !matches!(
                    config.scheduler.suspension.program_suspend,
                    ProgramSuspend::None | ProgramSuspend::Vendor
                );
                shown(config.scheduler.suspends() && has_phases, "by phases")
            },
            "\"vendor\" or \"none\", as the phases of such a program are not modelled,",
            &[
                ("scheduler.policy", "pes"),
                ("scheduler.suspension.program_suspend", "ips"),
                ("nand.suspend", "program_erase"),
            ],
        ),
        rules_out(
            "power.chip",
            chip,
            "no chip, whose energies are those of single pages,",
            &[("power.chip", "mlc")],
        ),
    ],
};

impl Config {
    /// Checks whether blocks are whole word lines, where these are programmed as wholes.
    ///
    /// # Errors
    /// Blocks that are not.
    pub(crate) fn check_word_lines(&self) -> Result<(), RefusedValue> {
        let (bits, pages) = (self.geometry.cell_type.bits(), self.geometry.pages_per_block);
        if self.nand.program == ProgramOrder::Page || pages.is_multiple_of(bits) {
            return Ok(());
        }
        let accepted = format!(
            "a multiple of the {bits} pages of a word line {}",
            WHOLE_WORD_LINES.with
        );
        Err(RefusedValue::new("geometry.pages_per_block", pages, accepted))
    }
}
