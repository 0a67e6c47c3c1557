//! `[ftl.slc_cache]`: host writes go to blocks in SLC mode first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::Set;
use wordline_keys::limits::MANY;
use wordline_keys::{Rule, Section};

/// Where host writes go when no block in SLC mode has room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// To blocks in the normal mode; blocks in SLC mode are folded in idle time, and where collection needs them.
    #[default]
    Direct,
    /// They wait until a block in SLC mode has been folded and erased; with `ftl.gc.mode = "partial"` blocks are folded in step with them.
    Fold,
}

/// How data of the SLC cache get to blocks in the normal mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Folding {
    /// Read to the controller, corrected there, and programmed from it.
    #[default]
    Controller,
    /// Copied inside their plane, without a transfer over the channel and without correction: read in the times and energies of the mode of the cache, programmed
    /// in those of the normal mode. A page that may not be copied (`restrictions.copyback_same_parity`, `commands.copyback_max_hops`) goes through the controller.
    CopyBack,
}

/// `[ftl.slc_cache]`: host writes go to blocks in SLC mode first, whose data are moved to blocks in the normal mode (folded) later, in drives with `ftl.mapping = "page"` or `"dftl"`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct SlcCacheConfig {
    /// The mode of `[[modes]]` in which blocks of the cache are programmed: one bit per cell, so that a block has as many pages as
    /// `geometry.pages_per_block` over the bits of `geometry.cell_type`. Unset: no cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Blocks of each plane that are kept for the cache (static cache). They are part of the spare space.
    #[schemars(range(max = MANY))]
    pub static_blocks: u32,
    /// Blocks of each plane that the cache may use beyond those while more are free than collection keeps (`ftl.gc.high`; dynamic cache).
    #[schemars(range(max = MANY))]
    pub dynamic_blocks: u32,
    /// Where host writes go when the cache is full.
    pub when_full: WhenFull,
    /// How its data get to blocks in the normal mode.
    #[serde(skip_serializing_if = "is_default")]
    pub folding: Folding,
}

/// Whether folding is as in drives that say nothing of it.
fn is_default(folding: &Folding) -> bool {
    *folding == Folding::default()
}

impl SlcCacheConfig {
    /// Whether there is a cache.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.mode.is_some()
    }

    /// Blocks of a pool of so many planes that are kept for the cache, and how many it may use beyond them.
    pub(crate) const fn blocks(&self, planes: u32) -> CacheBlocks {
        if !self.is_on() {
            return CacheBlocks { kept: 0, borrowed: 0 };
        }
        CacheBlocks {
            kept: self.static_blocks.saturating_mul(planes),
            borrowed: self.dynamic_blocks.saturating_mul(planes),
        }
    }
}

/// Blocks of a pool for the SLC cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CacheBlocks {
    /// Kept for it.
    pub(crate) kept: u32,
    /// Most that it may use beyond those.
    pub(crate) borrowed: u32,
}

impl Section for SlcCacheConfig {
    const RULES: &'static [Rule] = &[Rule::all_but(&["mode"], &[Set("ftl.slc_cache.mode")])];
}
