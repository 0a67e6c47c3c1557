//! When requests arrive: gaps, and how bursty they are.

use serde::Serialize;

use super::Bucket;
use super::histogram::{Fine, Histogram};
use crate::facts::ArrivalGaps;
use crate::facts::GapCounter;

/// Windows that burstiness is measured in, in nanoseconds: 100 us to 1000 s.
const SCALES: [u64; 8] = [
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    100_000_000_000,
    1_000_000_000_000,
];
/// Whole windows that a scale needs to be told of.
const FEWEST: u64 = 10;

/// The gaps between arrivals.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gaps {
    /// Standard deviation over mean: 0 for a fixed gap, 1 for a Poisson process, more for bursts.
    /// `None` where all arrive at the same time.
    pub cv: Option<f64>,
    /// Median in microseconds, within 3 %.
    pub p50_us: Option<f64>,
    /// The gap that 90 % do not exceed, in microseconds, within 3 %.
    pub p90_us: Option<f64>,
    /// The gap that 99 % do not exceed, in microseconds, within 3 %.
    pub p99_us: Option<f64>,
    /// The longest, in microseconds.
    pub max_us: Option<f64>,
    /// Bias of the self-similar arrivals (`workload.burst_bias`) that have as much burstiness: 0.5 for none. From windows no shorter than the mean
    /// gap; `None` with fewer than two lengths of them.
    pub burst_bias: Option<f64>,
}

/// Arrivals counted in windows of one length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dispersion {
    /// Length of a window in seconds.
    pub window_s: f64,
    /// Whole windows in the trace.
    pub windows: u64,
    /// Variance over mean of the arrivals in a window (index of dispersion for counts): 1 for a
    /// Poisson process at every length; growth with the length means bursts within bursts.
    pub index: f64,
    /// Arrivals in the busiest window over the mean.
    pub peak_to_mean: f64,
}

/// Counts in windows of one length.
#[derive(Clone, Debug)]
struct Scale {
    length: u64,
    window: u64,
    count: u64,
    squares: u128,
    arrivals: u64,
    peak: u64,
}

impl Scale {
    fn add(&mut self, since: u64) {
        let window = since / self.length;
        if window != self.window {
            self.close();
            self.window = window;
        }
        self.count += 1;
    }

    /// The window is over; the one in which the trace ends never is.
    fn close(&mut self) {
        self.squares += u128::from(self.count).pow(2);
        self.arrivals += self.count;
        self.peak = self.peak.max(self.count);
        self.count = 0;
    }

    fn figures(&self, span: u64) -> Option<Dispersion> {
        let windows = span / self.length;
        if windows < FEWEST || self.arrivals == 0 {
            return None;
        }
        let mean = self.arrivals as f64 / windows as f64;
        Some(Dispersion {
            window_s: self.length as f64 / 1e9,
            windows,
            index: (self.squares as f64 / windows as f64 - mean * mean) / mean,
            peak_to_mean: self.peak as f64 / mean,
        })
    }
}

/// Measures arrivals, which come in the order of time.
#[derive(Debug)]
pub(crate) struct Arrivals {
    first: Option<u64>,
    last: u64,
    recorded: GapCounter,
    gaps: u64,
    sum: f64,
    squares: f64,
    longest: u64,
    histogram: Histogram,
    fine: Fine,
    scales: Vec<Scale>,
}

impl Arrivals {
    pub(crate) fn new() -> Self {
        let scale = |length: &u64| Scale {
            length: *length,
            window: 0,
            count: 0,
            squares: 0,
            arrivals: 0,
            peak: 0,
        };
        Self {
            first: None,
            last: 0,
            recorded: GapCounter::default(),
            gaps: 0,
            sum: 0.0,
            squares: 0.0,
            longest: 0,
            histogram: Histogram::new(),
            fine: Fine::new(),
            scales: SCALES.iter().map(scale).collect(),
        }
    }

    /// Counts an arrival, in nanoseconds; returns the time since the first one.
    pub(crate) fn add(&mut self, arrival: u64) -> u64 {
        self.recorded.arrival(arrival);
        match self.first {
            None => self.first = Some(arrival),
            Some(_) => {
                let gap = arrival.saturating_sub(self.last);
                self.gaps += 1;
                self.sum += gap as f64;
                self.squares += (gap as f64) * (gap as f64);
                self.longest = self.longest.max(gap);
                self.histogram.add(gap);
                self.fine.add_many(gap, 1);
            }
        }
        self.last = self.last.max(arrival);
        let since = arrival.saturating_sub(self.first.unwrap_or(arrival));
        for scale in &mut self.scales {
            scale.add(since);
        }
        since
    }

    /// Nanoseconds from the first to the last arrival.
    pub(crate) fn span(&self) -> u64 {
        self.last.saturating_sub(self.first.unwrap_or_default())
    }

