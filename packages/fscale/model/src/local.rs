//! FScale inside a package: the local controller, its codec, its look-ups.

use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_units::{ByteSize, Duration, Frequency};

use crate::error::{count, rate, require, share, step};

/// How many nodes of a second-level table a look-up reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LookUp {
    /// None: what is needed is in the memory of the local controller.
    Min,
    /// Three: a tree of height 3, nothing of it in memory.
    Typ,
    /// Seven, the bound of the source.
    Max,
    /// As many as follow from the shape of the tree and the memory of the local controller.
    BTree,
    /// One: a hash table whose pages on flash hold the slots.
    Hash,
}

/// How the die of an overwritten copy learns that the copy is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StaleCopies {
    /// A command to the local controller of the old die with each write.
    Eager,
    /// Collection asks the table directory about each page of its victim.
    Lazy,
    /// A page never leaves its die, so that nobody has to be told.
    Sticky,
}

/// The codec of a package, which corrects most codewords; the main codec corrects the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MiniEcc {
    /// Whether packages have one. Without it every page that is moved, and every node, crosses the channel twice.
    pub present: bool,
    /// Bytes per second; the rate of a channel where it is missing.
    pub bandwidth: Option<f64>,
    /// Time before the bytes.
    pub codec: Duration,
    /// Probability that a page needs the main codec.
    pub escalation: f64,
    /// Data bytes of a codeword.
    pub codeword: ByteSize,
    /// Errors of a codeword that the codec of the package corrects.
    pub corrects: u32,
    /// Errors of a codeword that the main codec corrects.
    pub main_corrects: u32,
    /// Parity bits for each error.
    pub parity_per_error: u32,
}

impl Default for MiniEcc {
    fn default() -> Self {
        Self {
            present: true,
            bandwidth: None,
            codec: Duration(2_000),
            escalation: 1e-3,
            codeword: ByteSize(1024),
            corrects: 24,
            main_corrects: 72,
            parity_per_error: 14,
        }
    }
}

impl MiniEcc {
    /// Bytes of parity of `bytes` of data that only the main codec uses: they cross the channel on escalation.
    #[must_use]
    pub fn further_parity(&self, bytes: u64) -> u64 {
        self.parity(bytes, self.main_corrects - self.corrects)
    }

    /// Parity of both strengths as a share of the data.
    #[must_use]
    pub fn overhead(&self) -> f64 {
        f64::from(self.main_corrects * self.parity_per_error) / (8.0 * self.codeword.0 as f64)
    }

    fn parity(&self, bytes: u64, errors: u32) -> u64 {
        let bits = u64::from(errors) * u64::from(self.parity_per_error);
        bytes.div_ceil(self.codeword.0) * bits.div_ceil(8)
    }

    fn check(&self) -> Result<(), RefusedValue> {
        if let Some(bandwidth) = self.bandwidth {
            rate("local.mini_ecc.bandwidth", bandwidth)?;
        }
        step("local.mini_ecc.codec", self.codec)?;
        share("local.mini_ecc.escalation", self.escalation)?;
        require(
            (64..=1 << 16).contains(&self.codeword.0),
            "local.mini_ecc.codeword",
            self.codeword,
            "accepted are 64 B to 64 KiB",
        )?;
        count("local.mini_ecc.main_corrects", self.main_corrects, 0, 10_000)?;
        count("local.mini_ecc.corrects", self.corrects, 0, self.main_corrects)?;
        count("local.mini_ecc.parity_per_error", self.parity_per_error, 1, 64)
    }
}

/// The local controller of a package, and what it works with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LocalController {
    /// Cores, 1 to 64.
    pub cores: u32,
    /// Frequency of a core.
    pub frequency: Frequency,
    /// Working memory for nodes of the trees of its dies.
    pub memory: ByteSize,
    /// Cycles of a command of the host.
    pub command_cycles: u32,
    /// Cycles to search a node.
    pub node_cycles: u32,
    /// Cycles to move a page.
    pub move_cycles: u32,
    /// Cycles of an erase.
    pub erase_cycles: u32,
    /// Cycles to note that a copy is stale.
    pub invalidate_cycles: u32,
    /// Bytes per second of the bus between local controller and dies; the rate of a channel where it is missing.
    pub bus_rate: Option<f64>,
    /// Codec of the package.
    pub mini_ecc: MiniEcc,
    /// Nodes read by a look-up.
    pub look_up: LookUp,
    /// Whether a write waits for a look-up of its page.
    pub write_look_up: bool,
    /// How stale copies are found.
    pub stale: StaleCopies,
    /// Bytes of a node of a tree.
    pub node: ByteSize,
    /// Bytes of an entry of a tree.
    pub entry: ByteSize,
    /// Share of a node that is filled.
    pub fill: f64,
    /// Updates of a tree that are gathered in memory before a node is programmed.
    pub flush_entries: u32,
}

impl Default for LocalController {
    fn default() -> Self {
        Self {
            cores: 1,
            frequency: Frequency(100_000_000),
            memory: ByteSize(4 << 20),
            command_cycles: 3_000,
            node_cycles: 2_500,
            move_cycles: 7_100,
            erase_cycles: 4_000,
            invalidate_cycles: 1_000,
            bus_rate: None,
            mini_ecc: MiniEcc::default(),
            look_up: LookUp::Typ,
            write_look_up: false,
            stale: StaleCopies::Eager,
            node: ByteSize(4096),
            entry: ByteSize(8),
            fill: 0.7,
            flush_entries: 512,
        }
    }
}

impl LocalController {
    /// Nanoseconds that a core takes for `cycles`.
    #[must_use]
    pub fn ns(&self, cycles: u32) -> u64 {
        self.frequency.cycles(u64::from(cycles)).0
    }

    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        count("local.cores", self.cores, 1, 64)?;
        require(
            (1_000_000..=100_000_000_000).contains(&self.frequency.0),
            "local.frequency",
            self.frequency,
            "accepted are 1 MHz to 100 GHz",
        )?;
        require(
            self.memory.0 <= 1 << 40,
            "local.memory",
            self.memory,
            "accepted are 0 B to 1 TiB",
        )?;
        let most = 10_000_000;
        count("local.command_cycles", self.command_cycles, 0, most)?;
        count("local.node_cycles", self.node_cycles, 0, most)?;
        count("local.move_cycles", self.move_cycles, 0, most)?;
        count("local.erase_cycles", self.erase_cycles, 0, most)?;
        count("local.invalidate_cycles", self.invalidate_cycles, 0, most)?;
        if let Some(bus) = self.bus_rate {
            rate("local.bus_rate", bus)?;
        }
        self.mini_ecc.check()?;
        require(
            (1..=4096).contains(&self.entry.0),
            "local.entry",
            self.entry,
            "accepted are 1 B to 4 KiB",
        )?;
        require(
            (1 << 24) >= self.node.0
                && self.fill <= 1.0
                && self.fill * (self.node.0 / self.entry.0) as f64 >= 2.0,
            "local.fill",
            format!("{} of {} / {}", self.fill, self.node, self.entry),
            "accepted is a share up to 1 that leaves two entries to a node of at most 16 MiB",
        )?;
        count("local.flush_entries", self.flush_entries, 1, 1 << 30)
    }
}
