//! How the table of the mapping is configured.

use serde::{Deserialize, Serialize};
use wordline_keys::RefusedValue;
use wordline_units::ByteSize;

use crate::error::{require, share};
use crate::tier::Tier;

/// How wide an entry of the table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryWidth {
    /// 4 bytes, the reading of equation 5.1 that gives the published hit rates. From 16 TB up 32 bits cannot number all slots of 4 KB.
    Word32,
    /// As many bits as number all slots.
    Packed,
    /// Whole bytes that number all slots.
    Bytes,
    /// As many bits as number all physical bytes, which is equation 5.1 as printed.
    Literal,
}

/// How large the table directory of FScale is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DirectorySize {
    /// The conventional table of 4-byte entries, scaled by the bits of a die over those of a logical page.
    Scaled,
    /// As many bits as number the dies.
    Packed,
    /// None: the die of a page follows from its address, as with a hash. Takes `local.stale = "sticky"`.
    Hash,
}

/// Which dies an entry of the directory numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DirectoryEntry {
    /// Those of the logical capacity.
    Logical,
    /// All.
    Physical,
}

/// Where the hit rate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HitRate {
    /// The share of the table that fits in memory: addresses are uniform.
    Uniform,
    /// `table.hit_rate`.
    Given,
    /// Che's approximation, over pages of the table, for the addresses of the workload.
    Che,
    /// The simulation keeps the pages of the table that were used last, exactly, and joins misses of the same page. Closed forms take Che's
    /// approximation, with the look-ups of moved pages among the accesses.
    Lru,
}

impl HitRate {
    fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Given => "given",
            Self::Che => "che",
            Self::Lru => "lru",
        }
    }
}

/// The table of the mapping and its cache in memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Table {
    /// Width of an entry of the conventional table.
    pub entry: EntryWidth,
    /// Memory for entries; all of `dram.size` where it is missing.
    pub cache: Option<ByteSize>,
    /// Bytes that are read and programmed together of a table on flash.
    pub page: ByteSize,
    /// Where the hit rate comes from.
    pub hit: HitRate,
    /// The hit rate with `table.hit = "given"`.
    pub hit_rate: f64,
    /// Size of FScale's directory.
    pub directory: DirectorySize,
    /// Which dies the directory numbers.
    pub count_from: DirectoryEntry,
    /// Memories that hold the table, the first first; what fits none is on flash. None: the controller's memory, as far as `table.cache` allows.
    pub tiers: Vec<Tier>,
    /// How many times smaller a compressed or learned conventional table is, 1 to 1000.
    pub compression: f64,
    /// Probability that a learned table names the wrong page, which costs a read of flash.
    pub misprediction: f64,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            entry: EntryWidth::Word32,
            cache: None,
            page: ByteSize(4096),
            hit: HitRate::Uniform,
            hit_rate: 1.0,
            directory: DirectorySize::Scaled,
            count_from: DirectoryEntry::Logical,
            tiers: Vec::new(),
            compression: 1.0,
            misprediction: 0.0,
        }
    }
}

impl Table {
    pub(crate) fn check(&self) -> Result<(), RefusedValue> {
        require(
            (64..=1 << 24).contains(&self.page.0),
            "table.page",
            self.page,
            "accepted are 64 B to 16 MiB",
        )?;
        share("table.hit_rate", self.hit_rate)?;
        share("table.misprediction", self.misprediction)?;
        require(
            (1.0..=1000.0).contains(&self.compression),
            "table.compression",
            self.compression,
            "accepted are 1 to 1000",
        )?;
        require(
            self.tiers.is_empty() || matches!(self.hit, HitRate::Uniform | HitRate::Che),
            "table.hit",
            self.hit.name(),
            "accepted with table.tiers are \"uniform\" and \"che\"",
        )?;
        for (place, tier) in self.tiers.iter().enumerate() {
            tier.check()?;
            require(
                self.tiers[..place]
                    .iter()
                    .all(|other| other.memory != tier.memory),
                "table.tiers.memory",
                tier.memory.name(),
                "accepted is each memory once",
            )?;
        }
        Ok(())
    }
}
