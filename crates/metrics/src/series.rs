//! Time series: what happened in each window of simulated time.

#[cfg(test)]
mod tests;

use wordline_ftl::Cause;
use wordline_units::{Duration, SimTime};

use crate::gauge::Gauge;
use crate::probe::{CommandKind, FinishedRequest};
use crate::series_columns::SeriesColumns;
use crate::series_window::{Acknowledged, Window};
use crate::steady_power::SteadyPower;
use crate::window_power::WindowPower;

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

    /// A codec is given work at `now`.
    #[inline]
    pub fn codec(&mut self, now: SimTime, work: Duration) {
        self.reach(now);
        self.current.codec += work.ns();
    }

    /// A channel is taken for `busy` from `now` on.
    #[inline]
    pub fn bus(&mut self, now: SimTime, busy: Duration) {
        self.reach(now);
        self.current.bus += busy.ns();
    }

    /// The drive was in an idle state from `from` to `to`, which are no earlier than anything that was told before; in no window before the current one has it been.
    pub(crate) fn slept(&mut self, state: usize, from: SimTime, to: SimTime) {
        let mut at = from;
        while at < to {
            self.reach(at);
            let end = SimTime(self.current_end).min(to);
            self.current.asleep[state] += end.since(at).ns();
            at = end;
        }
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

    /// Since when no request has been in the drive, the start of measuring if that came later; `None` where one is.
    #[must_use]
    pub fn idle_since(&self) -> Option<SimTime> {
        self.outstanding.none_since().map(SimTime)
    }

    /// Time with at least one request in the drive, up to `now` in the run.
    pub(crate) fn active_up_to(&self, now: SimTime) -> Duration {
        Duration(self.outstanding.active_up_to(now.ns()))
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

    /// Highest mean power over `span`, as far as windows tell: of rows of windows that are as long together or, where a window is longer, of one; the mean of a run that is
    /// shorter. In W; none if no time has passed.
    pub(crate) fn most_power_over(&self, span: Duration, steady: &SteadyPower) -> Option<f64> {
        let windows: Vec<(f64, u64)> = self
            .windows()
            .filter_map(|(start, window)| {
                let lasted = self.lasted(start);
                let power = WindowPower::of(window, steady, lasted)?;
                Some((power.total * Duration(lasted).as_secs(), lasted))
            })
            .collect();
        let (mut first, mut joules, mut time) = (0, 0.0, 0);
        let mut most: Option<f64> = None;
        for &(more, lasted) in &windows {
            joules += more;
            time += lasted;
            while time - windows[first].1 >= span.ns() {
                joules -= windows[first].0;
                time -= windows[first].1;
                first += 1;
            }
            if time >= span.ns() {
                let mean = joules / Duration(time).as_secs();
                most = Some(most.map_or(mean, |most| most.max(mean)));
            }
        }
        most.or_else(|| (time > 0).then(|| joules / Duration(time).as_secs()))
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
