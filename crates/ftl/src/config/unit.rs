//! The mapping unit: how many logical pages share a page of flash, or how many pages the map places together.

use wordline_nand::Geometry;
use wordline_units::SECTOR_BYTES;

use super::FtlConfig;
use crate::error::FtlError;

/// The key, as configurations and the rows of mappings name it.
pub(crate) const MAPPING_UNIT: &str = "ftl.mapping_unit";

/// Most units of a page, and most pages of a unit: the reads of as many pages and the program of one, or the reads and programs
/// of one unit, are steps of one plan.
const MOST_UNITS: u32 = 32;

/// Largest unit. Indirection units of drives are of 4 to 64 KiB.
const LARGEST: u64 = 64 * 1024;

/// The array as the map sees it: its pages are mapping units, or pages where units are not smaller.
///
/// # Errors
/// `ftl.mapping_unit` is not a whole number of sectors, neither divides the page nor consists of pages, is too small a part of one, or
/// there are too many in a block; as for [`pages_per_unit`].
pub(crate) fn array_of_units(geometry: &Geometry, config: &FtlConfig) -> Result<Geometry, FtlError> {
    let Some(unit) = config.mapping_unit else {
        return Ok(*geometry);
    };
    let page = u64::from(geometry.page_bytes);
    let bytes = unit.bytes();
    let refuse = |accepted: String| Err(FtlError::new(MAPPING_UNIT, unit, accepted));
    if bytes == 0 || !bytes.is_multiple_of(u64::from(SECTOR_BYTES)) {
        return refuse(format!("a multiple of {SECTOR_BYTES} B"));
    }
    if bytes > page {
        return pages_per_unit(geometry, config).map(|_| *geometry);
    }
    if !page.is_multiple_of(bytes) {
        return refuse(format!(
            "a part of the page of {page} B (geometry.page_size) that divides it, or a multiple of it"
        ));
    }
    let parts = (page / bytes) as u32;
    if parts > MOST_UNITS {
        return refuse(format!(
            "at least {} B: at most {MOST_UNITS} units in a page of {page} B",
            page / u64::from(MOST_UNITS)
        ));
    }
    let in_block = geometry.pages_per_block * parts;
    if in_block >= 1 << 15 {
        return refuse(format!(
            "a larger unit: at most 32767 units in a block (geometry.pages_per_block); these are {in_block}"
        ));
    }
    Ok(geometry.divided(parts))
}

/// Pages of a unit that is larger than a page; 1 of any other.
///
/// # Errors
/// A unit larger than a page is not made of whole pages, is larger than 64 KiB or than 32 pages, or does not divide a block into two
/// or more.
pub(crate) fn pages_per_unit(geometry: &Geometry, config: &FtlConfig) -> Result<u32, FtlError> {
    let page = u64::from(geometry.page_bytes);
    let Some(unit) = config.mapping_unit.filter(|unit| unit.bytes() > page) else {
        return Ok(1);
    };
    let bytes = unit.bytes();
    let refuse = |accepted: String| Err(FtlError::new(MAPPING_UNIT, unit, accepted));
    if !bytes.is_multiple_of(page) {
        return refuse(format!(
            "a multiple of the page of {page} B (geometry.page_size), or a part of it that divides it"
        ));
    }
    if bytes > LARGEST.max(page) {
        return refuse(format!("at most {LARGEST} B"));
    }
    let pages = (bytes / page) as u32;
    if pages > MOST_UNITS {
        return refuse(format!(
            "at most {} B: a unit has at most {MOST_UNITS} pages of {page} B (geometry.page_size)",
            page * u64::from(MOST_UNITS)
        ));
    }
    let in_block = geometry.pages_per_block;
    if !in_block.is_multiple_of(pages) || in_block / pages < 2 {
        return refuse(format!(
            "a size of which a block of {in_block} pages (geometry.pages_per_block) holds a whole number, two at least"
        ));
    }
    Ok(pages)
}
