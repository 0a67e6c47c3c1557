//! Several clients on one drive: what each got, and how evenly it was shared.

use wordline_units::{Duration, SECTOR_BYTES, SimTime};

use crate::latency::Latency;
use crate::others::{Others, between};
use crate::probe::{FinishedRequest, RequestClass, Status};
use crate::summary::Summary;

/// What one client got.
#[derive(Clone, Debug)]
pub struct TenantRecord {
    /// Its name.
    pub name: String,
    /// Latency by class, arrival to acknowledgement; index with `RequestClass::index`.
    pub latency: [Latency; 3],
    /// Its requests that move no data, told apart.
    pub others: Others,
    /// Bytes of its reads and writes that ended well.
    pub bytes: u64,
    /// Arrival of its first request, the start of measuring where it came before that; `NEVER` without requests.
    pub first_arrival: SimTime,
    /// Acknowledgement of its last request.
    pub last_completion: SimTime,
    /// What is acknowledged within so long after its first arrival is not its figures'.
    ramp: Duration,
    /// When its figures begin; `NEVER` before its first request.
    begins: SimTime,
    /// The group with whose neighbours it is reported, where it is.
    group: Option<u32>,
}

impl TenantRecord {
    /// A client that has got nothing yet.
    #[must_use]
    pub fn new(name: String) -> Self {
        Self {
            name,
            latency: std::array::from_fn(|_| Latency::new()),
            others: Others::default(),
            bytes: 0,
            first_arrival: SimTime::NEVER,
            last_completion: SimTime::ZERO,
            ramp: Duration::ZERO,
            begins: SimTime::NEVER,
            group: None,
        }
    }

    /// The same, whose figures begin so long after its first arrival.
    #[must_use]
    pub fn ramping(self, ramp: Duration) -> Self {
        Self { ramp, ..self }
    }

    /// The same, reported together with its neighbours of this group, if there is one.
    #[must_use]
    pub fn of_group(self, group: Option<u32>) -> Self {
        Self { group, ..self }
    }

    /// Forgets what it got.
    pub(crate) fn restart(&mut self) {
        let (ramp, begins, group) = (self.ramp, self.begins, self.group);
        let new = Self::new(std::mem::take(&mut self.name));
        *self = Self {
            ramp,
            begins,
            group,
            ..new
        };
    }

    /// Records an acknowledged request of the client; measuring began at `origin`.
    pub fn request(&mut self, request: &FinishedRequest, origin: SimTime) {
        if self.ramp > Duration::ZERO {
            if self.begins == SimTime::NEVER {
                self.begins = request.arrival + self.ramp;
            }
            if request.completed < self.begins {
                return;
            }
        }
        let origin = match self.begins {
            SimTime::NEVER => origin,
            begins => origin.max(begins),
        };
        self.others.record(request);
        self.latency[request.class.index()].record(request.latency());
        // one that ended with an error moved nothing
        if request.class != RequestClass::Other && request.status == Status::Good {
            self.bytes += u64::from(request.sectors) * u64::from(SECTOR_BYTES);
        }
        self.first_arrival = self.first_arrival.min(request.arrival.max(origin));
        self.last_completion = self.last_completion.max(request.completed);
    }

    /// Its requests.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.latency.iter().map(Latency::count).sum()
    }

    /// Its requests for sectors, as fio counts them: without flushes and zone management.
    #[must_use]
    pub fn sector_requests(&self) -> u64 {
        self.requests() - self.others.without_sectors()
    }

    /// From its first arrival to its last acknowledgement.
    #[must_use]
    pub fn window(&self) -> Duration {
        between(self.first_arrival, self.last_completion)
    }

    /// Adds what another client got.
    fn merge(&mut self, other: &Self) {
        for (own, more) in self.latency.iter_mut().zip(&other.latency) {
            own.merge(more);
        }
        self.others.merge(&other.others);
        self.bytes += other.bytes;
        self.first_arrival = self.first_arrival.min(other.first_arrival);
        self.last_completion = self.last_completion.max(other.last_completion);
    }

    fn rate(&self, amount: f64) -> Option<f64> {
        let window = self.window();
        (window > Duration::ZERO).then(|| amount / window.as_secs())
    }
}

