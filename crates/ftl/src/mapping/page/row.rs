//! The row of page-level mapping, whose unit may be smaller or larger than a page of flash.

use wordline_keys::{Entry, Keys};
use wordline_nand::Geometry;

use super::PageFtl;
use crate::config::{MappingInput, RecoveryKind, array_of_units, pages_per_unit};
use crate::error::FtlError;
use crate::mapping::large_unit::LargeUnitFtl;
use crate::mapping::unit::{InStepFtl, UnitFtl, is_in_step};
use crate::mapping::{KnownFeature, MappingRow};
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
            "ftl.refresh",
            "ftl.slc_cache",
            "ftl.trim",
            "ftl.failures",
            "ftl.mapping_unit",
            "allocation",
        ],
    },
    knows: &[
        KnownFeature::BadBlocks,
        KnownFeature::BlockClasses,
        KnownFeature::HeldRequests,
        KnownFeature::LocalControllers,
    ],
    has_closed_form: true,
    recovers: &[
        RecoveryKind::OobScan,
        RecoveryKind::SummaryScan,
        RecoveryKind::CheckpointJournal,
        RecoveryKind::Delayed,
    ],
    recovers_units: true,
    recovers_own_pages: false,
    uses_host_memory: |_| false,
    zones: |_| Ok(None),
    exported: |input| {
        let (units, pages) = array_of_map(input)?;
        if is_in_step(input) {
            return InStepFtl::exported(input);
        }
        let capacity = Capacity::new(&units, input.config, input.allocation)?;
        Ok(capacity.user_pages * u64::from(pages))
    },
    check_filled: |input, fill| {
        let (units, _) = array_of_map(input)?;
        if is_in_step(input) {
            return InStepFtl::check_filled(input, fill);
        }
        let capacity = Capacity::new(&units, input.config, input.allocation)?;
        let pages = (capacity.user_pages as f64 * fill).round() as u64;
        let capacity = capacity.with_strong_classes(input.strong_classes);
        capacity.check_filled(&units, input.config.gc.frontier, pages)
    },
    build: |input, rules| {
        let (units, pages) = array_of_map(input)?;
        if is_in_step(input) {
            return Ok(Box::new(InStepFtl::new(input, rules)?));
        }
        if pages > 1 {
            return Ok(Box::new(LargeUnitFtl::new(pages, input, rules)?));
        }
        if units.pages_per_program > 1 {
            return Ok(Box::new(UnitFtl::new(units, input, rules)?));
        }
        Ok(Box::new(
            PageFtl::from_input(input, rules)?.with_refresh(&input.config.refresh)?,
        ))
    },
};

/// The array whose pages the map places on their own, and how many pages of flash each of them stands for: 1 where it is one or a
/// part of one.
fn array_of_map(input: &MappingInput<'_>) -> Result<(Geometry, u32), FtlError> {
    let pages = pages_per_unit(input.geometry, input.config)?;
    if pages > 1 {
        LargeUnitFtl::check(input)?;
        return Ok((input.geometry.grouped(pages), pages));
    }
    Ok((array_of_units(input.geometry, input.config)?, 1))
}
