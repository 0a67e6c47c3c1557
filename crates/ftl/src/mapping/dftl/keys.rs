//! The keys of DFTL, and how the blocks of a drive are divided between data and table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;
use wordline_nand::Geometry;

use crate::config::{
    FtlConfig, GcConfig, MAPPING_UNIT, MappingInput, OverProvisioningBasis, array_of_units, pages_per_unit,
};
use crate::error::FtlError;
use crate::space::{Capacity, Region};

/// What the cache of the map holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CacheUnit {
    /// Entries of single logical pages.
    #[default]
    Entry,
    /// Whole translation pages.
    Page,
}

/// In whose memory the cache of the map is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum CacheLocation {
    /// That of the controller: an entry in the cache is at hand.
    #[default]
    Controller,
    /// Memory that the host lends the drive (NVMe: host memory buffer): an entry is read and written over the link, with
    /// `host.interface = "nvme"`.
    HostMemory,
}

/// Which entries a miss brings beside the one that was looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Prefetch {
    /// None.
    #[default]
    None,
    /// Those of the following logical pages, as many as the command has pages, in the same translation page.
    Request,
}

/// Keys of `dftl`.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct DftlKeys {
    /// `dftl`: entries of the map that the controller's memory holds. A cache of as many as the drive has logical pages holds the
    /// whole map from the start, and the map on flash is never used; in memory of the host it holds what was looked up.
    #[schemars(range(max = MANY))]
    pub(super) cached_entries: u32,
    /// `dftl`: in whose memory the cache is. The controller keeps the places of translation pages and which entries the cache
    /// has in its own memory in either case.
    pub(super) cache_location: CacheLocation,
    /// `dftl`: what the cache holds: entries, or whole translation pages, as many as have `cached_entries` entries.
    pub(super) cache_unit: CacheUnit,
    /// `dftl`: share of the cache for what was used again since it came; the others leave first.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub(super) protected_share: f64,
    /// `dftl`: whether all changed entries of a translation page are written with the one that leaves the cache.
    pub(super) batch_eviction: bool,
    /// `dftl`: whether an unchanged entry leaves first, if one of the 64 least recently used is unchanged.
    pub(super) clean_first: bool,
    /// `dftl`: which entries a miss brings beside the one that was looked up.
    pub(super) prefetch: Prefetch,
    /// `dftl`: whether a write to a logical page whose entry is not cached waits until the entry was read.
    pub(super) fetch_on_write: bool,
    /// `dftl`: bytes of an entry of the map; must divide the page size.
    #[schemars(range(max = 64))]
    pub(super) entry_bytes: u32,
    /// `dftl`: space for the map on flash beyond its size, as a fraction of its size.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub(super) table_spare: f64,
}

impl Default for DftlKeys {
    /// Entries of 4 B and the writing of all changed entries of a page as in Gupta et al. 2009. Assumed: the size of the cache
    /// (64 KiB of entries), halves of the segmented LRU list, and the spare space, which is small beside that of the drive.
    fn default() -> Self {
        Self {
            cached_entries: 16_384,
            cache_location: CacheLocation::default(),
            cache_unit: CacheUnit::default(),
            protected_share: 0.5,
            batch_eviction: true,
            clean_first: false,
            prefetch: Prefetch::default(),
            fetch_on_write: true,
            entry_bytes: 4,
            table_spare: 1.0,
        }
    }
}

impl DftlKeys {
    /// Whether the cache is in memory that the host lends the drive.
    pub(super) fn is_in_host_memory(&self) -> bool {
        self.cache_location == CacheLocation::HostMemory
    }

    fn check(&self, geometry: &Geometry) -> Result<(), FtlError> {
        let refuse =
            |key, found: &dyn ToString, accepted: &str| Err(FtlError::new(key, found.to_string(), accepted));
        if self.entry_bytes == 0 || !geometry.page_bytes.is_multiple_of(self.entry_bytes) {
            let accepted = format!("a divisor of the page size, {} B", geometry.page_bytes);
            return refuse("ftl.entry_bytes", &self.entry_bytes, &accepted);
        }
        let least = match self.cache_unit {
            CacheUnit::Entry => 2,
            CacheUnit::Page => 2 * (geometry.page_bytes / self.entry_bytes),
        };
        if self.cached_entries < least {
            let accepted = match self.cache_unit {
                CacheUnit::Entry => "at least 2".to_owned(),
                CacheUnit::Page => {
                    format!("at least {least}, two translation pages, with ftl.cache_unit = \"page\"")
                }
            };
            return refuse("ftl.cached_entries", &self.cached_entries, &accepted);
        }
        if !(0.0..=1.0).contains(&self.protected_share) {
            return refuse("ftl.protected_share", &self.protected_share, "from 0 to 1");
        }
        if !(self.table_spare.is_finite() && self.table_spare > 0.0) {
            return refuse(
                "ftl.table_spare",
                &self.table_spare,
                "a fraction above 0, such as 0.5",
            );
        }
        if self.cache_unit == CacheUnit::Page && !self.fetch_on_write {
            let accepted = "true with ftl.cache_unit = \"page\": a page cannot be cached in part";
            return refuse("ftl.fetch_on_write", &false, accepted);
        }
        Ok(())
    }
}

