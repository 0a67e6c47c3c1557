//! Time series: what happened in each window of simulated time.

use wordline_ftl::Cause;
use wordline_units::{Duration, SimTime};

use crate::energy::{SteadyPower, WindowPower};
use crate::gauge::Gauge;
use crate::probe::{CommandKind, FinishedRequest};
use crate::series_columns::SeriesColumns;
use crate::series_window::{Acknowledged, Window};

/// Width at which an automatic series starts.
const FIRST_WINDOW: Duration = Duration::from_ms(1);
/// Width at which a fine automatic series starts.
const FINE_WINDOW: Duration = Duration::from_us(1);
/// Windows that an automatic series may have before it doubles their width.
const AUTOMATIC_LIMIT: u64 = 2048;
/// Windows that a series of fixed width may have before it doubles it.
const FIXED_LIMIT: u64 = 1 << 20;

/// Which of three shares a cause belongs to: the host's, that of GC, that of all others.
const fn share_of(cause: Cause) -> usize {
    match cause {
        Cause::Host => 0,
        Cause::Gc => 1,
        _ => 2,
    }
}

/// Windows of equal width over a run. An event belongs to the window in which it was reported.
///
/// Memory is flat: an automatic series starts with windows of 1 ms and, whenever it would need
/// more than 2048, merges them in pairs and doubles their width. What it holds depends on the
/// events alone.
#[derive(Clone, Debug)]
pub struct Series {
    /// Start of the first window, ns.
    origin: u64,
    width: u64,
    configured: Option<Duration>,
    limit: u64,
    /// Windows before the current one.
    past: Vec<Window>,
    current: Window,
    /// End of the current window, ns.
    current_end: u64,
    outstanding: Gauge,
    most_outstanding: u64,
    /// End of the run, once it is over.
    end: Option<u64>,
}

impl Series {
    /// An empty series; no width stands for the automatic one. A width of zero counts as 1 ns
    /// (`OutputConfig::check` refuses it).
    #[must_use]
    pub fn new(window: Option<Duration>) -> Self {
        let width = window.unwrap_or(FIRST_WINDOW).ns().max(1);
        Self {
            origin: 0,
            width,
            configured: window,
            limit: if window.is_some() {
                FIXED_LIMIT
            } else {
                AUTOMATIC_LIMIT
            },
            past: Vec::new(),
            current: Window::default(),
            current_end: width,
            outstanding: Gauge::default(),
            most_outstanding: 0,
            end: None,
        }
    }

    /// An empty automatic series that starts with windows of 1 us, so that short runs have many windows too.
    #[must_use]
    pub fn fine() -> Self {
        Self {
            width: FINE_WINDOW.ns(),
            current_end: FINE_WINDOW.ns(),
            ..Self::new(None)
        }
    }

    /// Forgets what was before `now`, where the first window starts from now on; requests in the drive stay there.
    pub fn restart(&mut self, now: SimTime) {
        let fresh = Self::new(self.configured);
        self.outstanding.restart(now.ns());
        *self = Self {
            origin: now.ns(),
            current_end: now.ns().saturating_add(fresh.width),
            outstanding: self.outstanding,
            most_outstanding: self.outstanding.level,
            ..fresh
        };
    }

    /// Brings the current window up to `now`.
    #[inline]
    fn reach(&mut self, now: SimTime) {
        if now.ns() >= self.current_end {
            self.roll(now.ns());
        }
    }

    #[inline(never)]
    fn roll(&mut self, now: u64) {
        while (now - self.origin) / self.width >= self.limit {
            self.double();
        }
        while now >= self.current_end {
            self.outstanding.settle(self.current_end, &mut self.current);
            self.past.push(std::mem::take(&mut self.current));
            self.current_end = self.current_end.saturating_add(self.width);
        }
    }

    /// Merges the windows in pairs, in place.
    fn double(&mut self) {
        self.past.push(self.current);
        let windows = self.past.len();
        for pair in 0..windows.div_ceil(2) {
            let mut merged = self.past[2 * pair];
            if let Some(later) = self.past.get(2 * pair + 1) {
                merged.merge(later);
            }
            self.past[pair] = merged;
        }
        self.past.truncate(windows.div_ceil(2));
        self.width = self.width.saturating_mul(2);
        self.current = self.past.pop().unwrap_or_default();
        let length = (self.past.len() as u64 + 1).saturating_mul(self.width);
        self.current_end = self.origin.saturating_add(length);
    }

