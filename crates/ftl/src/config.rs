//! `[ftl]` and its sub-tables.

mod failures;
mod gc;
mod hot;
mod input;
mod local;
mod modes;
mod placement;
mod recovery;
mod refresh;
mod slc_cache;
mod unit;
mod wear;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use failures::FailuresConfig;
pub use gc::{GcConfig, GcFrontier, GcMode, Pool, WatermarkBasis};
pub use hot::HotConfig;
pub use input::{FlashRules, MappingInput};
pub use local::LocalConfig;
pub use modes::PageModesConfig;
pub(crate) use placement::HandleUnits;
pub use placement::PlacementConfig;
pub use recovery::{RecoveryConfig, RecoveryKind};
pub use refresh::{RefreshConfig, RefreshMode};
pub(crate) use slc_cache::CacheBlocks;
pub use slc_cache::{Folding, SlcCacheConfig, WhenFull};
pub(crate) use unit::{MAPPING_UNIT, array_of_units, pages_per_unit};
pub use wear::{DynamicWear, WearConfig};
use wordline_keys::{Parameters, Selected};
use wordline_units::ByteSize;

/// The kind of rows that `ftl.mapping` names: mappings. Their table is in `registry`.
#[derive(Clone, Copy, Debug)]
pub struct Mappings;

/// What over-provisioning is a share of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OverProvisioningBasis {
    /// (physical - user) / user: the industry's definition.
    #[default]
    User,
    /// (physical - user) / physical.
    Raw,
}

/// `[ftl.trim]`: deallocation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrimConfig {
    /// Whether the drive deallocates trimmed data; otherwise it acknowledges TRIM without any
    /// effect. Trimmed sub-pages read as zeroes.
    pub enabled: bool,
}

impl Default for TrimConfig {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// `[ftl]`: the flash translation layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct FtlConfig {
    /// How logical pages are mapped to physical ones.
    pub mapping: Selected<Mappings>,
    /// The keys of mappings.
    #[serde(flatten)]
    pub keys: Parameters<Mappings>,
    /// Bytes that the map places on their own. A part of the page is a multiple of 512 B that divides the page, at most 32 of
    /// them in one, and is what a logical page is then. Units of a page are programmed together, in any order of their addresses:
    /// host writes are collected in a page register of the controller until they fill a page, and collection packs the current
    /// units of several pages into one. A multiple of the page, up to 64 KiB and 32 pages, lies in successive pages of a block and
    /// is written as a whole: what the host does not write of it is read before (with `allocation.mode = "static"`). Unset: the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapping_unit: Option<ByteSize>,
    /// Physical space beyond what the drive exports, as a fraction (0.28 is 28 %).
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub over_provisioning: f64,
    /// What `over_provisioning` is a share of.
    pub over_provisioning_basis: OverProvisioningBasis,
    /// Garbage collection.
    pub gc: GcConfig,
    /// Hot/cold separation.
    pub hot: HotConfig,
    /// Placement by the host.
    pub placement: PlacementConfig,
    /// Wear levelling.
    pub wear: WearConfig,
    /// Refresh of blocks before their data fade.
    pub refresh: RefreshConfig,
    /// Deallocation.
    pub trim: TrimConfig,
    /// Modes of pages.
    pub modes: PageModesConfig,
    /// Host writes to blocks in SLC mode.
    pub slc_cache: SlcCacheConfig,
    /// Programs and erases that fail.
    pub failures: FailuresConfig,
    /// Finding data again after a power cut.
    pub recovery: RecoveryConfig,
    /// Controllers of the packages.
    #[serde(skip_serializing_if = "LocalConfig::is_default")]
    pub local: LocalConfig,
}

impl Default for FtlConfig {
    fn default() -> Self {
        Self {
            mapping: Selected::default(),
            keys: Parameters::default(),
            mapping_unit: None,
            over_provisioning: 0.28,
            over_provisioning_basis: OverProvisioningBasis::User,
            gc: GcConfig::default(),
            hot: HotConfig::default(),
            placement: PlacementConfig::default(),
            wear: WearConfig::default(),
            refresh: RefreshConfig::default(),
            trim: TrimConfig::default(),
            modes: PageModesConfig::default(),
            slc_cache: SlcCacheConfig::default(),
            failures: FailuresConfig::default(),
            recovery: RecoveryConfig::default(),
            local: LocalConfig::default(),
        }
    }
}
