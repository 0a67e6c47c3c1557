//! `[ftl.wear]`: wear levelling.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which free block is opened next, by wear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DynamicWear {
    /// As `allocation.active_block` says.
    #[default]
    Off,
    /// The least erased block.
    LowestErase,
    /// The least erased block for host writes, the most erased one for relocated pages.
    ByTemperature,
}

/// How cold data are moved onto worn blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StaticWear {
    /// Not at all.
    #[default]
    Off,
    /// When erase counts differ by more than `gap`, the content of the least erased closed block
    /// goes to the most erased free one.
    Swap,
    /// Worn blocks are collected less often, and filled with cold data near the end of their
    /// life (Agrawal et al. 2008).
    RateLimited,
    /// A hot and a cold pool of blocks that trade places (Chang 2007).
    DualPool,
    /// Every `check_erases` erases the content of the block written longest ago goes to the
    /// most erased free one.
    HotColdSwap,
}

/// `[ftl.wear]`: wear levelling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WearConfig {
    /// Which free block is opened next, by wear.
    pub dynamic: DynamicWear,
    /// How cold data are moved onto worn blocks.
    #[serde(rename = "static")]
    pub static_: StaticWear,
    /// Difference in erase counts above which `swap` and `dual_pool` move data.
    pub gap: u32,
    /// Erases in a pool between two checks of static wear levelling, at least 1.
    pub check_erases: u32,
    /// A block whose remaining life is less than `1 - age_variance` of the average is collected
    /// less often by `rate_limited` (or `victim = "wear_greedy"`); between 0 and 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub age_variance: f64,
    /// Share of `1 - age_variance` below which `rate_limited` fills a block with cold data, so that
    /// it is rarely erased; between 0 and 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub retirement: f64,
    /// Erases that a block endures; `rate_limited` computes remaining life from it.
    pub erase_limit: u32,
}

impl Default for WearConfig {
    fn default() -> Self {
        Self {
            dynamic: DynamicWear::Off,
            static_: StaticWear::Off,
            gap: 100,
            check_erases: 50,
            age_variance: 0.20,
            retirement: 0.85,
            erase_limit: 3_000,
        }
    }
}
