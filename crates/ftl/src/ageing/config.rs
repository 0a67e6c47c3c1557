//! `[age]`: the state that a run starts from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, IsNot};
use wordline_keys::limits::{LIFE, PAUSE};
use wordline_keys::{Rule, Section};
use wordline_units::Duration;

use crate::error::FtlError;

/// How a drive gets its past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgeMethod {
    /// Every block is erased.
    #[default]
    Fresh,
    /// A share of every plane is programmed with pages that hold no valid data (SSDsim).
    Invalidated,
    /// The user space is filled sequentially, then overwritten uniformly at random.
    Overwritten,
    /// The state after endless uniform random overwriting under the load of the run is drawn from the
    /// closed-form distribution of the victim policy; takes seconds on a drive of a terabyte.
    SteadyState,
    /// A state saved before is loaded.
    Snapshot,
}

/// Whether data that a run reads without having written them are written before it, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaceReads {
    /// No: what was never written is read without the flash.
    #[default]
    Off,
    /// Where dynamic allocation leaves the plane open, channel after channel, then chip, die and plane, whatever `allocation.order` says (SSDsim 2.x).
    ChannelFirst,
    /// Where dynamic allocation leaves the plane open, plane after plane by `allocation.order`.
    Allocation,
}

/// `[age]`: the state that a run starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgeConfig {
    /// How the drive is aged before the run.
    pub method: AgeMethod,
    /// Share of the pages of a plane that `method = "invalidated"` programs, 0 to 0.95.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub ratio: f64,
    /// Random overwrites of `method = "overwritten"`, in multiples of the user space filled; at
    /// least 0.
    pub random_factor: f64,
    /// Share of the user space that is written (`overwritten`, `steady_state`), above 0 and at
    /// most 1.
    #[serde(deserialize_with = "wordline_units::share")]
    #[schemars(with = "wordline_units::Share")]
    pub fill: f64,
    /// Whether data that the run reads without having written them are written before it, of each page the sectors that are read and no others, and where.
    /// The requests are gone through once more for that; the clients of a run one after another.
    pub place_reads: PlaceReads,
    /// Erases of every block before the run (not with `snapshot`).
    #[schemars(range(max = 100_000_000))]
    pub initial_cycles: u32,
    /// File with the state that `method = "snapshot"` loads.
    pub snapshot: Option<String>,
    /// Simulated time for each page written during ageing; it determines the ages that victim
    /// policies use.
    #[schemars(extend("x-maximum" = PAUSE))]
    pub time_per_write: Duration,
    /// Time that the drive was switched off between ageing, or the saving of its snapshot, and the
    /// run; its data are older by this time.
    #[schemars(extend("x-maximum" = LIFE))]
    pub storage: Duration,
}

impl Default for AgeConfig {
    fn default() -> Self {
        Self {
            method: AgeMethod::Fresh,
            ratio: 0.7,
            random_factor: 2.0,
            fill: 1.0,
            place_reads: PlaceReads::Off,
            initial_cycles: 0,
            snapshot: None,
            time_per_write: Duration::from_us(100),
            storage: Duration::ZERO,
        }
    }
}

impl Section for AgeConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(&["ratio"], &[Is("age.method", &["invalidated"])]),
        Rule::only(&["random_factor"], &[Is("age.method", &["overwritten"])]),
        Rule::only(
            &["fill", "time_per_write"],
            &[Is("age.method", &["overwritten", "steady_state"])],
        ),
        Rule::only(&["place_reads"], &[Is("age.method", &["fresh", "invalidated"])]),
        Rule::only(&["place_reads"], &[Is("ftl.mapping", &["page"])]),
        Rule::only(&["snapshot"], &[Is("age.method", &["snapshot"])]),
        Rule::only(&["initial_cycles"], &[IsNot("age.method", &["snapshot"])]),
        Rule::only(&["storage"], &[IsNot("age.method", &["fresh"])]),
    ];
}

impl AgeConfig {
    /// Checks the ranges of the values.
    ///
    /// # Errors
    /// `ratio` outside [0, 0.95], `random_factor` below 0, `fill` outside (0, 1], a snapshot
    /// without a file.
    pub fn validate(&self) -> Result<(), FtlError> {
        if !(0.0..=0.95).contains(&self.ratio) {
            return Err(FtlError::new("age.ratio", self.ratio, "a share from 0 to 0.95"));
        }
        if !(self.random_factor >= 0.0 && self.random_factor <= 1e6) {
            return Err(FtlError::new(
                "age.random_factor",
                self.random_factor,
                "from 0 to 1e6 times the user space",
            ));
        }
        if !(self.fill > 0.0 && self.fill <= 1.0) {
            return Err(FtlError::new(
                "age.fill",
                self.fill,
                "a share of the user space above 0 and at most 1 (method = \"fresh\" writes nothing)",
            ));
        }
        if self.method == AgeMethod::Snapshot && self.snapshot.as_deref().unwrap_or_default().is_empty() {
            return Err(FtlError::new(
                "age.snapshot",
                "nothing",
                "the path of a saved state with age.method = \"snapshot\"",
            ));
        }
        Ok(())
    }

    /// Logical pages that are written, of `user_pages`: at least one.
    pub(super) fn filled(&self, user_pages: u64) -> u64 {
        ((user_pages as f64 * self.fill).round() as u64).clamp(1, user_pages)
    }
}
