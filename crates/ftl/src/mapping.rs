//! Mappings: one file or folder each. Their table is in `registry`.

pub(crate) mod page;

use wordline_nand::{CommandsConfig, Geometry, RestrictionsConfig};
use wordline_units::Seed;

use crate::allocation::AllocationConfig;
use crate::config::FtlConfig;
use crate::contract::Mapping;
use crate::error::FtlError;
use crate::registration::Entry;

/// The drive that a mapping is built for.
#[derive(Clone, Copy)]
pub struct MappingInput<'a> {
    /// The array.
    pub geometry: &'a Geometry,
    /// `[ftl]`.
    pub config: &'a FtlConfig,
    /// `[allocation]`.
    pub allocation: &'a AllocationConfig,
}

/// What else a mapping is built from.
#[derive(Clone, Copy)]
pub struct FlashRules<'a> {
    /// Advanced commands that the drive uses.
    pub commands: &'a CommandsConfig,
    /// What the medium does not allow.
    pub restrictions: &'a RestrictionsConfig,
    /// Seed of random policies.
    pub seed: Seed,
}

/// What builds an empty drive.
pub type BuildMapping = fn(&MappingInput<'_>, &FlashRules<'_>) -> Result<Box<dyn Mapping>, FtlError>;

/// A mapping in its table.
#[derive(Clone, Copy)]
pub struct MappingRow {
    /// What it says of itself; `reads` names the sections that have an effect with it.
    pub entry: Entry,
    /// Checks a configuration without building anything: the logical pages that a drive exports.
    pub exported: fn(&MappingInput<'_>) -> Result<u64, FtlError>,
    /// Checks that garbage collection can reach its goal while a share of the exported pages holds data.
    pub check_filled: fn(&MappingInput<'_>, f64) -> Result<(), FtlError>,
    /// Builds an empty drive.
    pub build: BuildMapping,
}
