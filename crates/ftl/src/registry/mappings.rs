//! The mappings that come with Wordline.

use std::sync::LazyLock;

use crate::config::Mappings;
use crate::config::{FlashRules, MappingInput};
use crate::contract::Mapping;
use crate::error::FtlError;
use crate::mapping::MappingRow;
use crate::mapping::block::BLOCK;
use crate::mapping::page::PAGE;
use wordline_keys::{AnyTable, Entry, Registered, Row, Table};

static MAPPINGS: LazyLock<Table<MappingRow>> =
    LazyLock::new(|| Table::new(Mappings::SELECTOR, [PAGE, BLOCK]));

impl Registered for Mappings {
    const SELECTOR: &'static str = "ftl.mapping";
    const DEFAULT: &'static str = "page";

    type Row = MappingRow;

    fn table() -> &'static Table<MappingRow> {
        &MAPPINGS
    }
}

impl Row for MappingRow {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

/// The FTL that `ftl.mapping` names.
///
/// # Errors
/// What its constructor refuses.
pub fn build(input: &MappingInput<'_>, rules: &FlashRules<'_>) -> Result<Box<dyn Mapping>, FtlError> {
    (input.config.mapping.row()?.build)(input, rules)
}

/// Checks a configuration without building anything: the logical pages that it exports.
///
/// # Errors
/// What `build` refuses.
pub fn exported_pages(input: &MappingInput<'_>) -> Result<u64, FtlError> {
    (input.config.mapping.row()?.exported)(input)
}

/// Checks that garbage collection can reach its watermark while the share `fill` of the exported
/// pages holds data; otherwise it would copy without end. Builds nothing.
///
/// # Errors
/// What `build` refuses; a watermark that cannot be reached.
pub fn check_filled(input: &MappingInput<'_>, fill: f64) -> Result<(), FtlError> {
    (input.config.mapping.row()?.check_filled)(input, fill)
}

/// The table of mappings.
#[must_use]
pub fn mappings() -> &'static dyn AnyTable {
    &*MAPPINGS
}
