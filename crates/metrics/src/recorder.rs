//! The recorder: the probe that every run carries, made of the parts that summaries and tables need.

use wordline_ftl::Cause;
use wordline_nand::Geometry;
use wordline_power::Operation;
use wordline_units::{Duration, SimTime};

use crate::attribution::{Breakdown, Segment};
use crate::config::OutputConfig;
use crate::energy::EnergyLedger;
use crate::latency::Latency;
use crate::ledger::Ledger;
use crate::others::Others;
use crate::probe::{
    BusUse, CommandKind, Constituent, FinishedRequest, IssuedCommand, Probe, RequestClass, ResumedArray,
    Status, SuspendedArray,
};
use crate::reliability::ReliabilityRecord;
use crate::requests::RequestLog;
use crate::series::Series;
use crate::series_columns::SeriesColumns;
use crate::series_window::Acknowledged;
use crate::start_levels::StartLevelColumns;
use crate::summary::Summary;
use crate::suspension::SuspensionLedger;
use crate::tenants::{TenantRecord, summarize_tenants};
use crate::timeline::{Span, Track};

/// Acknowledged requests that wait before they are worked off together.
const BATCH: usize = 64;

/// Latencies, time series, ledger and request table of one run.
///
/// The drive feeds it through the `Probe` methods and tells it, beside them, what no probe sees:
/// `series.admitted`, `series.left`, `ledger.host_wrote`, `ledger.waited`.
///
/// Acknowledged requests wait in a batch, which is worked off part by part: [`Self::finish`] has to be called before
/// anything is read.
#[derive(Clone, Debug)]
pub struct Recorder {
    /// Acknowledged requests that are in no figure yet but the breakdown's.
    batch: Vec<FinishedRequest>,
    /// Latency by class, arrival to acknowledgement; index with `RequestClass::index`.
    pub latency: [Latency; 3],
    /// Bytes of the acknowledged requests by class.
    pub bytes: [u64; 3],
    /// Requests that move no data, told apart.
    pub others: Others,
    /// Acknowledged requests by how they ended; index with `Status::index`.
    statuses: [u64; Status::ALL.len()],
    /// Sum of the times from admission, or the start of measuring, to acknowledgement, ns: the right side of Little's law.
    pub in_drive_sum: u128,
    /// Sum of the times from arrival to admission, ns.
    pub waited_sum: u128,
    /// Longest time from arrival to admission.
    pub waited_max: Duration,
    /// Arrival of the first request, the start of measuring where it came before that; `NEVER` without requests.
    pub first_arrival: SimTime,
    /// Acknowledgement of the last request.
    pub last_completion: SimTime,
    /// Windows over time.
    pub series: Series,
    /// Operations, commands, busy times.
    pub ledger: Ledger,
    /// What operations cost in energy, where the drive names its chip.
    pub energy: Option<Box<EnergyLedger>>,
    /// Suspensions, where the drive suspends.
    pub suspension: Option<Box<SuspensionLedger>>,
    /// What reads met, where reliability is modelled.
    pub reliability: Option<Box<ReliabilityRecord>>,
    /// Table of requests.
    pub log: RequestLog,
    /// Whether response times are attributed to parts.
    is_attributed: bool,
    /// When measuring began.
    origin: SimTime,
    /// Where response times went.
    pub breakdown: Breakdown,
    /// Each client's share, by its queue; empty where there is only one.
    pub tenants: Vec<TenantRecord>,
}

impl Recorder {
    /// An empty recorder for a drive with these clients, by their queues; none where there is only one.
    #[must_use]
    pub fn new(geometry: &Geometry, output: &OutputConfig, tenants: Vec<TenantRecord>) -> Self {
        Self {
            batch: Vec::with_capacity(BATCH),
            latency: std::array::from_fn(|_| Latency::new()),
            bytes: [0; 3],
            others: Others::default(),
            statuses: [0; Status::ALL.len()],
            in_drive_sum: 0,
            waited_sum: 0,
            waited_max: Duration::ZERO,
            first_arrival: SimTime::NEVER,
            last_completion: SimTime::ZERO,
            series: Series::new(output.window),
            ledger: Ledger::new(geometry),
            energy: None,
            suspension: None,
            reliability: None,
            log: RequestLog::new(output.request_log),
            is_attributed: output.attribution.unwrap_or(false),
            origin: SimTime::ZERO,
            breakdown: Breakdown::default(),
            tenants,
        }
    }

