//! What a mapping is built from.

use wordline_nand::{CommandsConfig, Geometry, RestrictionsConfig};
use wordline_units::Seed;

use super::FtlConfig;
use crate::allocation::AllocationConfig;
use crate::block_classes::BlockClasses;
use crate::slc_mode::SlcMode;

/// The drive that a mapping is built for.
#[derive(Clone, Copy)]
pub struct MappingInput<'a> {
    /// The array.
    pub geometry: &'a Geometry,
    /// `[ftl]`.
    pub config: &'a FtlConfig,
    /// `[allocation]`.
    pub allocation: &'a AllocationConfig,
    /// Classes of blocks beside the normal one.
    pub strong_classes: u8,
}

/// What else a mapping is built from.
#[derive(Clone, Copy)]
pub struct FlashRules<'a> {
    /// Advanced commands that the drive uses.
    pub commands: &'a CommandsConfig,
    /// What the medium does not allow.
    pub restrictions: &'a RestrictionsConfig,
    /// The classes of its blocks; none where they are of one class. Page-level mapping of whole pages knows them.
    pub block_classes: Option<&'a BlockClasses>,
    /// The mode of the SLC cache; none without one.
    pub slc: Option<&'a SlcMode>,
    /// Seed of random policies.
    pub seed: Seed,
}
