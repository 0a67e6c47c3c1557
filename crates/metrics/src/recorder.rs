//! The recorder: the probe that every run carries, made of the parts that summaries and tables need.

use wordline_nand::Geometry;
use wordline_units::{Duration, SECTOR_BYTES, SimTime};

use crate::config::OutputConfig;
use crate::latency::Latency;
use crate::ledger::Ledger;
use crate::probe::{BusUse, CommandKind, Constituent, FinishedRequest, IssuedCommand, Probe, RequestClass};
use crate::requests::{RequestLog, Slowest};
use crate::series::Series;
use crate::summary::Summary;

/// Latencies, time series, ledger and request table of one run.
///
/// The drive feeds it through the `Probe` methods and tells it, beside them, what no probe sees:
/// `series.outstanding`, `series.free_blocks`, `ledger.host_wrote`, `ledger.waited`.
#[derive(Clone, Debug)]
pub struct Recorder {
    /// Latency by class, arrival to acknowledgement; index with `RequestClass::index`.
    pub latency: [Latency; 3],
    /// Bytes of the acknowledged requests by class.
    pub bytes: [u64; 3],
    /// Sum of the times from admission to acknowledgement, ns: the right side of Little's law.
    pub in_drive_sum: u128,
    /// Sum of the times from arrival to admission, ns.
    pub waited_sum: u128,
    /// Longest time from arrival to admission.
    pub waited_max: Duration,
    /// Arrival of the first request; `NEVER` without requests.
    pub first_arrival: SimTime,
    /// Acknowledgement of the last request.
    pub last_completion: SimTime,
    /// Windows over time.
    pub series: Series,
    /// Operations, commands, busy times.
    pub ledger: Ledger,
    /// Table of requests.
    pub log: RequestLog,
    /// Slowest requests.
    pub slowest: Slowest,
}

impl Recorder {
    /// An empty recorder for a drive.
    #[must_use]
    pub fn new(geometry: &Geometry, output: &OutputConfig) -> Self {
        Self {
            latency: std::array::from_fn(|_| Latency::new()),
            bytes: [0; 3],
            in_drive_sum: 0,
            waited_sum: 0,
            waited_max: Duration::ZERO,
            first_arrival: SimTime::NEVER,
            last_completion: SimTime::ZERO,
            series: Series::new(output.window),
            ledger: Ledger::new(geometry),
            log: RequestLog::new(output.request_log),
            slowest: Slowest::new(output.slowest),
        }
    }

    /// Records an acknowledged request.
    #[inline]
    pub fn request(&mut self, request: &FinishedRequest) {
        let class = request.class.index();
        self.latency[class].record(request.latency());
        self.bytes[class] += u64::from(request.sectors) * u64::from(SECTOR_BYTES);
        self.in_drive_sum += u128::from(request.in_drive().ns());
        let waited = request.waited();
        self.waited_sum += u128::from(waited.ns());
        self.waited_max = self.waited_max.max(waited);
        self.first_arrival = self.first_arrival.min(request.arrival);
        self.last_completion = self.last_completion.max(request.completed);
        self.series.request(request);
        self.log.push(request);
        self.slowest.push(request);
    }

    /// Records a finished flash operation.
    #[inline]
    pub fn operation(&mut self, at: SimTime, kind: CommandKind, constituent: &Constituent) {
        self.ledger
            .operation(kind, constituent.cause, constituent.skipped);
        self.series.operation(at, kind, constituent.cause);
    }

    /// Requests acknowledged.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.latency.iter().map(Latency::count).sum()
    }

    /// Latency of all classes together.
    #[must_use]
    pub fn all(&self) -> Latency {
        let mut all = Latency::new();
        for latency in &self.latency {
            all.merge(latency);
        }
        all
    }

    /// The window that rates are divided by: first arrival to last acknowledgement.
    #[must_use]
    pub fn window(&self) -> Duration {
        self.last_completion.since(self.first_arrival)
    }

    /// Sets what the recorder knows: `sim.time_s`, `sim.window_s`, `sim.drain_s`, `host.*` rates,
    /// latencies and queue, all of the ledger, `check.little_residual`, free blocks. `end` is the
    /// end of the last flash operation or acknowledgement, whichever is later. Call
    /// `series.finish(end)` before.
    pub fn summarize(&self, summary: &mut Summary, end: SimTime) {
        let window = self.window();
        let per_second = |amount: f64| (window > Duration::ZERO).then(|| amount / window.as_secs());
        let elapsed = end.since(SimTime::ZERO);
        summary.set("sim.time_s", elapsed.as_secs());
        summary.set("sim.window_s", window.as_secs());
        summary.set("sim.drain_s", end.since(self.last_completion).as_secs());
        let (requests, bytes) = (self.requests(), self.bytes.iter().sum::<u64>());
        summary.set("host.requests", requests);
        summary.set("host.iops", per_second(requests as f64));
        summary.set("host.bandwidth_mb_s", per_second(bytes as f64 / 1e6));
        let all = self.all();
        let classes = RequestClass::ALL.map(|class| {
            let index = class.index();
            (class.name(), &self.latency[index], self.bytes[index])
        });
        for (name, latency, bytes) in classes.into_iter().chain([("all", &all, bytes)]) {
            let prefix = format!("host.{name}");
            summary.add_latency(&prefix, latency);
            summary.set(&format!("{prefix}.bytes"), bytes);
            summary.set(&format!("{prefix}.iops"), per_second(latency.count() as f64));
            summary.set(
                &format!("{prefix}.bandwidth_mb_s"),
                per_second(bytes as f64 / 1e6),
            );
        }
        summary.set("host.queue.mean_depth", self.series.mean_outstanding(window));
        summary.set("host.queue.max_depth", self.series.most_outstanding());
        let waited = (requests > 0).then(|| self.waited_sum as f64 / requests as f64 / 1e3);
        summary.set("host.queue.wait_mean_us", waited);
        summary.set(
            "host.queue.wait_max_us",
            (requests > 0).then(|| self.waited_max.as_us()),
        );
        summary.add_ledger(&self.ledger, elapsed);
        summary.set("ftl.gc.free_blocks.mean", self.series.mean_free_blocks());
        summary.set("ftl.gc.free_blocks.min", self.series.least_free_blocks());
        let residual = crate::summary::little_residual(self.series.outstanding_area(), self.in_drive_sum);
        summary.set("check.little_residual", residual);
    }
}

impl Probe for Recorder {
    fn issued(&mut self, command: &IssuedCommand<'_>) {
        self.ledger.command(command);
    }

    fn bus(&mut self, use_: &BusUse) {
        self.ledger.bus_used(use_);
    }

    fn operation_done(&mut self, at: SimTime, kind: CommandKind, constituent: &Constituent) {
        self.operation(at, kind, constituent);
    }

    fn request_done(&mut self, request: &FinishedRequest) {
        self.request(request);
    }
}
