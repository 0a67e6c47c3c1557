//! The arrivals of a profile: a law of gaps under a load that changes with time.

use rand_distr::{Distribution, Exp1};
use wordline_units::{SimTime, Stream};

use super::slots::unit;
use super::weights::Weights;
use crate::profile::ArrivalProfile;

/// Gaps in nanoseconds.
#[derive(Clone, Debug)]
enum Gaps {
    /// A fixed part and an exponential one.
    Shifted { fixed: f64, mean: f64 },
    /// One of two exponential gaps, the first with this probability.
    Either { first: f64, means: [f64; 2] },
    /// From a list.
    List { gaps: Vec<f64>, weights: Weights },
}

impl Gaps {
    fn new(profile: &ArrivalProfile, mean: f64) -> Self {
        let cv = profile.cv;
        if !profile.gaps.is_empty() {
            let weight: f64 = profile.gaps.iter().map(|gap| gap.weight).sum();
            let sum: f64 = profile
                .gaps
                .iter()
                .map(|gap| gap.gap.ns() as f64 * gap.weight)
                .sum();
            let scale = mean * weight / sum;
            return Self::List {
                gaps: profile
                    .gaps
                    .iter()
                    .map(|gap| gap.gap.ns() as f64 * scale)
                    .collect(),
                weights: Weights::new(profile.gaps.iter().map(|gap| gap.weight)),
            };
        }
        if cv <= 1.0 {
            // the standard deviation is that of the exponential part, its mean
            return Self::Shifted {
                fixed: mean * (1.0 - cv),
                mean: mean * cv,
            };
        }
        // balanced means (Allen, "Probability, Statistics, and Queueing Theory", 1990): either kind
        // of gap makes up half of the time
        let squared = cv * cv;
        let first = 0.5 * (1.0 + ((squared - 1.0) / (squared + 1.0)).sqrt());
        Self::Either {
            first,
            means: [mean / (2.0 * first), mean / (2.0 * (1.0 - first))],
        }
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        let mut exponential = |mean: f64| {
            let unit: f64 = Exp1.sample(stream);
            unit * mean
        };
        match self {
            Self::Shifted { fixed, mean } => fixed + exponential(*mean),
            Self::Either { first, means } => {
                let [fast, slow] = *means;
                let mean = if unit(stream) < *first { fast } else { slow };
                let unit: f64 = Exp1.sample(stream);
                unit * mean
            }
            Self::List { gaps, weights } => gaps.get(weights.draw(stream)).copied().unwrap_or_default(),
        }
    }
}

/// A load that changes: time runs faster where it is high.
#[derive(Clone, Debug)]
struct Load {
    /// Share of the requests before each part of the period, and 1.
    before: Vec<f64>,
    /// Nanoseconds.
    period: f64,
}

impl Load {
    fn new(shares: &[f64], period: f64) -> Self {
        let total: f64 = shares.iter().sum();
        let mut sum = 0.0;
        let mut before = vec![0.0];
        before.extend(shares.iter().map(|share| {
            sum += share;
            sum / total
        }));
        Self { before, period }
    }

    /// The time at which a steady load's time `at` comes.
    fn time(&self, at: f64) -> f64 {
        let periods = (at / self.period).floor();
        let share = at / self.period - periods;
        let parts = self.before.len() - 1;
        // the last part that starts at or before this share and holds requests
        let part = (self.before.partition_point(|before| *before <= share)).clamp(1, parts) - 1;
        let (from, to) = (self.before[part], self.before[part + 1]);
        let within = if to > from {
            (share - from) / (to - from)
        } else {
            0.0
        };
        (periods + (part as f64 + within.clamp(0.0, 1.0)) / parts as f64) * self.period
    }
}

/// Arrivals of a profile.
#[derive(Clone, Debug)]
pub(crate) struct ProfileArrivals {
    gaps: Gaps,
    load: Option<Load>,
    /// Nanoseconds, as if the load were steady.
    clock: f64,
}

impl ProfileArrivals {
    /// The arrivals of `profile`, which was checked, with times divided by `compress`.
    pub(crate) fn new(profile: &ArrivalProfile, compress: f64) -> Self {
        let time = |duration: wordline_units::Duration| duration.ns() as f64 / compress;
        Self {
            gaps: Gaps::new(profile, time(profile.mean_gap)),
            load: profile
                .period
                .map(|period| Load::new(&profile.load, time(period))),
            clock: 0.0,
        }
    }

    /// The next arrival, rounded to a nanosecond; beyond the range of simulated time, the last.
    pub(crate) fn next(&mut self, stream: &mut Stream) -> SimTime {
        self.clock += self.gaps.draw(stream);
        let time = self
            .load
            .as_ref()
            .map_or(self.clock, |load| load.time(self.clock));
        SimTime(time.round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::GapShare;
    use wordline_units::{Duration, Seed};

    fn gaps(profile: &ArrivalProfile) -> (f64, f64, Vec<u64>) {
        let mut arrivals = ProfileArrivals::new(profile, 1.0);
        let mut stream = Seed(3).stream("test");
        let times: Vec<u64> = (0..200_000).map(|_| arrivals.next(&mut stream).ns()).collect();
        let gaps = || times.windows(2).map(|pair| (pair[1] - pair[0]) as f64);
        let mean = gaps().sum::<f64>() / gaps().count() as f64;
        let variance = gaps().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps().count() as f64;
        (mean, variance.sqrt() / mean, times)
    }

    #[test]
    fn gaps_have_the_mean_and_the_variation() {
        for cv in [0.0, 0.3, 1.0, 2.0, 5.0] {
            let profile = ArrivalProfile {
                mean_gap: Duration(50_000),
                cv,
                ..ArrivalProfile::default()
            };
            let (mean, found, _) = gaps(&profile);
            assert!((mean / 50_000.0 - 1.0).abs() < 0.05, "{cv}: {mean}");
            assert!((found - cv).abs() < 0.05 * cv.max(0.1), "{cv}: {found}");
        }
    }

    #[test]
    fn listed_gaps_are_scaled_to_the_mean() {
        let gap = |ns, weight| GapShare {
            gap: Duration(ns),
            weight,
        };
        let profile = ArrivalProfile {
            mean_gap: Duration(1_000),
            gaps: vec![gap(0, 1.0), gap(10, 2.0), gap(20, 1.0)],
            ..ArrivalProfile::default()
        };
        let (mean, _, times) = gaps(&profile);
        assert!((mean - 1_000.0).abs() < 10.0, "{mean}");
        assert!(
            times
                .windows(2)
                .all(|pair| [0, 1_000, 2_000].contains(&(pair[1] - pair[0])))
        );
    }

    /// Three quarters of the requests in the first half of each second, none in the last quarter.
    #[test]
    fn the_load_comes_again_every_period() {
        let profile = ArrivalProfile {
            mean_gap: Duration(100_000),
            load: vec![2.0, 1.0, 1.0, 0.0],
            period: Some(Duration::from_ms(1_000)),
            ..ArrivalProfile::default()
        };
        let (mean, _, times) = gaps(&profile);
        assert!((mean / 100_000.0 - 1.0).abs() < 0.02, "{mean}");
        let in_quarter = |quarter: u64| {
            let count = times
                .iter()
                .filter(|time| *time % 1_000_000_000 / 250_000_000 == quarter);
            count.count() as f64 / times.len() as f64
        };
        for (quarter, share) in [(0, 0.5), (1, 0.25), (2, 0.25), (3, 0.0)] {
            assert!((in_quarter(quarter) - share).abs() < 0.01, "{quarter}");
        }
        assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}