    /// Forgets all that was recorded and starts measuring at `now`. Of steps that are `under_way` the rest counts; a
    /// request in the drive counts whole when it is acknowledged, but for Little's law, whose sides begin here.
    pub fn restart(&mut self, now: SimTime, under_way: &[Span]) {
        self.batch.clear();
        self.latency = std::array::from_fn(|_| Latency::new());
        self.bytes = [0; 3];
        self.others = Others::default();
        self.statuses = [0; Status::ALL.len()];
        (self.in_drive_sum, self.waited_sum) = (0, 0);
        self.waited_max = Duration::ZERO;
        self.first_arrival = SimTime::NEVER;
        self.last_completion = SimTime::ZERO;
        self.series.restart(now);
        self.ledger.restart(now, under_way);
        if let Some(energy) = &mut self.energy {
            energy.restart();
            for step in under_way
                .iter()
                .filter(|step| matches!(step.track, Track::Channel(_)))
            {
                self.series.bus(now, step.to.since(now.max(step.from)));
            }
        }
        if let Some(suspension) = &mut self.suspension {
            suspension.restart();
        }
        if let Some(reliability) = &mut self.reliability {
            reliability.restart(now);
        }
        self.log.restart();
        self.breakdown = Breakdown::default();
        for tenant in &mut self.tenants {
            tenant.restart();
        }
        self.origin = now;
    }

    /// Latency distributions of reads, of writes and of all: (microseconds, share of requests at or below).
    #[must_use]
    pub fn distributions(&self) -> [Vec<(f64, f64)>; 3] {
        [
            self.latency[RequestClass::Read.index()].cdf(),
            self.latency[RequestClass::Write.index()].cdf(),
            self.all().cdf(),
        ]
    }

    /// From which age of the data on reads start at each level, over time; empty where the drive does not learn that.
    #[must_use]
    pub fn start_levels(&self) -> StartLevelColumns {
        let record = self.reliability.as_ref();
        record
            .map(|record| record.start_levels.columns())
            .unwrap_or_default()
    }

    /// Records an acknowledged request with the parts of its response time, where they are known.
    #[inline]
    pub fn request(&mut self, request: &FinishedRequest, parts: &[Segment]) {
        debug_assert!(
            !self.is_attributed || parts.iter().map(|part| part.ns).sum::<u64>() == request.latency().ns(),
            "the parts of {request:?} do not sum to its latency: {parts:?}"
        );
        if self.is_attributed {
            self.breakdown.add(request.class, request.latency().ns(), parts);
        }
        self.batch.push(*request);
        if self.batch.len() == BATCH {
            self.settle();
        }
    }

    /// Works off the requests that wait.
    #[inline(never)]
    fn settle(&mut self) {
        let mut acknowledged = [Acknowledged::default(); 3];
        for request in &self.batch {
            let class = request.class.index();
            acknowledged[class].add(request);
            self.statuses[request.status.index()] += 1;
            self.latency[class].record(request.latency());
            self.others.record(request);
        }
        for (bytes, more) in self.bytes.iter_mut().zip(&acknowledged) {
            *bytes += more.bytes;
        }
        self.series.requests(&self.batch, &acknowledged);
        for request in &self.batch {
            let waited = request.waited();
            let admitted = request.admitted.max(self.origin);
            self.in_drive_sum += u128::from(request.completed.since(admitted).ns());
            self.waited_sum += u128::from(waited.ns());
            self.waited_max = self.waited_max.max(waited);
            self.first_arrival = self.first_arrival.min(request.arrival.max(self.origin));
            self.last_completion = self.last_completion.max(request.completed);
        }
        self.log.extend(&self.batch);
        if !self.tenants.is_empty() {
            for request in &self.batch {
                if let Some(tenant) = self.tenants.get_mut(usize::from(request.queue)) {
                    tenant.request(request, self.origin);
                }
            }
        }
        self.batch.clear();
    }

    /// Acknowledged requests that ended so.
    #[must_use]
    pub fn ended(&self, status: Status) -> u64 {
        self.statuses[status.index()]
    }

