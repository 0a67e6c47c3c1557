//! The units of the drive: memory, codec, channels, dies, host interface.

use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_units::{ByteSize, Duration};

use crate::error::{count, rate, require, step};

/// Nanoseconds to move `bytes` at `rate` bytes per second.
pub(crate) fn transfer_ns(bytes: f64, rate: f64) -> f64 {
    bytes * 1e9 / rate
}

/// The controller's memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dram {
    /// Its size.
    pub size: ByteSize,
    /// Bytes per second.
    pub bandwidth: f64,
    /// Time of an access before its bytes.
    pub access: Duration,
    /// Bytes of one look-up.
    pub look_up: ByteSize,
}

impl Default for Dram {
    fn default() -> Self {
        Self {
            size: ByteSize(8 << 30),
            // one 64-bit channel of DDR3-1600 (assumed)
            bandwidth: 12.8e9,
            access: Duration(100),
            look_up: ByteSize(64),
        }
    }
}

impl Dram {
    /// Nanoseconds to access `bytes`.
    #[must_use]
    pub fn ns(&self, bytes: u64) -> u64 {
        (self.access.0 as f64 + transfer_ns(bytes as f64, self.bandwidth)).round() as u64
    }

    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        rate("dram.bandwidth", self.bandwidth)?;
        require(
            self.size.0 <= 1 << 52,
            "dram.size",
            self.size,
            "accepted are 0 B to 4 PiB",
        )?;
        require(
            self.look_up.0 <= 1 << 20,
            "dram.look_up",
            self.look_up,
            "accepted are 0 B to 1 MiB",
        )?;
        step("dram.access", self.access)
    }
}

/// The codec of the controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ecc {
    /// Bytes per second; the sum of all channels where it is missing.
    pub bandwidth: Option<f64>,
    /// Time before the bytes.
    pub codec: Duration,
    /// Engines that work in parallel; as many as channels where it is missing. The bandwidth is that of all of them.
    pub lanes: Option<u32>,
}

impl Default for Ecc {
    fn default() -> Self {
        Self {
            bandwidth: None,
            codec: Duration(2_000),
            lanes: None,
        }
    }
}

impl Ecc {
    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        if let Some(bandwidth) = self.bandwidth {
            rate("ecc.bandwidth", bandwidth)?;
        }
        if let Some(lanes) = self.lanes {
            count("ecc.lanes", lanes, 1, 1024)?;
        }
        step("ecc.codec", self.codec)
    }
}

/// The interconnect on the controller's chip, between memory and codecs: one server with a queue, as the source has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Interconnect {
    /// Bytes per second; the sum of all channels where it is missing (assumed: no less, as the codecs).
    pub bandwidth: Option<f64>,
}

impl Interconnect {
    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        self.bandwidth
            .map_or(Ok(()), |bandwidth| rate("interconnect.bandwidth", bandwidth))
    }
}

/// The rate of a channel with at most so many packages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derating {
    /// Packages on the channel, at most.
    pub packages: u32,
    /// Bytes per second.
    pub rate: f64,
}

/// The channels between controller and packages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Channels {
    /// Channels, 1 to 1024. Packages per channel grow with the capacity.
    pub count: u32,
    /// Bytes per second of one.
    pub rate: f64,
    /// Time of commands and addresses.
    pub command: Duration,
    /// Lower rates of channels with many packages, from few packages to many; more than the last row have its rate.
    pub derating: Vec<Derating>,
}

impl Default for Channels {
    fn default() -> Self {
        Self {
            count: 16,
            rate: 400e6,
            // seven cycles of command and address at 30 ns, rounded (assumed)
            command: Duration(200),
            derating: Vec::new(),
        }
    }
}

impl Channels {
    /// Bytes per second of a channel with so many packages.
    #[must_use]
    pub fn rate_with(&self, packages: u64) -> f64 {
        let row = self
            .derating
            .iter()
            .find(|row| packages <= u64::from(row.packages));
        row.or(self.derating.last())
            .map_or(self.rate, |row| row.rate.min(self.rate))
    }

    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        count("channels.count", self.count, 1, 1024)?;
        rate("channels.rate", self.rate)?;
        step("channels.command", self.command)?;
        for row in &self.derating {
            rate("channels.derating.rate", row.rate)?;
        }
        for pair in self.derating.windows(2) {
            require(
                pair[0].packages < pair[1].packages,
                "channels.derating.packages",
                format!("{} before {}", pair[0].packages, pair[1].packages),
                "accepted are rows from few packages to many",
            )?;
        }
        Ok(())
    }
}

