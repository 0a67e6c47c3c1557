//! Latency statistics: exact mean and extremes, percentiles from an HDR histogram.

use hdrhistogram::Histogram;
use wordline_units::Duration;

/// Significant decimal digits that the histogram keeps: percentiles are within 0.1 %.
const DIGITS: u8 = 3;
/// Values of one power of two that a histogram of so many digits tells apart, as a power of two.
const BITS: u32 = 10;
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
    /// How often latencies of each bin were recorded: the bins of the histogram, which is made when it is asked for.
    bins: Vec<u64>,
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
            bins: Vec::new(),
            count: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
        }
    }

    /// Adds one latency.
    #[inline]
    pub fn record(&mut self, latency: Duration) {
        let value = latency.ns();
        self.count += 1;
        self.sum_ns += u128::from(value);
        self.min_ns = self.min_ns.min(value);
        self.max_ns = self.max_ns.max(value);
        let bin = bin_of(value);
        match self.bins.get_mut(bin) {
            Some(times) => *times += 1,
            None => self.record_in_new_bin(bin),
        }
    }

    #[cold]
    #[inline(never)]
    fn record_in_new_bin(&mut self, bin: usize) {
        self.bins.resize(bin + 1, 0);
        self.bins[bin] = 1;
    }

    /// The histogram of all that was recorded.
    fn histogram(&self) -> Histogram<u64> {
        let mut histogram = Histogram::new(DIGITS).expect("the library accepts 0 to 5 digits");
        for (bin, times) in self.bins.iter().enumerate().filter(|(_, times)| **times > 0) {
            let value = first_of_bin(bin);
            // the histogram grows by itself; should it not be able to, the value is clipped to its last bin rather than lost
            if histogram.record_n(value, *times).is_err() {
                histogram.saturating_record_n(value, *times);
            }
        }
        histogram
    }

    /// Adds everything that `other` recorded.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        if self.bins.len() < other.bins.len() {
            self.bins.resize(other.bins.len(), 0);
        }
        for (times, more) in self.bins.iter_mut().zip(&other.bins) {
            *times += more;
        }
    }

    /// Latencies recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Exact sum in nanoseconds.
    #[must_use]
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
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
        (self.count > 0).then_some(Duration(self.min_ns))
    }

    /// Longest latency; `None` without requests.
    #[must_use]
    pub fn max(&self) -> Option<Duration> {
        (self.count > 0).then_some(Duration(self.max_ns))
    }

    /// The share of the requests that took longer than `limit`, within 0.1 % of it; `None` without requests.
    #[must_use]
    pub fn share_above(&self, limit: Duration) -> Option<f64> {
        let below = self.histogram().count_between(0, limit.ns());
        (self.count > 0).then(|| self.count.saturating_sub(below) as f64 / self.count as f64)
    }

    /// The latency that a share `quantile` (0 to 1) of the requests does not exceed; `None`
    /// without requests.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<Duration> {
        self.quantile_of(&self.histogram(), quantile)
    }

    fn quantile_of(&self, histogram: &Histogram<u64>, quantile: f64) -> Option<Duration> {
        (self.count > 0).then(|| {
            let value = histogram.value_at_quantile(quantile);
            Duration(value.clamp(self.min_ns, self.max_ns))
        })
    }

    /// The usual percentiles; `None` without requests.
    #[must_use]
    pub fn percentiles(&self) -> Option<Percentiles> {
        let histogram = self.histogram();
        let at = |quantile| self.quantile_of(&histogram, quantile).map(Duration::as_us);
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
        let mut points: Vec<(f64, f64)> = Vec::new();
        let (mut below, mut shown) = (0_u64, 0.0);
        for step in self.histogram().iter_recorded() {
            below += step.count_at_value();
            let share = below as f64 / self.count as f64;
            if points.is_empty() || below == self.count || share - shown >= (1.0 - shown) * CDF_STEP {
                let value = step.value_iterated_to().clamp(self.min_ns, self.max_ns);
                points.push((Duration(value).as_us(), share));
                shown = share;
            }
        }
        points
    }
}

/// The bin of a value: below 2^(BITS + 1) a bin for each, above 2^BITS bins for each power of two.
#[inline]
fn bin_of(value: u64) -> usize {
    let shift = (value | 1 << BITS).ilog2() - BITS;
    ((shift as usize) << BITS) + (value >> shift) as usize
}

