//! Steady state as fio judges it: a job ends when its rate has settled.
//!
//! fio's documentation of `steadystate` and its `steadystate.c`: a value is collected in every interval, and the values of a
//! rolling window are judged together, either by the largest distance of one of them from their mean, or by the slope of the
//! straight line through them by least squares, per interval.

use wordline_units::Duration;

/// What is collected in every interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collected {
    /// Commands completed, per second.
    Iops,
    /// Bytes of these, per second.
    Bandwidth,
    /// Their mean latency, ns.
    Latency,
}

/// When a job is in a steady state.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyState {
    /// What is collected.
    pub collected: Collected,
    /// Whether the slope is judged, instead of the distances from the mean.
    pub is_slope: bool,
    /// The criterion must be below this.
    pub limit: f64,
    /// Whether the limit is a percentage of the mean.
    pub is_percentage: bool,
    /// Length of the rolling window.
    pub window: Duration,
    /// Nothing is collected for so long after the start of the job.
    pub ramp: Duration,
    /// Length of an interval.
    pub interval: Duration,
    /// As it is written, for messages.
    pub text: String,
}

impl SteadyState {
    /// Values in a window.
    #[must_use]
    pub fn values(&self) -> usize {
        (self.window.ns() / self.interval.ns().max(1)) as usize
    }

    /// The value of an interval in which so many commands with so many bytes were completed, with latencies that sum to
    /// `latency_ns`.
    #[must_use]
    pub fn value(&self, commands: u64, bytes: u64, latency_ns: u128) -> f64 {
        let per_second = |amount: u64| amount as f64 / self.interval.as_secs();
        match self.collected {
            Collected::Iops => per_second(commands),
            Collected::Bandwidth => per_second(bytes),
            Collected::Latency => latency_ns as f64 / commands.max(1) as f64,
        }
    }

    /// Whether the values of a window, oldest first, are those of a steady state.
    #[must_use]
    pub fn is_attained(&self, values: &[f64]) -> bool {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let criterion = if self.is_slope {
            let middle = (count - 1.0) / 2.0;
            let (mut product, mut square) = (0.0, 0.0);
            for (index, value) in values.iter().enumerate() {
                let place = index as f64 - middle;
                product += place * value;
                square += place * place;
            }
            (product / square).abs()
        } else {
            let distances = values.iter().map(|value| (value - mean).abs());
            distances.fold(0.0, f64::max)
        };
        let criterion = if self.is_percentage {
            100.0 * criterion / mean
        } else {
            criterion
        };
        criterion < self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(is_slope: bool, limit: f64, is_percentage: bool) -> SteadyState {
        SteadyState {
            collected: Collected::Iops,
            is_slope,
            limit,
            is_percentage,
            window: Duration::from_ms(5_000),
            ramp: Duration::ZERO,
            interval: Duration::from_ms(1_000),
            text: String::new(),
        }
    }

    /// Of 98, 101, 100, 103, 98 the mean is 100 and the largest distance 3; the slope is (-2 x 98 - 101 + 103 + 2 x 98) / 10.
    #[test]
    fn distances_and_slopes_by_hand() {
        let values = [98.0, 101.0, 100.0, 103.0, 98.0];
        for (is_slope, limit, is_percentage, is_attained) in [
            (false, 3.0, false, false),
            (false, 3.1, false, true),
            (false, 3.1, true, true),
            (true, 0.2, false, false),
            (true, 0.21, false, true),
        ] {
            let judge = judge(is_slope, limit, is_percentage);
            assert_eq!(judge.is_attained(&values), is_attained, "{judge:?}");
        }
        // a slope of 10 is 5 % of 200, whichever way it goes
        let falling = [220.0, 210.0, 200.0, 190.0, 180.0];
        assert!(judge(true, 5.1, true).is_attained(&falling));
        assert!(!judge(true, 5.0, true).is_attained(&falling));
        assert!(!judge(false, 10.0, true).is_attained(&falling));
    }

    #[test]
    fn values_of_an_interval() {
        let of = |collected| SteadyState {
            collected,
            interval: Duration::from_ms(500),
            ..judge(false, 1.0, true)
        };
        assert_eq!(of(Collected::Iops).value(10, 40_960, 5_000), 20.0);
        assert_eq!(of(Collected::Bandwidth).value(10, 40_960, 5_000), 81_920.0);
        assert_eq!(of(Collected::Latency).value(10, 40_960, 5_000), 500.0);
        assert_eq!(of(Collected::Latency).values(), 10);
        // nothing is done: the mean is 0, and no percentage of it is below a limit
        assert!(!of(Collected::Iops).is_attained(&[0.0, 0.0]));
    }
}
