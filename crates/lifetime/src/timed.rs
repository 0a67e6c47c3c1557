//! Samples with a clock within a study: what the response times of the drive are at a time of its life.

use serde::{Deserialize, Serialize};
use wordline_drive::{Interval, PATIENCE};
use wordline_units::Duration;

use crate::nearest_rank::nearest_rank;

/// Bounds of the ratio at which the life of a drive with refresh ends: retention alone slows nothing, so that without the first the life could end
/// on the first day (assumed; specification of the refreshing drive, section 5).
pub const RATIO_AT_END: (f64, f64) = (1.1, 3.0);

/// Which samples are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedOptions {
    /// One at every so many snapshots, from 1.
    pub every: u64,
    /// For how long the workload runs with a clock.
    pub length: Duration,
    /// Ratio of response times at which the life ends, above 1.
    pub end_ratio: f64,
}

/// What was measured in a sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedSample {
    /// Seconds since the start of the study.
    pub time: f64,
    /// Whether the blocks that keep data for less than required are out of service, as far as their pools can spare them.
    pub without_weak: bool,
    /// Blocks in service.
    pub blocks: u32,
    /// Requests. Those that are not completed after four times the length of the sample count as if they took that long.
    pub requests: u64,
    /// Mean response time in seconds.
    pub mean: f64,
    /// 80th percentile of response times in seconds, by nearest rank.
    pub p80: f64,
    /// 99th percentile in seconds, by nearest rank.
    pub p99: f64,
}

impl TimedSample {
    /// The sample of requests; none without any.
    pub(crate) fn of(
        time: f64,
        without_weak: bool,
        blocks: u32,
        found: &Interval,
        length: Duration,
    ) -> Option<Self> {
        let mut times: Vec<u64> = found
            .requests
            .iter()
            .map(|request| request.completed.since(request.arrival).ns())
            .collect();
        // they took that long at least
        let unfinished = std::iter::repeat_n((length * PATIENCE).ns(), found.unfinished as usize);
        times.extend(unfinished);
        if times.is_empty() {
            return None;
        }
        times.sort_unstable();
        let at = |percent| Duration(times[nearest_rank(percent, times.len())]).as_secs();
        let sum: f64 = times.iter().map(|time| *time as f64).sum();
        Some(Self {
            time,
            without_weak,
            blocks,
            requests: times.len() as u64,
            mean: sum / times.len() as f64 / 1e9,
            p80: at(80),
            p99: at(99),
        })
    }
}

/// The samples of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedReport {
    /// In the order of time.
    pub samples: Vec<TimedSample>,
    /// Response time of each over that of the first one, at the 80th percentile.
    pub ratios: Vec<f64>,
    /// Seconds until the first sample of the whole drive reaches the ratio at which the life ends; `None` beyond the horizon.
    pub life: Option<f64>,
    /// The ratio at which the life of the same drive with refresh ends, from the sample without weak blocks; none before the drive without refresh has reached its
    /// end.
    pub ratio_at_end: Option<f64>,
}

impl TimedReport {
    pub(crate) fn new(samples: &[TimedSample], end_ratio: f64) -> Self {
        Self {
            ratios: ratios(samples),
            life: life(samples, end_ratio),
            ratio_at_end: ratio_at_end(samples),
            samples: samples.to_vec(),
        }
    }
}

/// Response time of each sample over that of the first one, at the 80th percentile.
fn ratios(samples: &[TimedSample]) -> Vec<f64> {
    let first = samples.first().map_or(f64::NAN, |sample| sample.p80);
    samples.iter().map(|sample| sample.p80 / first).collect()
}

/// When, in seconds, the first sample with every block in service reaches a ratio.
fn life(samples: &[TimedSample], ratio: f64) -> Option<f64> {
    let both = samples.iter().zip(ratios(samples));
    let mut slow = both.filter(|(sample, found)| !sample.without_weak && *found >= ratio);
    slow.next().map(|(sample, _)| sample.time)
}

/// The ratio of the sample at the end of the life of a drive without refresh, within `RATIO_AT_END`; none before.
fn ratio_at_end(samples: &[TimedSample]) -> Option<f64> {
    let (least, most) = RATIO_AT_END;
    let mut both = samples.iter().zip(ratios(samples));
    let (_, ratio) = both.find(|(sample, _)| sample.without_weak)?;
    Some(ratio.clamp(least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: f64, p80: f64, without_weak: bool) -> TimedSample {
        TimedSample {
            time,
            without_weak,
            blocks: 8,
            requests: 10,
            mean: p80,
            p80,
            p99: p80,
        }
    }

    #[test]
    fn life_ends_at_the_first_slow_sample_of_the_whole_drive() {
        let samples = [at(0.0, 2.0, false), at(1.0, 8.0, true), at(2.0, 3.0, false)];
        assert_eq!(ratios(&samples), [1.0, 4.0, 1.5]);
        assert_eq!(life(&samples, 1.5), Some(2.0));
        assert_eq!(life(&samples, 1.6), None);
        assert_eq!(ratio_at_end(&samples), Some(3.0));
        assert_eq!(
            ratio_at_end(&[at(0.0, 2.0, false), at(1.0, 2.0, true)]),
            Some(1.1)
        );
        assert_eq!(ratio_at_end(&samples[..1]), None);
    }

    #[test]
    fn percentiles_of_response_times_are_by_nearest_rank() {
        use wordline_metrics::{FinishedRequest, RequestClass, Status};
        use wordline_units::SimTime;
        let request = |number: u64| FinishedRequest {
            other: None,
            number,
            class: RequestClass::Read,
            status: Status::Good,
            arrival: SimTime(1_000),
            admitted: SimTime(1_000),
            served: SimTime(1_000),
            completed: SimTime(1_000 + 1_000 * (number + 1)),
            sector: 0,
            sectors: 8,
            queue: 0,
        };
        let mut found = Interval {
            requests: (0..10).rev().map(request).collect(),
            unfinished: 0,
        };
        let second = Duration::from_ms(1_000);
        let sample = TimedSample::of(5.0, false, 3, &found, second).unwrap();
        let near = |one: f64, other: f64| (one - other).abs() < 1e-15;
        assert!(near(sample.p80, 8e-6) && near(sample.p99, 10e-6) && near(sample.mean, 5.5e-6));
        assert_eq!((sample.requests, sample.blocks), (10, 3));
        found.unfinished = 10;
        let sample = TimedSample::of(5.0, false, 3, &found, second).unwrap();
        assert!(near(sample.p80, 4.0), "{sample:?}");
        let nothing = Interval {
            requests: Vec::new(),
            unfinished: 0,
        };
        assert_eq!(TimedSample::of(5.0, false, 3, &nothing, second), None);
    }
}
