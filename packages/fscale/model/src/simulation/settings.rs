//! How a drive is simulated.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use wordline_keys::RefusedValue;
use wordline_workload::SourceError;

use crate::drive::Drive;
use crate::error::require;
use crate::mapping::Exact;
use crate::simulation::table_cache::TableCache;

/// What the simulation knows of each page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// Nothing: addresses are uniform, collection is a rate. For any capacity.
    Statistical,
    /// The die of each page, computed until it is written; collection is a rate.
    Permuted,
    /// The slot of each page; the block with fewest valid pages is collected. Takes ten bytes for each page.
    Exact,
}

/// When requests come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// When another completes: `workload.queue_depth` are outstanding.
    Closed,
    /// At random moments, so many per second.
    Open(f64),
    /// When a trace says.
    Recorded,
}

/// In which order a unit serves what waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheduling {
    /// First come, first served.
    Fifo,
    /// The host before pages of the table before collection; what runs is not interrupted.
    Priority,
}

/// How a drive is simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunSettings {
    /// What is known of each page.
    pub backend: Backend,
    /// Requests of the host, 100 to 1e12; of a trace at most so many.
    pub operations: u64,
    /// Share of them that is not measured, 0 to 0.9.
    pub warm_up: f64,
    /// Seed of all random draws.
    pub seed: u64,
    /// When requests come.
    pub arrivals: Arrivals,
    /// Order of service.
    pub scheduling: Scheduling,
    /// How often an exact drive was overwritten at random before the run, 0 to 100.
    pub ageing_rounds: f64,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            backend: Backend::Statistical,
            operations: 200_000,
            warm_up: 0.2,
            seed: 1,
            arrivals: Arrivals::Closed,
            scheduling: Scheduling::Fifo,
            ageing_rounds: 4.0,
        }
    }
}

/// Why a trace was not replayed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReplayError {
    /// A value is not accepted.
    #[error(transparent)]
    Refused(#[from] RefusedValue),
    /// The trace broke off, or has a request that the drive cannot take.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Bytes of tables that the exact back end may take.
const MOST_EXACT: u64 = 16 << 30;

impl RunSettings {
    pub(crate) fn check(&self, drive: &Drive) -> Result<(), RefusedValue> {
        require(
            (100..=1_000_000_000_000).contains(&self.operations),
            "operations",
            self.operations,
            "accepted are 100 to 1000000000000",
        )?;
        require(
            (0.0..=0.9).contains(&self.warm_up),
            "warm_up",
            self.warm_up,
            "accepted is a share, 0 to 0.9",
        )?;
        if let Arrivals::Open(rate) = self.arrivals {
            require(
                (1e-3..=1e12).contains(&rate),
                "arrivals.open",
                rate,
                "accepted are 0.001 to 1e12 requests per second",
            )?;
        }
        TableCache::check(drive)?;
        require(
            (0.0..=100.0).contains(&self.ageing_rounds),
            "ageing_rounds",
            self.ageing_rounds,
            "accepted are 0 to 100",
        )?;
        if self.backend != Backend::Exact {
            return Ok(());
        }
        let bytes = Exact::bytes_for(drive);
        require(
            bytes <= MOST_EXACT && drive.slots() < u64::from(u32::MAX),
            "backend",
            format!("exact, which takes {bytes} bytes for {}", drive.capacity),
            "accepted are \"statistical\" and \"permuted\" for drives whose tables take more than 16 GiB or that have 2^32 slots",
        )?;
        let slots_per_block =
            u64::from(drive.nand.pages_per_block) * (drive.nand.page.0 / drive.logical_page.0).max(1);
        let blocks = drive.slots() / drive.dies() / slots_per_block;
        let spare = drive.over_provisioning / (1.0 + drive.over_provisioning) * blocks as f64;
        require(
            blocks >= 16 && spare >= 5.0,
            "nand.pages_per_block",
            drive.nand.pages_per_block,
            "accepted with backend = \"exact\" are blocks of which a die has at least 16, and 5 more than its share of the pages fills",
        )
    }
}
