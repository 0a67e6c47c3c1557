//! `[scheduler]`: in which order ready flash operations start.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::Duration;

/// `[scheduler]`: which ready flash operation starts next on an idle channel and die.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SchedulerConfig {
    /// Order in which waiting operations are taken.
    pub policy: SchedulerPolicy,
    /// What an advanced command keeps busy until its last part ends.
    pub busy_grain: BusyGrain,
    /// Longest time that a ready operation waits before it goes ahead of whatever the policy
    /// prefers. Without it the policy alone decides, and starvation is reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_wait: Option<Duration>,
}

/// Order in which waiting flash operations are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SchedulerPolicy {
    /// Strictly first come, first served on each channel.
    Fcfs,
    /// Reads first, then data of finished reads, then writes (Hu et al. 2011, as in SSDsim).
    #[default]
    ReadsFirst,
    /// One queue per die, the oldest operation that an idle die can take.
    OutOfOrder,
}

/// What an advanced command keeps busy until its last part ends (Hu et al. 2011, section 4.5 of
/// the array specification).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BusyGrain {
    /// Each die is free as soon as its own part is done: the controller polls every die.
    #[default]
    Die,
    /// The whole chip: the controller watches only its ready/busy wire.
    Chip,
}
