//! How much of a trace is sequential.

use serde::Serialize;

use super::Bucket;
use super::histogram::Histogram;

/// Streams per device whose ends are remembered.
const STREAMS: usize = 32;

/// How much of a trace is sequential, by device.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sequentiality {
    /// Reads that start where the request before on their device ended, in percent of the reads.
    pub read_percent: Option<f64>,
    /// Writes that start where the request before on their device ended, in percent of the writes.
    pub write_percent: Option<f64>,
    /// Requests that start where one of the last 32 requests of their device ended, in percent:
    /// streams that take turns count too.
    pub streams_percent: f64,
    /// Mean number of requests in a run: a request and those that follow it without a gap.
    pub mean_run_requests: f64,
    /// Bytes in the longest run.
    pub longest_run_bytes: u64,
    /// Runs by their number of requests, in powers of two.
    pub run_histogram: Vec<Bucket>,
}

/// Where requests on a device ended.
#[derive(Clone, Debug, Default)]
struct Device {
    ends: Vec<u64>,
    /// Where the next end goes in `ends`.
    next: usize,
    end: Option<u64>,
    run_requests: u64,
    run_bytes: u64,
}

/// Follows the runs of a trace.
#[derive(Debug)]
pub(crate) struct Runs {
    devices: Vec<Device>,
    requests: u64,
    reads: [u64; 2],
    writes: [u64; 2],
    streams: u64,
    runs: u64,
    longest: u64,
    histogram: Histogram,
}

impl Runs {
    pub(crate) fn new(devices: usize) -> Self {
        Self {
            devices: vec![Device::default(); devices],
            requests: 0,
            reads: [0; 2],
            writes: [0; 2],
            streams: 0,
            runs: 0,
            longest: 0,
            histogram: Histogram::new(),
        }
    }

    /// Counts a request from `start` to `end`; `is_write` is `None` for neither read nor write.
    pub(crate) fn add(&mut self, device: u32, start: u64, end: u64, is_write: Option<bool>) {
        let Some(state) = self.devices.get_mut(device as usize) else {
            return;
        };
        let goes_on = state.end == Some(start);
        self.requests += 1;
        match is_write {
            Some(false) => count(&mut self.reads, goes_on),
            Some(true) => count(&mut self.writes, goes_on),
            None => {}
        }
        self.streams += u64::from(state.ends.contains(&start));
        if goes_on {
            state.run_requests += 1;
            state.run_bytes += end - start;
        } else {
            if state.run_requests > 0 {
                self.histogram.add(state.run_requests);
                self.runs += 1;
            }
            (state.run_requests, state.run_bytes) = (1, end - start);
        }
        self.longest = self.longest.max(state.run_bytes);
        state.end = Some(end);
        if state.ends.len() < STREAMS {
            state.ends.push(end);
        } else {
            state.ends[state.next] = end;
        }
        state.next = (state.next + 1) % STREAMS;
    }

    /// Requests that start where the request before on their device ended.
    pub(crate) fn sequential(&self) -> u64 {
        // every other request starts a run
        self.requests - self.runs - self.open()
    }

    /// Runs that may go on.
    fn open(&self) -> u64 {
        self.devices
            .iter()
            .filter(|device| device.run_requests > 0)
            .count() as u64
    }

    pub(crate) fn figures(&self) -> Sequentiality {
        let mut histogram = self.histogram.clone();
        for device in self.devices.iter().filter(|device| device.run_requests > 0) {
            histogram.add(device.run_requests);
        }
        let percent = |[sequential, all]: [u64; 2]| (all > 0).then(|| 100.0 * sequential as f64 / all as f64);
        Sequentiality {
            read_percent: percent(self.reads),
            write_percent: percent(self.writes),
            streams_percent: 100.0 * self.streams as f64 / self.requests.max(1) as f64,
            mean_run_requests: self.requests as f64 / (self.runs + self.open()).max(1) as f64,
            longest_run_bytes: self.longest,
            run_histogram: histogram.buckets(),
        }
    }
}

fn count([sequential, all]: &mut [u64; 2], goes_on: bool) {
    *sequential += u64::from(goes_on);
    *all += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_streams_that_take_turns() {
        let mut runs = Runs::new(2);
        // a run of three on device 0, with a write of device 1 in between
        runs.add(0, 0, 10, Some(false));
        runs.add(0, 10, 20, Some(false));
        runs.add(1, 20, 30, Some(true));
        runs.add(0, 20, 50, Some(true));
        // two streams on device 1 that take turns
        runs.add(1, 100, 110, Some(true));
        runs.add(1, 30, 40, Some(true));
        runs.add(1, 110, 120, None);
        let figures = runs.figures();
        assert_eq!(runs.sequential(), 2);
        assert_eq!(figures.read_percent, Some(50.0));
        assert_eq!(figures.write_percent, Some(25.0));
        assert!((figures.streams_percent - 400.0 / 7.0).abs() < 1e-9);
        assert!((figures.mean_run_requests - 7.0 / 5.0).abs() < 1e-9);
        assert_eq!(figures.longest_run_bytes, 50);
        let counts: Vec<(u64, u64)> = figures.run_histogram.iter().map(|b| (b.from, b.count)).collect();
        assert_eq!(counts, [(1, 4), (2, 1)]);
    }
}
