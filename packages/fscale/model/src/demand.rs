//! What one operation of the host demands of each unit, in the mean.

use serde::Serialize;

use crate::drive::Drive;
use crate::latency::{Latency, in_tiers};
use crate::paths::{Kind, Step, Unit};
use crate::rates::{Rates, weighted};

/// For whom the central processor works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CycleClass {
    /// Reads and writes of the host.
    Host,
    /// Collection and wear levelling.
    Collection,
    /// Pages of the table.
    Table,
}

impl CycleClass {
    /// The class of a kind of operation.
    #[must_use]
    pub fn of(kind: Kind) -> Self {
        match kind {
            Kind::HostRead | Kind::HostWrite | Kind::PartialWrite | Kind::MergedWrite | Kind::Invalidate => {
                Self::Host
            }
            Kind::Move | Kind::Erase => Self::Collection,
            Kind::PageIn
            | Kind::PageOut
            | Kind::NodeProgram
            | Kind::DirectoryCheck
            | Kind::SramLookUp
            | Kind::DramLookUp
            | Kind::CxlLookUp
            | Kind::HostMemoryLookUp => Self::Table,
        }
    }
}

/// Cycles of the central processor for each operation of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CycleDemand {
    /// Reads and writes of the host.
    pub host: f64,
    /// Collection and wear levelling.
    pub collection: f64,
    /// Pages of the table.
    pub table: f64,
}

impl CycleDemand {
    /// Cycles of all classes.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.host + self.collection + self.table
    }

    /// Shares of host, collection and table.
    #[must_use]
    pub fn shares(&self) -> [f64; 3] {
        [self.host, self.collection, self.table].map(|cycles| cycles / self.total())
    }
}

/// Demand of one operation of the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    ns: [f64; Unit::ALL.len()],
    /// Cycles of the central processor by class.
    pub cycles: CycleDemand,
    /// Cycles of local controllers.
    pub local_cycles: f64,
    /// Operations of each kind.
    pub rates: Rates,
}

impl Demand {
    /// Nanoseconds at `unit`.
    #[must_use]
    pub fn ns(&self, unit: Unit) -> f64 {
        self.ns[unit as usize]
    }

    /// The demand on the units of a drive.
    #[must_use]
    pub fn of(drive: &Drive) -> Self {
        let paths = drive.paths();
        let rates = Rates::new(drive, &paths);
        let mut demand = Self {
            ns: [0.0; Unit::ALL.len()],
            cycles: CycleDemand::default(),
            local_cycles: 0.0,
            rates,
        };
        let memories = in_tiers(drive, &paths);
        for kind in Kind::ALL {
            // whether a core is kept, after the next visit and now
            let (mut keeps, mut kept) = (false, false);
            for (step, share) in weighted(paths.of(kind)) {
                let times = share * rates.of(kind);
                match step {
                    Step::Visit { unit, ns, cycles } => {
                        demand.ns[*unit as usize] += times * *ns as f64;
                        demand.count(kind, *unit, times * f64::from(*cycles));
                        if *unit == Unit::Processor {
                            kept = std::mem::take(&mut keeps);
                        } else if kept {
                            demand.ns[Unit::Processor as usize] += times * *ns as f64;
                        }
                    }
                    Step::Entry { .. } if kept => demand.ns[Unit::Processor as usize] += times * memories,
                    Step::Keep => keeps = true,
                    _ => {}
                }
            }
        }
        demand.ns[Unit::Moves as usize] = Latency::ns_of_moves(drive, &paths, &rates);
        demand.ns[Unit::Buffer as usize] = Latency::ns_in_buffer(drive, &paths, &rates);
        demand
    }

    fn count(&mut self, kind: Kind, unit: Unit, cycles: f64) {
        match (unit, CycleClass::of(kind)) {
            (Unit::Processor, CycleClass::Host) => self.cycles.host += cycles,
            (Unit::Processor, CycleClass::Collection) => self.cycles.collection += cycles,
            (Unit::Processor, CycleClass::Table) => self.cycles.table += cycles,
            (Unit::Local, _) => self.local_cycles += cycles,
            _ => {}
        }
    }
}
