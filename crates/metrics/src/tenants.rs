//! Several clients on one drive: what each got, and how evenly it was shared.

use wordline_units::{Duration, SECTOR_BYTES, SimTime};

use crate::latency::Latency;
use crate::probe::{FinishedRequest, RequestClass, Status};
use crate::summary::Summary;

/// What one client got.
#[derive(Clone, Debug)]
pub struct TenantRecord {
    /// Its name.
    pub name: String,
    /// Latency by class, arrival to acknowledgement; index with `RequestClass::index`.
    pub latency: [Latency; 3],
    /// Bytes of its reads and writes that ended well.
    pub bytes: u64,
    /// Arrival of its first request, the start of measuring where it came before that; `NEVER` without requests.
    pub first_arrival: SimTime,
    /// Acknowledgement of its last request.
    pub last_completion: SimTime,
}

impl TenantRecord {
    /// A client that has got nothing yet.
    #[must_use]
    pub fn new(name: String) -> Self {
        Self {
            name,
            latency: std::array::from_fn(|_| Latency::new()),
            bytes: 0,
            first_arrival: SimTime::NEVER,
            last_completion: SimTime::ZERO,
        }
    }

    /// Forgets what it got.
    pub(crate) fn restart(&mut self) {
        *self = Self::new(std::mem::take(&mut self.name));
    }

    /// Records an acknowledged request of the client; measuring began at `origin`.
    pub fn request(&mut self, request: &FinishedRequest, origin: SimTime) {
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

    /// From its first arrival to its last acknowledgement.
    #[must_use]
    pub fn window(&self) -> Duration {
        self.last_completion.since(self.first_arrival)
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

/// Sets `tenants.<tenant>.*` and `host.fairness.*`, where there are several clients.
pub(crate) fn summarize_tenants(tenants: &[TenantRecord], summary: &mut Summary) {
    if tenants.is_empty() {
        return;
    }
    for tenant in tenants {
        let prefix = format!("tenants.{}", tenant.name);
        let mut all = Latency::new();
        for latency in &tenant.latency {
            all.merge(latency);
        }
        summary.set(&format!("{prefix}.window_s"), tenant.window().as_secs());
        summary.set(&format!("{prefix}.bytes"), tenant.bytes);
        summary.set(&format!("{prefix}.iops"), tenant.rate(tenant.requests() as f64));
        summary.set(
            &format!("{prefix}.bandwidth_mb_s"),
            tenant.rate(tenant.bytes as f64 / 1e6),
        );
        let classes = RequestClass::ALL.map(|class| (class.name(), &tenant.latency[class.index()]));
        for (name, latency) in classes.into_iter().chain([("all", &all)]) {
            summary.add_latency(&format!("{prefix}.{name}"), latency);
        }
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
    let requests = rates(|tenant| tenant.requests() as f64);
    let bytes = rates(|tenant| tenant.bytes as f64);
    summary.set("host.fairness.iops", fairness(&requests));
    summary.set("host.fairness.bandwidth", fairness(&bytes));
}

#[cfg(test)]
mod tests {
    use super::*;

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
                number: 0,
                class,
                status,
                arrival: SimTime::ZERO,
                admitted: SimTime::ZERO,
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
                    number: 0,
                    class: RequestClass::Write,
                    status: Status::Good,
                    arrival: ms(from),
                    admitted: ms(from),
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
