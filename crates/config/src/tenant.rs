//! `[tenants.<name>]`: several workloads on one drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::When::Is;
use wordline_keys::limits::PAUSE;
use wordline_keys::{Rule, Section};
use wordline_units::Duration;
use wordline_workload::{Region, WorkloadConfig};

/// `[tenants.<name>]`: one of several workloads on the drive, with its own queue. Tenants replace `[workload]`; their queues are numbered in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TenantConfig {
    /// Class of its queue with `host.nvme.arbitration = "weighted_round_robin"`.
    pub priority: Priority,
    /// Time after its arrival by which the host wants a command of the tenant done, from which on it goes before all others: what a command of the native
    /// queue of Serial ATA says with its priority and its isochronous completion field (ICC). In place of `scheduler.read_deadline` and
    /// `write_deadline`, where the scheduler has one for the kind of the command. NVMe has no such field. Left out: those of the drive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = PAUSE))]
    pub deadline: Option<Duration>,
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
        Rule::only(&["deadline"], &[Is("host.interface", &["ideal", "sata"])]),
        Rule::only(
            &["deadline"],
            &[Is("scheduler.policy", &["dlv", "woo", "roo", "pv_reorder"])],
        ),
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
