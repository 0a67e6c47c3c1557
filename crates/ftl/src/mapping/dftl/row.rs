//! The row of DFTL.

use wordline_keys::{Entry, Keys};

use super::Dftl;
use super::keys::{DftlKeys, Division};
use crate::mapping::MappingRow;
use crate::space::Capacity;

/// `ftl.mapping = "dftl"`.
pub(crate) const DFTL: MappingRow = MappingRow {
    entry: Entry {
        name: "dftl",
        help: "Every logical page on its own; the map is on flash, and parts of it in the controller's memory.",
        keys: Keys::of::<DftlKeys>(),
        reads: &[
            "ftl.gc",
            "ftl.hot",
            "ftl.wear",
            "ftl.slc_cache",
            "ftl.trim",
            "allocation",
        ],
    },
    // its data do, but the blocks of the map belong to no pool of theirs
    has_closed_form: false,
    recovers: &[],
    recovers_own_pages: false,
    uses_host_memory: |input| input.config.keys.read::<DftlKeys>().is_in_host_memory(),
    zones: |_| Ok(None),
    exported: |input| Ok(Division::new(input)?.user_pages),
    check_filled: |input, fill| {
        let division = Division::new(input)?;
        let geometry = &division.data.geometry;
        let capacity = Capacity::new(geometry, input.config, input.allocation)?;
        let pages = (division.user_pages as f64 * fill).round() as u64;
        capacity.check_filled(geometry, input.config.gc.frontier, pages)
    },
    build: |input, rules| Ok(Box::new(Dftl::new(input, rules)?)),
};