    /// Acknowledged requests for which the drive did nothing.
    #[must_use]
    pub fn refused(&self) -> u64 {
        let refused = Status::ALL.into_iter().filter(|status| status.is_refused());
        refused.map(|status| self.ended(status)).sum()
    }

    /// The run is over at `end`, when the last flash operation ended or the last request was acknowledged, whichever is
    /// later: nothing is recorded any more.
    pub fn finish(&mut self, end: SimTime) {
        self.settle();
        self.series.finish(end);
    }

    /// Records a finished flash operation, for a cause, on the way to which so many pages were skipped; more of it is asked for where
    /// energies are recorded.
    #[inline(always)]
    pub fn operation(
        &mut self,
        at: SimTime,
        kind: CommandKind,
        (cause, skipped): (Cause, u32),
        constituent: impl FnOnce() -> Constituent,
    ) {
        self.ledger.operation(kind, cause, skipped);
        self.series.operation(at, kind, cause);
        if let Some(energy) = &mut self.energy {
            let joules = energy.operation(kind, &constituent());
            self.series.energy(at, cause, joules);
        }
    }

    /// Records a read that is issued again: it took the energy of a read.
    pub fn retried(&mut self, at: SimTime, constituent: &Constituent) {
        if let Some(energy) = &mut self.energy {
            let joules = energy.operation(CommandKind::Read, constituent);
            self.series.energy(at, constituent.cause, joules);
        }
    }

    /// Records that a codec was given work.
    pub fn codec_works(&mut self, at: SimTime, work: Duration) {
        if let Some(energy) = &mut self.energy {
            energy.codec_works(work);
            self.series.codec(at, work);
        }
    }

    /// Records an issued flash command.
    #[inline(always)]
    pub fn command(&mut self, command: &IssuedCommand<'_>) {
        self.ledger.command(command);
        if self.energy.is_some() {
            let busy = command.bus_to.since(command.bus_from);
            self.series.bus(command.bus_from, busy);
        }
    }

    /// Records a later use of a bus.
    #[inline(always)]
    pub fn bus_used(&mut self, use_: &BusUse) {
        self.ledger.bus_used(use_);
        if self.energy.is_some() {
            self.series.bus(use_.from, use_.to.since(use_.from));
        }
    }

    /// Records that a program or erase left the array.
    pub fn array_left(&mut self, array: &SuspendedArray) {
        self.ledger.array_left(array.die, array.would_end, array.left);
    }

    /// Records that a program or erase is back in the array.
    pub fn array_resumed(&mut self, array: &ResumedArray) {
        self.ledger.array_resumed(array.die, array.to.since(array.at));
    }

    /// The drive was in an idle state from `from` to `to`; of a stretch that began before measuring did, what came after counts.
    pub fn slept(&mut self, state: usize, from: SimTime, to: SimTime) {
        let from = from.max(self.origin);
        if let Some(energy) = &mut self.energy
            && from < to
        {
            energy.slept(state, to.since(from));
            self.series.slept(state, from, to);
        }
    }

    /// Energy of the drive from the start of measuring up to `now` in the run, J; none where it is not counted.
    #[must_use]
    pub fn energy_up_to(&self, now: SimTime) -> Option<f64> {
        self.energy_of(now, |_| true)
    }

    /// The same without that of programs and erases.
    #[must_use]
    pub fn energy_beside_writes(&self, now: SimTime) -> Option<f64> {
        self.energy_of(now, |operation| operation == Operation::Read)
    }

    fn energy_of(&self, now: SimTime, wanted: impl Fn(Operation) -> bool) -> Option<f64> {
        let energy = self.energy.as_ref()?;
        let active = self.series.active_up_to(now);
        let bytes = self.bytes.iter().sum();
        Some(energy.total((now.since(self.origin), active), bytes, &self.ledger, wanted))
    }

    /// The table of windows over time.
    #[must_use]
    pub fn time_series(&self) -> SeriesColumns {
        let steady = self.energy.as_ref().map(|energy| energy.steady());
        self.series.columns(steady)
    }

