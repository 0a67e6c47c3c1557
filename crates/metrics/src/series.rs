//! Time series: what happened in each window of simulated time.

use wordline_ftl::Cause;
use wordline_units::{Duration, SimTime};

use crate::probe::{CommandKind, FinishedRequest};

/// Width at which an automatic series starts.
const FIRST_WINDOW: Duration = Duration::from_ms(1);
/// Windows that an automatic series may have before it doubles their width.
const AUTOMATIC_LIMIT: u64 = 2048;
/// Windows that a series of fixed width may have before it doubles it.
const FIXED_LIMIT: u64 = 1 << 20;

/// What happened in one window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Window {
    /// Requests acknowledged, by class.
    requests: [u64; 3],
    /// Bytes of acknowledged requests, by class.
    bytes: [u64; 3],
    latency_sum: [u128; 3],
    latency_max: [u64; 3],
    /// Pages programmed for the host, for GC, for other causes.
    programmed: [u64; 3],
    read: u64,
    erased: u64,
    /// Least free blocks; `None` if nobody told.
    free_blocks: Option<u64>,
    /// Requests in the drive, summed over nanoseconds.
    outstanding: u128,
}

impl Window {
    fn merge(&mut self, later: &Self) {
        for class in 0..3 {
            self.requests[class] += later.requests[class];
            self.bytes[class] += later.bytes[class];
            self.latency_sum[class] += later.latency_sum[class];
            self.latency_max[class] = self.latency_max[class].max(later.latency_max[class]);
            self.programmed[class] += later.programmed[class];
        }
        self.read += later.read;
        self.erased += later.erased;
        self.free_blocks = match (self.free_blocks, later.free_blocks) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.outstanding += later.outstanding;
    }
}

/// A level that changes at moments, and its integral over time.
#[derive(Clone, Copy, Debug, Default)]
struct Gauge {
    level: u64,
    since: u64,
    /// Level times nanoseconds up to `since`.
    area: u128,
}

impl Gauge {
    #[inline]
    fn advance(&mut self, now: u64) -> u128 {
        let area = u128::from(self.level) * u128::from(now.saturating_sub(self.since));
        self.since = self.since.max(now);
        self.area += area;
        area
    }
}

/// Windows of equal width over a run. An event belongs to the window in which it was reported.
///
/// Memory is flat: an automatic series starts with windows of 1 ms and, whenever it would need
/// more than 2048, merges them in pairs and doubles their width. What it holds depends on the
/// events alone.
#[derive(Clone, Debug)]
pub struct Series {
    width: u64,
    configured: Option<Duration>,
    limit: u64,
    /// Windows before the current one.
    past: Vec<Window>,
    current: Window,
    /// End of the current window, ns.
    current_end: u64,
    outstanding: Gauge,
    free_blocks: Gauge,
    free_blocks_known_from: Option<u64>,
    most_outstanding: u64,
}

