//! Memories that hold parts of the table.

use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_units::{ByteSize, Duration, Energy};

use crate::error::{count, rate, require, step};
use crate::hardware::transfer_ns;
use crate::paths::{Kind, Unit};

/// Where a tier is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// On the controller's chip.
    Sram,
    /// The controller's memory.
    Dram,
    /// Behind a CXL link of its own.
    Cxl,
    /// Memory of the host, whose look-ups cross the line that data cross too.
    Host,
}

impl Memory {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sram => "sram",
            Self::Dram => "dram",
            Self::Cxl => "cxl",
            Self::Host => "host",
        }
    }

    pub(crate) fn unit(self) -> Unit {
        match self {
            Self::Sram => Unit::Sram,
            Self::Dram => Unit::Dram,
            Self::Cxl => Unit::Cxl,
            Self::Host => Unit::HostMemory,
        }
    }

    pub(crate) fn look_up(self) -> Kind {
        match self {
            Self::Sram => Kind::SramLookUp,
            Self::Dram => Kind::DramLookUp,
            Self::Cxl => Kind::CxlLookUp,
            Self::Host => Kind::HostMemoryLookUp,
        }
    }

    /// Access time, bytes per second, accesses at once and energy of an access of 64 bytes (all assumed; the access time of a CXL expander is about
    /// the sum of published parts of it, and the rate of host memory is bounded by the line).
    fn usual(self) -> (u64, f64, u32, f64) {
        match self {
            Self::Sram => (10, 64e9, 4, 50e-12),
            Self::Dram => (100, 12.8e9, 16, 2.5e-9),
            Self::Cxl => (250, 16e9, 64, 6e-9),
            Self::Host => (1_000, 25.6e9, 64, 9e-9),
        }
    }
}

/// A memory that holds a part of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// Where it is.
    pub memory: Memory,
    /// Bytes of the table that it holds; 0 when the host has withdrawn its memory.
    pub size: ByteSize,
    /// Access time; 10 ns, 100 ns, 250 ns and 1 us of SRAM, DRAM, CXL and host memory where it is missing.
    #[serde(default)]
    pub access: Option<Duration>,
    /// Bytes per second; 64e9, 12.8e9, 16e9 and 25.6e9 where it is missing.
    #[serde(default)]
    pub bandwidth: Option<f64>,
    /// Accesses at once; 4, 16, 64 and 64 where it is missing.
    #[serde(default)]
    pub concurrency: Option<u32>,
    /// Energy of an access; 50 pJ, 2.5 nJ, 6 nJ and 9 nJ where it is missing.
    #[serde(default)]
    pub energy: Option<Energy>,
}

/// Bytes that a look-up in host memory sends beside the entry, as headers of packets.
pub(crate) const LINK_OVERHEAD: u64 = 24;

impl Tier {
    /// Accesses at once.
    #[must_use]
    pub fn at_once(&self) -> u32 {
        self.concurrency.unwrap_or(self.memory.usual().2)
    }

    /// Joules of an access.
    #[must_use]
    pub fn joules(&self) -> f64 {
        self.energy.map_or(self.memory.usual().3, |energy| energy.0)
    }

    /// Nanoseconds that one of the accesses at once takes for `bytes`: as long as an idle memory needs, or longer where that many at once would have
    /// more than its bandwidth.
    #[must_use]
    pub fn ns(&self, bytes: u64) -> f64 {
        let (access, bandwidth, ..) = self.memory.usual();
        let moved = transfer_ns(bytes as f64, self.bandwidth.unwrap_or(bandwidth));
        let access = self.access.map_or(access, |access| access.0) as f64;
        (access + moved).max(f64::from(self.at_once()) * moved)
    }

    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        require(
            self.size.0 <= 1 << 52,
            "table.tiers.size",
            self.size,
            "accepted are 0 B to 4 PiB",
        )?;
        if let Some(access) = self.access {
            step("table.tiers.access", access)?;
        }
        if let Some(bandwidth) = self.bandwidth {
            rate("table.tiers.bandwidth", bandwidth)?;
        }
        if let Some(concurrency) = self.concurrency {
            count("table.tiers.concurrency", concurrency, 1, 1 << 16)?;
        }
        match self.energy {
            Some(energy) => require(
                (0.0..=1.0).contains(&energy.0),
                "table.tiers.energy",
                energy,
                "accepted are 0 J to 1 J",
            ),
            None => Ok(()),
        }
    }
}
