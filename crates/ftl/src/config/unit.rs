//! The mapping unit: how many logical pages share a page of flash.

use wordline_nand::Geometry;
use wordline_units::SECTOR_BYTES;

use super::FtlConfig;
use crate::error::FtlError;

/// The key, as configurations and the rows of mappings name it.
pub(crate) const MAPPING_UNIT: &str = "ftl.mapping_unit";

/// Most units of a page: the reads of as many pages and the program of one are steps of one plan.
const MOST_UNITS: u32 = 32;

/// The array as the map sees it: its pages are mapping units.
///
/// # Errors
/// `ftl.mapping_unit` is not a whole number of sectors, does not divide the page, is too small a part of it, or there are too
/// many in a block.
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
    if bytes > page || !page.is_multiple_of(bytes) {
        return refuse(format!(
            "a part of the page of {page} B (geometry.page_size) that divides it; units of several pages are not modelled"
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
