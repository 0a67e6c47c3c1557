//! What one operation of the host demands of each unit, in the mean.

use serde::Serialize;

use crate::drive::{Design, Drive};
use crate::local::StaleCopies;
use crate::paths::{Kind, Paths, Step, Unit};

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
            Kind::HostRead | Kind::HostWrite | Kind::Invalidate => Self::Host,
            Kind::Move | Kind::Erase => Self::Collection,
            Kind::PageIn | Kind::PageOut | Kind::NodeProgram | Kind::DirectoryCheck => Self::Table,
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

/// Operations of each kind for each operation of the host, in the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    by_kind: [f64; 9],
}

impl Rates {
    /// Operations of `kind` for each operation of the host.
    #[must_use]
    pub fn of(&self, kind: Kind) -> f64 {
        self.by_kind[kind as usize]
    }

    pub(crate) fn new(drive: &Drive, paths: &Paths) -> Self {
        let writes = drive.workload.write_fraction;
        let waf = drive.waf();
        let nand = &drive.nand;
        let blocks =
            writes * waf / (f64::from(nand.pages_per_block) * f64::from(nand.logical_pages_per_program));
        let mut by_kind = [0.0; 9];
        by_kind[Kind::HostRead as usize] = 1.0 - writes;
        by_kind[Kind::HostWrite as usize] = writes;
        by_kind[Kind::Move as usize] = writes * (waf - 1.0 + drive.workload.wear_moves);
        by_kind[Kind::Erase as usize] = blocks;
        if drive.design == Design::FScale {
            by_kind[Kind::NodeProgram as usize] = writes / f64::from(drive.local.flush_entries);
            match drive.local.stale {
                StaleCopies::Eager => by_kind[Kind::Invalidate as usize] = writes,
                StaleCopies::Lazy => by_kind[Kind::DirectoryCheck as usize] = writes * waf,
                StaleCopies::Sticky => {}
            }
        }
        let missed = 1.0 - drive.hit_rate();
        let (mut page_ins, mut page_outs) = (0.0, 0.0);
        for kind in Kind::ALL {
            for step in paths.of(kind) {
                if let Step::Entry { changes } = step {
                    page_ins += missed * by_kind[kind as usize];
                    page_outs += if *changes {
                        missed * by_kind[kind as usize]
                    } else {
                        0.0
                    };
                }
            }
        }
        by_kind[Kind::PageIn as usize] = page_ins;
        by_kind[Kind::PageOut as usize] = page_outs;
        Self { by_kind }
    }
}

/// Demand of one operation of the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    ns: [f64; 10],
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
            ns: [0.0; 10],
            cycles: CycleDemand::default(),
            local_cycles: 0.0,
            rates,
        };
        for kind in Kind::ALL {
            for (step, share) in weighted(paths.of(kind)) {
                if let Step::Visit { unit, ns, cycles } = step {
                    let times = share * rates.of(kind);
                    demand.ns[*unit as usize] += times * *ns as f64;
                    demand.count(kind, *unit, times * f64::from(*cycles));
                }
            }
        }
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

/// Steps of a path, each with the probability that it is taken.
pub(crate) fn weighted(path: &[Step]) -> impl Iterator<Item = (&Step, f64)> {
    let (mut probability, mut left) = (1.0, 0);
    path.iter().map(move |step| {
        if left == 0 {
            probability = 1.0;
        } else {
            left -= 1;
        }
        let taken = probability;
        if let Step::Escalation {
            probability: next,
            steps,
        } = step
        {
            (probability, left) = (*next, *steps);
        }
        (step, taken)
    })
}
