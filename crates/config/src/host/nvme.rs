//! `[host.nvme]`: queue pairs and their arbitration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_keys::limits::{INTERFACE_STEP, OUTSTANDING};
use wordline_units::{ByteSize, Duration, SECTOR_BYTES};

/// The key of writes that a power cut leaves whole.
pub(crate) const ATOMIC: &str = "host.nvme.atomic_write_unit_power_fail";
/// What AWUPF can say: 65,536 blocks, of 512 B here.
const MOST_ATOMIC: u64 = 32 << 20;

/// `[host.nvme]`: queue pairs and their arbitration (NVM Express base specification 2.0, section 3.4).
///
/// A command is written into its submission queue, announced by a doorbell, fetched when arbitration
/// comes to its queue, and answered by an entry in the completion queue. The times are assumed: round
/// trips over PCI Express are some hundred nanoseconds, and none is published for a drive as such.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NvmeConfig {
    /// Commands of one queue pair submitted and not completed at once; further ones wait at the host.
    #[schemars(range(min = 1, max = 65_535))]
    pub queue_depth: u32,
    /// How the next submission queue is chosen.
    pub arbitration: Arbitration,
    /// Commands fetched from one queue at once before the next queue's turn: 1, 2, 4 and so on to 64.
    pub burst: u32,
    /// Commands that tenants of high priority have fetched in a round.
    #[schemars(range(min = 1, max = 256))]
    pub weight_high: u32,
    /// Commands that tenants of medium priority have fetched in a round.
    #[schemars(range(min = 1, max = 256))]
    pub weight_medium: u32,
    /// Commands that tenants of low priority have fetched in a round.
    #[schemars(range(min = 1, max = 256))]
    pub weight_low: u32,
    /// Commands that the controller has fetched and not completed at once; further ones wait in
    /// their submission queues, where arbitration chooses among them (assumed: 256, a controller's
    /// command table).
    #[schemars(range(min = 1, max = OUTSTANDING))]
    pub command_slots: u32,
    /// From the write of the doorbell until the controller notices it (assumed).
    #[schemars(extend("x-maximum" = INTERFACE_STEP))]
    pub doorbell: Duration,
    /// One fetch from a submission queue, in addition to the link's time for the 64 bytes of each
    /// command; one fetch follows the other (assumed).
    #[schemars(extend("x-maximum" = INTERFACE_STEP))]
    pub fetch: Duration,
    /// From the arrival of the completion entry until the host has processed it, including the
    /// interrupt (assumed).
    #[schemars(extend("x-maximum" = INTERFACE_STEP))]
    pub completion: Duration,
    /// Writes up to this size are found all old or all new after a power cut: AWUPF of the identify controller data (NVM Express base specification 2.0, section 5.17.2.1), in bytes
    /// here, 512 B to 32 MiB. The drive has the energy to end such a write once a page of it is on flash. Longer writes are found old or new by mapping unit, as are all without this key.
    /// It counts where a live drive loses its power ([live drives](../explanations/live-drives.md#power-cuts)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomic_write_unit_power_fail: Option<ByteSize>,
}

impl Default for NvmeConfig {
    fn default() -> Self {
        Self {
            queue_depth: 1024,
            arbitration: Arbitration::RoundRobin,
            burst: 8,
            weight_high: 16,
            weight_medium: 4,
            weight_low: 1,
            command_slots: 256,
            doorbell: Duration::from_ns(150),
            fetch: Duration::from_ns(400),
            completion: Duration::from_ns(500),
            atomic_write_unit_power_fail: None,
        }
    }
}

/// How the next submission queue is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arbitration {
    /// Every queue in turn.
    #[default]
    RoundRobin,
    /// Urgent queues first, then the classes high, medium and low by their weights, queues of a class in turn.
    WeightedRoundRobin,
}

impl NvmeConfig {
    pub(super) fn check(&self) -> Result<(), RefusedValue> {
        if self.burst > 64 || !self.burst.is_power_of_two() {
            let accepted = "1, 2, 4, 8, 16, 32 or 64";
            return Err(RefusedValue::new("host.nvme.burst", self.burst, accepted));
        }
        if let Some(unit) = self.atomic_write_unit_power_fail
            && (!unit.bytes().is_multiple_of(u64::from(SECTOR_BYTES))
                || !(u64::from(SECTOR_BYTES)..=MOST_ATOMIC).contains(&unit.bytes()))
        {
            let accepted = "a multiple of 512 B, 512 B to 32 MiB";
            return Err(RefusedValue::new(ATOMIC, unit, accepted));
        }
        Ok(())
    }
}
