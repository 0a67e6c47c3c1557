//! What is measured of a simulated drive.

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::demand::{CycleClass, CycleDemand};
use crate::paths::{Kind, Unit};
use crate::simulation::stations::Stations;

/// Batches of the confidence interval.
const BATCHES: usize = 20;
/// The 97.5 % quantile of Student's t with 19 degrees of freedom.
const STUDENT: f64 = 2.093;

/// Share of time for which a unit is busy that limits a run.
const BUSY: f64 = 0.9;

/// How a kind of unit was used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnitUse {
    /// The unit.
    pub unit: Unit,
    /// Share of time that its servers were busy, in the mean.
    pub utilization: f64,
    /// The same of the station that was least busy.
    pub least: f64,
    /// The same of the station that was busiest.
    pub greatest: f64,
    /// Operations that wait at all stations together, in the mean; 0 for places ([`Unit::is_place`]), for which nobody counts them.
    pub waiting: f64,
}

/// Operations of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Operations {
    /// The kind.
    pub kind: Kind,
    /// How many were completed.
    pub count: u64,
    /// Cycles that they had of the central processor.
    pub cycles: u64,
    /// Array operations of dies for them.
    pub nand: u64,
}

/// Latencies of a class of requests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassLatency {
    /// Whether they write.
    pub writes: bool,
    /// Whether they go to a page of the hot package.
    pub hot_package: bool,
    /// Requests.
    pub requests: u64,
    /// Mean latency in microseconds.
    pub mean_us: f64,
    /// Median latency.
    pub p50_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// 99.9th percentile.
    pub p999_us: f64,
}

/// Latencies that were measured.
struct Latencies {
    ns: Histogram<u64>,
    sum_ns: u128,
}

impl Latencies {
    fn new() -> Self {
        // three digits, of any number of nanoseconds: the largest value grows as needed
        let ns = Histogram::new(3).expect("three digits are accepted");
        Self { ns, sum_ns: 0 }
    }

    fn record(&mut self, ns: u64) {
        self.ns.record(ns).expect("the histogram grows as needed");
        self.sum_ns += u128::from(ns);
    }

    fn add(&mut self, other: &Self) {
        self.ns.add(&other.ns).expect("both grow as needed");
        self.sum_ns += other.sum_ns;
    }

    fn mean_us(&self) -> f64 {
        self.sum_ns as f64 / self.ns.len().max(1) as f64 / 1e3
    }

    fn quantile_us(&self, of: f64) -> f64 {
        self.ns.value_at_quantile(of) as f64 / 1e3
    }
}

/// Classes of requests: reads and writes, each elsewhere and in the hot package.
const CLASSES: usize = 4;

/// What was measured, after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Simulated {
    /// Requests of the host per second.
    pub iops: f64,
    /// What limited them: of the servers that were busy for 90 % of the time or more, in the mean, the busiest, else places that were
    /// taken as long; none where requests were too few.
    pub limited_by: Option<Unit>,
    /// Half of the 95 % confidence interval of them, from batch means.
    pub iops_interval: f64,
    /// Simulated seconds.
    pub seconds: f64,
    /// Mean latency of a request in microseconds.
    pub mean_us: f64,
    /// Median latency.
    pub p50_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// 99.9th percentile.
    pub p999_us: f64,
    /// Latencies by class of requests.
    pub latencies: Vec<ClassLatency>,
    /// Commands of a trace that neither read nor write, which were passed over.
    pub skipped: u64,
    /// Mean cycles of the central processor for each request, by class.
    pub cycles: CycleDemand,
    /// Look-ups of the table.
    pub look_ups: u64,
    /// Look-ups that missed.
    pub misses: u64,
    /// Write amplification of collection: 1 and the moves for each logical page that is programmed for the host; 1 without writes.
    pub waf: f64,
    /// Units, by use.
    pub units: Vec<UnitUse>,
    /// Operations by kind.
    pub operations: Vec<Operations>,
    /// Operations of all kinds, with those of the warm-up.
    pub simulated: u64,
    /// Bytes that the simulation takes: mapping, queues and operations.
    pub resident_bytes: u64,
}

impl Simulated {
    /// Completed operations of a kind.
    #[must_use]
    pub fn count(&self, kind: Kind) -> u64 {
        self.operations
            .iter()
            .find(|row| row.kind == kind)
            .map_or(0, |row| row.count)
    }

    /// How a unit was used; none if the drive has none of it.
    #[must_use]
    pub fn unit(&self, unit: Unit) -> Option<&UnitUse> {
        self.units.iter().find(|row| row.unit == unit)
    }
}

/// Use of all units over so many nanoseconds.
fn use_of(stations: &Stations, ns: f64) -> Vec<UnitUse> {
    Unit::ALL
        .into_iter()
        .filter(|unit| stations.groups[*unit as usize].busy_ns > 0)
        .map(|unit| {
            let group = &stations.groups[unit as usize];
            let (least, greatest) = stations.extremes(unit);
            let servers = f64::from(group.stations) * f64::from(group.servers);
            UnitUse {
                unit,
                utilization: group.busy_ns as f64 / (ns * servers),
                least: least / ns,
                greatest: greatest / ns,
                waiting: group.waited_ns as f64 / ns,
            }
        })
        .collect()
}

