//! `[tenants.<name>]`: several workloads on one drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::Is;
use wordline_keys::{Rule, Section};
use wordline_workload::{Region, WorkloadConfig};

/// `[tenants.<name>]`: one of several workloads on the drive, with its own queue. Tenants replace `[workload]`; their queues are numbered in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TenantConfig {
    /// Class of its queue with `host.nvme.arbitration = "weighted_round_robin"`.
    pub priority: Priority,
    /// The part of the user space that belongs to the tenant, like a namespace: its workload
    /// addresses nothing else. Left out: the whole user space, shared with the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<Region>,
    /// Where its commands come from; the same keys as `[workload]`.
    pub workload: WorkloadConfig,
}

impl Section for TenantConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(
            &["priority"],
            &[Is("host.nvme.arbitration", &["weighted_round_robin"])],
        ),
        Rule::only(&["priority"], &[Is("host.interface", &["nvme"])]),
    ];
}

/// Class of a submission queue (NVM Express base specification 2.0, section 3.4.4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Before all other queues.
    Urgent,
    /// Weight `host.nvme.weight_high`.
    High,
    /// Weight `host.nvme.weight_medium`.
    #[default]
    Medium,
    /// Weight `host.nvme.weight_low`.
    Low,
}