/// Jain's fairness index (Jain, Chiu and Hawe, DEC-TR-301, 1984): 1 where all get the same, 1/n where one of n
/// gets everything; `None` where nobody gets anything.
#[must_use]
pub fn fairness(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

/// Clients that are reported together, each group under the name of its first, with the number of its clients.
fn groups(tenants: &[TenantRecord]) -> Vec<(TenantRecord, u64)> {
    let mut found: Vec<(TenantRecord, u64)> = Vec::new();
    let mut last = None;
    for tenant in tenants {
        match found.last_mut() {
            Some((record, jobs)) if tenant.group.is_some() && tenant.group == last => {
                record.merge(tenant);
                *jobs += 1;
            }
            _ if tenant.group.is_some() => found.push((tenant.clone(), 1)),
            _ => {}
        }
        last = tenant.group;
    }
    found
}

/// Sets the figures of a client, or of clients that are reported together, under a prefix.
fn summarize(tenant: &TenantRecord, prefix: &str, summary: &mut Summary) {
    let mut all = Latency::new();
    for latency in &tenant.latency {
        all.merge(latency);
    }
    summary.set(&format!("{prefix}.window_s"), tenant.window().as_secs());
    summary.set(&format!("{prefix}.bytes"), tenant.bytes);
    summary.set(
        &format!("{prefix}.iops"),
        tenant.rate(tenant.sector_requests() as f64),
    );
    summary.set(
        &format!("{prefix}.bandwidth_mb_s"),
        tenant.rate(tenant.bytes as f64 / 1e6),
    );
    let classes = RequestClass::ALL.map(|class| (class.name(), &tenant.latency[class.index()]));
    for (name, latency) in classes.into_iter().chain([("all", &all)]) {
        summary.add_latency(&format!("{prefix}.{name}"), latency);
    }
    tenant.others.summarize(summary, prefix, tenant.window());
}

/// Sets `tenants.<tenant>.*`, `groups.<group>.*` and `host.fairness.*`, where there are several clients.
pub(crate) fn summarize_tenants(tenants: &[TenantRecord], summary: &mut Summary) {
    if tenants.is_empty() {
        return;
    }
    for tenant in tenants {
        summarize(tenant, &format!("tenants.{}", tenant.name), summary);
    }
    for (record, jobs) in groups(tenants) {
        let prefix = format!("groups.{}", record.name);
        summary.set(&format!("{prefix}.jobs"), jobs);
        summarize(&record, &prefix, summary);
    }
    // those that ran one after the other shared nothing
    let from = tenants.iter().map(|tenant| tenant.first_arrival).max();
    let to = tenants.iter().map(|tenant| tenant.last_completion).min();
    if from >= to {
        return;
    }
    let rates = |amount: fn(&TenantRecord) -> f64| -> Vec<f64> {
        tenants
            .iter()
            .map(|tenant| tenant.rate(amount(tenant)).unwrap_or(0.0))
            .collect()
    };
    let requests = rates(|tenant| tenant.sector_requests() as f64);
    let bytes = rates(|tenant| tenant.bytes as f64);
    summary.set("host.fairness.iops", fairness(&requests));
    summary.set("host.fairness.bandwidth", fairness(&bytes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Other;

    /// Two reads, of which the larger could not be corrected, and a TRIM.
    #[test]
    fn what_ended_with_an_error_moved_nothing() {
        let mut record = TenantRecord::new("a".to_owned());
        for (class, status, sectors) in [
            (RequestClass::Read, Status::Good, 8),
            (RequestClass::Read, Status::Uncorrectable, 16),
            (RequestClass::Other, Status::Good, 32),
        ] {
            let request = FinishedRequest {
                other: None,
                number: 0,
                class,
                status,
                arrival: SimTime::ZERO,
                admitted: SimTime::ZERO,
                served: SimTime::ZERO,
                completed: SimTime(1_000),
                sector: 0,
                sectors,
                queue: 0,
            };
            record.request(&request, SimTime(400));
        }
        assert_eq!((record.requests(), record.bytes), (3, 4096));
        // under way when measuring began
        assert_eq!(record.window(), Duration(600));
    }

    /// Two writers of one group and a reader of another: rows of 2 and 1 jobs. Flushes are no requests for sectors.
    #[test]
    fn groups_are_reported_together() {
        let ms = |ms: u64| SimTime(ms * 1_000_000);
        let request = |class, other, from, to| FinishedRequest {
            other,
            number: 0,
            class,
            status: Status::Good,
            arrival: ms(from),
            admitted: ms(from),
            served: ms(from),
            completed: ms(to),
            sector: 0,
            sectors: 8,
            queue: 0,
        };
        let of = |name: &str, group| TenantRecord::new(name.to_owned()).of_group(group);
        let mut tenants = [
            of("w_0", Some(0)),
            of("w_1", Some(0)),
            of("r", Some(1)),
            of("x", None),
        ];
        tenants[0].request(&request(RequestClass::Write, None, 0, 1), SimTime::ZERO);
        tenants[0].request(
            &request(RequestClass::Other, Some(Other::Flush), 1, 3),
            SimTime::ZERO,
        );
        tenants[1].request(&request(RequestClass::Write, None, 1, 4), SimTime::ZERO);
        tenants[2].request(&request(RequestClass::Read, None, 0, 1), SimTime::ZERO);
        let mut summary = Summary::new();
        summarize_tenants(&tenants, &mut summary);
        for (key, value) in [
            ("groups.w_0.jobs", 2.0),
            ("groups.w_0.write.count", 2.0),
            ("groups.w_0.flush.count", 1.0),
            // two writes in 4 ms
            ("groups.w_0.iops", 500.0),
            ("groups.r.jobs", 1.0),
            ("groups.r.iops", 1_000.0),
            ("tenants.w_0.flush.latency.mean_us", 2_000.0),
            ("tenants.w_0.iops", 1_000.0 / 3.0),
        ] {
            let found = summary.number(key).unwrap();
            assert!((found / value - 1.0).abs() < 1e-9, "{key}: {found}");
        }
        assert_eq!(summary.number("groups.x.jobs"), None);
        assert_eq!(summary.number("tenants.r.flush.count"), None);
    }

    /// From its first arrival at 1 ms on, what is acknowledged before 3 ms is the ramp.
    #[test]
    fn a_ramp_is_left_out() {
        let ms = |ms: u64| SimTime(ms * 1_000_000);
        let mut record = TenantRecord::new("a".to_owned()).ramping(Duration::from_ms(2));
        for (from, to) in [(1, 2), (2, 4), (4, 5)] {
            let request = FinishedRequest {
                other: None,
                number: 0,
                class: RequestClass::Read,
                status: Status::Good,
                arrival: ms(from),
                admitted: ms(from),
                served: ms(from),
                completed: ms(to),
                sector: 0,
                sectors: 8,
                queue: 0,
            };
            record.request(&request, SimTime::ZERO);
        }
        assert_eq!((record.requests(), record.window()), (2, Duration::from_ms(2)));
    }

    #[test]
    fn fairness_by_hand() {
        assert_eq!(fairness(&[5.0, 5.0, 5.0]), Some(1.0));
        assert_eq!(fairness(&[7.0, 0.0, 0.0, 0.0]), Some(0.25));
        // (1 + 3)^2 / (2 (1 + 9))
        assert_eq!(fairness(&[1.0, 3.0]), Some(0.8));
        assert_eq!(fairness(&[0.0, 0.0]), None);
    }

    /// From 1 to 3 ms, and from 2 to 4 ms: two requests of 8 sectors in 2 ms, and one of 24.
    #[test]
    fn two_clients_by_hand() {
        let mut tenants = ["a", "b"].map(|name| TenantRecord::new(name.to_owned()));
        for (tenant, from, to, sectors) in [(0, 1, 2, 8), (0, 2, 3, 8), (1, 2, 4, 24)] {
            let ms = |ms: u64| SimTime(ms * 1_000_000);
            tenants[tenant].request(
                &FinishedRequest {
                    other: None,
                    number: 0,
                    class: RequestClass::Write,
                    status: Status::Good,
                    arrival: ms(from),
                    admitted: ms(from),
                    served: ms(from),
                    completed: ms(to),
                    sector: 0,
                    sectors,
                    queue: 0,
                },
                SimTime::ZERO,
            );
        }
        let mut summary = Summary::new();
        summarize_tenants(&tenants, &mut summary);
        for (key, value) in [
            ("tenants.a.window_s", 0.002),
            ("tenants.a.iops", 1_000.0),
            ("tenants.a.bandwidth_mb_s", 4.096),
            ("tenants.b.iops", 500.0),
            ("tenants.b.bandwidth_mb_s", 6.144),
            // (2 + 1)^2 / (2 (4 + 1)), and (2 + 3)^2 / (2 (4 + 9))
            ("host.fairness.iops", 0.9),
            ("host.fairness.bandwidth", 25.0 / 26.0),
        ] {
            let found = summary.number(key).unwrap();
            assert!((found / value - 1.0).abs() < 1e-12, "{key}: {found}");
        }
        // without a window there is no rate
        assert_eq!(TenantRecord::new("c".to_owned()).rate(1.0), None);
    }
}