/// The dies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Nand {
    /// Bytes of a die.
    pub die: ByteSize,
    /// Dies in a package, 1 to 1024.
    pub dies_per_package: u32,
    /// Bytes of a physical page.
    pub page: ByteSize,
    /// Planes, which work together on a logical page larger than a physical one.
    pub planes: u32,
    /// Physical pages of a block.
    pub pages_per_block: u32,
    /// Array time of a read.
    pub read: Duration,
    /// Array time of a program.
    pub program: Duration,
    /// Array time of an erase.
    pub erase: Duration,
    /// Logical pages that share a program, at least 1.
    pub logical_pages_per_program: u32,
    /// Programs and erases that a block endures.
    pub endurance: u32,
    /// Packages of a parity stripe, at least 2: what a failed one held is computed from the others.
    pub stripe: u32,
}

impl Default for Nand {
    fn default() -> Self {
        Self {
            die: ByteSize(32 << 30),
            dies_per_package: 16,
            page: ByteSize(16 << 10),
            planes: 4,
            pages_per_block: 1024,
            read: Duration(75_000),
            // mean of 500 us and 1300 us of the two pages of an MLC cell (SimpleSSD sample)
            program: Duration(900_000),
            erase: Duration(3_500_000),
            logical_pages_per_program: 1,
            // two bits per cell around 2015 (assumed)
            endurance: 3_000,
            stripe: 16,
        }
    }
}

impl Nand {
    /// Array operations for `bytes` of one logical page.
    #[must_use]
    pub fn operations(&self, bytes: u64) -> u32 {
        let together = self.page.0 * u64::from(self.planes);
        bytes.div_ceil(together).max(1) as u32
    }

    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        count("nand.dies_per_package", self.dies_per_package, 1, 1024)?;
        count("nand.planes", self.planes, 1, 64)?;
        count("nand.pages_per_block", self.pages_per_block, 1, 1 << 20)?;
        count(
            "nand.logical_pages_per_program",
            self.logical_pages_per_program,
            1,
            1024,
        )?;
        count("nand.endurance", self.endurance, 1, 10_000_000)?;
        count("nand.stripe", self.stripe, 2, 1 << 20)?;
        require(
            (512..=1 << 24).contains(&self.page.0),
            "nand.page",
            self.page,
            "accepted are 512 B to 16 MiB",
        )?;
        require(
            (1 << 20..=1 << 50).contains(&self.die.0),
            "nand.die",
            self.die,
            "accepted are 1 MiB to 1 PiB",
        )?;
        step("nand.read", self.read)?;
        step("nand.program", self.program)?;
        step("nand.erase", self.erase)
    }
}

/// When a write is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Acknowledge {
    /// When it is programmed, as in the source.
    Media,
    /// When it is in a buffer that survives a loss of power. Reads do not look there.
    Buffer,
}

/// The interface to the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostInterface {
    /// Bytes per second of user data.
    pub rate: f64,
    /// Whether reads and writes have a way of their own.
    pub full_duplex: bool,
    /// When a write is answered.
    pub ack: Acknowledge,
    /// Bytes of the write buffer; used with `host.ack = "buffer"`. A write that finds it full waits.
    pub buffer: ByteSize,
}

impl Default for HostInterface {
    fn default() -> Self {
        Self {
            // PCIe 3.0 x4 at about 80 %
            rate: 3.2e9,
            full_duplex: false,
            ack: Acknowledge::Media,
            // what the capacitors of an enterprise drive keep alive long enough (assumed)
            buffer: ByteSize(64 << 20),
        }
    }
}

impl HostInterface {
    pub(crate) fn check(&self, request: u64) -> Result<(), RefusedValue> {
        rate("host.rate", self.rate)?;
        require(
            (request..=1 << 40).contains(&self.buffer.0),
            "host.buffer",
            self.buffer,
            "accepted are a request to 1 TiB",
        )
    }
}
