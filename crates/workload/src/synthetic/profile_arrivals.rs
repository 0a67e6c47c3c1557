//! The arrivals of a profile: a law of gaps, at a pace that changes.

use rand_distr::{Distribution, Exp1};
use wordline_units::{SimTime, Stream};

use super::classes::share;
use super::scatter::Scatter;
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
    /// From a list, which rises.
    List { gaps: Vec<f64>, weights: Weights },
}

impl Gaps {
    fn new(profile: &ArrivalProfile, mean: f64) -> Self {
        let cv = profile.cv;
        if !profile.gaps.is_empty() {
            let mut gaps = profile.gaps.clone();
            gaps.sort_by_key(|gap| gap.gap);
            let weight: f64 = gaps.iter().map(|gap| gap.weight).sum();
            let sum: f64 = gaps.iter().map(|gap| gap.gap.ns() as f64 * gap.weight).sum();
            let scale = mean * weight / sum;
            return Self::List {
                weights: Weights::new(gaps.iter().map(|gap| gap.weight)),
                gaps: gaps.iter().map(|gap| gap.gap.ns() as f64 * scale).collect(),
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

    /// A gap. A list is drawn from within a `stratum`, a part of its weights.
    fn draw(&self, stratum: Option<[f64; 2]>, stream: &mut Stream) -> f64 {
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
            Self::List { gaps, weights } => {
                let [from, to] = stratum.unwrap_or([0.0, 1.0]);
                let place = weights.at(share(from + unit(stream) * (to - from)));
                gaps.get(place).copied().unwrap_or_default()
            }
        }
    }
}

/// A pace that changes from part to part of the requests.
#[derive(Clone, Debug)]
struct Pace {
    /// What gaps are multiplied by in each part; 1 on average over the requests.
    factors: Vec<f64>,
    cycle: u64,
    request: u64,
    /// First request of the part, and of the next.
    part: [u64; 2],
    /// In which order the strata of the gaps are drawn from in this part: every one once, so that the
    /// part takes its time, not just on average.
    order: Option<Scatter>,
}

impl Pace {
    fn new(pace: &[f64], cycle: u64) -> Self {
        let parts = pace.len() as u64;
        let bound = |part: u64| (u128::from(cycle) * u128::from(part) / u128::from(parts)) as u64;
        let requests = |part: u64| (bound(part + 1) - bound(part)) as f64;
        let total: f64 = pace.iter().sum();
        let factors = (0..)
            .zip(pace)
            .map(|(part, pace)| pace / total * cycle as f64 / requests(part))
            .collect();
        Self {
            factors,
            cycle,
            request: 0,
            part: [0; 2],
            order: None,
        }
    }

    /// What the next gap is multiplied by, and the stratum that it is drawn from.
    fn next(&mut self, stream: &mut Stream) -> (f64, [f64; 2]) {
        let parts = self.factors.len() as u64;
        if self.request == self.cycle {
            (self.request, self.part) = (0, [0; 2]);
        }
        if self.request == self.part[1] {
            let part = self.part_of(self.request);
            let bound = |part: u64| (u128::from(self.cycle) * u128::from(part) / u128::from(parts)) as u64;
            self.part = [bound(part), bound(part + 1)];
            self.order = Some(Scatter::of(self.part[1] - self.part[0], stream));
        }
        let within = self.request - self.part[0];
        let stratum = self.order.map_or(within, |order| order.place(within)) as f64;
        let strata = (self.part[1] - self.part[0]) as f64;
        let factor = self.factors[self.part_of(self.request) as usize];
        self.request += 1;
        (factor, [stratum / strata, (stratum + 1.0) / strata])
    }

    /// The part whose first request is at or before this one.
    fn part_of(&self, request: u64) -> u64 {
        let parts = self.factors.len() as u128;
        let part = ((u128::from(request) + 1) * parts - 1) / u128::from(self.cycle);
        (part as u64).min(self.factors.len() as u64 - 1)
    }
}

/// Arrivals of a profile.
#[derive(Clone, Debug)]
pub(crate) struct ProfileArrivals {
    gaps: Gaps,
    pace: Option<Pace>,
    /// Nanoseconds.
    clock: f64,
}

impl ProfileArrivals {
    /// The arrivals of `profile`, which was checked, with times divided by `compress`.
    pub(crate) fn new(profile: &ArrivalProfile, compress: f64) -> Self {
        Self {
            gaps: Gaps::new(profile, profile.mean_gap.ns() as f64 / compress),
            pace: profile.cycle.map(|cycle| Pace::new(&profile.pace, cycle)),
            clock: 0.0,
        }
    }

    /// The next arrival, rounded to a nanosecond; beyond the range of simulated time, the last.
    pub(crate) fn next(&mut self, stream: &mut Stream) -> SimTime {
        let (factor, stratum) = match &mut self.pace {
            None => (1.0, None),
            Some(pace) => {
                let (factor, stratum) = pace.next(stream);
                (factor, Some(stratum))
            }
        };
        self.clock += factor * self.gaps.draw(stratum, stream);
        SimTime(self.clock.round() as u64)
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

    /// The first half of each 1,000 requests takes a tenth of the time.
    #[test]
    fn the_pace_comes_again_every_cycle() {
        let gap = |ns, weight| GapShare {
            gap: Duration(ns),
            weight,
        };
        let profile = ArrivalProfile {
            mean_gap: Duration(100_000),
            gaps: vec![gap(1, 9.0), gap(91, 1.0)],
            pace: vec![0.5, 0.5, 4.0, 5.0],
            cycle: Some(1_000),
            ..ArrivalProfile::default()
        };
        let (mean, _, times) = gaps(&profile);
        assert!((mean / 100_000.0 - 1.0).abs() < 1e-3, "{mean}");
        // an arrival comes at the end of its gap
        let at = |request: usize| request.checked_sub(1).map_or(0, |last| times[last]);
        for cycle in 0..50 {
            for (from, to, share) in [
                (0, 250, 0.05),
                (250, 500, 0.05),
                (500, 750, 0.4),
                (750, 1_000, 0.5),
            ] {
                let took = (at(cycle * 1_000 + to) - at(cycle * 1_000 + from)) as f64 / 1e8;
                // rounding may turn one of the 25 long gaps of a part into a short one
                assert!((took / share - 1.0).abs() < 0.04, "{cycle} {from}: {took}");
            }
        }
        assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
    }

    #[test]
    fn every_request_has_its_part() {
        for (parts, cycle) in [(1, 1), (3, 10), (7, 7), (5, 1_000), (512, 10_007)] {
            let pace = Pace::new(&vec![1.0; parts], cycle);
            for request in 0..cycle {
                let part = pace.part_of(request);
                let bound = |part: u64| cycle * part / parts as u64;
                assert!(bound(part) <= request && request < bound(part + 1));
            }
        }
    }
}
