//! `[ftl.gc]`: garbage collection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, IsNot, Set};
use wordline_keys::limits::{MANY, PAUSE};
use wordline_keys::{Rule, Section};
use wordline_units::Duration;

use crate::policy::victim::VictimRow;
use wordline_keys::{Parameters, Selected};

/// Size of a pool: garbage collection counts the free blocks of a pool, chooses victims in it, and
/// moves pages within it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pool {
    /// One plane.
    #[default]
    Plane,
    /// The planes of a die.
    Die,
    /// The planes of a chip.
    Chip,
    /// The planes on a channel.
    Channel,
    /// The whole drive.
    Drive,
}

/// What the watermarks count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatermarkBasis {
    /// Free blocks of the pool.
    #[default]
    Blocks,
    /// Fraction of the pool's pages.
    Pool,
    /// Fraction of the pool's share of the exported space.
    Exported,
}

/// When garbage collection runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GcMode {
    /// Below `hard`, with priority over host writes, until `high`.
    #[default]
    Foreground,
    /// Also below `low`, when the pool has been idle for `idle`.
    Background,
    /// As `background`, but a block is cleaned without a pause once it was begun, ahead of host writes, and one at a time in a die: below `hard` one after the other until
    /// `hard`, and up to `high` one each time that the pool has been idle for `idle`. Microsoft's SSD extension of DiskSim (Agrawal et al. 2008) cleans so: to it a block is one event.
    OneBlock,
    /// Also below `low`, one page move at a time between host commands, which have priority.
    Preemptible,
    /// Also below `low`, with page moves rationed per host write: host writes wait while moves are owed, so that both keep pace. `low` and `high` need to lie two blocks above `hard`.
    Partial,
}

impl GcMode {
    /// Whether collection waits for pauses of the host.
    #[must_use]
    pub const fn waits_for_pauses(self) -> bool {
        matches!(self, Self::Background | Self::OneBlock)
    }
}

/// Where relocated pages go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GcFrontier {
    /// To the open block of host writes.
    #[default]
    Shared,
    /// To an open block of their own.
    Separate,
}

/// `[ftl.gc]`: garbage collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct GcConfig {
    /// Which closed block is collected.
    pub victim: Selected<VictimRow>,
    /// The keys of victim policies.
    #[serde(flatten)]
    pub keys: Parameters<VictimRow>,
    /// Size of a pool: garbage collection counts the free blocks of a pool, chooses victims in it,
    /// and moves pages within it.
    pub pool: Pool,
    /// What `hard`, `low` and `high` count: free blocks, or a fraction of pages.
    pub basis: WatermarkBasis,
    /// With less free space than this, garbage collection has priority over host writes.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub hard: f64,
    /// With less free space than this, garbage collection runs in addition to host writes, if
    /// `mode` is not `foreground`.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub low: f64,
    /// Garbage collection that has started continues until there is this much free space.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub high: f64,
    /// Free blocks of a pool that only garbage collection may use, at least 1; at least 2 where `ftl.recovery.kind` is set with the mappings `block`, `bast`, `sast`, `fast`, `last` and `striped`.
    #[schemars(range(max = MANY))]
    pub reserve_blocks: u32,
    /// When garbage collection runs.
    pub mode: GcMode,
    /// How long a pool must have had no host operation before `mode = "background"` or `"one_block"` collects, or before blocks of the SLC cache are folded.
    #[schemars(extend("x-maximum" = PAUSE))]
    pub idle: Duration,
    /// Where relocated pages go.
    pub frontier: GcFrontier,
}

impl Default for GcConfig {
    fn default() -> Self {
        Self {
            victim: Selected::default(),
            keys: Parameters::default(),
            pool: Pool::Plane,
            basis: WatermarkBasis::Blocks,
            hard: 2.0,
            low: 3.0,
            high: 3.0,
            reserve_blocks: 1,
            mode: GcMode::Foreground,
            idle: Duration::from_ms(1),
            frontier: GcFrontier::Shared,
        }
    }
}

impl Section for GcConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(
            &["idle"],
            &[
                Is("ftl.gc.mode", &["background", "one_block"]),
                Set("ftl.slc_cache.mode"),
            ],
        ),
        // superblocks are pools of their own, and relocated pages have superblocks of their own
        Rule::only(&["pool", "frontier"], &[IsNot("ftl.mapping", &["striped"])]),
    ];
}
