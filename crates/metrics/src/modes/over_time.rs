//! Modes over time: in which modes the host's pages were read and programmed, and how long units were idle meanwhile.

use wordline_nand::Mode;
use wordline_units::{Duration, SimTime};

use super::Tally;

/// Intervals that a run is cut into: between half of these and all of them.
const INTERVALS: usize = 128;
/// Length of an interval at the start of a run, ns; it doubles when the run outgrows the table.
const FIRST: u64 = 16_384;

/// Pages of the host of one mode.
#[derive(Clone, Copy, Debug, Default)]
struct Pages {
    read: u64,
    programmed: u64,
}

/// What happened in one interval.
#[derive(Clone, Debug, Default)]
struct Interval {
    /// By mode; empty where nothing was read or programmed.
    pages: Vec<Pages>,
    /// Times without operations of the host that ended in a unit.
    idle: Tally,
    /// Decisions on modes, and the idle times that were expected then.
    expected: Tally,
}

impl Interval {
    fn merge(&mut self, later: &Self) {
        if self.pages.is_empty() {
            self.pages.clone_from(&later.pages);
        } else {
            for (sum, more) in self.pages.iter_mut().zip(&later.pages) {
                sum.read += more.read;
                sum.programmed += more.programmed;
            }
        }
        self.idle.merge(later.idle);
        self.expected.merge(later.expected);
    }
}

/// Intervals of equal length over a run. Memory is flat: they merge in pairs when the run outgrows them.
#[derive(Clone, Debug)]
pub(super) struct OverTime {
    /// Start of the first interval, ns.
    origin: u64,
    length: u64,
    modes: usize,
    intervals: Vec<Interval>,
}

impl OverTime {
    pub(super) fn new(modes: usize) -> Self {
        Self {
            origin: 0,
            length: FIRST,
            modes,
            intervals: Vec::new(),
        }
    }

    /// Forgets what was before `now`, where the first interval starts from now on.
    pub(super) fn restart(&mut self, now: SimTime) {
        *self = Self {
            origin: now.ns(),
            ..Self::new(self.modes)
        };
    }

    /// The interval of a moment.
    fn at(&mut self, now: SimTime) -> &mut Interval {
        let since = now.since(SimTime(self.origin)).ns();
        self.reach(since);
        let index = (since / self.length) as usize;
        if index >= self.intervals.len() {
            self.intervals.resize_with(index + 1, Interval::default);
        }
        &mut self.intervals[index]
    }

    /// Merges intervals until the table has one for the moment `since` its start.
    fn reach(&mut self, since: u64) {
        while since / self.length >= INTERVALS as u64 {
            let mut merged = Vec::with_capacity(INTERVALS);
            for pair in self.intervals.chunks(2) {
                let mut both = pair[0].clone();
                if let [_, later] = pair {
                    both.merge(later);
                }
                merged.push(both);
            }
            self.intervals = merged;
            self.length *= 2;
        }
    }

    fn pages(&mut self, now: SimTime, mode: Mode) -> &mut Pages {
        let modes = self.modes;
        let pages = &mut self.at(now).pages;
        pages.resize(modes, Pages::default());
        &mut pages[mode.index()]
    }

    /// A page of the host was read.
    pub(super) fn read(&mut self, now: SimTime, mode: Mode) {
        self.pages(now, mode).read += 1;
    }

    /// A page of the host was programmed.
    pub(super) fn programmed(&mut self, now: SimTime, mode: Mode) {
        self.pages(now, mode).programmed += 1;
    }

    /// A time without operations of the host has ended in a unit.
    pub(super) fn idle_ended(&mut self, now: SimTime, length: Duration) {
        // one that ended before measuring began may be told of later
        if now.ns() >= self.origin {
            self.at(now).idle.add(length);
        }
    }

    /// A mode was decided on, with this idle time expected.
    pub(super) fn expected(&mut self, now: SimTime, idle: Duration) {
        self.at(now).expected.add(idle);
    }

    /// The table, up to the end of the run, which may be long after the last operation.
    pub(super) fn columns(&mut self, end: SimTime) -> ModeColumns {
        let end = end.since(SimTime(self.origin)).ns();
        self.reach(end.saturating_sub(1));
        let mut columns = ModeColumns::default();
        let mean_us = |tally: Tally| tally.mean_us().unwrap_or(f64::NAN);
        // what happened at the very end may have begun an interval there
        let intervals = (end.div_ceil(self.length) as usize).max(self.intervals.len());
        self.intervals.resize_with(intervals, Interval::default);
        for (number, interval) in (0..).zip(&self.intervals) {
            let start = number * self.length;
            for mode in 0..self.modes {
                let pages = interval.pages.get(mode).copied().unwrap_or_default();
                columns.start_ns.push(self.origin + start);
                columns.width_ns.push(end.saturating_sub(start).min(self.length));
                columns.mode.push(mode as u8);
                columns.host_pages_read.push(pages.read);
                columns.host_pages_programmed.push(pages.programmed);
                columns.idle_ended.push(interval.idle.count);
                columns.idle_mean_us.push(mean_us(interval.idle));
                columns.expected_idle_us.push(mean_us(interval.expected));
            }
        }
        columns
    }
}

