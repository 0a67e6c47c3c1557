//! `[host.ufs]`: queue and link of a UFS device.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::ByteSize;

/// `[host.ufs]`: a command queue over serial lanes in each direction (Universal Flash Storage): reads and writes travel at the same time,
/// in packets (UPIU) that each have a header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UfsConfig {
    /// High-speed gear, 1 to 5: a lane has 1.4576 Gbit/s in gear 1 (series B) and twice as many in each further one, with 8b/10b encoding
    /// (assumed for gear 5, too).
    #[schemars(range(min = 1, max = 5))]
    pub gear: u32,
    /// Lanes in each direction: 1 or 2.
    #[schemars(range(min = 1, max = 2))]
    pub lanes: u32,
    /// Commands in the device at once, over all tenants; further ones wait at the host in order of arrival.
    #[schemars(range(min = 1, max = 32))]
    pub tags: u32,
    /// Data of a packet at most, 512 B to 64 KiB (assumed: 4 KiB).
    pub max_data: ByteSize,
}

impl Default for UfsConfig {
    fn default() -> Self {
        Self {
            gear: 4,
            lanes: 2,
            tags: 32,
            max_data: ByteSize(4096),
        }
    }
}

impl UfsConfig {
    /// Checks the size of packets.
    pub(super) fn check(&self) -> Result<(), wordline_keys::RefusedValue> {
        if (512..=65_536).contains(&self.max_data.bytes()) {
            return Ok(());
        }
        Err(wordline_keys::RefusedValue::new(
            "host.ufs.max_data",
            self.max_data,
            "from 512 B to 64 KiB",
        ))
    }

    /// Bytes per second in one direction, link code taken off.
    #[must_use]
    pub fn bytes_per_second(&self) -> f64 {
        1.4576e8 * f64::from(self.lanes << (self.gear - 1))
    }
}
