//! Mappings: one file or folder each. Their table is in `registry`.

pub(crate) mod block;
#[cfg(test)]
mod checks;
pub(crate) mod delta;
pub(crate) mod dftl;
mod found_together;
mod large_unit;
pub(crate) mod log_block;
pub(crate) mod page;
mod paged;
mod recovery;
pub(crate) mod striped;
pub(crate) mod superblock;
#[cfg(test)]
mod tests;
mod unit;
mod whole_blocks;
pub(crate) mod zoned;

use crate::config::{FlashRules, MappingInput, RecoveryKind};
use crate::contract::Mapping;
use crate::error::FtlError;
use crate::zone::ZoneLayout;
use wordline_keys::Entry;

/// What builds an empty drive.
pub type BuildMapping = fn(&MappingInput<'_>, &FlashRules<'_>) -> Result<Box<dyn Mapping>, FtlError>;

/// What tells the zones of a drive, and those of them that cannot be written from the start.
pub type FindZones = fn(&MappingInput<'_>) -> Result<Option<(ZoneLayout, Vec<u32>)>, FtlError>;

/// What a mapping may know of features that are not sections of its own: those that need it rule the other mappings out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownFeature {
    /// Blocks that are bad from the start (`ftl.failures.initial`), which it leaves out.
    BadBlocks,
    /// Classes of blocks, which have a mode each (`modes` with quantiles).
    BlockClasses,
    /// A scheduler that knows the unit of every page of a request before it is written.
    HeldRequests,
    /// Versions of pages that are kept as their differences.
    Deltas,
    /// Controllers in packages (`ftl.local`).
    LocalControllers,
    /// Superblocks over several planes, which it forms itself.
    Superblocks,
    /// Zones, which the host writes and resets.
    Zones,
}

/// A mapping in its table.
#[derive(Clone, Copy)]
pub struct MappingRow {
    /// What it says of itself; `reads` names the sections that have an effect with it.
    pub entry: Entry,
    /// What it knows of features that are not sections of its own.
    pub knows: &'static [KnownFeature],
    /// Whether uniform random writes amplify as the closed form of the victim policy says.
    pub has_closed_form: bool,
    /// How a drive with it can be built anew after a power cut, beside not at all.
    pub recovers: &'static [RecoveryKind],
    /// Whether that goes for mapping units of another size than the page too.
    pub recovers_units: bool,
    /// Whether it has pages of its own, behind the exported ones, that must be found after a power cut.
    pub recovers_own_pages: bool,
    /// Whether tables of a configuration are in memory that the host lends the drive (`ftl.cache_location = "host_memory"`).
    pub uses_host_memory: fn(&MappingInput<'_>) -> bool,
    /// The zones of the drive, and those of them that cannot be written from the start; none of a mapping without.
    pub zones: FindZones,
    /// Checks a configuration without building anything: the logical pages that a drive exports.
    pub exported: fn(&MappingInput<'_>) -> Result<u64, FtlError>,
    /// Checks that garbage collection can reach its goal while a share of the exported pages holds data.
    pub check_filled: fn(&MappingInput<'_>, f64) -> Result<(), FtlError>,
    /// Builds an empty drive.
    pub build: BuildMapping,
}
