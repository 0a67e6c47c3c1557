//! `[ftl.gc]`: garbage collection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::Duration;

/// Which closed block of a pool is collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Victim {
    /// Fewest valid pages; ties: fewest erases, then closed longest ago, then lowest index.
    #[default]
    Greedy,
    /// Most (1-u) * age / 2u, u the valid share (Kawaguchi 1995).
    CostBenefit,
    /// Most (1-u) * age / (1+u), the form of log-structured file systems.
    CostBenefitLfs,
    /// Least u/(1-u) * 1/age * (1 + erases): cost-age-times.
    Cat,
    /// Any, uniformly; on a tiny drive full ones may use up what there is to spare, and the run stalls.
    Random,
    /// Fewest valid pages among `d` uniform draws (`distinct`: without replacement).
    DChoices,
    /// Uniform draws until one has fewer valid pages than the average (Van Houdt's Random++).
    RandomPp,
    /// Closed longest ago ("LRU cleaning").
    Fifo,
    /// Fewest valid pages among the `window` closed longest ago.
    WindowedGreedy,
    /// Most time since invalidation, summed over the invalid pages.
    Fegc,
    /// Greedy, but blocks near the end of their life are passed over with a probability
    /// (Agrawal et al. 2008); the thresholds are those of `ftl.wear`.
    WearGreedy,
}

impl Victim {
    /// Every policy.
    pub const ALL: [Self; 11] = [
        Self::Greedy,
        Self::CostBenefit,
        Self::CostBenefitLfs,
        Self::Cat,
        Self::Random,
        Self::DChoices,
        Self::RandomPp,
        Self::Fifo,
        Self::WindowedGreedy,
        Self::Fegc,
        Self::WearGreedy,
    ];
}

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
    /// Also below `low`, one page move at a time between host commands, which have priority.
    Preemptible,
    /// Also below `low`, with page moves rationed per host write so that reclaim keeps pace.
    Partial,
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

/// The event from which the age of a block is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgeBasis {
    /// The last write to the block.
    #[default]
    LastWrite,
    /// The last invalidation of a page in it.
    LastInvalidation,
}

/// `[ftl.gc]`: garbage collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GcConfig {
    /// Which closed block is collected.
    pub victim: Victim,
    /// Draws of `victim = "d_choices"`, at least 1.
    pub d: u32,
    /// Whether the draws of `victim = "d_choices"` are distinct blocks (all of the pool, where it has fewer than `d`);
    /// otherwise a block may be drawn several times, as in the closed form of Van Houdt (2013).
    pub distinct: bool,
    /// Blocks that `victim = "windowed_greedy"` considers, at least 1.
    pub window: u32,
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
    /// Free blocks of a pool that only garbage collection may use, at least 1.
    pub reserve_blocks: u32,
    /// When garbage collection runs.
    pub mode: GcMode,
    /// How long a pool must have had no host operation before `mode = "background"` collects.
    pub idle: Duration,
    /// Where relocated pages go.
    pub frontier: GcFrontier,
    /// The event from which the age of a block is counted (`cost_benefit`, `cost_benefit_lfs`,
    /// `cat`).
    pub age_basis: AgeBasis,
}

impl Default for GcConfig {
    fn default() -> Self {
        Self {
            victim: Victim::Greedy,
            d: 10,
            distinct: false,
            window: 100,
            pool: Pool::Plane,
            basis: WatermarkBasis::Blocks,
            hard: 2.0,
            low: 3.0,
            high: 3.0,
            reserve_blocks: 1,
            mode: GcMode::Foreground,
            idle: Duration::from_ms(1),
            frontier: GcFrontier::Shared,
            age_basis: AgeBasis::LastWrite,
        }
    }
}