    /// Requests acknowledged.
    #[must_use]
    pub fn requests(&self) -> u64 {
        debug_assert!(self.batch.is_empty(), "read before `finish`");
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

    /// When measuring began.
    #[must_use]
    pub fn origin(&self) -> SimTime {
        self.origin
    }

    /// The window that rates are divided by: first arrival, or start of measuring, to last acknowledgement.
    #[must_use]
    pub fn window(&self) -> Duration {
        self.last_completion.since(self.first_arrival)
    }

    /// Sets what the recorder knows: `sim.time_s`, `sim.window_s`, `sim.drain_s`, `host.*` rates,
    /// latencies and queue, all of the ledger, `check.little_residual`, free blocks. Call
    /// [`Self::finish`] with the same `end` before.
    pub fn summarize(&self, summary: &mut Summary, end: SimTime) {
        let window = self.window();
        let per_second = |amount: f64| (window > Duration::ZERO).then(|| amount / window.as_secs());
        let elapsed = end.since(self.origin);
        summary.set("sim.time_s", elapsed.as_secs());
        summary.set("sim.window_s", window.as_secs());
        summary.set("sim.drain_s", end.since(self.last_completion).as_secs());
        let moved = |class: RequestClass| self.bytes[class.index()];
        // a TRIM moves no data
        let (requests, bytes) = (
            self.requests(),
            moved(RequestClass::Read) + moved(RequestClass::Write),
        );
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
        self.others.summarize(summary, "host", window);
        summary.set("host.queue.mean_depth", self.series.mean_outstanding(window));
        let active = self.series.active().as_secs() / window.as_secs();
        summary.set(
            "host.queue.active_share",
            (window > Duration::ZERO).then_some(active),
        );
        summary.set("host.queue.max_depth", self.series.most_outstanding());
        let waited = (requests > 0).then(|| self.waited_sum as f64 / requests as f64 / 1e3);
        summary.set("host.queue.wait_mean_us", waited);
        summary.set(
            "host.queue.wait_max_us",
            (requests > 0).then(|| self.waited_max.as_us()),
        );
        for class in RequestClass::ALL {
            let total = self.breakdown.total(class);
            for part in total.told() {
                let mean = total.mean_us(total.parts[part.index()]);
                summary.set(&format!("attribution.{}.{}_us", class.name(), part.name()), mean);
            }
        }
        summarize_tenants(&self.tenants, summary);
        let written = self.bytes[RequestClass::Write.index()];
        summary.add_ledger(&self.ledger, elapsed, written);
        if let Some(energy) = &self.energy {
            let bytes = self.bytes[RequestClass::Read.index()] + self.bytes[RequestClass::Write.index()];
            energy.summarize(summary, &self.series, &self.ledger, elapsed, bytes);
        }
        if let Some(suspension) = &self.suspension {
            suspension.summarize(summary);
        }
        let residual = crate::summary::little_residual(self.series.outstanding_area(), self.in_drive_sum);
        summary.set("check.little_residual", residual);
    }
}

impl Probe for Recorder {
    fn issued(&mut self, command: &IssuedCommand<'_>) {
        self.command(command);
    }

    fn bus(&mut self, use_: &BusUse) {
        self.bus_used(use_);
    }

    fn suspended(&mut self, array: &SuspendedArray) {
        self.array_left(array);
    }

    fn resumed(&mut self, array: &ResumedArray) {
        self.array_resumed(array);
    }

    fn operation_done(&mut self, at: SimTime, kind: CommandKind, constituent: &Constituent) {
        self.operation(at, kind, (constituent.cause, constituent.skipped), || {
            *constituent
        });
    }

