//! The row of page-level mapping, whose unit may be smaller than a page of flash.

use wordline_keys::{Entry, Keys};

use super::PageFtl;
use crate::config::array_of_units;
use crate::mapping::MappingRow;
use crate::mapping::unit::UnitFtl;
use crate::space::Capacity;

/// `ftl.mapping = "page"`.
pub(crate) const PAGE: MappingRow = MappingRow {
    entry: Entry {
        name: "page",
        help: "Every logical page on its own.",
        keys: Keys::NONE,
        reads: &[
            "ftl.gc",
            "ftl.hot",
            "ftl.placement",
            "ftl.wear",
            "ftl.trim",
            "ftl.mapping_unit",
            "allocation",
        ],
    },
    has_closed_form: true,
    exported: |input| {
        let units = array_of_units(input.geometry, input.config)?;
        Ok(Capacity::new(&units, input.config, input.allocation)?.user_pages)
    },
    check_filled: |input, fill| {
        let units = array_of_units(input.geometry, input.config)?;
        let capacity = Capacity::new(&units, input.config, input.allocation)?;
        let pages = (capacity.user_pages as f64 * fill).round() as u64;
        capacity.check_filled(&units, input.config.gc.frontier, pages)
    },
    build: |input, rules| {
        let units = array_of_units(input.geometry, input.config)?;
        if units.pages_per_program > 1 {
            return Ok(Box::new(UnitFtl::new(units, input, rules)?));
        }
        Ok(Box::new(PageFtl::from_input(input, rules)?))
    },
};
