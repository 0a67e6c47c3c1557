//! `[host.sata]`: native command queue and link of a SATA drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::limits::INTERFACE_STEP;
use wordline_units::Duration;

/// `[host.sata]`: native command queuing over a half-duplex serial link (Serial ATA revision 3.x): commands, data
/// and completions of both directions share it, in frames.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SataConfig {
    /// Generation: 1.5, 3 or 6 Gbit/s, which is 150, 300 or 600 MB/s after 8b/10b encoding.
    #[schemars(range(min = 1, max = 3))]
    pub generation: u32,
    /// Commands in the drive at once, over all tenants; further ones wait at the host in order of arrival.
    #[schemars(range(min = 1, max = 32))]
    pub tags: u32,
    /// Handshake around each frame, during which no data are transferred (assumed).
    #[schemars(extend("x-maximum" = INTERFACE_STEP))]
    pub turnaround: Duration,
}

impl Default for SataConfig {
    fn default() -> Self {
        Self {
            generation: 3,
            tags: 32,
            turnaround: Duration::from_ns(200),
        }
    }
}

impl SataConfig {
    /// Bytes per second, link code taken off.
    #[must_use]
    pub fn bytes_per_second(&self) -> f64 {
        150e6 * f64::from(1_u32 << (self.generation - 1))
    }
}
