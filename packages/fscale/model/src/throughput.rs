//! Operations of the host in a second, and what limits them.

use serde::Serialize;

use crate::demand::{CycleDemand, Demand};
use crate::drive::{Design, Drive};
use crate::latency::Latency;
use crate::paths::{Kind, Unit};
use crate::processor::Shard;
use crate::recovery::Recovery;
use crate::tables::TableSizes;
use crate::tier::Tier;

/// What one resource allows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// The resource; none for the queue depth.
    pub unit: Option<Unit>,
    /// Operations of the host per second at most.
    pub iops_bound: f64,
}

/// What closed forms say of a drive. Throughput is the least of all limits, which queues between resources keep a real drive below.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlook {
    /// Who does the FTL's work.
    pub design: Design,
    /// Operations of the host per second at most: a bound, which no drive exceeds and queues keep it below.
    pub iops_bound: f64,
    /// What that bound is the limit of; none is the queue depth.
    pub limited_by: Option<Unit>,
    /// All limits, the lowest first; each is a bound.
    pub limits: Vec<Limit>,
    /// Time in an idle drive.
    pub latency: Latency,
    /// Cycles of the central processor for an operation.
    pub cycles: CycleDemand,
    /// Cycles of local controllers for an operation.
    pub local_cycles: f64,
    /// Share of look-ups whose entry is in memory.
    pub hit_rate: f64,
    /// Pages programmed for each logical page that is programmed for the host.
    pub waf: f64,
    /// Bytes programmed for each byte that the host writes; 0 if it writes none.
    pub waf_total: f64,
    /// Bytes that the host can write until all blocks have their last erase.
    pub endurance_bytes: f64,
    /// Times of recovery.
    pub recovery: Recovery,
    /// Nodes read by a look-up of FScale; 0 in a conventional drive.
    pub node_reads: u32,
    /// Pages of the table read for each operation.
    pub page_ins: f64,
    /// Pages of the table programmed for each operation.
    pub page_outs: f64,
    /// Sizes of the tables.
    pub tables: TableSizes,
    /// The capacity, such as `30.72 TB` or `128 TiB`.
    pub capacity: String,
    /// Dies.
    pub dies: u64,
    /// Packages.
    pub packages: u64,
    /// Where the model does not hold, or the configuration contradicts itself.
    pub warnings: Vec<String>,
}

impl Drive {
    /// Servers of a kind that work at the same time when all dies have the same load. The package and the channel with most dies are busy first, so that
    /// a remainder counts for as much of a server as it has dies.
    #[must_use]
    pub fn servers(&self, unit: Unit) -> f64 {
        let dies = self.dies();
        let in_package = self.dies_in_package();
        let packages = dies as f64 / in_package as f64;
        match unit {
            Unit::Host | Unit::HostWrites | Unit::Interconnect => 1.0,
            Unit::Processor => self.cores_at_work(),
            Unit::Sram | Unit::Dram | Unit::Cxl | Unit::HostMemory => f64::from(self.accesses_at_once(unit)),
            Unit::Buffer => self.buffered_writes() as f64,
            Unit::Ecc => f64::from(self.ecc_lanes()),
            Unit::Channel => dies as f64 / self.most_dies_of_a_channel() as f64,
            Unit::Die => dies as f64,
            Unit::Local => packages * f64::from(self.local.cores),
            Unit::Bus | Unit::MiniEcc => packages,
            Unit::Moves => packages * f64::from(self.max_moves),
        }
    }

    /// Cores that work at the same time when all channels have the same load: the core with most channels is busy first.
    #[must_use]
    pub fn cores_at_work(&self) -> f64 {
        let cores = u64::from(self.processor.cores);
        match self.processor.shard {
            Shard::None | Shard::LbaHash => cores as f64,
            Shard::Channel => {
                let channels = self.used_channels();
                let most = channels.div_ceil(cores.min(channels));
                channels as f64 / most as f64
            }
        }
    }

    /// Accesses at once of a memory: of a tier as it says, else one after the other.
    #[must_use]
    pub fn accesses_at_once(&self, unit: Unit) -> u32 {
        let tier = self.table.tiers.iter().find(|tier| tier.memory.unit() == unit);
        tier.map_or(1, Tier::at_once)
    }

    /// Writes that the buffer holds beside the pages that gather.
    #[must_use]
    pub fn buffered_writes(&self) -> u64 {
        let gathered = u64::from(self.workload.coalesce_window).saturating_mul(self.logical_page.0);
        let free = self.host.buffer.0.saturating_sub(gathered);
        (free / self.host_bytes().max(1)).max(1)
    }

    fn most_dies_of_a_channel(&self) -> u64 {
        let (in_package, channels) = (
            u64::from(self.nand.dies_per_package),
            u64::from(self.channels.count),
        );
        let full = self.dies() / in_package;
        let rest = self.dies() % in_package;
        // package p is on channel p mod channels; the last one may have few dies
        let first = full.div_ceil(channels) * in_package;
        let last = full / channels * in_package + rest;
        first.max(last)
    }

    /// What closed forms say of the drive (section 11.5 of the specification).
    #[must_use]
    pub fn outlook(&self) -> Outlook {
        let demand = Demand::of(self);
        let latency = Latency::of(self, &self.paths(), &demand.rates);
        let mut limits: Vec<Limit> = Unit::ALL
            .into_iter()
            .filter(|unit| demand.ns(*unit) > 0.0)
            .map(|unit| Limit {
                unit: Some(unit),
                iops_bound: self.servers(unit) * 1e9 / demand.ns(unit),
            })
            .collect();
        if latency.mean > 0.0 {
            limits.push(Limit {
                unit: None,
                iops_bound: f64::from(self.workload.queue_depth) * 1e9 / latency.mean,
            });
        }
        limits.sort_by(|a, b| a.iops_bound.total_cmp(&b.iops_bound));
        let (iops_bound, limited_by) = limits
            .first()
            .map_or((f64::INFINITY, None), |limit| (limit.iops_bound, limit.unit));
        Outlook {
            design: self.design,
            iops_bound,
            limited_by,
            limits,
            latency,
            cycles: demand.cycles,
            local_cycles: demand.local_cycles,
            hit_rate: self.hit_rate(),
            waf: self.waf(),
            waf_total: self.waf_total(),
            endurance_bytes: self.endurance_bytes(),
            recovery: self.recovery(),
            node_reads: match self.design {
                Design::Conventional | Design::Hybrid => 0,
                Design::FScale => self.node_reads(),
            },
            page_ins: demand.rates.of(Kind::PageIn),
            page_outs: demand.rates.of(Kind::PageOut),
            tables: self.tables(),
            capacity: self.capacity_in_words(),
            dies: self.dies(),
            packages: self.packages(),
            warnings: self.warnings(),
        }
    }
}
