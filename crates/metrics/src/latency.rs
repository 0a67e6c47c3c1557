//! Latency statistics: exact mean and extremes, percentiles from an HDR histogram.

use hdrhistogram::Histogram;
use wordline_units::Duration;

/// Significant decimal digits that the histogram keeps: percentiles are within 0.1 %.
const DIGITS: u8 = 3;
/// Values that wait before they enter the histogram together, while it is in the cache.
const BATCH: usize = 256;
/// A point of the exported distribution is kept when it moves the curve by this share of the
/// tail above the point before it, so that the tail is drawn as finely as the body.
const CDF_STEP: f64 = 1.0 / 200.0;

/// The latencies of one class of requests.
///
/// Count, sum, minimum and maximum are exact. Percentiles come from an HDR histogram (G. Tene)
/// with 3 significant digits from 1 ns on, so they are at most 0.1 % above the exact value and
/// never outside the extremes.
#[derive(Clone, Debug)]
pub struct Latency {
    histogram: Histogram<u64>,
    /// Values recorded but not yet in `histogram`.
    pending: Vec<u64>,
    count: u64,
    /// Wide, because 10^10 requests of 2 s do not fit in 64 bits of nanoseconds.
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Default for Latency {
    fn default() -> Self {
        Self::new()
    }
}

impl Latency {
    /// Statistics of no request yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            histogram: Histogram::new(DIGITS).expect("the library accepts 0 to 5 digits"),
            pending: Vec::with_capacity(BATCH),
            count: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
        }
    }

    /// Adds one latency.
    #[inline]
    pub fn record(&mut self, latency: Duration) {
        self.pending.push(latency.ns());
        if self.pending.len() == BATCH {
            self.flush();
        }
    }

    /// Moves the waiting values into the histogram and the exact figures.
    #[inline(never)]
    fn flush(&mut self) {
        self.count += self.pending.len() as u64;
        for &value in &self.pending {
            self.sum_ns += u128::from(value);
            self.min_ns = self.min_ns.min(value);
            self.max_ns = self.max_ns.max(value);
            // grows by itself; only a value beyond its last bucket is clipped to that bucket
            self.histogram.saturating_record(value);
        }
        self.pending.clear();
    }

    /// Adds everything that `other` recorded.
    pub fn merge(&mut self, other: &Self) {
        let other = other.settled();
        self.flush();
        if other.count == 0 {
            return;
        }
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        for step in other.histogram.iter_recorded() {
            self.histogram
                .saturating_record_n(step.value_iterated_to(), step.count_at_value());
        }
    }

    /// The same statistics with no value waiting: what every figure is read from.
    #[must_use]
    pub fn settled(&self) -> std::borrow::Cow<'_, Self> {
        if self.pending.is_empty() {
            return std::borrow::Cow::Borrowed(self);
        }
        let mut settled = self.clone();
        settled.flush();
        std::borrow::Cow::Owned(settled)
    }

    /// Latencies recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count + self.pending.len() as u64
    }

    /// Exact sum in nanoseconds.
    #[must_use]
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns + self.pending.iter().map(|value| u128::from(*value)).sum::<u128>()
    }

    /// Exact mean in microseconds; `None` without requests.
    #[must_use]
    pub fn mean_us(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum_ns() as f64 / count as f64 / 1e3)
    }

    /// Shortest latency; `None` without requests.
    #[must_use]
    pub fn min(&self) -> Option<Duration> {
        let waiting = self.pending.iter().copied().min().unwrap_or(u64::MAX);
        (self.count() > 0).then(|| Duration(self.min_ns.min(waiting)))
    }

    /// Longest latency; `None` without requests.
    #[must_use]
    pub fn max(&self) -> Option<Duration> {
        let waiting = self.pending.iter().copied().max().unwrap_or(0);
        (self.count() > 0).then(|| Duration(self.max_ns.max(waiting)))
    }

    /// The latency that a share `quantile` (0 to 1) of the requests does not exceed; `None`
    /// without requests.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        let settled = self.settled();
        (settled.count > 0).then(|| {
            let value = settled.histogram.value_at_quantile(quantile);
            Duration(value.clamp(settled.min_ns, settled.max_ns))
        })
    }

    /// The usual percentiles; `None` without requests.
    #[must_use]
    pub fn percentiles(&self) -> Option<Percentiles> {
        let settled = self.settled();
        let at = |quantile| settled.quantile(quantile).map(Duration::as_us);
        Some(Percentiles {
            p50_us: at(0.50)?,
            p95_us: at(0.95)?,
            p99_us: at(0.99)?,
            p999_us: at(0.999)?,
            p9999_us: at(0.9999)?,
            p99999_us: at(0.99999)?,
        })
    }

    /// The cumulative distribution as points (latency in us, share of requests at or below it),
    /// both rising, the last one (max, 1). Thinned to what a plot can show, the tail included:
    /// some 200 points for each factor e of the tail. Empty without requests.
    #[must_use]
    pub fn cdf(&self) -> Vec<(f64, f64)> {
        let settled = self.settled();
        let mut points: Vec<(f64, f64)> = Vec::new();
        let (mut below, mut shown) = (0_u64, 0.0);
        for step in settled.histogram.iter_recorded() {
            below += step.count_at_value();
            let share = below as f64 / settled.count as f64;
            if points.is_empty() || below == settled.count || share - shown >= (1.0 - shown) * CDF_STEP {
                let value = step.value_iterated_to().clamp(settled.min_ns, settled.max_ns);
                points.push((Duration(value).as_us(), share));
                shown = share;
            }
        }
        points
    }
}

/// Percentiles in microseconds, for output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentiles {
    /// Median.
    pub p50_us: f64,
    /// 95 %.
    pub p95_us: f64,
    /// 99 %.
    pub p99_us: f64,
    /// 99.9 %.
    pub p999_us: f64,
    /// 99.99 %.
    pub p9999_us: f64,
    /// 99.999 %.
    pub p99999_us: f64,
}
