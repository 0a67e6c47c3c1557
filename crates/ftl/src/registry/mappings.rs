//! The mappings that come with Wordline.

use std::sync::LazyLock;

use crate::config::Mappings;
use crate::config::{FlashRules, MAPPING_UNIT, MappingInput, RecoveryKind, array_of_units, pages_per_unit};
use crate::contract::Mapping;
use crate::error::FtlError;
use crate::mapping::MappingRow;
use crate::mapping::block::BLOCK;
use crate::mapping::delta::row::DELTA;
use crate::mapping::dftl::row::DFTL;
use crate::mapping::log_block::fast::Fast;
use crate::mapping::log_block::grouped::{Bast, Sast};
use crate::mapping::log_block::last::Last;
use crate::mapping::log_block::row::row;
use crate::mapping::page::row::PAGE;
use crate::mapping::striped::row::STRIPED;
use crate::mapping::superblock::row::SUPERBLOCK;
use crate::mapping::zoned::row::ZONED;
use crate::recorded::{Division, Recorded};
use crate::zone::ZoneLayout;
use wordline_keys::{AnyTable, Entry, Registered, Row, Table};
use wordline_nand::Geometry;

static MAPPINGS: LazyLock<Table<MappingRow>> = LazyLock::new(|| {
    Table::new(
        Mappings::SELECTOR,
        [
            PAGE,
            DFTL,
            BLOCK,
            row::<Bast>(),
            row::<Sast>(),
            row::<Fast>(),
            row::<Last>(),
            SUPERBLOCK,
            DELTA,
            ZONED,
            STRIPED,
        ],
    )
});

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
    let row = row_of(input)?;
    if input.config.recovery.kind == RecoveryKind::None {
        return (row.build)(input, rules);
    }
    Recorded::build(row, input, rules)
}

/// The row of the mapping, which knows the mapping unit that is asked for.
fn row_of(input: &MappingInput<'_>) -> Result<&'static MappingRow, FtlError> {
    let row = input.config.mapping.row()?;
    let units = array_of_units(input.geometry, input.config)?;
    let is_larger = pages_per_unit(input.geometry, input.config)? > 1;
    let is_page = units.pages_per_program == 1 && !is_larger;
    if !is_page && !row.entry.reads.contains(&MAPPING_UNIT) {
        let unit = input.config.mapping_unit.unwrap_or_default();
        let accepted = format!(
            "the page of {} B (geometry.page_size) with ftl.mapping = \"{}\", which maps whole pages",
            input.geometry.page_bytes, row.entry.name
        );
        return Err(FtlError::new(MAPPING_UNIT, unit, accepted));
    }
    let kind = input.config.recovery.kind;
    let allows = |kind: RecoveryKind| match (is_page, is_larger) {
        (true, _) => true,
        // a block that is a page short is not made of whole units
        (false, true) => row.recovers_units && kind != RecoveryKind::SummaryScan,
        (false, false) => row.recovers_units,
    };
    let allowed: Vec<RecoveryKind> = row
        .recovers
        .iter()
        .copied()
        .filter(|kind| allows(*kind))
        .collect();
    if kind != RecoveryKind::None && !allowed.contains(&kind) {
        let others: String = allowed
            .iter()
            .map(|kind| format!(", \"{}\"", kind.name()))
            .collect();
        let unit = match allowed.len() < row.recovers.len() {
            true if is_larger => " and an ftl.mapping_unit that is larger than the page",
            true => " and an ftl.mapping_unit that is not the page",
            false => "",
        };
        let accepted = format!("\"none\"{others} with ftl.mapping = \"{}\"{unit}", row.entry.name);
        return Err(FtlError::new(
            "ftl.recovery.kind",
            format!("\"{}\"", kind.name()),
            accepted,
        ));
    }
    Ok(row)
}

/// The array as the map of a configuration sees it: its pages are mapping units, where these are not larger.
///
/// # Errors
/// `ftl.mapping_unit` out of range, or one that the mapping does not know.
pub fn unit_geometry(input: &MappingInput<'_>) -> Result<Geometry, FtlError> {
    row_of(input)?;
    array_of_units(input.geometry, input.config)
}

/// Checks a configuration without building anything: the logical pages that it exports.
///
/// # Errors
/// What `build` refuses.
pub fn exported_pages(input: &MappingInput<'_>) -> Result<u64, FtlError> {
    let row = row_of(input)?;
    Division::new(row, input)?.within(input, |own| (row.exported)(own))
}

/// Checks that garbage collection can reach its watermark while the share `fill` of the exported
/// pages holds data; otherwise it would copy without end. Builds nothing.
///
/// # Errors
/// What `build` refuses; a watermark that cannot be reached.
pub fn check_filled(input: &MappingInput<'_>, fill: f64) -> Result<(), FtlError> {
    let row = row_of(input)?;
    Division::new(row, input)?.within(input, |own| (row.check_filled)(own, fill))
}

/// Whether the mapping keeps tables in memory that the host lends the drive, and so needs a link to it.
///
/// # Errors
/// A mapping that is not in the table.
pub fn uses_host_memory(input: &MappingInput<'_>) -> Result<bool, FtlError> {
    Ok((row_of(input)?.uses_host_memory)(input))
}

/// The zones of a drive, and those of them that cannot be written from the start; none of a mapping without.
///
/// # Errors
/// A mapping that is not in the table; zones that are not possible.
pub fn zone_layout(input: &MappingInput<'_>) -> Result<Option<(ZoneLayout, Vec<u32>)>, FtlError> {
    (row_of(input)?.zones)(input)
}

/// The table of mappings.
#[must_use]
pub fn mappings() -> &'static dyn AnyTable {
    &*MAPPINGS
}
