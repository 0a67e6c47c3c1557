//! What does not change of an FTL while it works.

use wordline_nand::Geometry;

/// What an FTL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Pages that the map places together; 1 where it places each, or parts of one, on their own.
    pub pages_per_unit: u32,
    /// Whether host writes wait in the controller for company: those of other parts of their page, or of other pages of their unit.
    pub gathers_writes: bool,
    /// Whether the mapping keeps the numbers of host writes itself (`Recoverable::number_write`), since a program brings what was gathered of several.
    pub numbers_writes: bool,
    /// Whether [`Ftl::flush`](super::Ftl::flush) may have anything to program.
    pub programs_on_flush: bool,
    /// Whether programs whose pages are known before they start form commands of several planes or dies where their pages allow it.
    pub joins_placed_programs: bool,
    /// Pages of its own that the FTL keeps on flash, such as those of its map: it knows them as the logical pages behind those that it exports.
    pub own_pages: u64,
    /// What these pages hold, in a word (`ftl.pages.<word>` of the summary).
    pub own_pages_hold: &'static str,
}

impl Facts {
    /// An FTL that maps the pages of an array one by one, or parts of them, and has no pages of its own on flash.
    #[must_use]
    pub const fn of_pages(units: &Geometry) -> Self {
        let gathers_writes = units.pages_per_program > 1;
        Self {
            pages_per_unit: 1,
            gathers_writes,
            numbers_writes: gathers_writes,
            programs_on_flush: gathers_writes,
            joins_placed_programs: false,
            own_pages: 0,
            own_pages_hold: "translation",
        }
    }
}