/// The unit that limits a run. Places are full where what is in them waits for a server, which is then the limit.
fn limit(units: &[UnitUse]) -> Option<Unit> {
    let busiest = |are_places: bool| {
        units
            .iter()
            .filter(|row| row.utilization >= BUSY && row.unit.is_place() == are_places)
            .max_by(|a, b| a.utilization.total_cmp(&b.utilization))
            .map(|row| row.unit)
    };
    busiest(false).or_else(|| busiest(true))
}

/// Counts of a run.
pub(crate) struct Observer {
    latencies: [Latencies; CLASSES],
    completed: [u64; Kind::ALL.len()],
    cycles: [u64; Kind::ALL.len()],
    nand: [u64; Kind::ALL.len()],
    pub(crate) look_ups: u64,
    pub(crate) misses: u64,
    since: u64,
    batch_ends: Vec<u64>,
    batch: u64,
    in_batch: u64,
    before: u64,
}

impl Observer {
    /// For a run that measures `requests` of the host.
    pub(crate) fn new(requests: u64) -> Self {
        Self {
            latencies: std::array::from_fn(|_| Latencies::new()),
            completed: [0; Kind::ALL.len()],
            cycles: [0; Kind::ALL.len()],
            nand: [0; Kind::ALL.len()],
            look_ups: 0,
            misses: 0,
            since: 0,
            batch_ends: Vec::with_capacity(BATCHES + 1),
            batch: (requests / BATCHES as u64).max(1),
            in_batch: 0,
            before: 0,
        }
    }

    pub(crate) fn restart(&mut self, now: u64) {
        let before = self.before + self.completed.iter().sum::<u64>();
        *self = Self {
            since: now,
            batch: self.batch,
            before,
            ..Self::new(0)
        };
    }

    pub(crate) fn served(&mut self, kind: Kind, unit: Unit, cycles: u32) {
        match unit {
            Unit::Processor => self.cycles[kind as usize] += u64::from(cycles),
            Unit::Die => self.nand[kind as usize] += 1,
            _ => {}
        }
    }

    pub(crate) fn completed(&mut self, kind: Kind) {
        self.completed[kind as usize] += 1;
    }

    pub(crate) fn answered(&mut self, now: u64, sent: u64, writes: bool, is_hot: bool) {
        let ns = now - sent;
        let class = &mut self.latencies[usize::from(writes) + 2 * usize::from(is_hot)];
        class.record(ns);
        self.in_batch += 1;
        if self.in_batch == self.batch {
            self.in_batch = 0;
            self.batch_ends.push(now);
        }
    }

    pub(crate) fn report(
        &self,
        now: u64,
        stations: &Stations,
        resident_bytes: u64,
        skipped: u64,
    ) -> Simulated {
        let ns = (now - self.since).max(1) as f64;
        let mut all = Latencies::new();
        for class in &self.latencies {
            all.add(class);
        }
        let requests = all.ns.len();
        let mut cycles = CycleDemand::default();
        for kind in Kind::ALL {
            let each = self.cycles[kind as usize] as f64 / requests.max(1) as f64;
            match CycleClass::of(kind) {
                CycleClass::Host => cycles.host += each,
                CycleClass::Collection => cycles.collection += each,
                CycleClass::Table => cycles.table += each,
            }
        }
        let writes = self.completed[Kind::HostWrite as usize] + self.completed[Kind::PartialWrite as usize];
        let moves = self.completed[Kind::Move as usize];
        let units = use_of(stations, ns);
        Simulated {
            iops: requests as f64 * 1e9 / ns,
            limited_by: limit(&units),
            iops_interval: self.interval(),
            seconds: ns / 1e9,
            mean_us: all.mean_us(),
            p50_us: all.quantile_us(0.5),
            p99_us: all.quantile_us(0.99),
            p999_us: all.quantile_us(0.999),
            latencies: self.by_class(),
            skipped,
            cycles,
            look_ups: self.look_ups,
            misses: self.misses,
            waf: 1.0 + moves as f64 / writes.max(1) as f64,
            units,
            operations: Kind::ALL
                .into_iter()
                .filter(|kind| self.completed[*kind as usize] > 0)
                .map(|kind| Operations {
                    kind,
                    count: self.completed[kind as usize],
                    cycles: self.cycles[kind as usize],
                    nand: self.nand[kind as usize],
                })
                .collect(),
            simulated: self.before + self.completed.iter().sum::<u64>(),
            resident_bytes,
        }
    }

    fn by_class(&self) -> Vec<ClassLatency> {
        let classes = self.latencies.iter().enumerate();
        classes
            .filter(|(_, class)| !class.ns.is_empty())
            .map(|(number, class)| ClassLatency {
                writes: number % 2 == 1,
                hot_package: number >= 2,
                requests: class.ns.len(),
                mean_us: class.mean_us(),
                p50_us: class.quantile_us(0.5),
                p99_us: class.quantile_us(0.99),
                p999_us: class.quantile_us(0.999),
            })
            .collect()
    }

    /// Half of the confidence interval of the requests per second.
    fn interval(&self) -> f64 {
        let mut since = self.since;
        let rates: Vec<f64> = self
            .batch_ends
            .iter()
            .map(|end| {
                let ns = (end - since).max(1) as f64;
                since = *end;
                self.batch as f64 * 1e9 / ns
            })
            .collect();
        let n = rates.len() as f64;
        if n < 2.0 {
            return f64::INFINITY;
        }
        let mean = rates.iter().sum::<f64>() / n;
        let variance = rates
            .iter()
            .map(|rate| (rate - mean) * (rate - mean))
            .sum::<f64>()
            / (n - 1.0);
        STUDENT * libm::sqrt(variance / n)
    }
}
