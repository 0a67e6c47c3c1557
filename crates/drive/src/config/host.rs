//! `[host]`: how host commands enter the drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[host]`: how host commands enter the drive. The link itself takes no time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostConfig {
    /// Commands inside the drive at once with an open-loop workload; later ones wait outside, and
    /// their waiting counts in their latency. Unset: 65,536, NVMe's largest queue, so that an
    /// overloaded run stays small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_limit: Option<u32>,
}
