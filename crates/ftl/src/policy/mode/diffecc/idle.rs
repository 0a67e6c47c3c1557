//! How long a part of the drive has been without work of the host of late ("diffecc", section 6).

use wordline_units::{Duration, SimTime};

/// The mean length of the idle intervals that ended in a window of time, sampled at the end of each window.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdleEstimate {
    /// Length of a window.
    period: Duration,
    /// What was found at the last sample; zero at first.
    estimate: Duration,
    /// The next moment at which a sample is due.
    next: SimTime,
    /// Intervals that have ended since the last sample, and their total length.
    ended: u64,
    total: Duration,
}

impl IdleEstimate {
    /// Nothing is known; samples are taken at multiples of `period`, which must not be zero.
    pub(super) const fn new(period: Duration) -> Self {
        Self {
            period,
            estimate: Duration::ZERO,
            next: SimTime(period.0),
            ended: 0,
            total: Duration::ZERO,
        }
    }

    /// Takes the samples that are due before `until`, and tells whether there was one. There has been no work since
    /// `idle_since`; `None` where there is some.
    ///
    /// A sample is the mean of the intervals that ended in its window. Where none ended it is the length of the present
    /// interval so far or, with work, the sample before.
    pub(super) fn sample(&mut self, until: SimTime, idle_since: Option<SimTime>) -> bool {
        if self.next >= until {
            return false;
        }
        let so_far = |at: SimTime| {
            idle_since
                .filter(|since| *since <= at)
                .map(|since| at.since(since))
        };
        if let Some(mean) = self.total.0.checked_div(self.ended) {
            self.estimate = Duration(mean);
            (self.ended, self.total) = (0, Duration::ZERO);
        } else {
            self.estimate = so_far(self.next).unwrap_or(self.estimate);
        }
        // in the windows behind it none ended
        let further = (until.0 - 1 - self.next.0) / self.period.0;
        if further > 0 {
            let last = SimTime(self.next.0 + further * self.period.0);
            self.estimate = so_far(last).unwrap_or(self.estimate);
        }
        self.next = SimTime(self.next.0 + (further + 1) * self.period.0);
        true
    }

    /// A time without work, from `from` to `to`, has ended. One that ends at the moment of a sample belongs to it.
    /// Tells whether a sample was taken before.
    pub(super) fn end_interval(&mut self, from: SimTime, to: SimTime) -> bool {
        let sampled = self.sample(to, Some(from));
        self.ended += 1;
        self.total += to.since(from);
        sampled
    }

    /// The last sample; zero before the first.
    pub(super) const fn estimate(&self) -> Duration {
        self.estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> SimTime {
        SimTime::ZERO + Duration::from_ms(ms)
    }

    /// Windows of 10 ms. In the first, intervals of 2 and 4 ms end; in the second one of 3 ms, just at its end; in the third
    /// none, with work; from 35 ms on there is none until 62 ms.
    #[test]
    fn each_window_has_the_mean_of_its_intervals() {
        let mut idle = IdleEstimate::new(Duration::from_ms(10));
        let after = |at: SimTime| at + Duration(1);
        idle.end_interval(ms(0), ms(2));
        idle.end_interval(ms(4), ms(8));
        assert_eq!(idle.estimate(), Duration::ZERO);
        assert!(!idle.sample(ms(10), None));
        assert!(idle.sample(after(ms(10)), None));
        assert_eq!(idle.estimate(), Duration::from_ms(3));
        assert!(!idle.end_interval(ms(17), ms(20)));
        assert!(idle.sample(after(ms(29)), None));
        assert_eq!(idle.estimate(), Duration::from_ms(3));
        idle.sample(after(ms(30)), None);
        assert_eq!(idle.estimate(), Duration::from_ms(3));
        idle.sample(after(ms(40)), Some(ms(35)));
        assert_eq!(idle.estimate(), Duration::from_ms(5));
        // the samples at 50 and 60 ms see 15 and 25 ms; the interval of 27 ms belongs to the one at 70 ms
        assert!(idle.end_interval(ms(35), ms(62)));
        assert_eq!(idle.estimate(), Duration::from_ms(25));
        idle.sample(after(ms(99)), None);
        assert_eq!(idle.estimate(), Duration::from_ms(27));
    }

    /// With work throughout, nothing is learned.
    #[test]
    fn without_idle_intervals_the_estimate_stays() {
        let mut idle = IdleEstimate::new(Duration::from_ms(10));
        idle.end_interval(ms(0), ms(5));
        idle.sample(ms(1_000), None);
        assert_eq!(idle.estimate(), Duration::from_ms(5));
        idle.sample(ms(10_000), None);
        assert_eq!(idle.estimate(), Duration::from_ms(5));
    }
}