/// One row for each mode in each interval of the run, one vector per column; a mean of nothing is NaN.
#[derive(Clone, Debug, Default)]
pub struct ModeColumns {
    /// Start of the interval, ns since the start of the run.
    pub start_ns: Vec<u64>,
    /// Its length, ns; of the last one, the part of it that the run lasted.
    pub width_ns: Vec<u64>,
    /// Number of the mode: 0 for the normal one.
    pub mode: Vec<u8>,
    /// Pages of the mode that were read for the host.
    pub host_pages_read: Vec<u64>,
    /// Pages that were programmed for the host in the mode.
    pub host_pages_programmed: Vec<u64>,
    /// Of all modes: times without operations of the host that ended in a unit.
    pub idle_ended: Vec<u64>,
    /// Of all modes: their mean length, us.
    pub idle_mean_us: Vec<f64>,
    /// Of all modes: the mean idle time that the policy of modes expected when it decided, us.
    pub expected_idle_us: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Intervals of 16,384 ns: in the first a read, two programs, and idle times of 4 and 8 us; in the third a program for which
    /// 7 us were expected, at the end of the run.
    #[test]
    fn a_small_run_by_hand() {
        let at = |ns: u64| SimTime(1_000 + ns);
        let mut table = OverTime::new(2);
        table.read(SimTime(10), Mode(1));
        table.restart(at(0));
        table.read(at(0), Mode(0));
        table.programmed(at(16_383), Mode(1));
        table.programmed(at(5), Mode(1));
        table.idle_ended(SimTime(999), Duration(3_000));
        table.idle_ended(at(9), Duration(4_000));
        table.idle_ended(at(19), Duration(8_000));
        table.expected(at(40_000), Duration(7_000));
        table.programmed(at(40_000), Mode(0));
        let found = table.columns(at(40_000));
        assert_eq!(found.start_ns, [1_000, 1_000, 17_384, 17_384, 33_768, 33_768]);
        assert_eq!(found.width_ns, [16_384, 16_384, 16_384, 16_384, 7_232, 7_232]);
        assert_eq!(found.mode, [0, 1, 0, 1, 0, 1]);
        assert_eq!(found.host_pages_read, [1, 0, 0, 0, 0, 0]);
        assert_eq!(found.host_pages_programmed, [0, 2, 0, 0, 1, 0]);
        assert_eq!(found.idle_ended, [2, 2, 0, 0, 0, 0]);
        assert_eq!((found.idle_mean_us[0], found.expected_idle_us[4]), (6.0, 7.0));
        assert!(found.idle_mean_us[2].is_nan() && found.expected_idle_us[0].is_nan());
    }

    proptest! {
        /// However long the run, nothing is lost, and the intervals fill it.
        #[test]
        fn nothing_is_lost(events in prop::collection::vec((0_u64..1 << 34, 0_u8..3, 0_u64..1 << 20), 1..80), quiet in 0_u64..1 << 36) {
            let mut table = OverTime::new(3);
            let (mut now, mut programmed, mut idle) = (SimTime(0), [0; 3], 0);
            for (later, mode, length) in &events {
                now += Duration(*later);
                table.programmed(now, Mode(*mode));
                table.idle_ended(now, Duration(*length));
                programmed[usize::from(*mode)] += 1;
                idle += length;
            }
            let end = now.0 + quiet;
            let found = table.columns(SimTime(end));
            let rows = 0..found.mode.len();
            for (mode, programs) in programmed.into_iter().enumerate() {
                let own = rows.clone().filter(|row| usize::from(found.mode[*row]) == mode);
                prop_assert_eq!(own.clone().map(|row| found.host_pages_programmed[row]).sum::<u64>(), programs);
                prop_assert_eq!(own.map(|row| found.width_ns[row]).sum::<u64>(), end);
            }
            let times = rows.filter(|row| found.mode[*row] == 0 && found.idle_ended[*row] > 0);
            let sum: f64 = times.map(|row| found.idle_mean_us[row] * found.idle_ended[row] as f64 * 1e3).sum();
            prop_assert!((sum - idle as f64).abs() < 1.0);
            prop_assert!(found.mode.len() <= 3 * (INTERVALS + 1));
        }
    }
}
