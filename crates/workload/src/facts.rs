//! What a replay tells of its trace that decides how its results are to be read.

use wordline_units::Duration;

use crate::time_unit::TimeUnit;

/// Times that are multiples of at most this many nanoseconds are not looked at closer.
const FINE: u64 = 1_000;

/// What a replay found out about its trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFacts {
    /// The file.
    pub path: String,
    /// How its requests arrived; `None` where recorded times are not followed.
    pub gaps: Option<ArrivalGaps>,
    /// Unit of its times and the usual one of its format, where the file's name alone says so.
    pub unit_from_name: Option<(TimeUnit, TimeUnit)>,
    /// The byte after its highest request, its devices laid out.
    pub end: u64,
    /// Bytes of the space that it was replayed in.
    pub capacity: u64,
    /// Requests that were sent.
    pub requests: u64,
    /// Those of them that lay beyond that space and were wrapped around.
    pub folded: u64,
}

/// Gaps between the arrivals of requests that follow one another, as recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrivalGaps {
    /// All of them.
    pub count: u64,
    /// Those of no time.
    pub zero: u64,
    /// What all gaps are multiples of; below a microsecond it is not told exactly. Zero where all gaps are.
    pub resolution: Duration,
}

/// Counts gaps one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GapCounter {
    gaps: ArrivalGaps,
    last: Option<u64>,
}

impl GapCounter {
    /// A request arrives at this nanosecond of the trace's clock.
    #[inline]
    pub(crate) fn arrival(&mut self, arrival: u64) {
        let Some(last) = self.last.replace(arrival) else {
            return;
        };
        let gap = arrival.saturating_sub(last);
        self.gaps.count += 1;
        let Duration(resolution) = self.gaps.resolution;
        if gap == 0 {
            self.gaps.zero += 1;
        } else if resolution == 0 || resolution > FINE {
            self.gaps.resolution = Duration(common_divisor(gap, resolution));
        }
    }

    /// The trace starts over.
    pub(crate) fn starts_over(&mut self) {
        self.last = None;
    }

    pub(crate) const fn gaps(&self) -> ArrivalGaps {
        self.gaps
    }
}

/// The greatest common divisor; that of a number and 0 is the number.
const fn common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(arrivals: &[u64]) -> ArrivalGaps {
        let mut counter = GapCounter::default();
        for arrival in arrivals {
            counter.arrival(*arrival);
        }
        counter.gaps()
    }

    #[test]
    fn gaps_are_counted_and_their_divisor_is_found() {
        const MS: u64 = 1_000_000;
        for (arrivals, count, zero, resolution) in [
            (&[][..], 0, 0, 0),
            (&[7], 0, 0, 0),
            (&[7, 7, 7], 2, 2, 0),
            (&[0, 0, 10 * MS, 10 * MS, 25 * MS], 4, 2, 5 * MS),
            (&[3, 3 + 4 * MS, 3 + 6 * MS], 2, 0, 2 * MS),
            // late ones arrive with those before them
            (&[10 * MS, 5 * MS, 9 * MS], 2, 1, 4 * MS),
        ] {
            let found = gaps(arrivals);
            assert_eq!(
                (found.count, found.zero, found.resolution),
                (count, zero, Duration(resolution)),
                "{arrivals:?}"
            );
        }
        assert!(gaps(&[0, 1, 100]).resolution <= Duration(FINE));
    }

    #[test]
    fn the_way_back_to_the_start_is_no_gap() {
        let mut counter = GapCounter::default();
        for _ in 0..2 {
            counter.arrival(0);
            counter.arrival(500_000);
            counter.starts_over();
        }
        assert_eq!(counter.gaps().count, 2);
        assert_eq!(counter.gaps().zero, 0);
    }
}