    /// Host requests were acknowledged, in the order of time and since the last that were told of; `acknowledged` is
    /// what they amount to, by class. They may lie in windows that are over: those are counted in them.
    pub(crate) fn requests(&mut self, requests: &[FinishedRequest], acknowledged: &[Acknowledged; 3]) {
        let (Some(first), Some(last)) = (requests.first(), requests.last()) else {
            return;
        };
        self.reach(last.completed);
        if self.index(first) == self.past.len() {
            for (sum, more) in self.current.acknowledged.iter_mut().zip(acknowledged) {
                sum.merge(more);
            }
            return;
        }
        for request in requests {
            let index = self.index(request);
            let window = self.past.get_mut(index).unwrap_or(&mut self.current);
            window.acknowledged[request.class.index()].add(request);
        }
    }

    /// Index of the window in which a request was acknowledged.
    fn index(&self, request: &FinishedRequest) -> usize {
        (request.completed.since(SimTime(self.origin)).ns() / self.width) as usize
    }

    /// A flash operation was done. A copy-back counts as a page programmed.
    #[inline]
    pub fn operation(&mut self, now: SimTime, kind: CommandKind, cause: Cause) {
        self.reach(now);
        match kind {
            CommandKind::Read => self.current.read += 1,
            CommandKind::Erase => self.current.erased += 1,
            CommandKind::Program | CommandKind::CopyBack => {
                self.current.programmed[share_of(cause)] += 1;
            }
        }
    }

    /// A flash operation that was done at `now` took `joules`.
    #[inline]
    pub fn energy(&mut self, now: SimTime, cause: Cause, joules: f64) {
        self.reach(now);
        self.current.flash_energy[share_of(cause)] += joules;
    }

    /// A channel is taken for `busy` from `now` on.
    #[inline]
    pub fn bus(&mut self, now: SimTime, busy: Duration) {
        self.reach(now);
        self.current.bus += busy.ns();
    }

    /// A request is in the drive from `now` on.
    #[inline]
    pub fn admitted(&mut self, now: SimTime) {
        self.reach(now);
        self.outstanding.rise(now.ns());
        self.most_outstanding = self.most_outstanding.max(self.outstanding.level);
    }

    /// A request that was in the drive has been acknowledged.
    #[inline]
    pub fn left(&mut self, now: SimTime) {
        self.reach(now);
        self.outstanding.fall(now.ns());
    }

    /// Accounts for the requests in the drive up to the end of the run.
    pub fn finish(&mut self, end: SimTime) {
        // the last window is the one that `end` closes, not one that begins there
        self.reach(SimTime(end.ns().saturating_sub(1).max(self.origin)));
        self.outstanding.settle(end.ns(), &mut self.current);
        // events at `end` itself may have begun a window there, which would have no width
        if self.origin + self.past.len() as u64 * self.width == end.ns()
            && let Some(mut last) = self.past.pop()
        {
            last.merge(&self.current);
            self.current = last;
        }
        self.end = Some(end.ns());
    }

    /// Width of the windows now.
    #[must_use]
    pub fn window(&self) -> Duration {
        Duration(self.width)
    }

    /// The configured width, where it had to be given up for a wider one.
    #[must_use]
    pub fn widened_from(&self) -> Option<Duration> {
        self.configured.filter(|window| window.ns() != self.width)
    }

    /// Requests in the drive up to the end, summed over nanoseconds: the left side of Little's law times time.
    #[must_use]
    pub fn outstanding_area(&self) -> u128 {
        self.outstanding.area
    }

    /// Time with at least one request in the drive, up to the end.
    #[must_use]
    pub fn active(&self) -> Duration {
        Duration(self.outstanding.active)
    }

    /// Mean number of requests in the drive over `elapsed`; zero if no time has passed.
    #[must_use]
    pub fn mean_outstanding(&self, elapsed: Duration) -> f64 {
        mean(self.outstanding.area, elapsed.ns()).unwrap_or(0.0)
    }

    /// Most requests in the drive at once.
    #[must_use]
    pub fn most_outstanding(&self) -> u64 {
        self.most_outstanding
    }

    /// The windows up to the current one, each with its start.
    fn windows(&self) -> impl Iterator<Item = (u64, &Window)> {
        let windows = self.past.iter().chain(std::iter::once(&self.current));
        windows
            .enumerate()
            .map(|(index, window)| (self.origin + index as u64 * self.width, window))
    }

    /// How much of the window that starts at `start` the run has lasted.
    fn lasted(&self, start: u64) -> u64 {
        self.end
            .map_or(self.width, |end| end.saturating_sub(start).min(self.width))
    }

    /// Highest mean power of a window in W; none if no time has passed.
    pub(crate) fn most_power(&self, steady: &SteadyPower) -> Option<f64> {
        self.windows()
            .filter_map(|(start, window)| WindowPower::of(window, steady, self.lasted(start)))
            .map(|power| power.total)
            .reduce(f64::max)
    }

