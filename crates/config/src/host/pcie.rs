//! `[host.pcie]`: the link of an NVMe drive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_keys::limits::INTERFACE_STEP;
use wordline_units::{ByteSize, Duration};

/// `[host.pcie]`: a full-duplex PCI Express link. Data travel in packets of at most `max_payload` with
/// `packet_overhead` each; the drive asks for write data with one packet for every `max_read_request`.
/// Acknowledgement and flow-control packets of the link layer are not modelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PcieConfig {
    /// Generation: 2.5, 5 (8b/10b), 8, 16, 32 (128b/130b), 64 GT/s (236 of 256 bytes of a flit).
    #[schemars(range(min = 1, max = 6))]
    pub generation: u32,
    /// Lanes: 1, 2, 4, 8 or 16.
    pub lanes: u32,
    /// Largest payload of a packet, 128 B to 4 KiB (assumed: 256 B, what most hosts set).
    pub max_payload: ByteSize,
    /// Bytes of a packet in addition to its payload: framing and sequence number 4, header with
    /// 64-bit address 16, check sequence 4 (PCI Express base specification, from generation 3 on).
    pub packet_overhead: ByteSize,
    /// Largest read request that the drive sends, 128 B to 4 KiB (assumed: 512 B, what most hosts
    /// set).
    pub max_read_request: ByteSize,
    /// From the drive's request for write data until the first of them, in addition to their time on the wire: the way
    /// through the host's root complex to its memory and back (assumed: none; Neugebauer et al., SIGCOMM 2018, measure
    /// some 500 ns on common servers).
    #[schemars(extend("x-maximum" = INTERFACE_STEP))]
    pub read_latency: Duration,
}

impl Default for PcieConfig {
    fn default() -> Self {
        Self {
            generation: 4,
            lanes: 4,
            max_payload: ByteSize(256),
            packet_overhead: ByteSize(24),
            max_read_request: ByteSize(512),
            read_latency: Duration::ZERO,
        }
    }
}

impl PcieConfig {
    pub(super) fn check(&self) -> Result<(), RefusedValue> {
        if ![1, 2, 4, 8, 16].contains(&self.lanes) {
            return Err(RefusedValue::new(
                "host.pcie.lanes",
                self.lanes,
                "1, 2, 4, 8 or 16",
            ));
        }
        for (key, size) in [
            ("host.pcie.max_payload", self.max_payload),
            ("host.pcie.max_read_request", self.max_read_request),
        ] {
            if !(128..=4096).contains(&size.bytes()) || !size.bytes().is_power_of_two() {
                let accepted = "128 B, 256 B, 512 B, 1 KiB, 2 KiB or 4 KiB";
                return Err(RefusedValue::new(key, size, accepted));
            }
        }
        if self.packet_overhead.bytes() > 4096 {
            let found = self.packet_overhead;
            return Err(RefusedValue::new(
                "host.pcie.packet_overhead",
                found,
                "at most 4 KiB",
            ));
        }
        Ok(())
    }

    /// Bytes per second in one direction, link code taken off.
    #[must_use]
    pub fn bytes_per_second(&self) -> f64 {
        let lane = match self.generation {
            1 => 2.5e9 * 0.8,
            2 => 5e9 * 0.8,
            3 => 8e9 * 128.0 / 130.0,
            4 => 16e9 * 128.0 / 130.0,
            5 => 32e9 * 128.0 / 130.0,
            _ => 64e9 * 236.0 / 256.0,
        };
        lane / 8.0 * f64::from(self.lanes)
    }
}