    fn request_done(&mut self, request: &FinishedRequest) {
        self.request(request, &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Array;
    use wordline_nand::{ChannelId, DieId, GeometryConfig, Ppn};

    fn recorder() -> Recorder {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        Recorder::new(&geometry, &OutputConfig::default(), Vec::new())
    }

    /// Two reads and a write, one after the other, 100 us each, from 1 ms on.
    #[test]
    fn a_small_run_by_hand() {
        let mut recorder = recorder();
        let us = |us: u64| SimTime(1_000_000 + us * 1_000);
        for (number, class) in [RequestClass::Read, RequestClass::Read, RequestClass::Write]
            .into_iter()
            .enumerate()
        {
            let number = number as u64;
            recorder.series.admitted(us(100 * number));
            recorder.request_done(&FinishedRequest {
                other: None,
                number,
                class,
                status: Status::Good,
                arrival: us(100 * number),
                admitted: us(100 * number),
                served: us(100 * number),
                completed: us(100 * (number + 1)),
                sector: 0,
                sectors: 8,
                queue: 0,
            });
            recorder.series.left(us(100 * (number + 1)));
        }
        recorder.ledger.host_wrote(1);
        let end = us(500);
        recorder.finish(end);
        let mut summary = Summary::new();
        recorder.summarize(&mut summary, end);
        assert_eq!(summary.undocumented(), Vec::<&str>::new());
        for (name, value) in [
            ("sim.time_s", 1.5e-3),
            ("sim.window_s", 3e-4),
            ("sim.drain_s", 2e-4),
            ("host.requests", 3.0),
            ("host.iops", 1e4),
            ("host.bandwidth_mb_s", 40.96),
            ("host.read.count", 2.0),
            ("host.read.bytes", 8192.0),
            ("host.write.latency.p99_us", 100.0),
            ("host.all.latency.mean_us", 100.0),
            ("host.queue.mean_depth", 1.0),
            ("host.queue.active_share", 1.0),
            ("host.queue.max_depth", 1.0),
            ("check.little_residual", 0.0),
            ("ftl.write_amplification", 0.0),
            ("nand.commands", 0.0),
        ] {
            let found = summary.number(name).unwrap();
            assert!((found - value).abs() <= 1e-12 * value.abs(), "{name}: {found}");
        }
        assert_eq!(recorder.log.rows(), 3);
    }

    /// A program takes the bus of channel 1 for 10 us and die 3 from 10 to 110 us, leaves it at 50 and is back from 80 to
    /// 150; later data take the bus for 10 us. Two requests wait 10 and 30 us to be admitted. All that within 400 us, on
    /// 4 channels and 32 dies.
    #[test]
    fn busy_times_and_waits_by_hand() {
        let mut recorder = recorder();
        let us = |us: u64| SimTime(us * 1_000);
        let (die, kind) = (DieId(3), CommandKind::Program);
        recorder.issued(&IssuedCommand {
            kind,
            channel: ChannelId(1),
            constituents: &[],
            bus_from: us(0),
            bus_to: us(10),
            arrays: &[Array {
                die,
                from: us(10),
                to: us(110),
            }],
            cached: false,
            in_package: false,
        });
        recorder.suspended(&SuspendedArray {
            kind,
            die,
            page: Ppn(0),
            at: us(50),
            left: us(50),
            would_end: us(110),
        });
        recorder.resumed(&ResumedArray {
            kind,
            die,
            page: Ppn(0),
            at: us(80),
            to: us(150),
        });
        recorder.bus(&BusUse {
            channel: ChannelId(1),
            die,
            page: Ppn(0),
            from: us(200),
            to: us(210),
            array: None,
        });
        for (number, waits) in [(0, 10), (1, 30)] {
            recorder.request_done(&FinishedRequest {
                other: None,
                number,
                class: RequestClass::Write,
                status: Status::Good,
                arrival: us(0),
                admitted: us(waits),
                served: us(waits),
                completed: us(300),
                sector: 0,
                sectors: 8,
                queue: 0,
            });
        }
        recorder.ledger.waited(CommandKind::Read, Duration(7_000));
        recorder.finish(us(400));
        let mut summary = Summary::new();
        recorder.summarize(&mut summary, us(400));
        for (name, value) in [
            ("nand.commands", 1.0),
            ("nand.channel_utilization_max", 20.0 / 400.0),
            ("nand.channel_utilization", 20.0 / 400.0 / 4.0),
            ("nand.die_utilization_max", 110.0 / 400.0),
            ("nand.die_utilization", 110.0 / 400.0 / 32.0),
            ("nand.wait.read.max_us", 7.0),
            ("host.queue.wait_mean_us", 20.0),
            ("host.queue.wait_max_us", 30.0),
        ] {
            let found = summary.number(name).unwrap();
            assert!((found - value).abs() <= 1e-12 * value, "{name}: {found}");
        }
        assert_eq!(summary.number("nand.wait.erase.max_us"), None);
    }

    /// Figures and tables do not depend on how many requests are worked off at a time.
    #[test]
    fn a_batch_counts_like_its_requests_one_by_one() {
        let output = OutputConfig {
            request_log: 150,
            ..OutputConfig::default()
        };
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let [mut batched, mut single] = [(); 2].map(|()| {
            let names = ["a", "b"].map(|name| TenantRecord::new(name.to_owned()));
            Recorder::new(&geometry, &output, names.into())
        });
        for number in 0..200_u64 {
            let arrival = SimTime(number * 50_000 + number % 7 * 100);
            let request = FinishedRequest {
                other: None,
                number,
                class: RequestClass::ALL[(number * number % 3) as usize],
                status: Status::Good,
                arrival,
                admitted: arrival + Duration(number % 11),
                served: arrival + Duration(number % 11),
                completed: SimTime(arrival.ns() + 1_000_000 - number),
                sector: number,
                sectors: 1 + number as u32 % 5,
                queue: (number % 2) as u16,
            };
            batched.request(&request, &[]);
            single.request(&request, &[]);
            single.settle();
        }
        let end = SimTime(20_000_000);
        let [batched, single] = [&mut batched, &mut single].map(|recorder| {
            recorder.finish(end);
            let mut summary = Summary::new();
            recorder.summarize(&mut summary, end);
            let series = format!("{:?}", recorder.time_series());
            (summary.to_json(), format!("{:?}", recorder.log), series)
        });
        assert_eq!(batched, single);
        assert!(batched.0.contains("\"host.requests\": 200"), "{}", batched.0);
    }

    #[test]
    fn an_empty_run_has_a_summary_without_numbers_that_do_not_exist() {
        let mut summary = Summary::new();
        recorder().summarize(&mut summary, SimTime::ZERO);
        let json = summary.to_json();
        assert!(json.contains("\"host.iops\": null") && !json.contains("NaN"));
        assert_eq!(summary.number("host.requests"), Some(0.0));
    }

    fn request(class: RequestClass, status: Status, from: u64, to: u64) -> FinishedRequest {
        let us = |us: u64| SimTime(us * 1_000);
        FinishedRequest {
            other: None,
            number: 0,
            class,
            status,
            arrival: us(from),
            admitted: us(from),
            served: us(from),
            completed: us(to),
            sector: 0,
            sectors: 8,
            queue: 0,
        }
    }

    #[test]
    fn requests_are_counted_by_how_they_ended() {
        let mut recorder = recorder();
        for status in [Status::Good, Status::Uncorrectable, Status::Good, Status::Refused] {
            recorder.request_done(&request(RequestClass::Read, status, 0, 10));
        }
        recorder.finish(SimTime(10_000));
        assert_eq!(recorder.statuses[..4], [2, 1, 1, 0]);
        assert_eq!(recorder.refused(), 1);
    }

    /// A request is done at 100 us; another one comes at 900 us. Measuring begins anew at 1,000 us, and it is done at 1,100.
    #[test]
    fn measuring_begins_anew_by_hand() {
        let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
        let names = ["a", "b"].map(|name| TenantRecord::new(name.to_owned())).into();
        let mut recorder = Recorder::new(&geometry, &OutputConfig::default(), names);
        let us = |us: u64| SimTime(us * 1_000);
        for (from, to) in [(0, 100), (900, 1_100)] {
            recorder.series.admitted(us(from));
            if from > 0 {
                recorder.restart(us(1_000), &[]);
            }
            recorder.request_done(&request(RequestClass::Write, Status::Good, from, to));
            recorder.series.left(us(to));
            recorder.settle();
        }
        recorder.finish(us(1_100));
        assert_eq!(recorder.origin(), us(1_000));
        assert_eq!(recorder.window(), Duration::from_us(100));
        assert_eq!((recorder.requests(), recorder.log.rows()), (1, 1));
        assert_eq!(recorder.tenants[0].requests(), 1);
        let mut summary = Summary::new();
        recorder.summarize(&mut summary, us(1_100));
        assert_eq!(summary.number("host.queue.mean_depth"), Some(1.0));
        assert_eq!(summary.number("host.queue.active_share"), Some(1.0));
        assert_eq!(summary.number("check.little_residual"), Some(0.0));
    }
}
