//! The keys of the mapping with superblocks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::MANY;

use crate::config::FtlConfig;
use crate::error::FtlError;
use crate::mapping::whole_blocks::check_at_least;

/// Keys of `superblock`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct SuperblockKeys {
    /// `superblock`: successive logical blocks of a plane that are a superblock (N), which owns as many blocks for original
    /// data at most.
    #[schemars(range(max = MANY))]
    superblock_blocks: u32,
    /// `superblock`: blocks for updates that a superblock may own beside these (M).
    #[schemars(range(max = MANY))]
    update_blocks: u32,
    /// `superblock`: when pages are moved, those are hot that lie in a block for updates which was opened among the last so
    /// many writes to the superblock.
    #[schemars(range(max = MANY))]
    update_window: u32,
    /// `superblock`: entries of the map, each of a page, that the spare area of a page holds; and entries of each level above.
    #[schemars(range(max = MANY))]
    leaf_entries: u32,
    /// `superblock`: superblocks of whose map the controller keeps the parts that it has read.
    #[schemars(range(max = MANY))]
    cached_maps: u32,
}

impl Default for SuperblockKeys {
    /// FTL specification, 2.7, for the entries of a spare area. Assumed: eight logical blocks, so that a drive with a quarter of
    /// spare space has two spare blocks for each superblock; as many blocks for updates at most; a window of a few blocks of 64
    /// pages; the maps of 64 superblocks.
    fn default() -> Self {
        Self {
            superblock_blocks: 8,
            update_blocks: 8,
            update_window: 256,
            leaf_entries: 8,
            cached_maps: 64,
        }
    }
}

/// The keys as they are used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Logical blocks of a superblock, and blocks for original data.
    pub(super) originals: u32,
    /// Blocks for updates.
    pub(super) updates: u32,
    /// In host programs of the superblock.
    pub(super) update_window: u64,
    pub(super) leaf_entries: u32,
    pub(super) cached_maps: u32,
}

impl Limits {
    /// # Errors
    /// A key out of its range.
    pub(super) fn of(config: &FtlConfig) -> Result<Self, FtlError> {
        let keys = config.keys.read::<SuperblockKeys>();
        let leaf_entries = check_at_least("ftl.leaf_entries", keys.leaf_entries, 2)?;
        Ok(Self {
            originals: check_at_least("ftl.superblock_blocks", keys.superblock_blocks, 1)?,
            updates: check_at_least("ftl.update_blocks", keys.update_blocks, 1)?,
            update_window: u64::from(keys.update_window),
            leaf_entries,
            cached_maps: check_at_least("ftl.cached_maps", keys.cached_maps, 1)?,
        })
    }
}
