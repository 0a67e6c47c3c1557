//! Gaps between arrivals, freed of the changes of the pace.

use wordline_units::Duration;

use crate::profile::{ArrivalProfile, GapShare};

/// Classes of gaps to an octave, and in all; gaps are told apart down to a 2^20th of the mean.
const PER_OCTAVE: f64 = 4.0;
const CLASSES: usize = 1 + 4 * 64;
const FINEST: f64 = 1.0 / (1 << 20) as f64;
/// Parts that the pace is measured in, at most, and gaps that a part needs.
const PARTS: u64 = 512;
const PER_PART: u64 = 32;

/// How long equal numbers of requests take.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Arrival of the first request of each part, and of the last request.
    bounds: Vec<u64>,
    gaps: u64,
    seen: u64,
}

impl Pace {
    /// For a trace of `requests` requests.
    pub(crate) fn new(requests: u64) -> Self {
        let gaps = requests.saturating_sub(1);
        Self {
            bounds: vec![0; (gaps / PER_PART).clamp(1, PARTS) as usize + 1],
            gaps,
            seen: 0,
        }
    }

    /// Number of the request from which a part counts.
    fn start(&self, part: usize) -> u64 {
        let parts = (self.bounds.len() - 1) as u128;
        (u128::from(self.gaps) * part as u128 / parts) as u64
    }

    /// An arrival; they come in order.
    pub(crate) fn add(&mut self, arrival: u64) {
        for part in self.part_of(self.seen)..self.bounds.len() {
            if self.start(part) == self.seen {
                self.bounds[part] = arrival;
            } else if self.start(part) > self.seen {
                break;
            }
        }
        self.seen += 1;
    }

    /// The part that request or gap number `number` belongs to.
    fn part_of(&self, number: u64) -> usize {
        let parts = (self.bounds.len() - 1) as u128;
        let part = ((u128::from(number) + 1) * parts).saturating_sub(1) / u128::from(self.gaps.max(1));
        (part as usize).min(self.bounds.len() - 2)
    }

    /// Mean gap of a part.
    fn mean(&self, part: usize) -> f64 {
        let gaps = self.start(part + 1) - self.start(part);
        self.bounds[part + 1].saturating_sub(self.bounds[part]) as f64 / gaps.max(1) as f64
    }
}

/// Measures gaps against the mean of their part.
#[derive(Debug)]
pub(crate) struct Paced {
    pace: Pace,
    last: Option<u64>,
    number: u64,
    /// Sum and number of the gaps of each class, as multiples of the mean.
    gaps: Vec<(f64, u64)>,
}

impl Paced {
    pub(crate) fn new(pace: Pace) -> Self {
        Self {
            pace,
            last: None,
            number: 0,
            gaps: vec![(0.0, 0); CLASSES],
        }
    }

    /// An arrival; they come in order.
    pub(crate) fn add(&mut self, arrival: u64) {
        if let Some(last) = self.last {
            let mean = self.pace.mean(self.pace.part_of(self.number));
            self.number += 1;
            if mean > 0.0 {
                let gap = arrival.saturating_sub(last) as f64 / mean;
                let class = if gap < FINEST {
                    0
                } else {
                    1 + (libm::log2(gap / FINEST) * PER_OCTAVE) as usize
                };
                if let Some((sum, count)) = self.gaps.get_mut(class) {
                    *sum += gap;
                    *count += 1;
                }
            }
        }
        self.last = Some(arrival);
    }

    /// The arrivals of the trace.
    pub(crate) fn profile(&self) -> ArrivalProfile {
        let parts = self.pace.bounds.len() - 1;
        let span = self.pace.bounds[parts].saturating_sub(self.pace.bounds[0]);
        let mean = span as f64 / self.pace.gaps.max(1) as f64;
        // a gap of no time at all cannot be told: as short as can be
        let steady = ArrivalProfile {
            mean_gap: Duration((mean.round() as u64).max(1)),
            cv: 0.0,
            ..ArrivalProfile::default()
        };
        if span == 0 {
            return steady;
        }
        let gaps: Vec<GapShare> = self
            .gaps
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(sum, count)| GapShare {
                // in millionths of the mean, which is made of it again
                gap: Duration((sum / *count as f64 * 1e6).round() as u64),
                weight: *count as f64,
            })
            .collect();
        if gaps.iter().all(|gap| gap.gap == Duration::ZERO) {
            return steady;
        }
        ArrivalProfile {
            gaps,
            pace: (0..parts)
                .map(|part| self.pace.bounds[part + 1].saturating_sub(self.pace.bounds[part]) as f64)
                .collect(),
            cycle: Some(self.pace.gaps),
            ..steady
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bursts of 100 gaps of 1 us, then 100 gaps of 1 ms: the pace takes all of the change.
    #[test]
    fn a_pace_that_changes_leaves_even_gaps() {
        let mut arrivals = vec![0_u64];
        for gap in 0..10_000_u64 {
            let length = if gap / 500 % 2 == 0 { 1_000 } else { 1_000_000 };
            arrivals.push(arrivals[gap as usize] + length);
        }
        let mut pace = Pace::new(arrivals.len() as u64);
        arrivals.iter().for_each(|arrival| pace.add(*arrival));
        let mut paced = Paced::new(pace);
        arrivals.iter().for_each(|arrival| paced.add(*arrival));
        let profile = paced.profile();
        assert_eq!(profile.pace.len(), 312);
        let total: f64 = profile.pace.iter().sum();
        assert!((total - *arrivals.last().unwrap() as f64).abs() < 1.0);
        // most gaps equal the mean of their part; parts that hold both kinds are the exception
        let even: f64 = profile
            .gaps
            .iter()
            .filter(|gap| (900_000..1_100_000).contains(&gap.gap.ns()))
            .map(|gap| gap.weight)
            .sum();
        assert!(even > 9_000.0, "{even}");
    }

    #[test]
    fn traces_without_time_have_a_profile() {
        for arrivals in [&[5][..], &[5, 5, 5], &[0, 1]] {
            let mut pace = Pace::new(arrivals.len() as u64);
            arrivals.iter().for_each(|arrival| pace.add(*arrival));
            let mut paced = Paced::new(pace);
            arrivals.iter().for_each(|arrival| paced.add(*arrival));
            assert!(paced.profile().mean_gap >= Duration(1));
        }
    }
}
