//! What the first rows of a trace come to, as a format reads them: rows whose columns fit several formats are told apart by what drives can do.

use std::path::Path;

use wordline_units::Duration;

use super::format::Format;
use super::row::TraceRow;

/// Bytes per second below and above which no recorded trace lies: a request of 512 B in a second, and more than a server full of drives moves.
const RATES: std::ops::RangeInclusive<f64> = 512.0..=100e9;
/// Bytes of a request on average above which no trace lies.
const LARGEST_MEAN: u64 = 64 << 20;

/// Requests from which on a single reading is doubted: few of them say little of a rate.
const DOUBTED: u64 = 16;

/// Nanoseconds of which all times are multiples where a trace counts 0, 10, 50, ... in their place.
const TENS: u64 = 10;

/// Totals of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    requests: u64,
    bytes: u64,
    first: u64,
    last: u64,
    /// Arrival of the row before.
    before: u64,
    /// Time between the first two rows.
    gap: u64,
    /// The time between two rows is another one somewhere.
    has_gaps: bool,
    /// The time between two rows is no multiple of ten somewhere.
    is_fine: bool,
}

impl Totals {
    pub(crate) fn add(&mut self, row: &TraceRow) {
        if self.requests == 0 {
            (self.first, self.last) = (row.arrival, row.arrival);
        }
        let gap = row.arrival.wrapping_sub(self.before);
        match self.requests {
            0 => {}
            1 => self.gap = gap,
            _ => self.has_gaps |= gap != self.gap,
        }
        self.is_fine |= self.requests > 0 && !gap.is_multiple_of(TENS);
        self.before = row.arrival;
        self.first = self.first.min(row.arrival);
        self.last = self.last.max(row.arrival);
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(row.bytes);
    }

    /// Whether drives could have done this; rows without times or lengths may be anything.
    pub(crate) fn is_plausible(&self) -> bool {
        self.may_have_lost_times() && self.rate() <= *RATES.end()
    }

    /// Whether drives could have done this, if the times are no more than the order of the requests: such traces count
    /// 0, 10, 20, ... where a time stood, and so are too fast in any unit that their format has.
    pub(crate) fn may_have_lost_times(&self) -> bool {
        self.bytes / self.requests.max(1) <= LARGEST_MEAN && self.rate() >= *RATES.start()
    }

    /// Whether drives could have done this, or the times are little more than the order of the requests: all of them are equally far apart, or a multiple of ten
    /// nanoseconds, as in the traces of key-value stores that MQSim reads.
    pub(crate) fn is_plausible_or_counts(&self) -> bool {
        self.is_plausible() || ((!self.has_gaps || !self.is_fine) && self.may_have_lost_times())
    }

    /// Bytes per second; within the accepted ones where there are no times or no lengths.
    fn rate(&self) -> f64 {
        let span = self.last - self.first;
        if span == 0 || self.bytes == 0 {
            return *RATES.start();
        }
        self.bytes as f64 / (span as f64 / 1e9)
    }

    /// What to tell where other formats read other totals out of the same rows that are as plausible, or where the only reading is one that no drive does.
    pub(crate) fn doubt<'a>(
        &self,
        path: &Path,
        format: &Format,
        others: impl Iterator<Item = (&'a Format, &'a Self)>,
    ) -> Option<String> {
        let mut told = vec![*self];
        let mut readings = vec![self.told(format)];
        for (other, totals) in others {
            let may_be = totals.is_plausible() || !self.is_plausible();
            if may_be && !told.contains(totals) {
                told.push(*totals);
                readings.push(totals.told(other));
            }
        }
        if readings.len() == 1 && self.requests >= DOUBTED && !self.is_plausible() {
            return Some(format!(
                "{}: its first {} requests are {}; if its times count in another unit, set workload.time_unit (--time-unit)",
                path.display(),
                self.requests,
                readings.join("")
            ));
        }
        (readings.len() > 1).then(|| {
            format!(
                "{}: formats of the same columns count in other units; its first {} requests are {}; set workload.format (--format) if the first reading is not \
                 the right one",
                path.display(),
                self.requests,
                readings.join("; ")
            )
        })
    }

    fn told(&self, format: &Format) -> String {
        let verdict = if self.is_plausible() {
            ""
        } else {
            ", which no drive does"
        };
        format!(
            "{} B within {} as {}{verdict}",
            self.bytes,
            Duration(self.last - self.first),
            format.title
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HostOp;

    fn totals(gap: u64, bytes: u64) -> Totals {
        let mut totals = Totals::default();
        for number in 0..100 {
            totals.add(&TraceRow::new(number * gap, 0, HostOp::Read, 0, bytes));
        }
        totals
    }

    #[test]
    fn rates_that_no_drive_has_are_not_plausible() {
        assert!(totals(100_000, 512 << 10).is_plausible());
        // 1 KiB every 100 s
        assert!(!totals(100_000_000_000, 1024).is_plausible());
        // 8 KiB every 10 ns
        assert!(!totals(10, 8192).is_plausible());
        assert!(totals(0, 8192).is_plausible());
        assert!(!totals(1_000_000_000, 1 << 30).is_plausible());
    }

    #[test]
    fn a_single_reading_that_no_drive_does_is_doubted() {
        let format = &super::super::table::FORMAT;
        let doubt = |totals: Totals| totals.doubt(Path::new("a"), format, std::iter::empty());
        // seconds in place of milliseconds
        let told = doubt(totals(100_000_000_000, 4096)).unwrap();
        assert!(
            told.contains("no drive does") && told.contains("--time-unit"),
            "{told}"
        );
        assert_eq!(doubt(totals(100_000, 4096)), None);
    }

    #[test]
    fn times_that_are_too_fast_count_the_requests_where_they_are_equally_far_apart() {
        let mut uneven = totals(10, 8192);
        assert!(uneven.is_plausible_or_counts());
        uneven.add(&TraceRow::new(1003, 0, HostOp::Read, 0, 8192));
        assert!(!uneven.is_plausible_or_counts());
        assert!(totals(100_000, 4096).is_plausible_or_counts());
    }

    #[test]
    fn times_that_only_count_the_requests_are_too_fast_and_never_too_slow() {
        assert!(totals(10, 8192).may_have_lost_times());
        assert!(!totals(100_000_000_000, 1024).may_have_lost_times());
        assert!(!totals(10, 1 << 30).may_have_lost_times());
    }
}