/// How the blocks of each plane are divided.
pub(super) struct Division {
    pub(super) keys: DftlKeys,
    /// The drive as the map of the data sees it: its pages are mapping units.
    pub(super) units: Geometry,
    /// The first blocks: data.
    pub(super) data: Region,
    /// The same as the map of the data sees them.
    pub(super) units_of_data: Region,
    /// The last blocks: the map.
    pub(super) table: Region,
    /// The configuration of the FTL that keeps the map.
    pub(super) table_config: FtlConfig,
    /// Logical pages that are exported, of the size of a mapping unit.
    pub(super) user_pages: u64,
    /// Pages of the map.
    pub(super) translation_pages: u64,
}

impl Division {
    /// As many blocks of each plane for the map as it needs with its spare space, and the others for data. The exported
    /// capacity follows from the latter: what the map takes is no over-provisioning.
    ///
    /// # Errors
    /// Keys out of range; a mapping unit larger than a page; what a page-level mapping of the blocks for data refuses; a drive without room for the map.
    pub(super) fn new(input: &MappingInput<'_>) -> Result<Self, FtlError> {
        let keys: DftlKeys = input.config.keys.read();
        let drive = input.geometry;
        keys.check(drive)?;
        input
            .config
            .placement
            .refuse_groups("with ftl.mapping = \"dftl\", whose map lies in blocks of several groups")?;
        let units = array_of_units(drive, input.config)?;
        if let Some(unit) = input.config.mapping_unit
            && pages_per_unit(drive, input.config)? > 1
        {
            let accepted = format!(
                "the page of {} B (geometry.page_size) or a part of it with ftl.mapping = \"dftl\"",
                drive.page_bytes
            );
            return Err(FtlError::new(MAPPING_UNIT, unit, accepted));
        }
        let per_page = u64::from(drive.page_bytes / keys.entry_bytes);
        let mut blocks = 1;
        while blocks < drive.blocks_per_plane {
            let of_data = drive.blocks_per_plane - blocks;
            let units_of_data = Region::new(&units, 0, of_data);
            let user_pages = match Capacity::new(&units_of_data.geometry, input.config, input.allocation) {
                Ok(capacity) => capacity.user_pages,
                Err(error) if blocks == 1 => return Err(error),
                Err(_) => break,
            };
            let translation_pages = user_pages.div_ceil(per_page);
            let table = Region::new(drive, drive.blocks_per_plane - blocks, blocks);
            let with_spare = (translation_pages as f64 * (1.0 + keys.table_spare)).ceil() as u64;
            if with_spare <= table.geometry.pages()
                && let Some(table_config) = config_of_table(&table.geometry, translation_pages, input)
            {
                return Ok(Self {
                    keys,
                    units,
                    data: Region::new(drive, 0, of_data),
                    units_of_data,
                    table,
                    table_config,
                    user_pages,
                    translation_pages,
                });
            }
            // as many as the pages ask for at once, then one by one
            let per_block = u64::from(drive.planes()) * u64::from(drive.pages_per_block);
            blocks = (with_spare.div_ceil(per_block) as u32).max(blocks + 1);
        }
        Err(FtlError::new(
            "geometry.blocks_per_plane",
            drive.blocks_per_plane,
            "more, or smaller entries (ftl.entry_bytes) and less spare space (ftl.table_spare) of the map of ftl.mapping = \"dftl\": too \
             few blocks are left beside it",
        ))
    }

    /// Entries of a translation page.
    pub(super) const fn entries_per_page(&self) -> u32 {
        self.data.geometry.page_bytes / self.keys.entry_bytes
    }
}

/// Blocks that each plane has for the map beyond those that it needs, where blocks may fail: with fewer the drive would take no more writes after the first failures (assumed).
const SPARE_FOR_FAILURES: u32 = 2;

/// The configuration of a page-level FTL that exports so many pages, with the reserve of the data; none where its planes have
/// not blocks enough.
fn config_of_table(geometry: &Geometry, pages: u64, input: &MappingInput<'_>) -> Option<FtlConfig> {
    let spare = geometry.pages() as f64 / pages as f64 - 1.0;
    if spare <= 0.0 {
        return None;
    }
    let reserve_blocks = input.config.gc.reserve_blocks;
    let above = f64::from(reserve_blocks) + 1.0;
    let config = FtlConfig {
        over_provisioning: spare,
        over_provisioning_basis: OverProvisioningBasis::User,
        gc: GcConfig {
            hard: above,
            low: above,
            high: above,
            reserve_blocks,
            ..GcConfig::default()
        },
        ..FtlConfig::default()
    };
    let capacity = Capacity::new(geometry, &config, input.allocation).ok()?;
    let failures = &input.config.failures;
    let needed = if failures.is_on() {
        let least = capacity.least_blocks(geometry, config.gc.frontier);
        least + SPARE_FOR_FAILURES + failures.min_spare
    } else {
        0
    };
    let room = capacity.check_filled(geometry, config.gc.frontier, pages).is_ok()
        && geometry.blocks_per_plane >= needed;
    (room && capacity.user_pages == pages).then_some(config)
}
