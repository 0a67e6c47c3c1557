//! The row of DFTL.

use wordline_keys::{Entry, Keys};

use super::Dftl;
use super::keys::{DftlKeys, Division};
use crate::config::{RecoveryKind, array_of_units};
use crate::mapping::MappingRow;
use crate::mapping::page::PageFtl;
use crate::mapping::unit::UnitFtl;
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
            "ftl.placement",
            "ftl.wear",
            "ftl.slc_cache",
            "ftl.trim",
            "ftl.failures",
            "ftl.mapping_unit",
            "allocation",
        ],
    },
    // its data do, but the blocks of the map belong to no pool of theirs
    knows: &[],
    has_closed_form: false,
    // its translation pages are no checkpoint: they lack entries that only the cache has, and no journal names these
    recovers: &[RecoveryKind::OobScan, RecoveryKind::SummaryScan],
    recovers_units: true,
    recovers_own_pages: false,
    uses_host_memory: |input| input.config.keys.read::<DftlKeys>().is_in_host_memory(),
    zones: |_| Ok(None),
    exported: |input| Ok(Division::new(input)?.user_pages),
    check_filled: |input, fill| {
        let division = Division::new(input)?;
        let geometry = &division.units_of_data.geometry;
        let capacity = Capacity::new(geometry, input.config, input.allocation)?;
        let pages = (division.user_pages as f64 * fill).round() as u64;
        capacity.check_filled(geometry, input.config.gc.frontier, pages)
    },
    build: |input, rules| {
        if array_of_units(input.geometry, input.config)?.pages_per_program > 1 {
            return Ok(Box::new(Dftl::<UnitFtl>::new(input, rules)?));
        }
        Ok(Box::new(Dftl::<PageFtl>::new(input, rules)?))
    },
};