/// The least value of a bin.
fn first_of_bin(bin: usize) -> u64 {
    let shift = (bin >> BITS).saturating_sub(1);
    ((bin - (shift << BITS)) as u64) << shift
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Latency {
        let mut latency = Latency::new();
        for value in values {
            latency.record(Duration(*value));
        }
        latency
    }

    proptest! {
        /// The bins are those of the histogram: it tells the same of what was recorded there as of the values themselves.
        #[test]
        fn bins_are_those_of_the_histogram(
            values in prop::collection::vec((0_u64..64, any::<u64>()).prop_map(|(shift, value)| value >> shift), 1..60),
        ) {
            let latency = of(&values.iter().map(|value| value >> 1).collect::<Vec<_>>());
            let mut direct = Histogram::<u64>::new(DIGITS).unwrap();
            for value in &values {
                direct.record(value >> 1).unwrap();
            }
            let histogram = latency.histogram();
            for value in &values {
                prop_assert!(direct.equivalent(*value, first_of_bin(bin_of(*value))));
                prop_assert_eq!(first_of_bin(bin_of(*value)), direct.lowest_equivalent(*value));
                prop_assert_eq!(histogram.count_between(0, *value), direct.count_between(0, *value));
            }
            for step in 0..=20 {
                let quantile = f64::from(step) / 20.0;
                prop_assert_eq!(histogram.value_at_quantile(quantile), direct.value_at_quantile(quantile));
            }
            let steps = |histogram: &Histogram<u64>| -> Vec<_> {
                histogram
                    .iter_recorded()
                    .map(|step| (step.value_iterated_to(), step.count_at_value()))
                    .collect()
            };
            prop_assert_eq!(steps(&histogram), steps(&direct));
        }
    }

    /// The exact quantile: the smallest value that at least this share does not exceed.
    fn exact(values: &[u64], quantile: f64) -> u64 {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let rank = (quantile * sorted.len() as f64).ceil().max(1.0) as usize;
        sorted[rank - 1]
    }

    #[test]
    fn nothing_recorded_has_no_figures() {
        let none = Latency::new();
        assert_eq!(none.count(), 0);
        assert_eq!(
            (none.mean_us(), none.min(), none.max(), none.percentiles()),
            (None, None, None, None)
        );
        assert!(none.cdf().is_empty());
    }

    #[test]
    fn equal_latencies_give_exactly_themselves() {
        let latency = of(&[123_457; 1_000]);
        let percentiles = latency.percentiles().unwrap();
        assert_eq!(percentiles.p50_us, 123.457);
        assert_eq!(percentiles.p99999_us, 123.457);
        assert_eq!(latency.mean_us(), Some(123.457));
        assert_eq!(latency.cdf(), [(123.457, 1.0)]);
    }

    /// A hundred thousand requests: of each tenth of the tail another power of ten.
    #[test]
    fn every_percentile_is_its_own() {
        let mut latency = Latency::new();
        for (requests, us) in [
            (50_000, 1),
            (45_000, 10),
            (4_000, 100),
            (900, 1_000),
            (90, 10_000),
            (9, 100_000),
            (1, 1_000_000),
        ] {
            for _ in 0..requests {
                latency.record(Duration::from_us(us));
            }
        }
        let found = latency.percentiles().unwrap();
        let found = [
            found.p50_us,
            found.p95_us,
            found.p99_us,
            found.p999_us,
            found.p9999_us,
            found.p99999_us,
        ];
        for (found, wanted) in found.into_iter().zip([1.0, 10.0, 1e2, 1e3, 1e4, 1e5]) {
            assert!((found / wanted - 1.0).abs() < 1e-3, "{found} for {wanted}");
        }
    }

    #[test]
    fn takes_any_duration() {
        let latency = of(&[0, u64::MAX, u64::MAX]);
        assert_eq!(latency.sum_ns(), 2 * u128::from(u64::MAX));
        assert_eq!(latency.max(), Some(Duration(u64::MAX)));
        assert_eq!(latency.quantile(0.0), Some(Duration::ZERO));
        assert!(
            latency
                .quantile(0.5)
                .is_some_and(|median| median.ns() > u64::MAX / 1_000 * 999)
        );
    }

    #[test]
    fn the_curve_is_thin_and_reaches_the_maximum() {
        let values: Vec<u64> = (1..=200_000).map(|n| n * n).collect();
        let points = of(&values).cdf();
        assert!(points.len() < 200 * 14, "{}", points.len());
        assert_eq!(points.last(), Some(&(4e7, 1.0)));
    }

    proptest! {
        #[test]
        fn mean_is_exact_and_percentiles_within_a_thousandth(
            values in proptest::collection::vec(0_u64..20_000_000_000, 1..2_000)
        ) {
            let latency = of(&values);
            let sum: u64 = values.iter().sum();
            prop_assert_eq!(latency.sum_ns(), u128::from(sum));
            prop_assert_eq!(latency.mean_us(), Some(sum as f64 / values.len() as f64 / 1e3));
            prop_assert_eq!(latency.max().map(Duration::ns), values.iter().copied().max());
            prop_assert_eq!(latency.min().map(Duration::ns), values.iter().copied().min());
            for quantile in [0.5, 0.95, 0.99, 0.999, 1.0] {
                let (found, wanted) = (latency.quantile(quantile).unwrap().ns(), exact(&values, quantile));
                prop_assert!(found.abs_diff(wanted) as f64 <= 1e-3 * wanted as f64, "{found} {wanted}");
            }
            let points = latency.cdf();
            prop_assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
            prop_assert_eq!(points.last().map(|point| point.1), Some(1.0));
        }

        #[test]
        fn merging_is_recording_together(
            a in proptest::collection::vec(0_u64..5_000_000_000, 0..600),
            b in proptest::collection::vec(0_u64..5_000_000_000, 0..600),
        ) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            let together = of(&[a, b].concat());
            prop_assert_eq!(merged.count(), together.count());
            prop_assert_eq!(merged.sum_ns(), together.sum_ns());
            prop_assert_eq!((merged.min(), merged.max()), (together.min(), together.max()));
            prop_assert_eq!(merged.percentiles(), together.percentiles());
            prop_assert_eq!(merged.cdf(), together.cdf());
        }
    }

    /// From point to point at least a two-hundredth of those beyond. Of a thousand latencies the last 200 have a point each,
    /// those before 200 ln(1 / 0.2) = 322 at the most.
    #[test]
    fn a_distribution_is_thinned() {
        let mut latency = Latency::new();
        for ns in 1_000..2_000 {
            latency.record(Duration(ns));
        }
        let points = latency.cdf();
        let middle = &points[..points.len() - 1];
        for pair in middle.windows(2) {
            let (before, after) = (pair[0].1, pair[1].1);
            assert!(after - before >= (1.0 - before) / 200.0, "{before} {after}");
        }
        assert_eq!(points.last(), Some(&(1.999, 1.0)));
        assert!((300..=522).contains(&points.len()), "{}", points.len());
    }
}
