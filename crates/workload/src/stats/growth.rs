//! How the footprint of a trace grows, and where on the drive it lies.

use serde::Serialize;

use super::pages::Pages;

/// Points of the curve, at most.
const POINTS: usize = 256;
/// Parts that the address space is divided into.
pub(crate) const PARTS: u64 = 64;

/// The footprint after some of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// Requests so far.
    pub requests: u64,
    /// Seconds since the first arrival.
    pub time_s: f64,
    /// Distinct 4-KiB pages read so far.
    pub pages_read: u64,
    /// Distinct 4-KiB pages written so far.
    pub pages_written: u64,
    /// Distinct 4-KiB pages read or written so far.
    pub pages_touched: u64,
}

/// Requests that start in one of 64 equal parts of the drive on which the devices lie side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Part {
    /// First byte of the part.
    pub from_byte: u64,
    /// Reads that start there.
    pub reads: u64,
    /// Writes that start there.
    pub writes: u64,
}

/// Draws the curve as the trace is read: a point every so many requests; when there are too many
/// points, every second one is dropped.
#[derive(Debug)]
pub(crate) struct Curve {
    points: Vec<Growth>,
    step: u64,
}

impl Curve {
    pub(crate) const fn new() -> Self {
        Self {
            points: Vec::new(),
            step: 1,
        }
    }

    /// After request number `requests`, `since` nanoseconds after the first.
    pub(crate) fn add(&mut self, requests: u64, since: u64, pages: &Pages) {
        if !requests.is_multiple_of(self.step) {
            return;
        }
        if self.points.len() == POINTS {
            self.step *= 2;
            let step = self.step;
            self.points.retain(|point| point.requests.is_multiple_of(step));
            if !requests.is_multiple_of(step) {
                return;
            }
        }
        self.points.push(point(requests, since, pages));
    }

    /// The curve, up to the end of the trace.
    pub(crate) fn finish(mut self, requests: u64, span: u64, pages: &Pages) -> Vec<Growth> {
        if self.points.last().is_some_and(|last| last.requests < requests) {
            self.points.push(point(requests, span, pages));
        }
        self.points
    }
}

fn point(requests: u64, since: u64, pages: &Pages) -> Growth {
    Growth {
        requests,
        time_s: since as f64 / 1e9,
        pages_read: pages.read(),
        pages_written: pages.written(),
        pages_touched: pages.touched(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_keeps_its_ends_and_stays_short() {
        for requests in [1, 100, 256, 257, 511, 10_000, 65_537] {
            let mut pages = Pages::new(1 << 20);
            let mut curve = Curve::new();
            for request in 1..=requests {
                pages.add(request, request, false);
                curve.add(request, 1_000_000_000 * (request - 1), &pages);
            }
            let points = curve.finish(requests, 1_000_000_000 * (requests - 1), &pages);
            assert!(points.len() <= POINTS + 1);
            assert_eq!(points.last().unwrap().requests, requests);
            assert!(points.windows(2).all(|pair| pair[0].requests < pair[1].requests));
            assert!(points.iter().all(|point| point.pages_read == point.requests));
            assert!(points.len() >= (requests as usize).min(128));
        }
    }
}