    pub(crate) fn buckets(&self) -> Vec<Bucket> {
        self.histogram.buckets()
    }

    pub(crate) const fn recorded(&self) -> ArrivalGaps {
        self.recorded.gaps()
    }

    pub(crate) fn gaps(&self) -> Gaps {
        let quantile = |part| self.fine.quantile(part).map(|gap| gap / 1e3);
        let mean = self.sum / self.gaps.max(1) as f64;
        let variance = (self.squares / self.gaps.max(1) as f64 - mean * mean).max(0.0);
        Gaps {
            cv: (mean > 0.0).then(|| variance.sqrt() / mean),
            p50_us: quantile(0.5),
            p90_us: quantile(0.9),
            p99_us: quantile(0.99),
            max_us: (self.gaps > 0).then_some(self.longest as f64 / 1e3),
            burst_bias: self.burst_bias(),
        }
    }

    /// With every halving of a span, two requests of a b-model stay in the same half with the probability b^2 + (1 - b)^2. How fast the
    /// probability grows with the window that two requests lie in the same one therefore says b.
    fn burst_bias(&self) -> Option<f64> {
        let mean_gap = self.sum / self.gaps.max(1) as f64 / 1e9;
        let requests = (self.gaps + 1) as f64;
        let points: Vec<(f64, f64)> = self
            .dispersion()
            .iter()
            .filter(|scale| scale.window_s >= mean_gap)
            .filter_map(|scale| {
                let windows = scale.windows as f64;
                let mean = requests / windows;
                let together = (scale.index + mean - 1.0) / (mean * windows);
                (together > 0.0).then(|| (libm::log2(scale.window_s), libm::log2(together)))
            })
            .collect();
        if points.len() < 2 {
            return None;
        }
        let count = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| {
            (x + point.0 / count, y + point.1 / count)
        });
        let slope = points
            .iter()
            .map(|point| (point.0 - x) * (point.1 - y))
            .sum::<f64>()
            / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>();
        let stay = libm::exp2(-slope).clamp(0.5, 1.0);
        Some(0.5 + 0.5 * (2.0 * stay - 1.0).sqrt())
    }

    pub(crate) fn dispersion(&self) -> Vec<Dispersion> {
        let span = self.span();
        self.scales
            .iter()
            .filter_map(|scale| scale.figures(span))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arrivals: impl Iterator<Item = u64>) -> Arrivals {
        let mut measured = Arrivals::new();
        for arrival in arrivals {
            measured.add(arrival);
        }
        measured
    }

    #[test]
    fn a_fixed_gap_has_no_spread() {
        let measured = of((0..10_001).map(|index| 5_000_000_000 + index * 1_000_000));
        assert_eq!(measured.span(), 10_000_000_000);
        assert!(measured.gaps().cv.unwrap() < 1e-6);
        let second = measured
            .dispersion()
            .into_iter()
            .find(|d| (d.window_s - 1.0).abs() < 1e-9);
        let second = second.unwrap();
        assert_eq!(second.windows, 10);
        assert!(second.index.abs() < 1e-9 && (second.peak_to_mean - 1.0).abs() < 1e-9);
    }

    /// Two arrivals every 10 ms: a window of w seconds, up to 10 ms, sees two with probability 100 w,
    /// else none: mean 200 w, variance 400 w - (200 w)^2. Longer windows hold whole pairs.
    #[test]
    fn pairs_are_bursts_of_two() {
        let measured = of((0..20_000).map(|index| index / 2 * 10_000_000));
        assert!((measured.gaps().cv.unwrap() - 1.0).abs() < 1e-3);
        for scale in measured.dispersion() {
            let wanted = (2.0 - 200.0 * scale.window_s).max(0.0);
            assert!((scale.index - wanted).abs() < 1e-2, "{scale:?}, not {wanted}");
        }
        assert!(measured.dispersion().len() >= 5);
    }

    #[test]
    fn the_bias_of_self_similar_arrivals_is_found_again() {
        use crate::synthetic::cascade::Cascade;
        use wordline_units::Seed;
        for bias in [0.5, 0.6, 0.7, 0.8] {
            let mut cascade = Cascade::new(1e6, bias);
            let mut stream = Seed(11).stream("test");
            let measured = of((0..1 << 18).map(|_| cascade.next(&mut stream).ns()));
            let found = measured.gaps().burst_bias.unwrap();
            assert!((found - bias).abs() < 0.03, "{bias}: {found}");
        }
    }

    #[test]
    fn one_arrival_has_no_gaps() {
        let measured = of(std::iter::once(7));
        assert_eq!(measured.gaps(), Gaps::default());
        assert!(measured.dispersion().is_empty());
    }
}
