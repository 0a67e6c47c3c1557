//! The mappings that come with Wordline.

use wordline_nand::{CommandsConfig, Geometry, RestrictionsConfig};
use wordline_units::Seed;

use crate::allocation::AllocationConfig;
use crate::config::{FtlConfig, MappingKind};
use crate::contract::Mapping;
use crate::error::FtlError;
use crate::mapping::page::PageFtl;

/// The FTL that `ftl.mapping` names.
///
/// # Errors
/// What its constructor refuses.
pub fn build(
    geometry: Geometry,
    config: &FtlConfig,
    allocation: &AllocationConfig,
    commands: &CommandsConfig,
    restrictions: &RestrictionsConfig,
    seed: Seed,
) -> Result<Box<dyn Mapping>, FtlError> {
    match config.mapping {
        MappingKind::Page => {
            let ftl = PageFtl::new(geometry, config, allocation, commands, restrictions, seed)?;
            Ok(Box::new(ftl))
        }
    }
}

/// Checks a configuration without building anything: the logical pages that it exports.
///
/// # Errors
/// What `build` refuses.
pub fn exported_pages(
    geometry: &Geometry,
    config: &FtlConfig,
    allocation: &AllocationConfig,
) -> Result<u64, FtlError> {
    match config.mapping {
        MappingKind::Page => PageFtl::exported(geometry, config, allocation),
    }
}

/// Checks that garbage collection can reach its watermark while the share `fill` of the exported
/// pages holds data; otherwise it would copy without end. Builds nothing.
///
/// # Errors
/// What `build` refuses; a watermark that cannot be reached.
pub fn check_filled(
    geometry: &Geometry,
    config: &FtlConfig,
    allocation: &AllocationConfig,
    fill: f64,
) -> Result<(), FtlError> {
    match config.mapping {
        MappingKind::Page => PageFtl::check_share(geometry, config, allocation, fill),
    }
}