    /// The table of the windows up to the current one, with power where a ledger of energy was kept.
    #[must_use]
    pub fn columns(&self, steady: Option<&SteadyPower>) -> SeriesColumns {
        let mut columns = SeriesColumns::default();
        for (start, window) in self.windows() {
            let lasted = self.lasted(start);
            let power = steady.and_then(|steady| WindowPower::of(window, steady, lasted));
            // a run without time has one window, whose rates are 0
            columns.push(start, lasted.max(1), window, power.as_ref());
        }
        columns
    }
}

fn mean(area: u128, time: u64) -> Option<f64> {
    (time > 0).then(|| area as f64 / time as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::RequestClass;
    use crate::probe::Status;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    fn request(arrival: u64, completed: u64, class: RequestClass) -> FinishedRequest {
        FinishedRequest {
            number: 0,
            class,
            status: Status::Good,
            arrival: SimTime(arrival),
            admitted: SimTime(arrival),
            completed: SimTime(completed),
            sector: 0,
            sectors: 8,
            queue: 0,
        }
    }

    /// Tells a series of acknowledged requests, all at once.
    fn acknowledge(series: &mut Series, requests: &[FinishedRequest]) {
        let mut acknowledged = [Acknowledged::default(); 3];
        for request in requests {
            acknowledged[request.class.index()].add(request);
        }
        series.requests(requests, &acknowledged);
    }

    /// Brings the requests in the drive to a number.
    fn outstanding(series: &mut Series, now: u64, requests: u64) {
        while series.outstanding.level < requests {
            series.admitted(SimTime(now));
        }
        while series.outstanding.level > requests {
            series.left(SimTime(now));
        }
    }

    #[test]
    fn events_fall_into_their_windows() {
        let mut series = Series::new(Some(Duration::from_ms(1)));
        outstanding(&mut series, 0, 2);
        outstanding(&mut series, MS + MS / 2, 0);
        acknowledge(
            &mut series,
            &[
                request(0, MS - 1, RequestClass::Read),
                request(MS, MS + MS / 2, RequestClass::Write),
            ],
        );
        series.operation(SimTime(3 * MS), CommandKind::CopyBack, Cause::Gc);
        series.operation(SimTime(3 * MS), CommandKind::Erase, Cause::Gc);
        series.finish(SimTime(4 * MS));
        let table = series.columns(None);
        assert_eq!(table.start_ns, [0, MS, 2 * MS, 3 * MS]);
        assert_eq!(table.reads, [1, 0, 0, 0]);
        assert_eq!(table.writes, [0, 1, 0, 0]);
        assert_eq!(table.written_bytes, [0, 4096, 0, 0]);
        assert_eq!(table.write_mean_us[1], 500.0);
        assert!(table.write_mean_us[0].is_nan());
        assert_eq!(table.pages_programmed_gc, [0, 0, 0, 1]);
        assert_eq!(table.blocks_erased, [0, 0, 0, 1]);
        assert_eq!(table.outstanding_mean, [2.0, 1.0, 0.0, 0.0]);
        assert_eq!(series.mean_outstanding(Duration::from_ms(4)), 0.75);
        assert_eq!(series.most_outstanding(), 2);
    }

    /// A program that ends with the run, 2 ms after its start, belongs to the second window of a millisecond: there is
    /// no third one.
    #[test]
    fn events_at_the_very_end_are_in_the_last_window() {
        let mut series = Series::new(Some(Duration::from_ms(1)));
        outstanding(&mut series, 0, 1);
        series.operation(SimTime(2 * MS), CommandKind::Program, Cause::Host);
        series.energy(SimTime(2 * MS), Cause::Host, 1e-3);
        outstanding(&mut series, 2 * MS, 0);
        acknowledge(&mut series, &[request(0, 2 * MS, RequestClass::Write)]);
        series.finish(SimTime(2 * MS));
        let steady = SteadyPower {
            controller: 0.0,
            dram: 0.0,
            channel_io: 0.0,
            idle: 0.0,
        };
        let table = series.columns(Some(&steady));
        assert_eq!(table.start_ns, [0, MS]);
        assert_eq!(table.width_ns, [MS, MS]);
        assert_eq!(table.writes, [0, 1]);
        assert_eq!(table.pages_programmed_host, [0, 1]);
        assert_eq!(table.outstanding_mean, [1.0, 1.0]);
        // 1 mJ in 1 ms
        assert_eq!(table.power_mw, [0.0, 1000.0]);
        assert_eq!(series.most_power(&steady), Some(1.0));
    }

    /// Two requests in the drive for 2.25 ms: the last of three windows lasts a quarter of a millisecond.
    #[test]
    fn the_last_window_is_as_long_as_the_run_was_in_it() {
        let mut series = Series::new(Some(Duration::from_ms(1)));
        outstanding(&mut series, 0, 2);
        let end = 2 * MS + MS / 4;
        acknowledge(&mut series, &[request(0, end, RequestClass::Write); 2]);
        outstanding(&mut series, end, 0);
        series.finish(SimTime(end));
        let table = series.columns(None);
        assert_eq!(table.width_ns, [MS, MS, MS / 4]);
        assert_eq!(table.outstanding_mean, [2.0; 3]);
        let rate = table.written_bytes[2] as f64 / table.width_ns[2] as f64;
        assert_eq!(rate, 8192.0 / (MS / 4) as f64);
        let mut nothing = Series::new(None);
        nothing.finish(SimTime::ZERO);
        assert_eq!(nothing.columns(None).outstanding_mean, [0.0]);
    }

    #[test]
    fn doubles_instead_of_growing() {
        let mut series = Series::new(None);
        series.operation(SimTime(2048 * MS - 1), CommandKind::Read, Cause::Host);
        assert_eq!(
            (series.window(), series.columns(None).rows()),
            (Duration::from_ms(1), 2048)
        );
        series.operation(SimTime(2048 * MS), CommandKind::Read, Cause::Host);
        assert_eq!(
            (series.window(), series.columns(None).rows()),
            (Duration::from_ms(2), 1025)
        );
        // a gap of a century of simulated time
        series.operation(SimTime(3_155_760_000_000_000_000), CommandKind::Read, Cause::Host);
        let table = series.columns(None);
        assert!(table.rows() <= 2048 && series.past.capacity() <= 4096);
        assert_eq!(table.pages_read.iter().sum::<u64>(), 3);
        assert_eq!(series.widened_from(), None);
    }

    #[test]
    fn a_fixed_width_gives_way_only_beyond_its_limit() {
        let mut series = Series::new(Some(Duration(1)));
        series.operation(SimTime((1 << 20) - 1), CommandKind::Read, Cause::Host);
        assert_eq!(series.widened_from(), None);
        series.operation(SimTime(1 << 20), CommandKind::Read, Cause::Host);
        assert_eq!(series.widened_from(), Some(Duration(1)));
        assert_eq!(series.window(), Duration(2));
    }

    proptest! {
        /// Sums do not depend on the widths, and the last table depends on the events alone.
        #[test]
        fn doubling_keeps_sums(steps in proptest::collection::vec((0_u64..200 * MS, 0_u64..9), 1..300)) {
            let mut automatic = Series::new(None);
            let mut one = Series::new(Some(Duration(u64::MAX)));
            let (mut now, mut area, mut level) = (0, 0_u128, 0);
            for (gap, value) in &steps {
                area += u128::from(*gap) * u128::from(level);
                now += gap;
                level = *value;
                for series in [&mut automatic, &mut one] {
                    outstanding(series, now, level);
                    let class = RequestClass::ALL[(value % 3) as usize];
                    acknowledge(series, &[request(now - value.min(&now), now, class)]);
                    series.operation(SimTime(now), CommandKind::Program, Cause::ALL[*value as usize]);
                }
            }
            automatic.finish(SimTime(now));
            one.finish(SimTime(now));
            prop_assert_eq!(automatic.outstanding_area(), area);
            let windows = automatic.past.iter().chain(std::iter::once(&automatic.current));
            let mut merged = Window::default();
            for window in windows.clone() {
                merged.merge(window);
            }
            prop_assert_eq!(merged, one.current);
            prop_assert_eq!(merged.outstanding, area);
            prop_assert!(windows.count() <= 2048);
        }

        /// Requests that are told of late, several at a time, are counted in the windows in which they were acknowledged.
        #[test]
        fn requests_may_be_told_of_late(
            steps in proptest::collection::vec((0_u64..40 * MS, 0_usize..3, any::<bool>()), 1..400),
            batch in 1_usize..80,
            width in proptest::option::of(1_u64..20 * MS),
        ) {
            let [mut at_once, mut late] = [(); 2].map(|()| Series::new(width.map(Duration)));
            let (mut now, mut waiting) = (0, Vec::new());
            for (gap, class, operation) in steps {
                now += gap;
                let request = request(now - gap.min(now), now, RequestClass::ALL[class]);
                acknowledge(&mut at_once, &[request]);
                waiting.push(request);
                if waiting.len() == batch {
                    acknowledge(&mut late, &std::mem::take(&mut waiting));
                }
                for series in [&mut at_once, &mut late] {
                    if operation {
                        series.operation(SimTime(now), CommandKind::Read, Cause::Host);
                    }
                }
            }
            acknowledge(&mut late, &waiting);
            prop_assert_eq!(at_once.width, late.width);
            prop_assert_eq!(&at_once.past, &late.past);
            prop_assert_eq!(at_once.current, late.current);
        }
    }
}
