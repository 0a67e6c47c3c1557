//! `[host.emmc]`: command queue and bus of an eMMC device.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_units::Duration;

/// The mode of the bus of an eMMC device, eight data lines wide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmmcBus {
    /// 52 MHz, both edges: 104 MB/s.
    Ddr52,
    /// 200 MHz: 200 MB/s.
    Hs200,
    /// 200 MHz, both edges: 400 MB/s.
    #[default]
    Hs400,
}

/// `[host.emmc]`: a command queue in the device (since eMMC 5.1) over a parallel bus: data of both directions share eight lines, commands
/// and their answers have a line of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EmmcConfig {
    /// Mode of the bus.
    pub bus: EmmcBus,
    /// Commands in the device at once, over all tenants; 1 stands for a device without a queue. Further ones wait at the host in order of
    /// arrival.
    #[schemars(range(min = 1, max = 32))]
    pub tags: u32,
}

impl Default for EmmcConfig {
    fn default() -> Self {
        Self {
            bus: EmmcBus::Hs400,
            tags: 32,
        }
    }
}

impl EmmcConfig {
    /// Bytes per second on the data lines.
    #[must_use]
    pub const fn bytes_per_second(&self) -> f64 {
        match self.bus {
            EmmcBus::Ddr52 => 104e6,
            EmmcBus::Hs200 => 200e6,
            EmmcBus::Hs400 => 400e6,
        }
    }

    /// A command of 48 bits and its answer of as many on the command line, which takes one bit in each clock.
    #[must_use]
    pub const fn command_time(&self) -> Duration {
        Duration::from_ns(match self.bus {
            EmmcBus::Ddr52 => 2 * 48 * 1000 / 52,
            EmmcBus::Hs200 | EmmcBus::Hs400 => 2 * 48 * 5,
        })
    }
}
