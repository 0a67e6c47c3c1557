//! Operations of the host in a second, and what limits them.

use serde::Serialize;

use crate::demand::{CycleDemand, Demand};
use crate::drive::{Design, Drive};
use crate::latency::Latency;
use crate::paths::{Kind, Unit};
use crate::tables::TableSizes;

/// What one resource allows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// The resource; none for the queue depth.
    pub unit: Option<Unit>,
    /// Operations of the host per second.
    pub iops: f64,
}

/// What closed forms say of a drive. Throughput is the least of all limits, which queues between resources keep a real drive below.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlook {
    /// Who does the FTL's work.
    pub design: Design,
    /// Operations of the host per second, at most.
    pub iops: f64,
    /// What limits them; none is the queue depth.
    pub limited_by: Option<Unit>,
    /// All limits, the lowest first.
    pub limits: Vec<Limit>,
    /// Time in an idle drive.
    pub latency: Latency,
    /// Cycles of the central processor for an operation.
    pub cycles: CycleDemand,
    /// Cycles of local controllers for an operation.
    pub local_cycles: f64,
    /// Share of look-ups whose entry is in memory.
    pub hit_rate: f64,
    /// Pages programmed for each page of the host.
    pub waf: f64,
    /// Nodes read by a look-up of FScale; 0 in a conventional drive.
    pub node_reads: u32,
    /// Pages of the table read for each operation.
    pub page_ins: f64,
    /// Pages of the table programmed for each operation.
    pub page_outs: f64,
    /// Sizes of the tables.
    pub tables: TableSizes,
    /// Dies.
    pub dies: u64,
    /// Packages.
    pub packages: u64,
    /// What is doubtful.
    pub warnings: Vec<String>,
}

impl Drive {
    /// Servers of a kind that work at the same time when all dies have the same load. The package and the channel with most dies are busy first, so that
    /// a remainder counts for as much of a server as it has dies.
    #[must_use]
    pub fn servers(&self, unit: Unit) -> f64 {
        let dies = self.dies();
        let in_package = u64::from(self.nand.dies_per_package).min(dies);
        let packages = dies as f64 / in_package as f64;
        match unit {
            Unit::Host | Unit::HostWrites | Unit::Dram => 1.0,
            Unit::Processor => f64::from(self.processor.cores),
            Unit::Ecc => f64::from(self.ecc_lanes()),
            Unit::Channel => dies as f64 / self.most_dies_of_a_channel() as f64,
            Unit::Die => dies as f64,
            Unit::Local => packages * f64::from(self.local.cores),
            Unit::Bus | Unit::MiniEcc => packages,
        }
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
        let latency = Latency::of(self);
        let mut limits: Vec<Limit> = Unit::ALL
            .into_iter()
            .filter(|unit| demand.ns(*unit) > 0.0)
            .map(|unit| Limit {
                unit: Some(unit),
                iops: self.servers(unit) * 1e9 / demand.ns(unit),
            })
            .collect();
        if latency.mean > 0.0 {
            limits.push(Limit {
                unit: None,
                iops: f64::from(self.workload.queue_depth) * 1e9 / latency.mean,
            });
        }
        limits.sort_by(|a, b| a.iops.total_cmp(&b.iops));
        let (iops, limited_by) = limits
            .first()
            .map_or((f64::INFINITY, None), |limit| (limit.iops, limit.unit));
        Outlook {
            design: self.design,
            iops,
            limited_by,
            limits,
            latency,
            cycles: demand.cycles,
            local_cycles: demand.local_cycles,
            hit_rate: self.hit_rate(),
            waf: self.waf(),
            node_reads: match self.design {
                Design::Conventional => 0,
                Design::FScale => self.node_reads(),
            },
            page_ins: demand.rates.of(Kind::PageIn),
            page_outs: demand.rates.of(Kind::PageOut),
            tables: self.tables(),
            dies: self.dies(),
            packages: self.packages(),
            warnings: self.warnings(),
        }
    }
}