impl Series {
    /// An empty series; no width stands for the automatic one. A width of zero counts as 1 ns
    /// (`OutputConfig::check` refuses it).
    #[must_use]
    pub fn new(window: Option<Duration>) -> Self {
        let width = window.unwrap_or(FIRST_WINDOW).ns().max(1);
        Self {
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
            free_blocks: Gauge::default(),
            free_blocks_known_from: None,
            most_outstanding: 0,
        }
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
        while now / self.width >= self.limit {
            self.double();
        }
        while now >= self.current_end {
            self.current.outstanding += self.outstanding.advance(self.current_end);
            let level = self.current.free_blocks.map(|_| self.free_blocks.level);
            self.past.push(self.current);
            self.current = Window {
                free_blocks: level,
                ..Window::default()
            };
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
        self.current_end = (self.past.len() as u64 + 1).saturating_mul(self.width);
    }

    /// A host request was acknowledged; its latency runs from arrival.
    #[inline]
    pub fn request(&mut self, request: &FinishedRequest) {
        self.reach(request.completed);
        let class = request.class.index();
        let latency = request.latency().ns();
        let window = &mut self.current;
        window.requests[class] += 1;
        window.bytes[class] += u64::from(request.sectors) * u64::from(wordline_units::SECTOR_BYTES);
        window.latency_sum[class] += u128::from(latency);
        window.latency_max[class] = window.latency_max[class].max(latency);
    }

    /// A flash operation was done. A copy-back counts as a page programmed.
    #[inline]
    pub fn operation(&mut self, now: SimTime, kind: CommandKind, cause: Cause) {
        self.reach(now);
        match kind {
            CommandKind::Read => self.current.read += 1,
            CommandKind::Erase => self.current.erased += 1,
            CommandKind::Program | CommandKind::CopyBack => {
                let share = match cause {
                    Cause::Host => 0,
                    Cause::Gc => 1,
                    _ => 2,
                };
                self.current.programmed[share] += 1;
            }
        }
    }

    /// The number of requests in the drive (admitted, not acknowledged) is `requests` from `now` on.
    #[inline]
    pub fn outstanding(&mut self, now: SimTime, requests: u64) {
        self.reach(now);
        self.current.outstanding += self.outstanding.advance(now.ns());
        self.outstanding.level = requests;
        self.most_outstanding = self.most_outstanding.max(requests);
    }

    /// The number of free blocks of the drive is `blocks` from `now` on.
    #[inline]
    pub fn free_blocks(&mut self, now: SimTime, blocks: u64) {
        self.reach(now);
        if self.free_blocks_known_from.is_none() {
            self.free_blocks.since = now.ns();
            self.free_blocks_known_from = Some(now.ns());
        }
        self.free_blocks.advance(now.ns());
        self.free_blocks.level = blocks;
        let least = self.current.free_blocks.map_or(blocks, |least| least.min(blocks));
        self.current.free_blocks = Some(least);
    }

    /// Accounts for the levels up to the end of the run.
    pub fn finish(&mut self, end: SimTime) {
        // the last window is the one that `end` closes, not one that begins there
        self.reach(SimTime(end.ns().saturating_sub(1)));
        self.current.outstanding += self.outstanding.advance(end.ns());
        self.free_blocks.advance(end.ns());
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

    /// Requests in the drive, summed over nanoseconds: the left side of Little's law times time.
    #[must_use]
    pub fn outstanding_area(&self) -> u128 {
        self.outstanding.area
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

    /// Least number of free blocks; `None` if nobody told.
    #[must_use]
    pub fn least_free_blocks(&self) -> Option<u64> {
        let windows = self.past.iter().chain(std::iter::once(&self.current));
        windows.filter_map(|window| window.free_blocks).min()
    }

    /// Mean number of free blocks over the time it was known; `None` if nobody told or no time
    /// has passed.
    #[must_use]
    pub fn mean_free_blocks(&self) -> Option<f64> {
        let from = self.free_blocks_known_from?;
        mean(self.free_blocks.area, self.free_blocks.since - from)
    }

    /// The table of the windows up to the current one.
    #[must_use]
    pub fn columns(&self) -> SeriesColumns {
        let mut columns = SeriesColumns::default();
        for (index, window) in self.past.iter().chain(std::iter::once(&self.current)).enumerate() {
            columns.push(index as u64 * self.width, self.width, window);
        }
        columns
    }
}

fn mean(area: u128, time: u64) -> Option<f64> {
    (time > 0).then(|| area as f64 / time as f64)
}

/// The time series, one vector per column. A mean that does not exist (no request of the class
/// in the window) is NaN, to be read as missing.
#[derive(Clone, Debug, Default)]
pub struct SeriesColumns {
    /// Start of the window, ns since the start of the run.
    pub start_ns: Vec<u64>,
    /// Width of the window, ns.
    pub width_ns: Vec<u64>,
    /// Read requests acknowledged.
    pub reads: Vec<u64>,
    /// Write requests acknowledged.
    pub writes: Vec<u64>,
    /// Other requests acknowledged.
    pub others: Vec<u64>,
    /// Bytes of the reads.
    pub read_bytes: Vec<u64>,
    /// Bytes of the writes.
    pub written_bytes: Vec<u64>,
    /// Mean latency of the reads, us.
    pub read_mean_us: Vec<f64>,
    /// Mean latency of the writes, us.
    pub write_mean_us: Vec<f64>,
    /// Mean latency of the other requests, us.
    pub other_mean_us: Vec<f64>,
    /// Longest latency of a read, us; 0 without reads.
    pub read_max_us: Vec<f64>,
    /// Longest latency of a write, us; 0 without writes.
    pub write_max_us: Vec<f64>,
    /// Longest latency of another request, us; 0 without any.
    pub other_max_us: Vec<f64>,
    /// Pages programmed for the host.
    pub pages_programmed_host: Vec<u64>,
    /// Pages programmed by garbage collection.
    pub pages_programmed_gc: Vec<u64>,
    /// Pages programmed for other causes.
    pub pages_programmed_other: Vec<u64>,
    /// Pages read.
    pub pages_read: Vec<u64>,
    /// Blocks erased.
    pub blocks_erased: Vec<u64>,
    /// Least number of free blocks; NaN if unknown.
    pub free_blocks_min: Vec<f64>,
    /// Mean number of requests in the drive.
    pub outstanding_mean: Vec<f64>,
}

impl SeriesColumns {
    fn push(&mut self, start: u64, width: u64, window: &Window) {
        let mean_us = |class: usize| {
            let requests = window.requests[class];
            if requests == 0 {
                f64::NAN
            } else {
                window.latency_sum[class] as f64 / requests as f64 / 1e3
            }
        };
        let max_us = |class: usize| Duration(window.latency_max[class]).as_us();
        self.start_ns.push(start);
        self.width_ns.push(width);
        self.reads.push(window.requests[0]);
        self.writes.push(window.requests[1]);
        self.others.push(window.requests[2]);
        self.read_bytes.push(window.bytes[0]);
        self.written_bytes.push(window.bytes[1]);
        self.read_mean_us.push(mean_us(0));
        self.write_mean_us.push(mean_us(1));
        self.other_mean_us.push(mean_us(2));
        self.read_max_us.push(max_us(0));
        self.write_max_us.push(max_us(1));
        self.other_max_us.push(max_us(2));
        self.pages_programmed_host.push(window.programmed[0]);
        self.pages_programmed_gc.push(window.programmed[1]);
        self.pages_programmed_other.push(window.programmed[2]);
        self.pages_read.push(window.read);
        self.blocks_erased.push(window.erased);
        self.free_blocks_min
            .push(window.free_blocks.map_or(f64::NAN, |blocks| blocks as f64));
        self.outstanding_mean
            .push(window.outstanding as f64 / width as f64);
    }

    /// Windows held.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.start_ns.len()
    }
}
